#include "shardstats/analysis/culprits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "shardstats/limits.h"
#include "shardstats/log/missing_tables.h"
#include "shardstats/numbers/most_shared.h"

namespace shardstats {
namespace {

constexpr std::size_t kTablesTried = 240;             // over all corrections: each costs another inference
constexpr std::size_t kTrials = 8, kLeastTrials = 2;  // corrections tried
constexpr std::size_t kManyErrors = 5;                // from which the batch size may be wrong
constexpr std::size_t kFew = 4;                       // a correction must leave at most one finding in so many

constexpr int kOddKernel = 3;  // cells that a sharding type which is seldom or never seen with its kernel counts as

constexpr std::int64_t kMostSizes = 4096;  // batch sizes looked at

constexpr std::size_t kMostPairs = 20'000'000;  // of findings and rows compared with each other
constexpr int kMostMoved = 64;                  // shards of a table on one rank that a wrong list may hide

struct Correction {
  Cell culprit;
  std::string reason;
  std::function<void(PrintedPlan&)> apply;
  int against = 0;  // cells that its shards do not account for
};

// "0-95", "1,1,4": as the planner prints a sorted list, never a mixture (log-format.md section 2, L1).
std::string list_text(const std::vector<int>& ranks) {
  const auto gap = std::ranges::adjacent_find(ranks, [](int a, int b) { return b != a + 1; });
  if (ranks.size() > 1 && gap == ranks.end()) return std::to_string(ranks.front()) + "-" + std::to_string(ranks.back());
  std::string text;
  for (const int rank : ranks) text += (text.empty() ? "" : ",") + std::to_string(rank);
  return text;
}

// How many of the intervals hold the value.
std::ptrdiff_t holding(const std::vector<RealInterval>& intervals, double value) {
  return std::ranges::count_if(intervals, [value](RealInterval interval) { return interval.contains(value); });
}

// The batch size that most of these intervals hold, if the printed one is in less than half as many. Of those that
// nearly as many hold it is the roundest: people choose such sizes.
std::optional<std::int64_t> most_asked(const std::vector<RealInterval>& sizes, double printed) {
  constexpr double kAround = 0.01, kNearly = 0.95;
  const double best = most_shared(sizes, {0, static_cast<double>(kLargestBatch)}, printed, 0).low;
  const std::ptrdiff_t most = holding(sizes, best);
  if (best < 1 || best > static_cast<double>(kLargestBatch) || 2 * holding(sizes, printed) > most) return std::nullopt;
  const auto zeros = [](std::int64_t size) { return std::countr_zero(static_cast<std::uint64_t>(size)); };
  std::optional<std::int64_t> roundest;
  const auto first = std::max<std::int64_t>(static_cast<std::int64_t>(best * (1 - kAround)), 1);
  const std::int64_t last = std::min(static_cast<std::int64_t>(best * (1 + kAround)) + 1, first + kMostSizes);
  for (std::int64_t size = first; size <= last; ++size) {
    if (roundest && zeros(size) <= zeros(*roundest)) continue;
    if (static_cast<double>(holding(sizes, static_cast<double>(size))) >= kNearly * static_cast<double>(most))
      roundest = size;
  }
  return roundest;
}

class Culprits {
 public:
  Culprits(const PrintedPlan& printed, const Plan& plan, const InferOptions& options, Report& report)
      : printed_(printed), plan_(plan), options_(options), report_(report) {}

  // See find_culprits().
  bool find(bool structure_only) {
    if (errors(report_) < 2 || report_.findings.size() * rows() > kMostPairs) return false;
    if (blame_missing_ranks()) return true;
    if (!structure_only && blame_unreadable_cell()) return false;
    add_repeated_rows();
    if (candidates_.empty()) add_wrong_words();
    if (candidates_.empty()) add_batch_size();
    if (!structure_only && candidates_.empty()) add_rank_of_sum();
    if (!structure_only && candidates_.empty()) add_wrong_memory();
    if (!structure_only && candidates_.empty()) add_departing_tables();
    const std::size_t tables = std::max<std::size_t>(printed_.tables.rows.size(), 1);
    const std::size_t most = std::clamp(kTablesTried / tables, kLeastTrials, kTrials);
    if (candidates_.size() > most) candidates_.resize(most);
    // One that the ranks' cells speak against can explain all the same while the inference is still uniform.
    if (structure_only && !candidates_.empty()) {
      const int least = std::ranges::min_element(candidates_, {}, &Correction::against)->against;
      std::erase_if(candidates_, [least](const Correction& c) { return c.against > least; });
    }
    for (const Correction& correction : candidates_)
      if (const auto left = blame(correction, structure_only ? 0 : errors(report_) / kFew)) return *left == 0;
    return false;
  }

