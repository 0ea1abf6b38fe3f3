# The libraries that shardstats links, as shardstats::archive, shardstats::re2 and shardstats::utf8proc. Read by the
# build and by the installed package alike. Static archives are taken where they exist and link: loading libarchive's
# own dozen shared libraries would cost more time than reading a log.
include_guard()
include(CMakeFindDependencyMacro)
include(CheckCXXSourceCompiles)

option(SHARDSTATS_STATIC_DEPENDENCIES "Link libarchive, RE2 and utf8proc statically where static archives are found" ON)

find_dependency(Threads)
find_dependency(ZLIB)
find_dependency(LibArchive)
find_dependency(PkgConfig)

# Sets `out` to the file of the static archive lib<name>.a, or to NOTFOUND.
function(shardstats_find_static out name)
  find_library(SHARDSTATS_STATIC_${name} NAMES ${CMAKE_STATIC_LIBRARY_PREFIX}${name}${CMAKE_STATIC_LIBRARY_SUFFIX})
  mark_as_advanced(SHARDSTATS_STATIC_${name})
  set(${out} "${SHARDSTATS_STATIC_${name}}" PARENT_SCOPE)
endfunction()

# Only the raw reader and four filters are used, so these archives are all that libarchive.a asks for.
function(shardstats_static_archive out)
  set(files)
  foreach(name archive z zstd lzma bz2)
    shardstats_find_static(file ${name})
    if(NOT file)
      set(${out} "" PARENT_SCOPE)
      return()
    endif()
    list(APPEND files ${file})
  endforeach()
  set(CMAKE_REQUIRED_LIBRARIES ${files} Threads::Threads)
  set(CMAKE_REQUIRED_INCLUDES ${LibArchive_INCLUDE_DIRS})
  check_cxx_source_compiles("
    #include <archive.h>
    int main() {
      archive* a = archive_read_new();
      archive_read_support_filter_gzip(a);
      archive_read_support_filter_zstd(a);
      archive_read_support_filter_xz(a);
      archive_read_support_filter_bzip2(a);
      archive_read_support_format_raw(a);
      archive_read_support_format_empty(a);
      archive_read_open_memory(a, nullptr, 0);
      return archive_read_free(a);
    }" SHARDSTATS_STATIC_ARCHIVE_LINKS)
  if(NOT SHARDSTATS_STATIC_ARCHIVE_LINKS)
    set(files)
  endif()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

if(NOT TARGET shardstats::archive)
  add_library(shardstats::archive INTERFACE IMPORTED)
  set(shardstats_archive_files)
  if(SHARDSTATS_STATIC_DEPENDENCIES)
    shardstats_static_archive(shardstats_archive_files)
  endif()
  if(shardstats_archive_files)
    target_include_directories(shardstats::archive INTERFACE ${LibArchive_INCLUDE_DIRS} ${ZLIB_INCLUDE_DIRS})
    target_link_libraries(shardstats::archive INTERFACE ${shardstats_archive_files} Threads::Threads)
  else()
    target_link_libraries(shardstats::archive INTERFACE LibArchive::LibArchive ZLIB::ZLIB)
  endif()
endif()

# shardstats::<name> is the module of pkg-config, or the static archive lib<name>.a.
function(shardstats_module name module)
  add_library(shardstats::${name} INTERFACE IMPORTED)
  pkg_check_modules(SHARDSTATS_${name} REQUIRED IMPORTED_TARGET ${module})
  set(file)
  if(SHARDSTATS_STATIC_DEPENDENCIES)
    shardstats_find_static(file ${name})
  endif()
  if(file)
    target_include_directories(shardstats::${name} INTERFACE ${SHARDSTATS_${name}_INCLUDE_DIRS})
    target_link_libraries(shardstats::${name} INTERFACE ${file} Threads::Threads)
  else()
    target_link_libraries(shardstats::${name} INTERFACE PkgConfig::SHARDSTATS_${name})
  endif()
endfunction()

if(NOT TARGET shardstats::re2)
  find_package(re2 CONFIG QUIET)
  if(TARGET re2::re2)
    add_library(shardstats::re2 INTERFACE IMPORTED)
    target_link_libraries(shardstats::re2 INTERFACE re2::re2)
  else()
    shardstats_module(re2 re2)
  endif()
endif()
if(NOT TARGET shardstats::utf8proc)
  shardstats_module(utf8proc libutf8proc)
endif()
