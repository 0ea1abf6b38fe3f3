#include "log/foreign.h"

#include <algorithm>

#include "log/frame.h"
#include "log/match.h"
#include "log/text.h"
#include "shardstats/ascii.h"

namespace shardstats::log_detail {
namespace {

constexpr std::string_view kRowIndent = "#    ";
constexpr std::string_view kLeastIndent = "#  ";  // of nested lines, which most releases indent further

// Of the box. A damaged line has lost fewer blanks.
bool is_below_half(const BoxLine& line, std::size_t width) {
  return line.text.size() < width / 2;  // bytes, of which there are at least as many as characters
}

// By its words: a line of a list that is nothing but a name may be anybody's, and so may one that begins with a name
// but has not the place of such lines.
bool is_planners(std::string_view text, bool may_be_nested) {
  return std::ranges::any_of(line_forms(), [=](const LineForm& form) {
    const bool has_words = may_be_nested ? form.pattern != "{text}" : !form.pattern.starts_with('{');
    SlotTexts slots;
    return has_words && may_match(text, form.pattern) &&
           (matches(text, form.pattern, slots) || !damaged_value(text, form.pattern).empty());
  });
}

bool is_foreign(const BoxLine& line, std::size_t width) {
  const std::string_view text = LineText(line).text;
  if (!is_below_half(line, width) || line.text.starts_with(kRowIndent) || text.empty()) return false;
  const bool may_be_nested = is_closed(line) || line.text.starts_with(kLeastIndent);
  // A divider that was cut off, and a row of ranks whose blanks were squeezed.
  const bool is_damaged = is_closed(line) ? is_digit(text.front()) : is_dashes(text);
  return !is_damaged && !is_border(trim_right(line.text)) && !is_planners(text, may_be_nested);
}

// Most lines are as wide as the box, or 0.
std::size_t padded_width(const Block& block) {
  std::vector<Diagnostic> ignored;
  BoxFrame frame(block, ignored);
  frame.measure();
  const auto is_full = [&](const BoxLine& line) { return line.text.size() >= frame.width(); };
  return 2 * std::ranges::count_if(block.lines, is_full) > std::ssize(block.lines) ? frame.width() : 0;
}

}  // namespace

std::optional<Block> without_foreign(const Block& block) {
  if (block.lines.empty() || was_mended(block, Mending::frame)) return std::nullopt;
  const auto length = [](const BoxLine& line) { return line.text.size(); };
  const auto [narrowest, widest] = std::ranges::minmax(block.lines, {}, length);
  if (!is_below_half(narrowest, widest.text.size())) return std::nullopt;
  const std::size_t width = padded_width(block);
  const auto is_others = [width](const BoxLine& line) { return is_foreign(line, width); };
  if (std::ranges::none_of(block.lines, is_others)) return std::nullopt;
  Block own = block;
  own.lines.clear();
  std::ranges::partition_copy(block.lines, std::back_inserter(own.foreign), std::back_inserter(own.lines), is_others);
  if (!was_mended(own, Mending::foreign)) own.mended.push_back({Mending::foreign, own.foreign.front().place});
  return own;
}

}  // namespace shardstats::log_detail
