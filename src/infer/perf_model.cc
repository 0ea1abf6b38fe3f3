#include "infer/perf_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace shardstats::infer_detail {
namespace {

constexpr double kEndless = std::numeric_limits<double>::max();

void read_cells(const PrintedPerf& printed, PrintedPerfCells& cells) {
  for (std::size_t p = 0; p < printed.count; ++p) cells.set(p, printed_real(printed.components[p], Format::c1));
  cells.set(kPerfTotal, printed_real(printed.total, Format::r3));
}

void read_table(const PlanInputs& plan, const Plan& rebuilt, std::uint32_t t, PerfTable& perf) {
  const PrintedTable& printed = plan.printed->tables.rows[plan.tables[t].row];
  const PlanTable& table = rebuilt.tables[t];
  read_cells(printed.perf, perf.printed);
  if (!table.sized || table.shard_count == 0) return;
  perf.cols = real(rebuilt.shards_of(table).front().sizes->cols);  // all of them have the same bounds
  if (printed.weighted) perf.weighted = printed.weighted.text == "weighted";
  perf.known = rebuilt.setting.rules->release >= Release::v0_3_0;
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
    const auto value = printed_real(printed.slot(line.id, 0), Format::r3);
    if (!value || !parse_ranks(printed.slot(line.id, 1).text, ranks) || ranks.empty()) continue;
    if (static_cast<std::size_t>(ranks[0]) < perf.ranks.size())
      perf.ranks[static_cast<std::size_t>(ranks[0])].maxima.set(line.cell, value);
  }
}

// Calls f(rank) for each shard of the table that is on a known rank.
template <class F>
void each_known_rank(const TableInputs& table, std::size_t ranks, F f) {
  for (const int r : table.ranks)
    if (static_cast<std::size_t>(r) < ranks) f(static_cast<std::size_t>(r));
}

// Lists the shards of these tables by rank.
void list_shards(const PlanInputs& plan, std::span<const std::uint32_t> tables, PerfInputs& perf) {
  const std::size_t ranks = perf.ranks.size();
  std::vector<std::size_t> end(ranks + 1);  // first of those of the rank before, then where they end
  for (const std::uint32_t t : tables) each_known_rank(plan.tables[t], ranks, [&](std::size_t r) { ++end[r + 1]; });
  std::partial_sum(end.begin(), end.end(), end.begin());
  const std::vector<std::size_t> first(end.begin(), end.end());
  perf.shards.resize(end.back());
  for (const std::uint32_t t : tables) {
    const bool known = perf.tables[t].known;
    each_known_rank(plan.tables[t], ranks, [&](std::size_t r) {
      perf.ranks[r].known &= known;
      if (end[r] > first[r] && perf.shards[end[r] - 1].first == t)
        ++perf.shards[end[r] - 1].second;
      else
        perf.shards[end[r]++] = {t, 1};
    });
  }
  for (std::size_t r = 0; r < ranks; ++r)
    perf.ranks[r].shards = std::span(perf.shards).subspan(first[r], end[r] - first[r]);
}

void place_shards(const PlanInputs& plan, PerfInputs& perf) {
  std::vector<std::uint32_t> others;
  bool common_known = true;
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    const bool everywhere = perf.ranks.size() > 1 && is_everywhere(plan.tables[t], perf.ranks.size());
    (everywhere ? perf.everywhere : others).push_back(t);
    common_known &= perf.tables[t].known || !(everywhere || plan.tables[t].ranks.empty());
  }
  for (PerfRank& rank : perf.ranks) rank.known &= common_known;
  list_shards(plan, others, perf);
}

void read_ranks(const PlanInputs& plan, PerfInputs& perf) {
  const std::vector<bool> known = ranks_without_missing(plan);
  perf.ranks.reserve(plan.printed->ranks.rows.size());
  for (const PrintedRank& row : plan.printed->ranks.rows) {
    PerfRank& rank = perf.ranks.emplace_back();
    rank.known = known[perf.ranks.size() - 1];
    read_cells(row.perf, rank.printed);
  }
  place_shards(plan, perf);
}

