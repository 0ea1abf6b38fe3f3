#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

#include "infer/perf_model.h"
#include "infer/rebuild.h"
#include "shardstats/log/lost_columns.h"
#include "shardstats/log/same_text.h"

namespace shardstats::infer_detail {
namespace {

void read_cells(const PrintedPerf& printed, Format total, PrintedPerfCells& cells) {
  for (std::size_t p = 0; p < printed.count; ++p) {
    const RealInterval* usual = usual_component(printed.components[p].text);
    cells.set(p, usual != nullptr ? *usual : printed_real(printed.components[p], Format::c1));
  }
  cells.set(kPerfTotal, printed_real(printed.total, total));
}

bool are_same(const PrintedPerf& a, const PrintedPerf& b) {
  const auto is_same = [](const Cell& x, const Cell& y) { return same_text(x.text, y.text); };
  return is_same(a.total, b.total) && a.count == b.count &&
         std::equal(a.components.begin(), a.components.begin() + a.count, b.components.begin(), is_same);
}

struct MaximaLine {
  LineId id;
  std::size_t cell;
};
constexpr std::array<MaximaLine, kPerfCells> kMaxima = {{{LineId::max_fwd_compute, 0},
                                                         {LineId::max_fwd_comms, 1},
                                                         {LineId::max_bwd_compute, 2},
                                                         {LineId::max_bwd_comms, 3},
                                                         {LineId::max_prefetch_compute, 4},
                                                         {LineId::max_total_perf, kPerfTotal}}};

// All ranks on a line have the same value: the first one stands for them, so that the line counts once.
void read_maxima(const PrintedPlan& printed, PerfInputs& perf) {
  for (const MaximaLine& line : kMaxima) {
    std::vector<int> ranks;
    const auto value = printed_real(printed.slot(line.id, 0), printed.format_of(RoundedNumbers::lines));
    if (!value || !parse_ranks(printed.slot(line.id, 1).text, ranks) || ranks.empty()) continue;
    if (static_cast<std::size_t>(ranks[0]) < perf.ranks.size())
      perf.ranks[static_cast<std::size_t>(ranks[0])].maxima.set(line.cell, value);
  }
}

// Bounds of the columns of a table's shards, which are the same for all of them; none where its sizes are not known.
std::optional<RealInterval> shard_columns(const SearchResult& found, std::uint32_t t) {
  std::optional<RealInterval> all;
  for (const Survivor& survivor : found.survivors) {
    const Options& options = survivor.outcome.tables[t].options;
    if (options.empty()) return std::nullopt;
    for (const Option option : options)
      hull_into(all, (*survivor.outcome.parts)[t][option.variant].classes.front().cols);
  }
  return all ? std::optional(real(whole_bytes(*all))) : std::nullopt;
}

// Which tables share the codecs of one sharder. Where the log lost its name, a module has one of its own: another
// module may have the same or not.
class Sharders {
 public:
  explicit Sharders(const PrintedPlan& printed) : printed_(is_always_printed(printed, ColumnId::sharder, false)) {
    const auto is_lost = [&](const PrintedTable& row) { return !is_known(row); };
    if (std::ranges::none_of(printed.tables.rows, is_lost)) return;
    for (const PrintedTable& row : printed.tables.rows)
      if (const auto module = module_of(row); module && is_known(row))
        modules_.emplace(*module, named(row.sharder.text));
  }
  std::uint32_t of(const PrintedTable& row) {
    if (is_known(row)) return named(row.sharder.text);
    const auto module = module_of(row);
    if (!module) return count_++;
    const auto [found, is_new] = modules_.try_emplace(*module, count_);
    count_ += is_new;
    return found->second;
  }
  std::uint32_t count() const { return std::max(count_, 1u); }

 private:
  // Releases that do not print it know no codecs.
  bool is_known(const PrintedTable& row) const { return row.sharder || !printed_; }
  std::uint32_t named(std::string_view name) {
    // Most rows have the sharder of the one above.
    if (last_ == names_.end() || !same_text(last_->first, name)) {
      bool is_new = false;
      std::tie(last_, is_new) = names_.try_emplace(name, count_);
      count_ += is_new;
    }
    return last_->second;
  }

  using Numbers = std::map<std::string_view, std::uint32_t>;
  bool printed_;  // is there, or was there before it was lost?
  std::uint32_t count_ = 0;
  Numbers names_;
  Numbers::iterator last_ = names_.end();
  Numbers modules_;  // filled where a name is lost
};

// Looks at each table once.
class PerfReader {
 public:
  PerfReader(const PlanInputs& plan, const SearchResult& found)
      : plan_(plan), found_(found), ranks_(plan.printed->ranks.rows.size()), end_(ranks_ + 1) {}

  PerfInputs read() {
    perf_.tables.reserve(plan_.tables.size());
    others_.reserve(plan_.tables.size());
    for (std::uint32_t t = 0; t < plan_.tables.size(); ++t) add_table(t);
    perf_.sharders = sharders_.count();
    read_ranks();
    list_shards();
    read_maxima(*plan_.printed, perf_);
    list_told();
    perf_.statistics = read_perf_statistics(*plan_.printed);
    perf_.printed_total = total_of_ranks();
    return std::move(perf_);
  }

