# SPDX-License-Identifier: Apache-2.0
# Every C++ package from the system: name, least version, the Debian and Ubuntu package that brings it. The build and
# scripts/setup (through cmake/probe) look them up here, so that what is installed is what is asked for.

# nlldiff_package(<name> <version> <apt package>...): finds it, or says what to install.
macro(nlldiff_package name version)
  find_package(${name} ${version} CONFIG QUIET)
  if(NOT ${name}_FOUND)
    nlldiff_missing("${name} ${version}" ${ARGN})
  endif()
endmacro()

# With NLLDIFF_PROBE the missing packages are only named, for scripts/setup to install.
function(nlldiff_missing what)
  if(NOT NLLDIFF_PROBE)
    file(REMOVE "${PROJECT_SOURCE_DIR}/.setup/stamp")
    message(FATAL_ERROR "${what} or later was not found: run scripts/setup, or install ${ARGN}")
  endif()
  foreach(apt IN LISTS ARGN)
    message(STATUS "MISSING ${apt}")
  endforeach()
endfunction()

nlldiff_package(fmt 9 libfmt-dev)
nlldiff_package(nlohmann_json 3.11 nlohmann-json3-dev)
nlldiff_package(CLI11 2.1 libcli11-dev)
if(NLLDIFF_PROBE OR NLLDIFF_BUILD_TESTS)
  nlldiff_package(GTest 1.12 libgtest-dev libgmock-dev)
  if(GTest_FOUND AND NOT TARGET GTest::gmock)
    nlldiff_missing("GoogleTest's gmock 1.12" libgmock-dev)
  endif()
endif()
# Config mode, since CMake 4 has no FindBoost any more. The headers can be there without the library.
find_package(Boost 1.74 CONFIG QUIET OPTIONAL_COMPONENTS context)
if(NOT Boost_FOUND)
  nlldiff_missing("Boost.Context 1.74" libboost-context-dev)
endif()