std::optional<RealInterval> total_of_ranks(const PlanInputs& plan, const PerfInputs& perf) {
  if (std::ranges::all_of(perf.tables, [](const PerfTable& table) { return table.cols.exact(); })) return std::nullopt;
  const auto count = perf.ranks.size();
  const auto on_ranks = [&](const TableInputs& table) {
    return !table.ranks.empty() && static_cast<std::size_t>(table.ranks.back()) < count;
  };
  if (static_cast<std::int64_t>(count) != plan.world_size || !std::ranges::all_of(plan.tables, on_ranks))
    return std::nullopt;
  RealInterval total{};
  for (const PerfRank& rank : perf.ranks) {
    if (!rank.known || !rank.printed[kPerfTotal]) return std::nullopt;
    total = total + *rank.printed[kPerfTotal];
  }
  return total;
}

PerfCells cells_of(const Perf<RealInterval>& perf, double times) {
  PerfCells cells;
  for (std::size_t p = 0; p < kPerfParts; ++p) cells[p] = perf.parts[p] * exactly(times);
  cells[kPerfTotal] = perf.total * exactly(times);
  return cells;
}

// The sum over the shards of a table whose column blocks are that wide; the last one takes the rest of the columns
// (storage-model.md section 3.2).
PerfCells with_blocks(const PerfHypothesis& h, PerfFacts<RealInterval> facts, RealInterval block, double cols,
                      double shards) {
  facts.cols = block;
  PerfCells cells = cells_of(*shard_perf(h.setting, facts), shards - 1);
  facts.cols = exactly(cols) - block * exactly(shards - 1);
  const PerfCells last = cells_of(*shard_perf(h.setting, facts), 1);
  for (std::size_t c = 0; c < kPerfCells; ++c) cells[c] = cells[c] + last[c];
  return cells;
}

// The same of any whole width that makes so many blocks and gives the printed total; if none does, of the nearest.
PerfCells with_any_blocks(const PerfHypothesis& h, const PerfFacts<RealInterval>& facts, double cols, double shards,
                          const std::optional<RealInterval>& printed) {
  constexpr double kPieces = 64;  // in which widths are looked at, one by one if there are so few
  const double narrowest = facts.cols.low, widest = std::floor(cols / shards);
  const double step = std::ceil((widest - narrowest + 1) / kPieces);
  PerfCells all;
  double least = kEndless;
  for (double high = widest; high >= narrowest; high -= step) {
    const PerfCells some = with_blocks(h, facts, {std::max(high - step + 1, narrowest), high}, cols, shards);
    const double distance = printed ? apart(with_rounding(some[kPerfTotal]), *printed) : 0;
    if (distance < least)
      all = some;
    else if (distance == 0)
      for (std::size_t c = 0; c < kPerfCells; ++c) all[c] = hull(all[c], some[c]);
    least = std::min(least, distance);
  }
  return all;
}

}  // namespace

RealInterval perf_ratio(const PerfHypothesis& h, const TableInputs& table, const Parts& parts) {
  // From v1.1.0 on a ratio of 0 counts here, though storage takes it for none given (2.3).
  if (table.printed_ratio == 0.0 && h.setting.rules->release >= Release::v1_1_0) return exactly(0.0);
  return ratio_of(h.outcome->setting, table, parts.variant);
}

double shards_of(const PerfHypothesis& h, std::uint32_t t) {
  double shards = 0;
  for (const ClassParts& c : (*h.outcome->parts)[t].front().classes) shards += static_cast<double>(c.run.count);
  return shards;
}

namespace {

// What the shards of a table with an option move, whatever the bandwidths are.
class OptionMoves {
 public:
  OptionMoves(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& inputs, std::uint32_t t,
              PerfOption option, Codecs codecs)
      : h_(h),
        codecs_(codecs),
        option_(option),
        facts_(perf_facts(h, plan, inputs, t, option, codecs)),
        moved_(moved_bytes(h.setting, facts_)) {}

  // Another option of the table.
  void take(PerfOption option) {
    const bool moves_as_much = option.element_size == option_.element_size && option.weighted == option_.weighted;
    option_ = option;
    facts_.prefetch_pipeline = option.prefetch_pipeline;
    if (moves_as_much) return;
    facts_.weighted = option.weighted;
    facts_.element_size = exactly(option.element_size);
    facts_.wire = wire_sizes(*h_.setting.rules, codecs_, facts_.sequence, option.element_size);
    moved_ = moved_bytes(h_.setting, facts_);
  }

