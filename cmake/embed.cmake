# cmake -DOUTPUT=assets.cc -DFILES="name=path;..." -P embed.cmake
# Writes a C++ file with a function for each name, which gives the bytes of its files, one after the other:
# std::string_view shardstats::assets::name().
set(names "")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([a-z_]+)=(.*)$" matched "${entry}")
  set(name ${CMAKE_MATCH_1})
  file(READ "${CMAKE_MATCH_2}" bytes HEX)
  string(APPEND bytes_of_${name} "${bytes}")
  list(APPEND names ${name})
endforeach()
list(REMOVE_DUPLICATES names)

set(arrays "")
set(functions "")
foreach(name IN LISTS names)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes_of_${name}}")
  string(APPEND arrays "constexpr unsigned char k_${name}[] = {${bytes}};\n")
  string(APPEND functions "std::string_view ${name}() { "
                          "return {reinterpret_cast<const char*>(k_${name}), sizeof k_${name}}; }\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"report/html/assets.h\"\n\nnamespace shardstats::assets {\nnamespace {\n"
                       "${arrays}}  // namespace\n${functions}}  // namespace shardstats::assets\n")
