# SPDX-License-Identifier: Apache-2.0
# One call a folder of src/: every .cpp in it becomes the layer's library, every *_test.cpp beside it one test
# executable. A new file in a folder is picked up by itself.

# nlldiff_layer(<name> [SHARED] [DEPENDS <targets>] [PRIVATE_DEPENDS <targets>] [EXCLUDE <files>])
function(nlldiff_layer name)
  cmake_parse_arguments(arg "SHARED" "" "DEPENDS;PRIVATE_DEPENDS;EXCLUDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "*.cpp")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|main|bench)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  foreach(file IN LISTS arg_EXCLUDE)
    list(REMOVE_ITEM sources "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    list(REMOVE_ITEM tests "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endforeach()

  set(target nlldiff_${name})
  if(arg_SHARED)
    add_library(${target} SHARED ${sources})
  elseif(sources)
    add_library(${target} STATIC ${sources})
  else()
    add_library(${target} INTERFACE)
  endif()
  if(sources)
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(${target} PUBLIC ${arg_DEPENDS} PRIVATE nlldiff_warnings ${arg_PRIVATE_DEPENDS})
  else()
    target_include_directories(${target} INTERFACE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(${target} INTERFACE ${arg_DEPENDS})
  endif()

  if(NLLDIFF_BUILD_TESTS AND tests)
    add_executable(${target}_tests ${tests})
    target_link_libraries(${target}_tests PRIVATE ${target} nlldiff_warnings GTest::gmock GTest::gtest_main)
    nlldiff_discover_tests(${target}_tests)
  endif()
endfunction()

# Registers a GoogleTest executable with CTest, named by its claims; an executable without tests is an error.
function(nlldiff_discover_tests target)
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
endfunction()