  PerfOption option() const { return option_; }
  const PerfFacts<RealInterval>& facts() const { return facts_; }
  const perf_detail::Moved<RealInterval>& moved() const { return moved_; }

 private:
  const PerfHypothesis& h_;
  Codecs codecs_;
  PerfOption option_;
  PerfFacts<RealInterval> facts_;
  perf_detail::Moved<RealInterval> moved_;
};

// False: the kernel's bandwidth is not known.
bool find_perf(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& inputs, std::uint32_t t,
               const OptionMoves& moves, TablePerf& found) {
  const auto bandwidth = kernel_bandwidth(h.setting, moves.facts());
  if (!bandwidth) return false;
  const auto perf = shard_perf(h.setting, moves.facts(), *bandwidth, moves.moved());
  const PerfTable& table = inputs.tables[t];
  const double shards = shards_of(h, t);
  found.option = moves.option();
  if (moves.facts().cols.exact()) {
    found.cells = cells_of(perf, shards);
  } else {
    const bool block_known = !(*h.outcome->parts)[t].front().variant.free_columns;
    const auto cols = static_cast<double>(plan.tables[t].cols);
    found.cells = block_known ? with_blocks(h, moves.facts(), exactly(moves.facts().cols.low), cols, shards)
                              : with_any_blocks(h, moves.facts(), cols, shards, table.printed[kPerfTotal]);
  }
  found.shard = cells_of(perf, 1);
  for (RealInterval& x : found.cells) x = with_rounding(x);
  if (prefetch_hidden(h, plan.tables[t])) {
    RealInterval& cell = found.cells[kPerfTotal];
    const auto& total = table.printed[kPerfTotal];
    RealInterval prefetch = table.printed[4].value_or(RealInterval{0, kEndless});
    if (total) prefetch = narrowed(prefetch, at_least_zero({total->low - cell.high, total->high - cell.low}));
    found.cells[4] = prefetch;
    cell = cell + prefetch;
    found.shard[4] = prefetch / exactly(shards);
    found.shard[kPerfTotal] = found.shard[kPerfTotal] + found.shard[4];
  }
  return true;
}

}  // namespace

std::optional<TablePerf> option_perf(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& inputs,
                                     std::uint32_t t, PerfOption option, Codecs codecs) {
  TablePerf found;
  if (!find_perf(h, plan, inputs, t, OptionMoves(h, plan, inputs, t, option, codecs), found)) return std::nullopt;
  return found;
}

PerfInputs read_perf(const PlanInputs& plan, const Plan& rebuilt) {
  PerfInputs perf;
  perf.tables.reserve(plan.tables.size());
  std::vector<std::string_view> sharders;
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    PerfTable& table = perf.tables.emplace_back();
    read_table(plan, rebuilt, t, table);
    const std::string_view name = plan.printed->tables.rows[plan.tables[t].row].sharder.text;
    const auto found = std::find(sharders.begin(), sharders.end(), name);
    table.sharder = static_cast<std::uint32_t>(found - sharders.begin());
    if (found == sharders.end()) sharders.push_back(name);
  }
  perf.sharders = static_cast<std::uint32_t>(std::max<std::size_t>(sharders.size(), 1));
  read_ranks(plan, perf);
  read_maxima(*plan.printed, perf);
  perf.statistics = read_perf_statistics(*plan.printed);
  perf.printed_total = total_of_ranks(plan, perf);
  return perf;
}

Bandwidths<RealInterval> default_bandwidths() {
  const Bandwidths<double>& d = kDefaultBandwidths;
  return {exactly(d.hbm), exactly(d.ddr),        exactly(d.hbm_to_ddr),
          exactly(d.ssd), exactly(d.intra_host), exactly(d.inter_host)};
}

bool same_bandwidths(const Bandwidths<RealInterval>& a, const Bandwidths<RealInterval>& b) {
  return std::ranges::all_of(kBandwidths, [&](const auto bandwidth) { return a.*bandwidth == b.*bandwidth; });
}

Bandwidths<RealInterval> hull(Bandwidths<RealInterval> a, const Bandwidths<RealInterval>& b) {
  for (const auto bandwidth : kBandwidths) a.*bandwidth = hull(a.*bandwidth, b.*bandwidth);
  return a;
}

