// Checks of the reservation lines (log-format.md section 3.11, storage-model.md section 8).
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
  set_expected(finding, "KJT storage",
               expected_bytes(kjt.bytes, checks.printed.format_of(RoundedNumbers::lines), kGiB));
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
  set_expected(checks.add(RuleId::reservation_percent, cell), what, expected_percent(share));
}

}  // namespace

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
