#include "input/box.h"

#include <algorithm>
#include <array>
#include <string>

namespace shardstats::input_detail {
namespace {

// Texts that stand in planner blocks of some release and hardly anywhere else.
constexpr std::array<std::string_view, 18> kLabels = {
    "HBM (GB)",
    "DDR (GB)",
    "Perf: Total perf",
    "Input: MB/iteration",
    "HBM: est",
    "Parameter Info:",
    "Compute Kernels:",
    "Compute Kernels Count:",
    "Compute Kernels Storage:",
    "Compute Kernel Constraints:",
    "Maximum of Total Perf",
    "Sum of Maxima",
    "Estimated Sharding Distribution",
    "Top HBM Memory Usage Estimation",
    "Peak Memory Pressure",
    "Dense Storage (per rank)",
    "Imbalance Statistics",
    "Top 5 Tables Causing Max",
};
constexpr std::size_t kSeveralTimes = 2;  // of them at the end: a block has them more than once

}  // namespace

std::size_t hashes_at_start(std::string_view text) { return std::min(text.find_first_not_of('#'), text.size()); }

std::size_t hashes_at_end(std::string_view text) { return text.size() - (text.find_last_not_of('#') + 1); }

std::size_t first_wrapped_border(std::string_view text) {
  constexpr std::string_view kRun = "####################";
  static_assert(kRun.size() == kLeastWrapped);
  return text.find(kRun);
}

bool begins_border(std::string_view line, std::string_view next) {
  constexpr std::size_t kLeast = 2;  // a line of the box ends in one
  const std::string_view late = next.substr(0, next.size() - hashes_at_end(next));
  return hashes_at_end(next) >= kLeastWrapped && line.starts_with(late) && hashes_at_end(line) >= kLeast &&
         characters(next) <= characters(line);
}

std::size_t first_box(std::string_view line) {
  for (std::size_t at = line.find('#'); at != kNowhere;) {
    const std::size_t end = std::min(line.find_first_not_of('#', at), line.size());
    if (starts_box(line, at) || end - at >= kShortestBorder) return at;
    at = line.find('#', end);
  }
  return kNowhere;
}

std::size_t first_box_or_border(std::string_view text) {
  const std::size_t box = first_box(text);
  return box != kNowhere ? box : first_wrapped_border(text);
}

std::size_t first_box_with_tabs(std::string_view line) {
  if (line.find('\t') == kNowhere) return first_box(line);
  std::string flat(line);
  std::ranges::replace(flat, '\t', ' ');
  return first_box(flat);
}

std::size_t title_offset(std::string_view line) {
  const std::size_t title = line.find(kTitle);
  if (title == kNowhere || title == 0) return kNowhere;
  const std::size_t hash = line.find_last_not_of(' ', title - 1);
  return hash == kNowhere || line[hash] != '#' ? kNowhere : hash;
}

std::size_t width_of_title(std::string_view box_text) {
  const std::size_t title = box_text.find_first_not_of(' ', 1);  // a search for it would go to the end of a long line
  if (!box_text.starts_with('#') || title == kNowhere || !box_text.substr(title).starts_with(kTitle)) return 0;
  const std::size_t behind = title + kTitle.size();
  const std::size_t last = box_text.find_first_not_of(' ', behind);
  if (last == kNowhere || box_text[last] != '#') return 0;
  const std::size_t left = title - 1, right = last - behind;
  return std::max(left, right) - std::min(left, right) <= 1 ? last + 1 : 0;
}

std::size_t labels_in(std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      kLabels, [line](std::string_view label) { return line.find(label) != std::string_view::npos; }));
}

bool has_title_or_label(std::string_view line) { return line.find(kTitle) != kNowhere || labels_in(line) > 0; }

std::string_view single_label_in(std::string_view line) {
  const auto end = kLabels.end() - kSeveralTimes;
  const auto* label =
      std::find_if(kLabels.begin(), end, [line](std::string_view one) { return line.find(one) != kNowhere; });
  return label != end ? *label : std::string_view();
}

}  // namespace shardstats::input_detail
