// Any bytes: find_blocks -> parse -> render. Beyond "no crash": every box line and cell has its place inside the bytes.
// That an undamaged block renders to itself is tests/log's to check: damage need not be undone in one go.
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
using shardstats::Cell;
using shardstats::PrintedPlan;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

// A box line may hold text that was put together again, so only its place is bounded by the bytes.
void check_places(const Block& block, std::string_view bytes) {
  for (const BoxLine& line : block.lines) {
    require(line.place.line >= 1 && line.place.line <= bytes.size() + 1, "the line of a box line");
    require(line.place.column >= 1 && line.place.column <= bytes.size() + 1, "the column of a box line");
  }
}

void check_places(const PrintedPlan& plan, std::string_view bytes) {
  for (const Cell& cell : plan.slots) require(cell.place.line <= bytes.size() + 1, "the line of a cell");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::string out;
  for (const Block& block : shardstats::find_blocks(bytes)) {
    check_places(block, bytes);
    const PrintedPlan plan = shardstats::parse(block);
    check_places(plan, bytes);
    shardstats::render(plan, out);
  }
  return 0;
}
