#include "input/documents.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "input/box.h"
#include "input/process.h"
#include "input/rewrite.h"
#include "input/strings.h"

namespace shardstats::input_detail {
namespace {

bool is_list_of_objects(std::string_view text, std::size_t open) {
  const std::size_t first = text.find_first_not_of(" \t", open + 1);
  return first != kNowhere && text[first] == '{';
}

// Where the objects of the first list of several begin, and behind them where it ends; none if there is no such list.
std::vector<std::size_t> starts_of_records(std::string_view text) {
  std::vector<std::size_t> starts;
  int depth = 0, in_list = 0;  // in_list: the depth of the list's objects; 0: it has not begun
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at = string_end(text, at);
    } else if (c == '[' || c == '{') {
      if (c == '{' && depth == in_list && in_list > 0) starts.push_back(at);
      ++depth;
      if (c == '[' && in_list == 0 && is_list_of_objects(text, at)) in_list = depth;
    } else if (c == ']' || c == '}') {
      --depth;
      if (in_list == 0 || depth >= in_list) continue;
      starts.push_back(at);
      if (starts.size() > 2) return starts;
      starts.clear();
      in_list = 0;
    }
  }
  return {};
}

bool is_of_several_processes(std::string_view text, const std::vector<std::size_t>& starts) {
  std::set<std::string> processes;
  for (std::size_t i = 0; i + 1 < starts.size() && processes.size() < 2; ++i) {
    const std::string_view record = text.substr(starts[i], starts[i + 1] - starts[i]);
    if (record.find('#') != kNowhere) processes.insert(process_of_strings(record));
  }
  return processes.size() > 1;
}

}  // namespace

std::vector<Transcript> records_of_processes(Transcript line) {
  const std::string_view text = line.text();
  const bool is_document = text.starts_with('{') || text.starts_with('[');
  const std::vector<std::size_t> starts = is_document ? starts_of_records(text) : std::vector<std::size_t>();
  if (starts.empty() || !is_of_several_processes(text, starts)) return only(std::move(line));
  std::vector<Transcript> records;
  std::size_t from = 0;
  for (const std::size_t start : starts) {
    records.push_back(part_of(line, from, start));
    from = start;
  }
  records.push_back(part_of(line, from));
  return records;
}

}  // namespace shardstats::input_detail
