#include "log/foreign.h"

#include <algorithm>

#include "input/box.h"
#include "log/columns.h"
#include "log/frame.h"
#include "log/match.h"
#include "log/text.h"
#include "shardstats/ascii.h"
#include "shardstats/vocabulary.h"

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

// The heading of a list of kernels, or a line in it?
bool is_of_kernels(const BoxLine& line) {
  const std::string_view text = LineText(line).text, name = text.substr(0, text.find(':'));
  return text.starts_with("Compute Kernels") ||
         std::ranges::find(kKernelNames, name, &KernelName::name) != kKernelNames.end();
}

// `above`: the line above it, or null.
bool is_foreign(const BoxLine& line, const BoxLine* above, std::size_t width) {
  const std::string_view text = LineText(line).text;
  if (!is_below_half(line, width) || line.text.starts_with(kRowIndent) || text.empty()) return false;
  const bool may_be_nested = is_closed(line) || line.text.starts_with(kLeastIndent);
  // A divider that was cut off, and a row of ranks whose blanks were squeezed.
  const bool is_damaged = is_closed(line) ? is_digit(text.front()) : is_dashes(text);
  const bool may_be_of_kernel = may_be_nested && !is_closed(line) && above != nullptr && is_of_kernels(*above);
  const bool is_cut = may_be_of_kernel && is_cut_in_kernel(text);
  return !is_damaged && !is_cut && border_length(line) == 0 && !is_planners(text, may_be_nested);
}

// Most lines are as wide as the box, or 0.
std::size_t padded_width(const Block& block) {
  DraftPlan ignored;
  BoxFrame frame(block, ignored);
  frame.measure();
  const auto is_full = [&](const BoxLine& line) { return line.text.size() >= frame.width(); };
  return 2 * std::ranges::count_if(block.lines, is_full) > std::ssize(block.lines) ? frame.width() : 0;
}

bool has_squeezed_table(const Block& block) {
  return std::ranges::any_of(block.lines, [](const BoxLine& line) { return is_squeezed_rule_row(line.text); });
}

constexpr std::string_view kNumbers = "0123456789 .,()%e+-";  // of the cells in front of the counts of shards

// "TWRW: 3"
bool begins_with_count_of_shards(std::string_view text) {
  return std::ranges::any_of(kShardingNames, [text](std::string_view name) {
    const std::size_t count = name.size() + 2;
    return text.starts_with(name) && text.substr(name.size()).starts_with(": ") && skip_digits(text, count) > count;
  });
}

}  // namespace

bool begins_as_row_of_rank(std::string_view text) {
  const std::size_t word = std::min(text.find_first_not_of(kNumbers), text.size());
  const std::string_view numbers = trim_right(text.substr(0, word)),
                         type = text.substr(word, text.find(':', word) - word);
  const bool has_type = std::ranges::any_of(
      kShardingNames, [type](std::string_view name) { return !type.empty() && name.starts_with(type); });
  return skip_digits(numbers, 0) > 0 && numbers.find(' ') != std::string_view::npos &&
         (has_type || word == text.size());
}

bool has_cells_of_rank(std::string_view text) {
  for (std::size_t at = text.find("%) "); at != std::string_view::npos; at = text.find("%) ", at)) {
    at = std::min(text.find_first_not_of(kNumbers, at), text.size());
    if (begins_with_count_of_shards(text.substr(at))) return true;
  }
  return false;
}

bool has_cells_of_table(std::string_view text) {
  const auto is_kernel = [](std::string_view word) {
    return !word.empty() &&
           std::ranges::all_of(word, [](char c) { return (is_letter(c) && c == to_lower(c)) || c == '_'; });
  };
  bool is_behind_sharding = false;
  for (std::size_t end = text.find(kGap); end != std::string_view::npos;) {
    const std::size_t start = skip_blanks(text, end);
    end = text.find(kGap, start);
    const std::string_view cell = text.substr(start, end - start);
    if (is_behind_sharding && is_kernel(cell)) return true;
    is_behind_sharding = std::ranges::find(kShardingNames, cell) != kShardingNames.end();
  }
  return false;
}

bool is_cut_in_kernel(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  const bool has_colon = name.size() < text.size();
  if (has_colon && name.size() + 1 < text.size()) return false;
  return !name.empty() && std::ranges::any_of(kKernelNames, [=](const KernelName& kernel) {
    return has_colon ? kernel.name == name : kernel.name.starts_with(name);
  });
}

// A label alone may stand in anybody's line; with the frame around it, it is the planner's. Others frame their text on
// both sides, if at all.
const BoxLine* lost_line(const Block& block) {
  if (block.foreign.empty()) return nullptr;  // nearly always, so that the lines of the block are not looked at
  const bool is_squeezed = has_squeezed_table(block);
  const std::size_t width = block.lines.front().text.size();
  const auto is_lost = [=](const BoxLine& line) {
    const std::string_view text = trim_right(line.text);
    if (has_cells_of_rank(text)) return true;
    if (text.starts_with("# ") && begins_as_row_of_rank(text.substr(2))) return is_squeezed;
    if (!text.ends_with('#')) return false;
    const bool lacks_left_border = text.find('#') + 1 == text.size();
    if (!lacks_left_border) return input_detail::labels_in(text) > 0;
    return text.ends_with(" #") && (is_squeezed || text.size() + kRowIndent.size() >= width);
  };
  const auto lost = std::ranges::find_if(block.foreign, is_lost);
  return lost != block.foreign.end() ? &*lost : nullptr;
}

std::optional<Block> without_foreign(const Block& block) {
  if (was_mended(block, Mending::frame)) return std::nullopt;
  const auto length = [](const BoxLine& line) { return line.text.size(); };
  const auto [narrowest, widest] = std::ranges::minmax(block.lines, {}, length);
  if (!is_below_half(narrowest, widest.text.size())) return std::nullopt;
  const std::size_t width = padded_width(block);
  const auto is_others = [&](const BoxLine& line) {
    return is_foreign(line, &line == block.lines.data() ? nullptr : &line - 1, width);
  };
  if (std::ranges::none_of(block.lines, is_others)) return std::nullopt;
  Block own = block;
  own.lines.clear();
  std::ranges::partition_copy(block.lines, std::back_inserter(own.foreign), std::back_inserter(own.lines), is_others);
  if (!was_mended(own, Mending::foreign)) own.mended.push_back({Mending::foreign, own.foreign.front().place});
  return own;
}

}  // namespace shardstats::log_detail
