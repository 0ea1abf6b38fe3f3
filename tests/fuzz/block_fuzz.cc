// Any bytes: find_blocks -> parse -> render. Beyond "no crash": every view that a parsed block holds lies in the bytes,
// and rendering is a fixed point, so a rendered block parses and renders to itself.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "shardstats/input/blocks.h"
#include "shardstats/log/printed.h"
#include "shardstats/log/render.h"

namespace {

using shardstats::Block;
using shardstats::BoxLine;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

// A block may hold text that was put together again, so only its places are bounded by the bytes.
void check_places(const Block& block, std::string_view bytes) {
  for (const BoxLine& line : block.lines) {
    require(line.place.line >= 1 && line.place.line <= bytes.size() + 1, "the line of a box line");
    require(line.place.column >= 1 && line.place.column <= bytes.size() + 1, "the column of a box line");
  }
}

std::string rendered(std::string_view bytes) {
  std::string out;
  for (const Block& block : shardstats::find_blocks(bytes)) {
    check_places(block, bytes);
    shardstats::render(shardstats::parse(block), out);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string once = rendered(bytes);
  const std::string twice = rendered(once);
  require(once == twice || rendered(twice) == twice, "rendering comes to rest");
  return 0;
}
