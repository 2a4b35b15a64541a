# SPDX-License-Identifier: Apache-2.0
# cmake --install gives a tree that works wherever it is moved. The build tree already has its shape, and finds its own
# libraries through $ORIGIN, so files are copied as they are; only torch (and CUDA) stay where they were found.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

# What a kernel compiled at run time includes; in the build tree by link, so that an edit is seen at once.
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share/nlldiff" "${CMAKE_BINARY_DIR}/include")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/src/simt/include" "${CMAKE_BINARY_DIR}/share/nlldiff/simt" SYMBOLIC)
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/include/nlldiff" "${CMAKE_BINARY_DIR}/include/nlldiff" SYMBOLIC)
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/cases" "${CMAKE_BINARY_DIR}/share/nlldiff/cases" SYMBOLIC)

install(PROGRAMS "${CMAKE_BINARY_DIR}/bin/nlldiff" "${CMAKE_BINARY_DIR}/bin/nlldiff-worker" DESTINATION bin)
install(PROGRAMS "${CMAKE_BINARY_DIR}/bin/nlldiff-worker-cuda" DESTINATION bin OPTIONAL)
install(DIRECTORY "${CMAKE_BINARY_DIR}/${NLLDIFF_LIB_SUBDIR}/" DESTINATION "${NLLDIFF_LIB_SUBDIR}"
        USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "*.so" PATTERN "*test*" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/nlldiff" DESTINATION include)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/simt/include/" DESTINATION share/nlldiff/simt)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/cases" DESTINATION share/nlldiff)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION share/doc/nlldiff)
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/LICENSE"
        DESTINATION share/doc/nlldiff)
