# SPDX-License-Identifier: Apache-2.0
# nlldiff_python_test(<name> <script> <arguments>...): a CTest that drives the built nlldiff from a script.
function(nlldiff_python_test name script)
  add_test(NAME "${name}" COMMAND "${NLLDIFF_PYTHON}" "${script}" ${ARGN})
  set_tests_properties("${name}" PROPERTIES TIMEOUT 300
    ENVIRONMENT "NLLDIFF_TOOL=$<TARGET_FILE:nlldiff>;NLLDIFF_ROOT=${PROJECT_SOURCE_DIR};PYTHONDONTWRITEBYTECODE=1")
endfunction()