 private:
  const PrintedTable& row_of(std::uint32_t t) const { return plan_.printed->tables.rows[plan_.tables[t].row]; }

  void add_table(std::uint32_t t) {
    const PrintedTable& printed = row_of(t);
    PerfTable& table = perf_.tables.emplace_back();
    read_table(t, printed, table);
    table.sharder = sharders_.of(printed);
    has_exact_columns_ &= table.cols.exact();
    place(t, table.known);
  }

  // Tables that are alike come one after the other, with the same cells.
  void read_table(std::uint32_t t, const PrintedTable& printed, PerfTable& table) const {
    if (t > 0 && are_same(row_of(t - 1).perf, printed.perf))
      table.printed = perf_.tables[t - 1].printed;
    else
      read_cells(printed.perf, plan_.printed->format_of(RoundedNumbers::table_perf), table.printed);
    const auto columns = shard_columns(found_, t);
    if (!columns) return;
    table.cols = *columns;
    if (printed.weighted) table.weighted = printed.weighted.text == "weighted";
    table.weighted_lost = has_weighted_ && !printed.weighted;
    table.known = found_.survivors.front().outcome.setting.rules->release >= Release::v0_3_0;
  }

  // Counts its shards, but for those everywhere.
  void place(std::uint32_t t, bool known) {
    const bool everywhere = ranks_ > 1 && is_everywhere(plan_.tables[t], ranks_);
    if (everywhere) {
      perf_.everywhere.push_back(t);
    } else {
      others_.push_back(t);
      each_rank(plan_.tables[t], ranks_, [&](std::size_t r) { ++end_[r + 1]; });
    }
    is_common_known_ &= known || !(everywhere || plan_.tables[t].ranks.empty());
  }

  void read_ranks() {
    const bool in_ms = prints_perf_in_ms(plan_.printed->releases.front());
    const Format total = plan_.printed->format_of(RoundedNumbers::rank_perf);
    const std::vector<bool> known = ranks_without_missing(plan_);
    perf_.ranks.resize(ranks_);
    for (std::size_t r = 0; r < ranks_; ++r) {
      perf_.ranks[r].known = known[r] && is_common_known_;
      if (in_ms) read_cells(plan_.printed->ranks.rows[r].perf, total, perf_.ranks[r].printed);
    }
  }

  // By rank.
  void list_shards() {
    std::partial_sum(end_.begin(), end_.end(), end_.begin());
    const std::vector<std::size_t> first(end_.begin(), end_.end());
    perf_.shards.resize(end_.back());
    for (const std::uint32_t t : others_) {
      const bool known = perf_.tables[t].known;
      each_rank(plan_.tables[t], ranks_, [&](std::size_t r) {
        perf_.ranks[r].known &= known;
        if (end_[r] > first[r] && perf_.shards[end_[r] - 1].first == t)
          ++perf_.shards[end_[r] - 1].second;
        else
          perf_.shards[end_[r]++] = {t, 1};
      });
    }
    for (std::size_t r = 0; r < ranks_; ++r)
      perf_.ranks[r].shards = std::span(perf_.shards).subspan(first[r], end_[r] - first[r]);
  }

  void list_told() {
    for (std::uint32_t r = 0; r < ranks_; ++r)
      if ((perf_.ranks[r].printed.all() | perf_.ranks[r].maxima.all()) != 0) perf_.told.push_back(r);
  }

  std::optional<RealInterval> total_of_ranks() const {
    const auto on_ranks = [&](const TableInputs& table) {
      return !table.ranks.empty() && static_cast<std::size_t>(table.ranks.back()) < ranks_;
    };
    if (has_exact_columns_ || static_cast<std::int64_t>(ranks_) != plan_.world_size ||
        !std::ranges::all_of(plan_.tables, on_ranks))
      return std::nullopt;
    RealInterval total{};
    for (const PerfRank& rank : perf_.ranks) {
      if (!rank.known || !rank.printed[kPerfTotal]) return std::nullopt;
      total = total + *rank.printed[kPerfTotal];
    }
    return total;
  }

  const PlanInputs& plan_;
  bool has_weighted_ = is_always_printed(*plan_.printed, ColumnId::weighted, false);
  const SearchResult& found_;
  std::size_t ranks_;
  PerfInputs perf_;
  Sharders sharders_{*plan_.printed};
  std::vector<std::uint32_t> others_;  // tables that are not everywhere
  std::vector<std::size_t> end_;       // by rank: first of the shards of the rank before, then where they end
  bool is_common_known_ = true;        // all tables that every rank has are known
  bool has_exact_columns_ = true;      // all tables have
};

}  // namespace

PerfInputs read_perf(const PlanInputs& plan, const SearchResult& found) { return PerfReader(plan, found).read(); }

bool tells_perf(const PerfInputs& perf) {
  return std::ranges::any_of(perf.tables,
                             [](const PerfTable& table) { return table.known && table.printed.all() != 0; });
}

}  // namespace shardstats::infer_detail
