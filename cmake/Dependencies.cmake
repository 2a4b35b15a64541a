# SPDX-License-Identifier: Apache-2.0
# Every outside package, found once. scripts/setup installs them.
include(Packages)
find_package(Threads REQUIRED)

# ---- Fibers: Boost's context library, or our own switch where only its headers are there ----
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_library(nlldiff_fcontext STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/src/simt/fcontext/fcontext_x86_64.cpp")
  target_link_libraries(nlldiff_fcontext PUBLIC Boost::headers)
endif()
if(NOT TARGET Boost::context)
  if(NOT TARGET nlldiff_fcontext)
    nlldiff_missing("Boost.Context 1.74" libboost-context-dev)
  endif()
  message(STATUS "nlldiff: Boost's context library is not here; fibers switch through src/simt/fcontext")
  add_library(Boost::context ALIAS nlldiff_fcontext)
endif()

# ---- Faster builds, where the tools are there ----
find_program(NLLDIFF_CCACHE ccache)
if(NLLDIFF_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${NLLDIFF_CCACHE}")
endif()
find_program(NLLDIFF_MOLD mold)
if(NLLDIFF_MOLD)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=mold NLLDIFF_LINKS_WITH_MOLD)
  add_link_options("$<$<AND:$<BOOL:${NLLDIFF_LINKS_WITH_MOLD}>,$<LINK_LANGUAGE:CXX>>:-fuse-ld=mold>")
endif()

# ---- CUDA: the device half is built where nvcc is found ----
set(NLLDIFF_HAVE_CUDA OFF)
if(NLLDIFF_CUDA)
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
    endif()
    set(CMAKE_CUDA_STANDARD 17)
    enable_language(CUDA)
    find_package(CUDAToolkit 12.0 REQUIRED)
    set(NLLDIFF_HAVE_CUDA ON)
  endif()
endif()

include(LibTorch)

if(NOT NLLDIFF_HAVE_CUDA)
  message(STATUS "nlldiff: the CUDA half is left out (no nvcc, or NLLDIFF_CUDA=OFF)")
endif()