 private:
  static std::size_t errors(const Report& report) {
    return static_cast<std::size_t>(std::ranges::count(report.findings, Severity::error, &Finding::severity));
  }
  std::size_t rows() const { return printed_.ranks.rows.size() + printed_.tables.rows.size(); }
  static auto key_of(const Finding& finding) {
    return std::tuple(finding.rule->id, finding.where.place.line, finding.where.place.column);
  }
  static void lead(Finding& finding, const Cell& culprit, const std::string& reason) {
    std::erase_if(finding.suspects, [&](const Suspect& s) { return s.cell.place == culprit.place; });
    finding.suspects.insert(finding.suspects.begin(), {culprit, reason});
  }

  // Without all rank rows nothing else can be right, and no correction can be made up.
  bool blame_missing_ranks() {
    const auto missing = std::ranges::find_if(report_.findings, [](const Finding& f) {
      return f.rule->id == "log.rank_rows" && f.message.find("missing") != std::string::npos;
    });
    if (missing == report_.findings.end()) return false;
    const Cell where = missing->where;
    for (Finding& finding : report_.findings)
      if (finding.severity == Severity::error) lead(finding, where, "rows of ranks are missing here");
    return true;
  }

  // The table or rank of a cell that cannot be read is missing in every sum.
  bool blame_unreadable_cell() {
    const auto unreadable = [](const Finding& f) { return f.rule->id == "log.malformed_cell"; };
    const auto found = std::ranges::find_if(report_.findings, unreadable);
    if (std::ranges::count_if(report_.findings, unreadable) != 1) return false;
    const Cell where = found->where;
    for (Finding& finding : report_.findings)
      if (finding.severity == Severity::error) lead(finding, where, "this cell cannot be read, and others rest on it");
    return true;
  }

  // A table whose cell asks for a dtype or an optimizer of its own, while its rank, its kernel or its perf does not
  // agree.
  void add_departing_tables() {
    std::map<std::pair<double, Optimizer>, int> tables_with;
    const auto kind = [](const PlanTable& t) { return std::pair(t.choice.element_size, t.choice.optimizer); };
    for (const PlanTable& table : plan_.tables) ++tables_with[kind(table)];
    const auto by_count = [](const auto& entry) { return entry.second; };
    const auto usual = std::ranges::max_element(tables_with, {}, by_count);
    const auto disputes = [&](const PlanTable& table) {
      return [&](const Finding& f) {
        if (f.severity != Severity::error) return false;
        return f.table == table.row || (!f.kernel.empty() && f.kernel == printed_.tables.rows[table.row].kernel.text) ||
               (f.rank && plan_.shards_on(table, *f.rank) > 0);
      };
    };
    for (const PlanTable& table : plan_.tables) {
      const PrintedTable& row = printed_.tables.rows[table.row];
      if (kind(table) == usual->first || !row.hbm) continue;
      if (std::ranges::none_of(report_.findings, disputes(table))) continue;
      add_removal(row.hbm, &PrintedPlan::tables, table.row, &PrintedTable::hbm);
    }
  }

  void add_repeated_rows() {
    add_repeated_rows(&PrintedPlan::ranks, &PrintedRank::rank);
    add_repeated_rows(&PrintedPlan::tables, &PrintedTable::fqn);
  }
  template <class Row>
  void add_repeated_rows(ColumnTable<Row> PrintedPlan::*table, Cell Row::*name) {
    const auto& rows = (printed_.*table).rows;
    for (std::size_t i = 1; i < rows.size() && (printed_.*table).odd.empty(); ++i)
      if (const Cell& cell = rows[i].*name; cell && cell.text == (rows[i - 1].*name).text)
        add(cell, "the row stands twice", [table, i](PrintedPlan& plan) {
          auto& all = (plan.*table).rows;
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
        });
  }

