# SPDX-License-Identifier: Apache-2.0
# A .cu file as a library for the host. All compiler flags are in src/simt/compile.cpp.

# nlldiff_simt_library(<target> <source.cu> OUTPUT_NAME <name> OUTPUT_DIR <folder, under the build root>
#                      [COMPILER <g++ or clang++>] [FLAGS <flag>...] [DEFINITIONS <name=value>...] [BLIND])
# Makes <folder>/<name>.so, with a run path relative to itself. The calling folder is on the include path.
function(nlldiff_simt_library target source)
  cmake_parse_arguments(arg "BLIND" "OUTPUT_NAME;OUTPUT_DIR;COMPILER" "FLAGS;DEFINITIONS" ${ARGN})
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  if(NOT arg_COMPILER)
    set(arg_COMPILER "${CMAKE_CXX_COMPILER}")
  endif()
  cmake_path(ABSOLUTE_PATH arg_OUTPUT_DIR BASE_DIRECTORY "${CMAKE_BINARY_DIR}" NORMALIZE OUTPUT_VARIABLE folder)
  set(output "${folder}/${arg_OUTPUT_NAME}.so")
  set(depfile "${CMAKE_CURRENT_BINARY_DIR}/${target}.d")
  file(MAKE_DIRECTORY "${folder}")
  file(RELATIVE_PATH to_runtime "${folder}" "${CMAKE_BINARY_DIR}/${NLLDIFF_LIB_SUBDIR}")

  # Source lines in findings are relative to the project, wherever it was built.
  set(options "--flag=-I${CMAKE_CURRENT_SOURCE_DIR}" "--flag=-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
              "--flag=-ffile-prefix-map=${CMAKE_CURRENT_BINARY_DIR}=")
  foreach(flag IN LISTS arg_FLAGS)
    list(APPEND options "--flag=${flag}")
  endforeach()
  foreach(definition IN LISTS arg_DEFINITIONS)
    list(APPEND options "--flag=-D${definition}")
  endforeach()
  if(arg_BLIND)
    list(APPEND options --blind)
  endif()

  add_custom_command(
    OUTPUT "${output}"
    COMMAND nlldiff-translate "${source}" --output "${output}" --compiler "${arg_COMPILER}"
            --include-dir "${PROJECT_SOURCE_DIR}/src/simt/include" --abi-include-dir "${PROJECT_SOURCE_DIR}/include"
            --runtime "$<TARGET_FILE:nlldiff_simt>" --run-path "$ORIGIN/${to_runtime}" --depfile "${depfile}" ${options}
    DEPENDS "${source}" nlldiff-translate
    DEPFILE "${depfile}"
    COMMENT "CUDA C++ for the host: ${arg_OUTPUT_NAME}.so"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS "${output}")
  add_dependencies(${target} nlldiff_simt)
  set_target_properties(${target} PROPERTIES NLLDIFF_OUTPUT "${output}")
endfunction()
