// Checks of the lists of tables behind the largest perf and HBM (log-format.md section 6.9).
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/checks.h"
#include "analysis/lines.h"
#include "analysis/statistics.h"

namespace shardstats::analysis {
namespace {

// The tables of the names that are listed, found in one pass. A name may stand for several tables.
class ListedTables {
 public:
  ListedTables(const PrintedPlan& printed, const Plan& plan) : printed_(printed), plan_(plan) {
    constexpr std::size_t kOfBothLists = 2 * kMostTopTables;  // damaged ones may be longer
    for (const PrintedLine& line : printed.lines)
      if (lists_table(line.id) && listed_.size() < kOfBothLists)
        listed_.push_back({printed.slots_of(line)[0].text, {}});
    find_tables(listed_);
  }

  std::vector<const PlanTable*> named(std::string_view name) const {
    if (const auto found = std::ranges::find(listed_, name, &Listed::name); found != listed_.end())
      return found->tables;
    Listed other{name, {}};
    find_tables({&other, 1});
    return std::move(other.tables);
  }

 private:
  struct Listed {
    std::string_view name;
    std::vector<const PlanTable*> tables;
  };

  void find_tables(std::span<Listed> names) const {
    for (const PlanTable& table : plan_.tables) {
      const std::string_view fqn = printed_.tables.rows[table.row].fqn.text;
      if (fqn.empty()) continue;
      for (Listed& listed : names)  // none is empty, and most end in another character
        if (listed.name.ends_with(fqn.back()) && is_named(fqn, listed.name)) listed.tables.push_back(&table);
    }
  }

  const PrintedPlan& printed_;
  const Plan& plan_;
  std::vector<Listed> listed_;
};

class TopTables {
 public:
  TopTables(Checks& checks, const RankValues& values)
      : checks_(checks), values_(values), listed_(checks.printed, checks.plan) {}

  // Where a heading inside of the block is lost, the entries of both lists may stand below the other.
  void check() {
    const bool has_both =
        checks_.printed.find(LineId::top_perf_heading) && checks_.printed.find(LineId::top_hbm_heading);
    if (!has_both && !checks_.printed.is_reported(DiagnosticKind::no_closing_border)) return;
    check_top(LineId::top_perf_heading, LineId::top_perf_table, RuleId::top_tables_perf);
    check_top(LineId::top_hbm_heading, LineId::top_hbm_table, RuleId::top_tables_hbm);
  }

 private:
  static constexpr std::string_view kIsShort = "though fewer than 5 tables are";

  void check_top(LineId heading, LineId id, RuleId rule) {
    const bool perf = rule == RuleId::top_tables_perf;
    if (!checks_.printed.find(heading) || !checks_.rows_complete || !checks_.plan.sized) return;
    // An entry may be the table whose name is lost.
    if (!checks_.tables_known || !(perf ? checks_.perf_known : values_.sparse_known)) return;
    (perf ? checks_.compared.top_perf : checks_.compared.top_hbm) = true;
    auto [ranks, candidates] = top_candidates(checks_.plan, values_, perf);
    std::size_t listed = 0;
    RealInterval last{0, 1e300};
    Cell cell{{}, checks_.printed.find(heading)->place};
    // Some are not read.
    if (has_unread(checks_.printed, id)) return;
    for (const auto slots : lines_of(checks_.printed, id)) {
      cell = slots[0];
      ++listed;
      if (!check_top_table(slots, perf, rule, ranks.size() == 1, candidates, last)) return;
    }
    if (const LineId end = last_known_line(checks_.printed); end == id || end == heading) return;  // cut off
    const bool is_short = listed < kMostTopTables && several_ranks_have_shards();
    if (ranks.size() != 1 && is_short) {
      if (const PlanTable* table = unlisted(id, ranks)) add_unlisted(rule, cell, *table, kIsShort);
    } else if (ranks.size() == 1 && values_[Quantity::hbm].size() > 1) {
      const auto larger = [&](const PlanTable* t) {
        return first_shard(checks_.plan, *t, perf).low > last.high * (1 + 1e-12);
      };
      const auto above = std::ranges::find_if(candidates, larger);
      if (listed > 0 && above != candidates.end())
        add_unlisted(rule, cell, **above, "but belongs before " + std::string(cell.text));
      else if (is_short && !candidates.empty())
        add_unlisted(rule, cell, *candidates.front(), kIsShort);
    }
  }

  void add_unlisted(RuleId rule, const Cell& last, const PlanTable& table, std::string_view why) {
    Finding& finding = checks_.add(rule, last);
    finding.message = std::string(fqn_of(table)) + " is not listed, ";
    finding.message += why;
  }

