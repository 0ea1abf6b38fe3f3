// Logs of testdata/logs as plans, also with one text changed. Shared by the tests of analysis and report.
#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "shardstats/analysis/filter.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/input/blocks.h"
#include "shardstats/log/render.h"

namespace shardstats {

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string log_bytes(const std::string& name) {
  return read_file(std::string(SHARDSTATS_SOURCE_DIR) + "/testdata/logs/" + name);
}

// `old_text` in the first line with `mark` becomes `new_text`; a longer or shorter one takes or gives back blanks
// in front of it, so that nothing else moves.
inline std::string changed(std::string bytes, const std::string& mark, const std::string& old_text,
                           const std::string& new_text) {
  const std::size_t line = bytes.rfind('\n', bytes.find(mark)) + 1;
  std::size_t at = bytes.find(old_text, line);
  if (bytes.find(mark) == std::string::npos || at == std::string::npos || at > bytes.find('\n', line))
    throw std::runtime_error("no '" + old_text + "' in a line with '" + mark + "'");
  bytes.replace(at, old_text.size(), new_text);
  for (std::size_t n = old_text.size(); n < new_text.size(); ++n) bytes.erase(bytes.rfind("  ", at), 1);
  for (std::size_t n = new_text.size(); n < old_text.size(); ++n) bytes.insert(bytes.rfind("  ", at), 1, ' ');
  return bytes;
}

// main.log, of whose tables with dots in their names the Top 5 lists name none.
inline std::string log_that_lists_no_dots() {
  std::string bytes = log_bytes("main.log");
  for (std::size_t at = 0; (at = bytes.find("session.v1", at)) != std::string::npos;) bytes[bytes.find('.', at)] = '_';
  return bytes;
}

struct Checked {
  explicit Checked(std::string bytes)
      : source(source_from(std::move(bytes))),
        blocks(find_blocks(source->bytes())),
        printed(parse(blocks.at(0))),
        plan(infer(printed)),
        report(verify(printed, plan)) {}

  std::unique_ptr<Source> source;
  std::vector<Block> blocks;
  PrintedPlan printed;
  Plan plan;
  Report report;
};

// Of one rule; they point into the log.
inline std::vector<Finding> of_rule(const Report& report, std::string_view id) {
  std::vector<Finding> found;
  for (const Finding& finding : report.findings)
    if (finding.rule->id == id) found.push_back(finding);
  return found;
}

inline Filter filter_of(const FilterWords& words) {
  Filter filter;
  if (const auto wrong = filter.set(words)) throw std::runtime_error(*wrong);
  return filter;
}

inline std::string rendered(const PrintedPlan& plan) {
  std::string text;
  render(plan, text);
  return text;
}

inline const std::vector<std::string>& all_logs() {
  static const std::vector<std::string> logs = {"v0.1.0.log", "v0.5.0.log", "v0.8.0-empty.log",
                                                "v1.4.0.log", "v1.8.0.log", "v1.8.0-nodebug.log"};
  return logs;
}

}  // namespace shardstats