  // Memory is linear in the batch size: a plan with twice the batch shows how much of each cell goes with it. If most
  // cells ask for the same other size, that is the right one.
  void add_batch_size() {
    const PrintedLine* line = printed_.find(LineId::batch_size);
    const auto batch = parse_integer(printed_.slot(LineId::batch_size).text, kLargestBatch);
    if (!batch || errors(report_) < kManyErrors || !plan_.sized) return;
    const auto with = [slot = line->first_slot](std::int64_t size) {
      return [slot, text = std::to_string(size)](PrintedPlan& plan) { plan.slots[slot].text = text; };
    };
    PrintedPlan doubled = printed_;
    const auto set_double = with(2 * *batch);  // owns the text that the plan shows
    set_double(doubled);
    InferOptions options = options_;
    options.perf = false;
    const std::vector<RealInterval> sizes = batch_sizes(infer(doubled, options), static_cast<double>(*batch));
    if (const auto right = most_asked(sizes, static_cast<double>(*batch)))
      add(printed_.slot(LineId::batch_size), "should be " + std::to_string(*right), with(*right));
  }

  // The sizes that each memory cell leaves, given the plan with twice the batch size.
  std::vector<RealInterval> batch_sizes(const Plan& doubled, double batch) const {
    std::vector<RealInterval> sizes;
    const auto add_cell = [&](const Cell& cell, Format format, std::int64_t unit, const Expectation& at_batch,
                              const Expectation& at_double) {
      const auto printed = bytes_printed_as(cell.text, format, unit);
      if (!printed || !at_batch.known || !at_double.known) return;
      const RealInterval one = real(at_batch.bytes), two = real(at_double.bytes);
      const RealInterval slope = two - one;
      if (slope.low <= 0) return;
      const RealInterval off = real(*printed) - one;
      constexpr double kRounding = 1e-9;  // of the quotients
      const RealInterval factor{1 + off.low / (off.low < 0 ? slope.low : slope.high) - kRounding,
                                1 + off.high / (off.high < 0 ? slope.high : slope.low) + kRounding};
      sizes.push_back(factor * exactly(batch));
    };
    for (const PlanTable& table : plan_.tables) {
      const PrintedTable& row = printed_.tables.rows[table.row];
      add_cell(row.hbm, Format::r3, kGiB, table.hbm, doubled.tables[table.row].hbm);
      add_cell(row.ddr, Format::r3, kGiB, table.ddr, doubled.tables[table.row].ddr);
    }
    for (std::size_t r = 0; r < std::min(plan_.ranks.size(), printed_.ranks.rows.size()); ++r) {
      const PrintedRank& row = printed_.ranks.rows[r];
      add_cell(row.input, Format::r2, kMiB, plan_.ranks[r].expected_input, doubled.ranks[r].expected_input);
      add_cell(row.output, Format::r2, kMiB, plan_.ranks[r].expected_output, doubled.ranks[r].expected_output);
    }
    return sizes;
  }

  void add_wrong_words() {
    const ShardDifference difference = shard_difference(printed_);
    if (difference.empty()) return;
    for (std::size_t t = 0; t < printed_.tables.rows.size(); ++t) {
      std::vector<int> ranks;
      if (!parse_ranks(printed_.tables.rows[t].ranks.text, ranks) || ranks.empty()) continue;
      if (difference.size() == 2) add_sharding(t, ranks, difference);
      if (difference.size() == 1) add_ranks(t, ranks, difference.begin()->first, difference.begin()->second);
    }
    std::map<std::uint32_t, int> findings_at;  // by line: those on the row itself speak for its being wrong
    for (const Finding& finding : report_.findings) ++findings_at[finding.where.place.line];
    std::ranges::stable_sort(
        candidates_, {}, [&](const Correction& c) { return std::pair(c.against, -findings_at[c.culprit.place.line]); });
  }

  // One type has too few shards on exactly the table's ranks, the printed one as many too many.
  void add_sharding(std::size_t t, const std::vector<int>& ranks, const ShardDifference& difference) {
    const Cell& printed = printed_.tables.rows[t].sharding;
    std::map<int, int> own;
    for (const int rank : ranks) ++own[rank];
    const auto too_many = difference.find(printed.text);
    if (too_many == difference.end()) return;
    const auto& other = too_many == difference.begin() ? *std::next(difference.begin()) : *difference.begin();
    const auto count_at = [](const std::map<int, int>& counts, int rank) {
      const auto found = counts.find(rank);
      return found == counts.end() ? 0 : found->second;
    };
    for (const auto& [rank, count] : own) {
      if (count_at(too_many->second, rank) != -count || count_at(other.second, rank) != count) return;
    }
    Correction& correction =
        add(printed, "should be " + std::string(other.first),
            [t, word = other.first](PrintedPlan& plan) { plan.tables.rows[t].sharding.text = word; });
    const std::string_view kernel = printed_.tables.rows[t].kernel.text;
    if ((other.first == "DP") != kernel.ends_with("dense")) correction.against = kOddKernel;
  }