  // A table that is on all the ranks that may have the largest value is a candidate whichever of them it is. Nothing
  // is said of one whose name the list has: names may stand for several tables.
  const PlanTable* unlisted(LineId id, const std::vector<int>& ranks) const {
    std::vector<std::string_view> names;
    for (const auto slots : lines_of(checks_.printed, id)) names.push_back(slots[0].text);
    const auto is_unlisted = [&](const PlanTable& t) {
      const auto is_its_name = [&](std::string_view name) { return is_named(fqn_of(t), name); };
      return may_be_listed(checks_.plan, t, ranks) && std::ranges::none_of(names, is_its_name);
    };
    const auto found = std::ranges::find_if(checks_.plan.tables, is_unlisted);
    return found == checks_.plan.tables.end() ? nullptr : &*found;
  }

  // Whatever memory they take: on a CPU it is no HBM.
  bool several_ranks_have_shards() const {
    std::optional<int> first;
    for (const PlanShard& shard : checks_.plan.shards) {
      if (first && shard.rank && *shard.rank != *first) return true;
      if (!first) first = shard.rank;
    }
    return false;
  }

  std::string_view fqn_of(const PlanTable& table) const { return checks_.printed.tables.rows[table.row].fqn.text; }

  // Takes the listed table out of the candidates; false if it cannot stand there. `candidates`: in the plan's order.
  bool check_top_table(std::span<const Cell> slots, bool perf, RuleId rule, bool rank_known,
                       std::vector<const PlanTable*>& candidates, RealInterval& last) {
    const std::vector<const PlanTable*> named = listed_.named(slots[0].text);
    const auto may_stand_here = [&](const PlanTable* t) {
      return rank_known ? std::ranges::binary_search(candidates, t) : is_listed_type(t->sharding);
    };
    const auto high_of = [&](const PlanTable* t) { return first_shard(checks_.plan, *t, perf).high; };
    // Of tables with one name the largest comes first.
    const PlanTable* table = nullptr;
    for (const PlanTable* t : named) {
      const bool fits = may_stand_here(t) && first_shard(checks_.plan, *t, perf).low <= last.high * (1 + 1e-12);
      if (fits && (table == nullptr || high_of(t) > high_of(table))) table = t;
    }
    if (rank_known) std::erase(candidates, table);
    if (table == nullptr) {
      Finding& finding = checks_.add(rule, slots[0]);
      finding.message = std::string(slots[0].text) + " does not belong at this place of the list";
      return false;
    }
    const RealInterval value = first_shard(checks_.plan, *table, perf);
    last = {std::min(last.low, value.low), std::min(last.high, value.high)};
    if (!perf && slots.size() >= 3) check_top_detail(slots, *table, named, value);
    return true;
  }

  void add_first_shard(std::span<const Cell> slots, RealInterval value) {
    set_expected(checks_.add(RuleId::top_tables_hbm, slots[1]),
                 "HBM of the first shard of " + std::string(slots[0].text),
                 expected_value(value, checks_.printed.format_of(RoundedNumbers::lines), "bytes"));
  }

  std::vector<int> sorted_ranks(const PlanTable& table) const {
    std::vector<int> ranks = checks_.plan.ranks_of(table);
    std::ranges::sort(ranks);
    return ranks;
  }

  // The line may speak of any table of its name: value and ranks have to be those of one of them.
  void check_top_detail(std::span<const Cell> slots, const PlanTable& table, const std::vector<const PlanTable*>& named,
                        RealInterval value) {
    const auto hbm = printed_bounds(slots[1], checks_.printed.format_of(RoundedNumbers::lines), "bytes");
    std::vector<int> printed;
    const bool lists_ranks = parse_ranks(slots[2].text, printed);
    std::ranges::sort(printed);
    const auto has_value = [&](const PlanTable* t) {
      return !hbm || hbm->overlaps(first_shard(checks_.plan, *t, false));
    };
    const auto is_on_them = [&](const PlanTable* t) { return !lists_ranks || sorted_ranks(*t) == printed; };
    const auto is_it = [&](const PlanTable* t) { return has_value(t) && is_on_them(t); };
    if (std::ranges::any_of(named, is_it)) return;
    const bool any_value = std::ranges::any_of(named, has_value);
    if (!any_value) add_first_shard(slots, value);
    const bool any_ranks = std::ranges::any_of(named, is_on_them);
    if (any_ranks && !any_value) return;
    const std::string_view own = checks_.printed.tables.rows[table.row].ranks.text;
    Finding& finding = checks_.add(RuleId::top_tables_hbm, slots[2]);
    finding.message = "ranks of " + std::string(slots[0].text) + " are printed as " + std::string(slots[2].text) +
                      ", the parameter table has " +
                      (any_ranks          ? "no table of that name with " + std::string(slots[1].text) + " GB on them"
                       : named.size() > 1 ? "no table of that name on them"
                                          : std::string(own));
  }

  Checks& checks_;
  const RankValues& values_;
  const ListedTables listed_;
};

}  // namespace

void check_top_tables(Checks& checks, const RankValues& values) {
  if (values.known) TopTables(checks, values).check();
}

}  // namespace shardstats::analysis
