// Checks of the lines that are derived from the ranks: imbalance, maxima, distribution, tiers, critical path
// (log-format.md sections 3.8 to 3.10 and 6.4 to 6.9).
#include <cmath>

#include "analysis/checks.h"
#include "analysis/lost_lines.h"
#include "analysis/statistics.h"

namespace shardstats::analysis {
namespace {

bool is_measure(RuleId rule) {
  return rule == RuleId::imbalance_perf || rule == RuleId::imbalance_hbm || rule == RuleId::imbalance_ddr;
}

class Comparison : public StatisticsReader {
 public:
  explicit Comparison(Checks& checks) : checks_(checks) {}

  bool number(const DerivedNumber& n) override {
    const auto printed = printed_bounds(n.cell, n.format, n.unit);
    // Ranks leave room where their memory is less than their cells show; then the other measures may not.
    const RealInterval expected = narrowed(n.expected, n.by_other_measures);
    if (std::isnan(expected.low) || std::isnan(expected.high)) return false;  // the ranks say nothing
    // What is no memory size at all is a finding already, and so are numbers of lines in a form of their own.
    const bool is_unread = is_measure(n.rule) ? checks_.measures_unread : checks_.lines_unread;
    const bool is_said = !printed && (n.unit == "bytes" || is_unread);
    if (!n.cell || is_said || (printed && printed->overlaps(expected))) return false;
    set_expected(checks_.add(n.rule, n.cell), n.what, expected_value(expected, n.format, n.unit));
    return true;
  }

  void ranks(const DerivedRanks& r) override {
    printed_ranks_.clear();
    const bool none = r.cell.text == "[]";
    if (!r.cell || (!none && !parse_ranks(r.cell.text, printed_ranks_)) || r.list.could_be(printed_ranks_)) return;
    Finding& finding = checks_.add(r.rule, r.cell);
    const std::string must = ranks_in(r.list.must), may = ranks_in(r.list.may);
    finding.expected = Expected{{}, "ranks", must == may ? must : may};
    finding.message = "ranks of " + std::string(r.what) + " are printed as " + std::string(r.cell.text) +
                      (must == may ? ", the rank table gives " : ", the rank table leaves only ") + may;
  }

  void shifted(const ShiftedTier& tier) override {
    Finding& finding = checks_.add(RuleId::tiers_ranks, tier.cell);
    finding.severity = Severity::note;
    finding.known_issue = "tier-rank-shift";
    finding.expected = Expected{{}, "ranks", ranks_in(tier.right)};
    const bool one = tier.printed.size() == 1;
    const std::string word = one ? "rank " : "ranks ";
    finding.message = "printed " + word + std::string(tier.cell.text) + (one ? " is" : " are") + " really " + word +
                      ranks_in(tier.right) + ": from tier #2 on the planner prints positions among the ranks left";
  }

  void missing_tier(std::int64_t tier, Place next) override {
    checks_.add_log("log.missing_lines", Cell{{}, next},
                    "the line of tier #" + std::to_string(tier) + " is missing beside this line");
  }

  void extra_tier(const Cell& number, std::int64_t last) override {
    checks_.compared.tiers = last;
    Finding& finding = checks_.add(RuleId::tiers_value, number);
    finding.message = "tier #" + std::string(number.text) + " is printed, the rank table gives " +
                      std::to_string(last) + (last == 1 ? " tier" : " tiers");
  }

 private:
  Checks& checks_;
  std::vector<int> printed_ranks_;  // of the list that is looked at
};

}  // namespace

void check_statistics(Checks& checks) {
  // Nothing printed confirms what is rebuilt of a rank that is lost, which may be the largest.
  if (checks.printed.has_lost_ranks() || may_lack_last_ranks(checks.printed)) return;
  const RankValues values = rank_values(checks.printed, checks.plan);
  if (!values.known) return;
  checks.compared.ranks = true;
  checks.compared.critical_path = critical_path_known(checks.printed, checks.plan, checks.rows_complete);
  Comparison comparison(checks);
  read_statistics(checks.printed, checks.plan, values, checks.rows_complete, comparison);
  check_top_tables(checks, values);
}

}  // namespace shardstats::analysis
