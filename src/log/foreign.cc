#include "log/foreign.h"

#include <algorithm>

#include "log/frame.h"
#include "log/match.h"
#include "log/text.h"

namespace shardstats::log_detail {
namespace {

constexpr std::size_t kFarNarrower = 2;  // times; a damaged line of the box has lost fewer blanks
constexpr std::string_view kRowIndent = "#    ";

bool is_far_narrower(const BoxLine& line, std::size_t width) {
  return line.text.size() < width / kFarNarrower;  // bytes, of which there are at least as many as characters
}

// By the words of a line that stands in no list: those of a list may be any.
bool is_planners(std::string_view text) {
  return std::ranges::any_of(line_forms(), [text](const LineForm& form) {
    const bool has_words = form.frame != Frame::nested && !form.pattern.starts_with('{');
    SlotTexts slots;
    return has_words && may_match(text, form.pattern) &&
           (matches(text, form.pattern, slots) || !damaged_value(text, form.pattern).empty());
  });
}

bool is_foreign(const BoxLine& line, std::size_t width) {
  const std::string_view text = LineText(line).text;
  return is_far_narrower(line, width) && !line.text.starts_with(kRowIndent) && !text.empty() &&
         !is_border(trim_right(line.text)) && !is_planners(text);
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
  if (!is_far_narrower(narrowest, widest.text.size())) return std::nullopt;
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