  // Shards of the table's type are missing on some ranks and too many on others.
  void add_ranks(std::size_t t, std::vector<int> ranks, std::string_view type, const std::map<int, int>& counts) {
    const PrintedTable& row = printed_.tables.rows[t];
    if (row.sharding.text != type) return;
    // Several shards more or fewer on one rank alone: its own count is wrong.
    if (counts.size() == 1 && std::abs(counts.begin()->second) > 1) return;
    if (ranks.size() * counts.size() > kMostPairs) return;
    for (const auto& [rank, count] : counts) {
      if (std::abs(count) > kMostMoved) return;
      for (int i = 0; i < count; ++i) ranks.push_back(rank);
      for (int i = 0; i > count; --i) {
        const auto found = std::ranges::find(ranks, rank);
        if (found == ranks.end()) return;
        ranks.erase(found);
      }
    }
    if (ranks.empty()) return;
    std::ranges::sort(ranks);
    const bool on_all = type == "RW" || type == "DP";
    if (on_all && (ranks.size() != printed_.ranks.rows.size() || std::ranges::adjacent_find(ranks) != ranks.end()))
      return;
    const std::string list = list_text(ranks);
    Correction& correction =
        add(row.ranks, "should be " + list, [t, list](PrintedPlan& plan) { plan.tables.rows[t].ranks.text = list; });
    for (const auto& [rank, count] : counts) correction.against += unaccounted(t, rank, count);
  }

  // How many cells of the rank `count` more (or fewer) shards of the table leave unexplained.
  int unaccounted(std::size_t t, int rank, int count) const {
    const PlanTable* table = plan_.table_of_row(static_cast<std::uint32_t>(t));
    const auto at = static_cast<std::size_t>(rank);
    if (table == nullptr || table->shard_count == 0 || at >= plan_.ranks.size() || !plan_.sized) return 0;
    const PlanRank& planned = plan_.ranks[at];
    const PrintedRank& row = printed_.ranks.rows[at];
    const PlanShard& shard = plan_.shards[table->first_shard];
    int wrong = 0;
    const auto compare = [&](const std::optional<RealInterval>& printed, RealInterval expected, RealInterval each) {
      const RealInterval moved = each * exactly(std::abs(static_cast<double>(count)));
      if (printed && !printed->overlaps(count < 0 ? expected - moved : expected + moved)) ++wrong;
    };
    const auto memory = [&](const Cell& cell, Format format, std::int64_t unit, const Expectation& e,
                            ByteInterval each) {
      const auto printed = e.known ? bytes_printed_as(cell.text, format, unit) : std::nullopt;
      if (printed) compare(real(*printed), real(e.bytes), real(each));
    };
    const Format gigabytes = rank_memory_format(printed_.releases.front());
    memory(row.hbm, gigabytes, kGiB, planned.expected_hbm, shard.hbm);
    memory(row.ddr, gigabytes, kGiB, planned.expected_ddr, shard.ddr);
    memory(row.input, Format::r2, kMiB, planned.expected_input, shard.input);
    memory(row.output, Format::r2, kMiB, planned.expected_output, shard.output);
    if (!planned.expected_perf.known || !table->perf.known) return wrong;
    const PlanPerf& perf = planned.expected_perf.expected;
    compare(values_printed_as(row.perf.total.text, Format::r3), perf.total, table->shard_perf.total);
    for (std::size_t p = 0; p < row.perf.count; ++p)
      compare(values_printed_as(row.perf.components[p].text, Format::c1), perf.parts[p], table->shard_perf.parts[p]);
    return wrong;
  }

