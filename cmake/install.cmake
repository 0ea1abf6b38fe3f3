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
# The tool writes its manual page and its completions itself, where it can run.
if(TARGET shardstats_tool AND NOT CMAKE_CROSSCOMPILING)
  set(manners ${PROJECT_BINARY_DIR}/manners)
  add_custom_command(
    OUTPUT ${manners}/shardstats.1 ${manners}/shardstats.bash ${manners}/_shardstats ${manners}/shardstats.fish
    COMMAND ${CMAKE_COMMAND} -E make_directory ${manners}
    COMMAND shardstats_tool man > ${manners}/shardstats.1
    COMMAND shardstats_tool completion bash > ${manners}/shardstats.bash
    COMMAND shardstats_tool completion zsh > ${manners}/_shardstats
    COMMAND shardstats_tool completion fish > ${manners}/shardstats.fish
    DEPENDS shardstats_tool
    COMMENT "Writing the manual page and the completions"
    VERBATIM)
  add_custom_target(shardstats_manners ALL DEPENDS ${manners}/shardstats.1)
  install(FILES ${manners}/shardstats.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${manners}/shardstats.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME shardstats)
  install(FILES ${manners}/_shardstats DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${manners}/shardstats.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
