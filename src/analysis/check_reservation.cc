// Checks of the reservation lines (log-format.md section 3.11, storage-model.md section 8).
#include <algorithm>
#include <cmath>

#include "analysis/shares.h"

namespace shardstats::analysis {
namespace {

void check_kjt(Checks& checks) {
  const Expectation& kjt = checks.plan.kjt;
  if (!kjt.known || !kjt.contradicted) return;
  const Cell cell = kjt_cell(checks.printed, checks.plan);
  // Tables planned elsewhere, or an estimator with a batch size of its own, change this line: no error of the log.
  Finding& finding = checks.add(RuleId::reservation_kjt, cell);
  finding.severity = Severity::warning;
  finding.expected = expected_bytes(kjt.bytes, checks.printed.format_of(RoundedNumbers::lines), kGiB);
  finding.message = differs("KJT storage", cell.text, " GB", finding.expected->text);
  const auto printed = bytes_printed_as(cell.text, checks.printed.format_of(RoundedNumbers::lines), kGiB);
  if (printed && printed->low > kjt.bytes.high && checks.plan.releases.front() < Release::v0_7_0)
    finding.message +=
        "; before v0.7.0 a table that its constraints leave no sharding is not planned, but counted here";
}

void check_percent(Checks& checks, const Cell& cell, RealInterval share, std::string_view what) {
  const auto printed = values_printed_as(cell.text, Format::p0);
  if (!printed) return;
  checks.compared.planning_percent = true;
  if (printed->overlaps(share)) return;
  Finding& finding = checks.add(RuleId::reservation_percent, cell);
  const std::string low = format(share.low, Format::p0), high = format(share.high, Format::p0);
  finding.expected =
      Expected{RealInterval{share.low * 100, share.high * 100}, "percent", low == high ? low : low + ".." + high};
  finding.message = differs(what, cell.text, "%", finding.expected->text);
}

// The number with the fewest decimals in the interval.
double roundest(RealInterval x) {
  constexpr int kMostDecimals = 12;
  double unit = 1;
  for (int decimals = 0; decimals < kMostDecimals; ++decimals, unit *= 10)
    if (const double rounded = std::round(middle(x) * unit) / unit; x.contains(rounded)) return rounded;
  return middle(x);
}

}  // namespace

Cell kjt_cell(const PrintedPlan& printed, const Plan& plan) {
  return printed.slot(LineId::kjt_storage, io_in_hbm(plan.setting) ? 0 : 1);
}

RealInterval share_of(ByteInterval part, ByteInterval rest) {
  const double low = static_cast<double>(part.low), high = static_cast<double>(part.high) + 1;
  return {low / (low + static_cast<double>(rest.high) + 1),
          high / (high + std::max(static_cast<double>(rest.low), 1.0))};
}

std::optional<double> reserved_fraction(const PrintedPlan& printed) {
  const auto reserved = printed.bytes_in(LineId::reserved_hbm);
  const auto planning = printed.bytes_in(LineId::planning_memory);
  const auto percent = values_printed_as(printed.slot(LineId::planning_percent).text, Format::p0);
  if (reserved && planning && planning->high > kMiB) return roundest(share_of(*reserved, *planning));
  return percent ? std::optional(1 - roundest(*percent)) : std::nullopt;
}

void check_reservation(Checks& checks) {
  check_kjt(checks);
  const auto reserved = checks.printed.bytes_in(LineId::reserved_hbm);
  const auto planning = checks.printed.bytes_in(LineId::planning_memory);
  if (!reserved || !planning || planning->high <= kMiB) return;  // devices without HBM print the fraction all the same
  check_percent(checks, checks.printed.slot(LineId::reserved_percent), share_of(*reserved, *planning),
                "reserved share");
  check_percent(checks, checks.printed.slot(LineId::planning_percent), share_of(*planning, *reserved),
                "planning share");
}

}  // namespace shardstats::analysis
