# What `cmake --install` puts where: the library with its headers and package config, the tool, the documents.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/shardstats)

install(TARGETS shardstats EXPORT shardstats-targets)
install(DIRECTORY include/shardstats DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/generated/shardstats/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/shardstats)
install(EXPORT shardstats-targets NAMESPACE shardstats:: DESTINATION ${package_dir})
configure_package_config_file(cmake/shardstats-config.cmake.in ${PROJECT_BINARY_DIR}/generated/shardstats-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/shardstats-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/shardstats-config.cmake
              ${PROJECT_BINARY_DIR}/generated/shardstats-config-version.cmake cmake/shardstats-dependencies.cmake
        DESTINATION ${package_dir})

if(TARGET shardstats_tool)
  install(TARGETS shardstats_tool)
endif()
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
if(EXISTS ${PROJECT_SOURCE_DIR}/docs/man/shardstats.1)
  install(FILES docs/man/shardstats.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