bool has_defaults(const PerfHypothesis& h) {
  return same_bandwidths(h.setting.bandwidths, default_bandwidths()) && h.setting.backward == kDefaultBackward &&
         h.setting.weighted_backward == kDefaultWeightedBackward;
}

const std::array<Codecs, kCodecs>& codec_table() {
  using enum WirePrecision;
  static constexpr std::array<Codecs, kCodecs> kTable = {{{false, fp32, fp32},
                                                          {true, half, half},
                                                          {true, int8, int8},
                                                          {true, fp8, fp8},
                                                          {true, fp8, half},
                                                          {true, half, fp32},
                                                          {true, fp32, half},
                                                          {true, int8, half},
                                                          {true, int8, fp32},
                                                          {true, fp8, fp32},
                                                          {true, half, int8},
                                                          {true, half, fp8},
                                                          {true, fp32, int8},
                                                          {true, fp32, fp8},
                                                          {true, int8, fp8},
                                                          {true, fp8, int8}}};
  return kTable;
}

std::uint32_t elements_of(const PerfHypothesis& h, std::uint32_t t) {
  return elements_of(h.outcome->tables[t].options);
}

std::uint32_t elements_by_cells(const PerfHypothesis& h, const PlanInputs& plan, std::uint32_t t) {
  const Outcome& outcome = *h.outcome;
  const TableInputs& table = plan.tables[t];
  const Parts& own = (*outcome.parts)[t].front();
  const std::uint64_t possible = possible_combos(outcome.setting, table, true);
  const Parts parts = make_parts(outcome.setting, table, own.variant, outcome.rows, possible, &own.lookups);
  std::uint32_t elements = 0;
  each_bit(fitting_combos(outcome.setting, table, parts, possible),
           [&](int combo) { elements |= 1u << combo_of(combo).element; });
  return elements;
}

std::uint32_t CellElements::of(const PerfHypothesis& h, std::uint32_t t) {
  const auto [found, is_new] = found_.try_emplace({h.outcome, t}, 0);
  if (is_new) found->second = elements_by_cells(h, plan_, t);
  return found->second;
}

namespace {

// Sequences are seldom weighted: `likely` leaves that out where the log does not say it.
void add_options(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t, int element,
                 bool likely, PerfOptions& options) {
  const bool may_prefetch = plan.tables[t].kernel->speed == KernelSpeed::cached &&
                            h.setting.rules->release >= Release::v0_6_0 && h.setting.device == Device::cuda;
  const auto& printed = perf.tables[t].weighted;
  const double size = kElementSizes[static_cast<std::size_t>(element)];
  for (const bool weighted : {false, true}) {
    if (printed ? *printed != weighted : likely && weighted && plan.tables[t].sequence) continue;
    options.add({size, weighted, false});
    if (may_prefetch) options.add({size, weighted, true});
  }
}

}  // namespace

PerfOptions perf_options(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t) {
  PerfOptions options;
  const std::uint32_t elements = elements_of(h, t);
  // The most likely one comes first.
  const int wide = h.element.value_or(plan_wide(plan.tables[t], h.outcome->pair).element);
  if ((elements >> wide & 1) != 0) add_options(h, plan, perf, t, wide, true, options);
  each_bit(elements & ~(1u << wide), [&](int element) { add_options(h, plan, perf, t, element, true, options); });
  return options;
}

PerfOptions perf_options(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
                         int element) {
  PerfOptions options;
  add_options(h, plan, perf, t, element, false, options);
  return options;
}

bool prefetch_hidden(const PerfHypothesis& h, const TableInputs& table) {
  const PerfRules& rules = *h.setting.rules;
  if (rules.parts < 5 || table.kernel->speed != KernelSpeed::cached || table.sharding == Sharding::dp) return false;
  return rules.inference == InferencePerf::all ||
         !perf_detail::forward_only(rules, h.setting.inference, table.sharding);
}

PerfFacts<RealInterval> perf_facts(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
                                   std::uint32_t t, PerfOption option, Codecs codecs) {
  const TableInputs& table = plan.tables[t];
  const Parts& parts = (*h.outcome->parts)[t].front();
  return {.sharding = table.sharding,
          .kernel = table.kernel,
          .sequence = table.sequence,
          .weighted = option.weighted,
          .prefetch_pipeline = option.prefetch_pipeline,
          .rows = real(table.rows),
          .cols = perf.tables[t].cols,
          .element_size = exactly(option.element_size),
          .lookups = parts.lookups.lookups,
          .pooled = parts.lookups.pooled,
          .caching_ratio = perf_ratio(h, table, parts),
          .fetches = {},
          .wire = wire_sizes(*h.setting.rules, codecs, table.sequence, option.element_size)};
}

