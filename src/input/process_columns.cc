#include "input/process_columns.h"

#include <algorithm>
#include <set>

#include "input/box.h"
#include "input/csv.h"

namespace shardstats::input_detail {
namespace {

constexpr int kRecordsCompared = 48;
constexpr std::size_t kLongestRecord = std::size_t{1} << 14;  // bytes: a record with one box line is not longer
constexpr std::size_t kMostFields = 32;
constexpr std::size_t kLongestProcess = 256;  // it is kept with each line

// The fields behind the one with the box line.
std::vector<std::string_view> fields_of(std::string_view record) {
  std::vector<std::string_view> fields;
  std::string_view left = fields_behind_box(record);
  const char separator = left.empty() ? ',' : left.front();
  while (!left.empty() && fields.size() <= kMostFields) {
    left.remove_prefix(1);
    const std::string_view field = left.substr(0, left.find(separator));
    fields.push_back(field);
    left.remove_prefix(field.size());
  }
  return fields;
}

// The values that a column had so far.
struct Values {
  std::set<std::string_view> values;
  bool may_tell = true;

  void add(std::string_view value, bool is_border) {
    const bool is_new = values.insert(value).second;
    may_tell = may_tell && (is_border || !is_new);
  }
};

}  // namespace

ProcessColumns::ProcessColumns(std::string_view bytes, std::size_t start) {
  std::vector<Values> columns;
  for (int i = 0; i < kRecordsCompared && start < bytes.size(); ++i) {
    const Line line = line_at(bytes.substr(0, std::min(start + kLongestRecord, bytes.size())), start);
    const std::size_t box = first_box(line.text);
    start = line.next;
    if (box == kNowhere) continue;
    const std::vector<std::string_view> fields = fields_of(line.text);
    if (columns.empty()) columns.resize(fields.size());
    if (fields.empty() || fields.size() != columns.size() || fields.size() > kMostFields) return;
    const bool is_border = hashes_at_start(line.text.substr(box)) >= kShortestBorder;
    for (std::size_t column = 0; column < fields.size(); ++column) columns[column].add(fields[column], is_border);
  }
  fields_ = columns.size();
  for (std::size_t column = 0; column < columns.size(); ++column)
    if (columns[column].may_tell && columns[column].values.size() > 1) columns_.push_back(column);
}

std::string ProcessColumns::process_of(std::string_view record) const {
  std::string process;
  if (columns_.empty()) return process;
  const std::vector<std::string_view> fields = fields_of(record);
  if (fields.size() != fields_) return process;
  for (const std::size_t column : columns_) process.append(fields[column]).append(" ");
  process.resize(std::min(process.size(), kLongestProcess));
  return process;
}

}  // namespace shardstats::input_detail