  // Which rank's memory is wrong if only the sum of all is: the one whose right value other lines show.
  void add_rank_of_sum() {
    add_rank_of_sum(&PrintedRank::hbm, plan_.all_ranks.hbm);
    add_rank_of_sum(&PrintedRank::ddr, plan_.all_ranks.ddr);
    std::ranges::stable_sort(candidates_, {}, &Correction::against);
  }
  void add_rank_of_sum(Cell PrintedRank::*cell, const Expectation& total) {
    if (!total.contradicted) return;
    const Format format = rank_memory_format(printed_.releases.front());
    RealInterval sum{};
    for (const PrintedRank& row : printed_.ranks.rows) {
      const auto printed = bytes_printed_as((row.*cell).text, format, kGiB);
      if (!printed) return;
      sum = sum + real(*printed);
    }
    for (std::size_t r = 0; r < printed_.ranks.rows.size(); ++r) {
      const Cell& printed = printed_.ranks.rows[r].*cell;
      const RealInterval others = sum - real(*bytes_printed_as(printed.text, format, kGiB));
      const RealInterval right{real(total.bytes).low - others.high, real(total.bytes).high - others.low};
      Correction& correction = add_removal(printed, &PrintedPlan::ranks, r, cell);
      correction.against = -lines_that_show(right, format);
    }
  }

  // Disputed cells whose printed text is such a value.
  int lines_that_show(RealInterval bytes, Format format) const {
    return static_cast<int>(std::ranges::count_if(report_.findings, [&](const Finding& f) {
      const auto printed = bytes_printed_as(f.where.text, format, kGiB);
      return printed && real(*printed).overlaps(bytes);
    }));
  }

  // One wrong memory cell can make another hypothesis of the whole plan look better: without it the right one is back.
  void add_wrong_memory() {
    for (const Finding& finding : report_.findings) {
      for (std::size_t r = 0; r < printed_.ranks.rows.size(); ++r)
        for (const auto cell : {&PrintedRank::hbm, &PrintedRank::ddr, &PrintedRank::input, &PrintedRank::output})
          if (const Cell& printed = printed_.ranks.rows[r].*cell; printed && printed.place == finding.where.place)
            add_removal(printed, &PrintedPlan::ranks, r, cell);
      // A finding on a table's perf may come from a dtype that its storage was taken for.
      if (finding.table)
        for (const auto cell : {&PrintedTable::hbm, &PrintedTable::ddr, &PrintedTable::ssd})
          if (const Cell& printed = printed_.tables.rows[*finding.table].*cell; printed && !is_candidate(printed))
            add_removal(printed, &PrintedPlan::tables, *finding.table, cell);
    }
  }

  bool is_candidate(const Cell& cell) const {
    return std::ranges::any_of(candidates_, [&](const Correction& c) { return c.culprit.place == cell.place; });
  }

  template <class Row>
  Correction& add_removal(const Cell& culprit, ColumnTable<Row> PrintedPlan::*table, std::size_t row, Cell Row::*cell) {
    return add(culprit, "without it the rest agrees",
               [=](PrintedPlan& plan) { ((plan.*table).rows[row].*cell).text = {}; });
  }

  Correction& add(const Cell& culprit, std::string reason, std::function<void(PrintedPlan&)> apply) {
    candidates_.push_back({culprit, std::move(reason), std::move(apply)});
    return candidates_.back();
  }

  // If the correction leaves at most so many errors, it leads wherever it removes a finding. The number of those left.
  std::optional<std::size_t> blame(const Correction& correction, std::size_t most_left) {
    PrintedPlan corrected = printed_;
    std::erase_if(corrected.diagnostics,
                  [&](const Diagnostic& d) { return d.where.place.line == correction.culprit.place.line; });
    correction.apply(corrected);
    InferOptions options = options_;
    if (&correction != &candidates_.front()) options.effort = std::min(options.effort, Effort::likely);
    const Plan plan = infer(corrected, options);
    const Report fixed = verify(corrected, plan);
    const std::size_t errors_left = errors(fixed);
    if (errors_left > most_left) return std::nullopt;
    std::set<std::tuple<std::string_view, std::uint32_t, std::uint32_t>> left;
    for (const Finding& finding : fixed.findings) left.insert(key_of(finding));
    for (Finding& finding : report_.findings)
      if (finding.severity == Severity::error && !left.contains(key_of(finding)))
        lead(finding, correction.culprit, correction.reason);
    return errors_left;
  }

  const PrintedPlan& printed_;
  const Plan& plan_;
  const InferOptions& options_;
  Report& report_;
  std::vector<Correction> candidates_;
};

}  // namespace

bool find_culprits(const PrintedPlan& printed, const Plan& plan, const InferOptions& options, Report& report,
                   bool structure_only) {
  return Culprits(printed, plan, options, report).find(structure_only);
}

}  // namespace shardstats
