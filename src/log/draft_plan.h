// A plan while it is read: how the readers of lines and of tables add to it. Private to src/log.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "shardstats/log/printed.h"

namespace shardstats::log_detail {

inline constexpr std::string_view kTooLarge =
    "this number is larger than those which are read; nothing is checked against it";

// The first spelling of the line.
std::size_t form_of(LineId id);

class DraftPlan : public PrintedPlan {
 public:
  void report(std::string_view rule, Severity severity, Cell where, std::string_view message);
  // Only the first of each message: what is beyond a bound may be so a million times.
  void report_bound(Cell where, std::string_view message);
  // A number of the log that does not fit, so that nothing is checked against it.
  void check_size(const Cell& cell, std::int64_t most, std::string_view message) {
    constexpr std::size_t kSafeDigits = 18;  // of a whole number that fits 64 bits whatever they are
    if (cell.text.size() > kSafeDigits || most != INT64_MAX) check_long(cell, most, message);
  }
  // `form`: its spelling, an index into line_forms(). Without slots.
  PrintedLine& add_line(std::size_t form, const BoxLine& from);

 private:
  void check_long(const Cell& cell, std::int64_t most, std::string_view message);

  std::vector<std::string_view> bounds_reported_;  // their messages
};

}  // namespace shardstats::log_detail
