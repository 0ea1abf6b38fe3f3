// A plan while it is read: how the readers of lines and of tables add to it. Private to src/log.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "shardstats/log/printed.h"

namespace shardstats::log_detail {

// The first spelling of the line.
std::size_t form_of(LineId id);

class DraftPlan : public PrintedPlan {
 public:
  void report(DiagnosticKind kind, const Cell& where) { diagnostics.push_back({diagnostic_form(kind), where}); }
  // Only the first of each kind: what is beyond a bound may be so a million times.
  void report_once(DiagnosticKind kind, const Cell& where);
  // A number of the log that does not fit, so that nothing is checked against it.
  void check_size(const Cell& cell, std::int64_t most, DiagnosticKind beyond) {
    constexpr std::size_t kSafeDigits = 18;  // of a whole number that fits 64 bits whatever they are
    if (cell.text.size() > kSafeDigits || most != INT64_MAX) check_long(cell, most, beyond);
  }
  // `form`: its spelling, an index into line_forms(). Without slots.
  PrintedLine& add_line(std::size_t form, const BoxLine& from);

 private:
  void check_long(const Cell& cell, std::int64_t most, DiagnosticKind beyond);

  std::vector<DiagnosticKind> reported_once_;
};

}  // namespace shardstats::log_detail
