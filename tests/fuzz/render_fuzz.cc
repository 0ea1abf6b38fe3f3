// Any bytes: find_blocks -> parse -> render. Every box line and cell has its place inside the bytes; a block of which
// nothing is reported is printed again as it was, but for padding; what is printed is a block again, and printing that
// changes nothing.
#include "fuzz/fuzz.h"
#include "fuzz/reported.h"
#include "shardstats/input/blocks.h"
#include "shardstats/log/printed.h"
#include "shardstats/log/render.h"

namespace {

using namespace shardstats;
using fuzz::require;

// A box line may hold text that was put together again, so only its place is bounded by the bytes.
void check_places(const Block& block, const PrintedPlan& plan, std::string_view bytes) {
  for (const BoxLine& line : block.lines) {
    require(line.place.line >= 1 && line.place.line <= bytes.size() + 1, "the line of a box line");
    require(line.place.column >= 1 && line.place.column <= bytes.size() + 1, "the column of a box line");
  }
  for (const Cell& cell : plan.slots) require(cell.place.line <= bytes.size() + 1, "the line of a cell");
}

std::string text_of(const Block& block) {
  std::string text;
  for (const BoxLine& line : block.lines) text.append(line.text).append("\n");
  return text;
}

// Padding alone tells nothing: a line that is wider than its box is printed as wide as the others, an empty one with
// both of its borders, and what ends in blanks without them.
std::string squeezed(std::string_view text) {
  std::string words;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    const bool empty =
        line.find_first_not_of("# ") == std::string_view::npos && line.find(' ') != std::string_view::npos;
    for (const char c : empty ? std::string_view("#") : line)
      if (c != ' ' || !words.ends_with(' ')) words.push_back(c);
    if (words.ends_with(" #")) words.replace(words.size() - 2, 2, "#");
    words.push_back('\n');
  }
  return words;
}

constexpr std::size_t kNarrowestBox = 90;  // that a release prints; in a narrower one a summary has no room for blanks

// Without its title a block is known by other signs, which it need not have in print.
bool is_damaged(const PrintedPlan& plan) {
  if (plan.width < kNarrowestBox) return true;
  if (plan.find(LineId::title) == nullptr || plan.find(LineId::summary) == nullptr) return true;
  for (const Diagnostic& diagnostic : plan.diagnostics)
    if (diagnostic.severity != Severity::note) return true;
  return false;
}

// All blocks of the text, printed again.
std::string rendered(std::string_view text) {
  std::string out;
  for (const Block& block : find_blocks(text)) render(parse(block), out);
  return out;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return fuzz::mutate_log(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  for (const Block& block : find_blocks(bytes)) {
    const PrintedPlan plan = parse(block);
    check_places(block, plan, bytes);
    std::string once;
    render(plan, once);
    if (is_damaged(plan)) continue;
    if (plan.diagnostics.empty())
      require(squeezed(once) == squeezed(text_of(block)), "an undamaged block is printed as it was");
    require(rendered(once) == once || fuzz::is_reported(plan), "what was printed is printed again the same way");
  }
  return 0;
}