namespace {

// Bounds over options that contradict equally few printed numbers, and those options if asked for.
class BestOptions {
 public:
  BestOptions(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t, Codecs codecs,
              std::vector<PerfOption>* list, std::optional<TablePerf>& best)
      : h_(h), plan_(plan), perf_(perf), t_(t), codecs_(codecs), list_(list), best_(best) {}

  void look_at(const PerfOptions& options) {
    for (const PerfOption option : options) {
      if (moves_)
        moves_->take(option);
      else
        moves_.emplace(h_, plan_, perf_, t_, option, codecs_);
      const bool is_first = !best_;
      TablePerf& found = is_first ? best_.emplace() : found_;
      if (!find_perf(h_, plan_, perf_, t_, *moves_, found)) {
        if (is_first) best_.reset();
        return;
      }
      found.contradicted = perf_.tables[t_].printed.contradicted(found.cells);
      const bool as_good = !is_first && found.contradicted == best_->contradicted;
      if (as_good)
        widen(*best_, found);
      else if (!is_first && std::popcount(found.contradicted) < std::popcount(best_->contradicted))
        best_ = found;
      else if (!is_first)
        continue;
      if (list_ == nullptr) continue;
      if (!as_good) list_->clear();
      list_->push_back(option);
    }
  }

 private:
  const PerfHypothesis& h_;
  const PlanInputs& plan_;
  const PerfInputs& perf_;
  std::uint32_t t_;
  Codecs codecs_;
  std::vector<PerfOption>* list_;
  std::optional<TablePerf>& best_;
  std::optional<OptionMoves> moves_;  // of the option before
  TablePerf found_;                   // with an option that is not the first
};

// Sets `best`, if the kernel's bandwidth is known.
void over_options(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
                  Codecs codecs, CellElements* other_sizes, std::vector<PerfOption>* list,
                  std::optional<TablePerf>& best) {
  BestOptions found(h, plan, perf, t, codecs, list, best);
  found.look_at(perf_options(h, plan, perf, t));
  if (!best || best->contradicted == 0 || other_sizes == nullptr) return;
  PerfOptions others;
  if (plan.tables[t].sequence && !perf.tables[t].weighted) {
    each_bit(elements_of(h, t), [&](int element) { add_options(h, plan, perf, t, element, false, others); });
    found.look_at(others);
    if (best->contradicted == 0) return;
  }
  // A table too small for its storage to show its dtype may have one of its own.
  others = {};
  each_bit(other_sizes->of(h, t) & ~elements_of(h, t),
           [&](int element) { add_options(h, plan, perf, t, element, false, others); });
  const std::optional<TablePerf> likely = best;
  const auto likely_options = list != nullptr ? *list : std::vector<PerfOption>{};
  found.look_at(others);
  // Cells that even such a dtype leaves contradicted do not speak for it.
  if (std::popcount(best->contradicted) <= 1) return;
  if (list != nullptr) *list = likely_options;
  best = likely;
}

}  // namespace

std::optional<TablePerf> table_perf(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
                                    std::uint32_t t, Codecs codecs, CellElements* other_sizes) {
  std::optional<TablePerf> best;
  over_options(h, plan, perf, t, codecs, other_sizes, nullptr, best);
  return best;
}

std::vector<PerfOption> best_options(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
                                     std::uint32_t t, Codecs codecs, CellElements& other_sizes) {
  std::vector<PerfOption> options;
  std::optional<TablePerf> best;
  over_options(h, plan, perf, t, codecs, &other_sizes, &options, best);
  return options;
}

void widen(TablePerf& perf, const TablePerf& other) {
  for (std::size_t c = 0; c < kPerfCells; ++c) {
    perf.cells[c] = hull(perf.cells[c], other.cells[c]);
    perf.shard[c] = hull(perf.shard[c], other.shard[c]);
  }
}

}  // namespace shardstats::infer_detail
