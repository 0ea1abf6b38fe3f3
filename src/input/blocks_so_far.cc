#include "input/blocks_so_far.h"

#include <algorithm>
#include <set>

#include "input/fields.h"
#include "shardstats/limits.h"

namespace shardstats::input_detail {
namespace {

// Lines or records in a row without a sign of a block before the first sign of one, for each process that has opened a
// block.
constexpr int kMostUnsure = 100;

}  // namespace

bool BlocksSoFar::is_lost() const { return unsigned_lines_ > kMostForeign; }

bool BlocksSoFar::is_in_doubt() const { return !is_sure_ && unsigned_records_ > kMostUnsure * std::max(open_, 1); }

BlocksSoFar::Progress BlocksSoFar::progress_of(const std::string& tag) const {
  const auto found = progress_.find(tag);
  return found != progress_.end() ? found->second : Progress();
}

BlocksSoFar::Processes BlocksSoFar::processes() const {
  constexpr std::size_t kMostWithoutTitle = 4096;  // more are no ranks, but a prefix that changes from line to line
  std::map<std::string_view, std::set<std::string_view>> tags;
  for (const Single& single : singles_) tags[single.label].insert(single.tag);
  std::string_view most = kTitle;
  std::size_t count = std::max<std::size_t>(tags[kTitle].size(), 1);
  for (const auto& [label, own] : tags)
    if (own.size() > count && own.size() <= kMostWithoutTitle) {
      most = label;
      count = own.size();
    }
  Processes processes{{}, most == kTitle};
  for (const Single& single : singles_)
    if (count > 1 && single.label == most) processes.tags.push_back(single.tag);
  return processes;
}

void BlocksSoFar::follow(const std::string& tag, std::string_view box) {
  if (!follow_box(tag, box)) return follow_other(box);
  unsigned_lines_ = unsigned_records_ = 0;
}

void BlocksSoFar::follow_other(std::string_view text) {
  ++unsigned_lines_;
  unsigned_records_ += is_inside_record(text) ? 0 : 1;
}

// Returns whether the line is a sign of a block.
bool BlocksSoFar::follow_box(const std::string& tag, std::string_view box) {
  if (const std::size_t border = border_length(tag, box)) {
    follow_border(tag, border);
    return false;
  }
  const std::size_t title_width = width_of_title(box);
  has_right_border_ |= title_width != 0;
  if (title_width != 0) title_width_ = title_width;
  const bool is_longer = title_width != 0 && title_width < trim_right(box).size();
  if (is_longer || width_ == 0) width_ = title_width;
  has_suffix_ |= is_longer;
  const bool title = is_in_box(title_offset(box), box) || is_centred_title(box);
  lost_right_border_ |= title && title_width == 0;
  const bool labelled = title || labels_in(box) > 0;
  const std::string_view label = title ? kTitle : labelled ? single_label_in(box) : std::string_view();
  if (title || (!label.empty() && is_in_box(box.find(label), box))) singles_.push_back({label, tag});
  is_sure_ |= labelled;
  if (labelled || is_open(tag)) {
    Progress& progress = progress_[tag];
    set(progress, {true, true, title_width != 0 ? title_width : progress.title_width});
  }
  // Rows of tables have no labels but are indented.
  return labelled || (is_sure_ && box.starts_with(has_frame_ ? "# " : "#    "));
}

void BlocksSoFar::follow_border(const std::string& tag, std::size_t border) {
  if (width_ == 0 || open_ == 0) width_ = border;
  Progress& progress = progress_[tag];
  const bool is_banner = progress.open && border != width_of(tag) && first_box(lines_.next_text()) != kNowhere;
  if (is_banner && !is_title_next()) return;
  set(progress, {!progress.open || !progress.has_text || is_title_next(), false, progress.title_width});
}

std::size_t BlocksSoFar::width_of(const std::string& tag) const {
  const std::size_t width = title_width_of(tag);
  return width != 0 ? width : width_;
}

// The length of a border, whatever stands behind it; 0 if the line is none. A progress bar is one of another process.
std::size_t BlocksSoFar::border_length(const std::string& tag, std::string_view box) const {
  if (const Border border = border_of(box)) return border.length;
  const std::size_t length = hashes_at_start(box);
  if (length < kShortestBorder) return 0;
  const std::size_t width = width_of(tag);
  const bool is_own = width != 0 ? length == width : is_open(tag);
  return is_own ? length : 0;
}

// A border with the title behind it opens a block, even if the one before was not closed.
bool BlocksSoFar::is_title_next() const { return lines_.next_text().find(kTitle) != kNowhere; }

// The title's words may stand behind the right border of any line; the '#' in front of them is that border.
bool BlocksSoFar::is_in_box(std::size_t at, std::string_view box) const {
  return at != kNowhere && (at == 0 || width_ == 0 || at < byte_of(box, width_ - 1));
}

void BlocksSoFar::set(Progress& progress, Progress now) {
  open_ += static_cast<int>(now.open) - static_cast<int>(progress.open);
  in_text_ += static_cast<int>(now.open && now.has_text) - static_cast<int>(progress.open && progress.has_text);
  progress = now;
}

}  // namespace shardstats::input_detail
