# One static library per folder of src/, with exactly the link edges of the layering. A test executable of a folder
# links that folder's library only, so a call against the layering does not link; tests/layers_test.py checks the
# include edges.

add_library(shardstats_options INTERFACE)
target_compile_features(shardstats_options INTERFACE cxx_std_20)
# -ffp-contract=off: the planner's numbers come from plain binary64 steps, a fused multiply-add would change digits.
target_compile_options(
  shardstats_options INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                               -ffunction-sections -fdata-sections)
# g++ 12 warns wrongly about "text" + std::string (GCC bug 105329).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(shardstats_options INTERFACE -Wno-restrict)
endif()
# g++ on x86 zeroes and copies small objects with rep stos and rep movs, whose start takes longer than the work. The plan
# rows and sets of parts that inference makes by the thousand are such objects; vector registers take 16 bytes at a time.
include(CheckCXXCompilerFlag)
set(shardstats_small_objects -mmemset-strategy=vector_loop:768:noalign,libcall:-1:noalign
                             -mmemcpy-strategy=vector_loop:512:noalign,libcall:-1:noalign)
check_cxx_compiler_flag("${shardstats_small_objects}" SHARDSTATS_HAS_SMALL_OBJECT_STRATEGIES)
if(SHARDSTATS_HAS_SMALL_OBJECT_STRATEGIES)
  target_compile_options(shardstats_options INTERFACE ${shardstats_small_objects})
endif()
# g++ 12 packs the two ends of an interval, or line and column of a place, into one register by way of others or the
# stack, which costs more than the packed operation saves where little else is done.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set_source_files_properties(src/infer/sums.cc src/infer/sum_bounds.cc src/infer/shard_totals.cc
                              src/infer/linear_system.cc src/log/cells.cc
                              PROPERTIES COMPILE_OPTIONS -fno-tree-slp-vectorize)
endif()
target_link_options(shardstats_options INTERFACE -Wl,--as-needed -Wl,--gc-sections)
if(SHARDSTATS_SANITIZE)
  target_compile_options(shardstats_options INTERFACE -fsanitize=${SHARDSTATS_SANITIZE} -fno-sanitize-recover=all
                                                      -fno-omit-frame-pointer)
  target_link_options(shardstats_options INTERFACE -fsanitize=${SHARDSTATS_SANITIZE})
endif()
# For what is built from several sources at once: local names of one shadow those of another, and g++ takes the sources
# for headers, whose types may not have members of local ones.
add_library(shardstats_unity INTERFACE)
target_compile_options(shardstats_unity INTERFACE -Wno-shadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(shardstats_unity INTERFACE -Wno-subobject-linkage)
endif()
if(CMAKE_UNITY_BUILD)
  target_link_libraries(shardstats_options INTERFACE shardstats_unity)
endif()

# shardstats_precompile(TARGET [HEADER...]): these and the usual headers of the standard library are read once per target.
# Not with g++: with them it warns wrongly about the standard library, and a debug build shows a missing #include.
function(shardstats_precompile target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")  # which ccache could not compare
    target_precompile_headers(
      ${target} PRIVATE <algorithm> <array> <cmath> <functional> <map> <memory> <optional> <span> <string> <string_view>
      <utility> <variant> <vector> ${ARGN})
  endif()
endfunction()

# shardstats_folder(NAME [UNITY] [USES folder...] [EXTERNAL target...] [PRECOMPILE header...]): library shardstats_NAME of
# src/NAME/*.cc. UNITY: several sources are compiled at once, which halves the time, but for a debug build, whose next
# build starts from a single change.
# A folder without sources yet, or with headers only, is an interface library.
function(shardstats_folder name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNITY" "" "USES;EXTERNAL;PRECOMPILE")
  set(target shardstats_${name})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.h
       ${PROJECT_SOURCE_DIR}/include/shardstats/${name}/*.h)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  list(TRANSFORM arg_USES PREPEND shardstats_)
  if(sources)
    add_library(${target} STATIC ${sources} ${headers})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE shardstats_options)
    if(SHARDSTATS_FUZZ)
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link) # coverage; of the tests it tells nothing
    endif()
    if(arg_UNITY AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
      target_link_libraries(${target} PRIVATE shardstats_unity)
    endif()
    shardstats_precompile(${target} ${arg_PRECOMPILE})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(
    ${target} ${scope} ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src
                       ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${target} ${scope} ${arg_USES} ${arg_EXTERNAL})
endfunction()
