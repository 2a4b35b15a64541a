# SPDX-License-Identifier: Apache-2.0
# LibTorch, from the torch wheel of NLLDIFF_PYTHON. Gives
#   nlldiff::torch_cpu    libtorch_cpu and libc10: enough for at::cpu::*
#   nlldiff::torch_cuda   the above with libtorch_cuda and libc10_cuda (where NLLDIFF_HAVE_CUDA)
# and NLLDIFF_TORCH_VERSION, NLLDIFF_TORCH_CUDA, NLLDIFF_TORCH_GIT, NLLDIFF_TORCH_DIR. find_package(Torch) is not used:
# it probes for a GPU, wants TORCH_CUDA_ARCH_LIST, and puts torch's own fmt before the system's (below).

function(nlldiff_default_python out)
  set(python python3)
  if(EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
    set(python "${PROJECT_SOURCE_DIR}/.venv/bin/python")
  endif()
  find_program(path "${python}" NO_CACHE)
  set(${out} "${path}" PARENT_SCOPE)
endfunction()

# Reads KEY=VALUE of scripts/versions.sh.
function(nlldiff_supported key out)
  file(STRINGS "${PROJECT_SOURCE_DIR}/scripts/versions.sh" line REGEX "^${key}=")
  string(REGEX REPLACE "^[^=]*=" "" value "${line}")
  set(${out} "${value}" PARENT_SCOPE)
endfunction()

function(nlldiff_torch_failed sentence)
  file(REMOVE "${PROJECT_SOURCE_DIR}/.setup/stamp")
  message(FATAL_ERROR "${sentence}\nRun scripts/setup, or pass -DNLLDIFF_PYTHON=<a python3 with torch>.")
endfunction()

# Asks where torch is without importing it, which would take seconds.
function(nlldiff_ask_python out)
  set(script [[
import importlib.util, os, runpy, sys
spec = importlib.util.find_spec("torch")
if spec is None or not spec.origin:
    sys.exit("no module named torch")
folder = os.path.dirname(spec.origin)
version = runpy.run_path(os.path.join(folder, "version.py"))
print(folder, version["__version__"], version["cuda"] or "none", version["git_version"], sep=";")
]])
  execute_process(COMMAND "${NLLDIFF_PYTHON}" -c "${script}" OUTPUT_VARIABLE answer ERROR_VARIABLE error
    RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    nlldiff_torch_failed("NLLDIFF_PYTHON is '${NLLDIFF_PYTHON}', which has no torch: ${error}")
  endif()
  set(${out} "${answer}" PARENT_SCOPE)
endfunction()

function(nlldiff_torch_library name)
  add_library(nlldiff::lib${name} SHARED IMPORTED GLOBAL)
  set(file "${NLLDIFF_TORCH_DIR}/lib/lib${name}.so")
  if(NOT EXISTS "${file}")
    nlldiff_torch_failed("${file} is missing from the torch wheel")
  endif()
  set_target_properties(nlldiff::lib${name} PROPERTIES IMPORTED_LOCATION "${file}")
endfunction()

if(NOT NLLDIFF_PYTHON)
  nlldiff_default_python(found)
  set(NLLDIFF_PYTHON "${found}" CACHE FILEPATH "A python3 with torch, numpy and jsonschema" FORCE)
endif()
nlldiff_ask_python(answer)
list(GET answer 0 NLLDIFF_TORCH_DIR)
list(GET answer 1 NLLDIFF_TORCH_VERSION)
list(GET answer 2 NLLDIFF_TORCH_CUDA)
list(GET answer 3 NLLDIFF_TORCH_GIT)

nlldiff_supported(NLLDIFF_TORCH_MIN least)
nlldiff_supported(NLLDIFF_TORCH_BELOW below)
string(REGEX MATCH "^[0-9.]+" plain_version "${NLLDIFF_TORCH_VERSION}")
if(plain_version VERSION_LESS least OR NOT plain_version VERSION_LESS below)
  nlldiff_torch_failed("torch ${NLLDIFF_TORCH_VERSION} in ${NLLDIFF_TORCH_DIR} is outside the supported range [${least}, ${below})")
endif()
message(STATUS "nlldiff: torch ${NLLDIFF_TORCH_VERSION} (CUDA ${NLLDIFF_TORCH_CUDA}) in ${NLLDIFF_TORCH_DIR}")

nlldiff_torch_library(c10)
nlldiff_torch_library(torch_cpu)
add_library(nlldiff_torch_cpu INTERFACE)
add_library(nlldiff::torch_cpu ALIAS nlldiff_torch_cpu)
target_link_libraries(nlldiff_torch_cpu INTERFACE nlldiff::libtorch_cpu nlldiff::libc10)
# -idirafter: the wheel carries headers of fmt 12, which must not stand before the system's fmt, whose library we link.
# Its own libraries (libcudart, libcupti, ...) are found through the RPATH inside the wheel, so the linker need not look.
target_compile_options(nlldiff_torch_cpu INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-idirafter ${NLLDIFF_TORCH_DIR}/include>")
target_link_options(nlldiff_torch_cpu INTERFACE "LINKER:--allow-shlib-undefined")

# The device half needs a wheel built for the toolkit's major version.
if(NLLDIFF_HAVE_CUDA)
  string(REGEX MATCH "^[0-9]+" torch_cuda_major "${NLLDIFF_TORCH_CUDA}")
  if(NOT torch_cuda_major EQUAL CUDAToolkit_VERSION_MAJOR)
    message(STATUS "nlldiff: the CUDA half is left out (nvcc is CUDA ${CUDAToolkit_VERSION}, torch ${NLLDIFF_TORCH_VERSION} "
                   "was built for CUDA ${NLLDIFF_TORCH_CUDA})")
    set(NLLDIFF_HAVE_CUDA OFF)
  else()
    nlldiff_torch_library(c10_cuda)
    nlldiff_torch_library(torch_cuda)
    add_library(nlldiff_torch_cuda INTERFACE)
    add_library(nlldiff::torch_cuda ALIAS nlldiff_torch_cuda)
    target_link_libraries(nlldiff_torch_cuda INTERFACE nlldiff::torch_cpu nlldiff::libtorch_cuda nlldiff::libc10_cuda
      CUDA::cudart)
    # Its kernels register themselves when it is loaded, also where no symbol of it is used.
    target_link_options(nlldiff_torch_cuda INTERFACE "LINKER:--no-as-needed")
  endif()
endif()
