# SPDX-License-Identifier: Apache-2.0
# The one place where warnings are set. NLLDIFF_WERROR (presets dev and ci) makes them errors. -Wnull-dereference is not among
# them: what it says depends on what was inlined, and differs from one GCC to the next.
add_library(nlldiff_warnings INTERFACE)
target_compile_options(nlldiff_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
    -Wold-style-cast -Woverloaded-virtual -Wformat=2>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${NLLDIFF_WERROR}>>:-Werror>)
# GCC 12 sees overlapping copies in std::string's own code (GCC bug 105651, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(nlldiff_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# GCC 13 takes every reference that a function with a temporary argument returns for dangling; a reference into a loaded
# library is not.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(nlldiff_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>)
endif()
