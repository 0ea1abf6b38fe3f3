#include "infer/perf_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace shardstats::infer_detail {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

PerfCells cells_of(const Perf<RealInterval>& perf) {
  PerfCells cells;
  std::ranges::copy(perf.parts, cells.begin());
  cells[kPerfTotal] = perf.total;
  return cells;
}

PerfCells times(double n, const PerfCells& cells) {
  PerfCells product;
  for (std::size_t c = 0; c < kPerfCells; ++c) product[c] = cells[c] * exactly(n);
  return product;
}

// The sum over the shards of a table whose column blocks are that wide; the last one takes the rest of the columns
// (storage-model.md section 3.2).
PerfCells with_blocks(const PerfHypothesis& h, PerfFacts<RealInterval> facts, RealInterval block, double cols,
                      double shards) {
  facts.cols = block;
  const PerfCells cells = times(shards - 1, cells_of(*shard_perf(h.setting, facts)));
  facts.cols = exactly(cols) - block * exactly(shards - 1);
  return plus(cells, cells_of(*shard_perf(h.setting, facts)));
}

// The same of any whole width that makes so many blocks and gives the printed total; if none does, of the nearest.
PerfCells with_any_blocks(const PerfHypothesis& h, const PerfFacts<RealInterval>& facts, double cols, double shards,
                          const std::optional<RealInterval>& printed) {
  constexpr double kPieces = 64;  // in which widths are looked at, one by one if there are so few
  const double narrowest = facts.cols.low, widest = std::floor(cols / shards);
  const double step = std::ceil((widest - narrowest + 1) / kPieces);
  PerfCells all;
  double least = kLargest;
  for (double high = widest; high >= narrowest; high -= step) {
    const PerfCells some = with_blocks(h, facts, {std::max(high - step + 1, narrowest), high}, cols, shards);
    const double distance = printed ? apart(with_rounding(some[kPerfTotal]), *printed) : 0;
    if (distance < least)
      all = some;
    else if (distance == 0)
      all = hull(all, some);
    least = std::min(least, distance);
  }
  return all;
}

}  // namespace

RealInterval perf_ratio(const PerfHypothesis& h, const TableInputs& table, const Parts& parts) {
  if (table.kernel == nullptr || !table.kernel->cached) return exactly(0.0);  // most tables
  // From v1.1.0 on a ratio of 0 counts here, though storage takes it for none given (2.3).
  const bool zero_counts = h.setting.rules->release >= Release::v1_1_0;
  if (table.printed_ratio == 0.0 && zero_counts) return exactly(0.0);
  const RealInterval ratio = ratio_of(h.outcome->setting, table, parts.variant);
  const bool may_be_zero = zero_counts && table.ratio_lost && ratio.contains(kDefaultCachingRatio);
  return may_be_zero ? RealInterval{0, ratio.high} : ratio;
}

namespace {

double shards_of(const Parts& parts) {
  double shards = 0;
  for (const ClassParts& c : parts.classes) shards += static_cast<double>(c.run.count);
  return shards;
}

// A table under a hypothesis.
struct TableCase {
  TableCase(const PerfHypothesis& hypothesis, const PlanInputs& plan, const PerfInputs& perf_inputs,
            std::uint32_t index)
      : h(hypothesis),
        t(index),
        inputs(plan.tables[t]),
        perf(perf_inputs.tables[t]),
        parts((*h.outcome->parts)[t].front()) {}

  PerfFacts<RealInterval> facts(PerfOption option, Codecs codecs) const {
    return {.sharding = inputs.sharding,
            .kernel = inputs.kernel,
            .sequence = inputs.sequence,
            .weighted = option.weighted,
            .prefetch_pipeline = option.prefetch_pipeline,
            .rows = real(inputs.rows),
            .cols = perf.cols,
            .element_size = exactly(option.element_size),
            .lookups = parts.lookups.lookups,
            .pooled = parts.lookups.pooled,
            .caching_ratio = perf_ratio(h, inputs, parts),
            .fetches = {},
            .wire = wire_sizes(*h.setting.rules, codecs, inputs.sequence, option.element_size)};
  }

  const PerfHypothesis& h;
  std::uint32_t t;
  const TableInputs& inputs;
  const PerfTable& perf;
  const Parts& parts;
};

bool are_alike(const TableInputs& a, const TableInputs& b) {
  return a.sharding == b.sharding && a.kernel == b.kernel && a.sequence == b.sequence && a.cols == b.cols &&
         (a.sharding != Sharding::dp || a.rows == b.rows);
}

// What the shards of a table with an option move, whatever the bandwidths are.
class OptionMoves {
 public:
  OptionMoves(const TableCase& table, PerfOption option, Codecs codecs)
      : setting_(table.h.setting),
        codecs_(codecs),
        option_(option),
        facts_(table.facts(option, codecs)),
        moved_(moved_bytes(setting_, facts_)) {}

  // Another option of the table.
  void take(PerfOption option) {
    const bool moves_as_much = option.element_size == option_.element_size && option.weighted == option_.weighted;
    option_ = option;
    facts_.prefetch_pipeline = option.prefetch_pipeline;
    if (moves_as_much) return;
    facts_.weighted = option.weighted;
    facts_.element_size = exactly(option.element_size);
    facts_.wire = wire_sizes(*setting_.rules, codecs_, facts_.sequence, option.element_size);
    moved_ = moved_bytes(setting_, facts_);
  }

  PerfOption option() const { return option_; }
  const PerfFacts<RealInterval>& facts() const { return facts_; }
  const perf_detail::Moved<RealInterval>& moved() const { return moved_; }

 private:
  const PerfSetting<RealInterval>& setting_;
  Codecs codecs_;
  PerfOption option_;
  PerfFacts<RealInterval> facts_;
  perf_detail::Moved<RealInterval> moved_;
};

// Of the whole table, before rounding.
PerfCells cells_of(const TableCase& table, const PerfFacts<RealInterval>& facts, const PerfCells& shard,
                   double shards) {
  if (facts.cols.exact()) return times(shards, shard);
  const auto cols = static_cast<double>(table.inputs.cols);
  const auto usual = usual_block(table.inputs.cols, static_cast<std::int64_t>(shards));
  if (usual && !table.parts.variant.free_columns) return with_blocks(table.h, facts, real(*usual), cols, shards);
  return with_any_blocks(table.h, facts, cols, shards, table.perf.printed[kPerfTotal]);
}

// Its bounds are what the printed cells leave.
void add_hidden_prefetch(const PrintedPerfCells& printed, TablePerf& found) {
  RealInterval& cell = found.cells[kPerfTotal];
  const auto total = printed[kPerfTotal];
  constexpr std::size_t kPrefetch = at(PerfPart::prefetch_compute);
  RealInterval prefetch = printed[kPrefetch].value_or(RealInterval{0, kLargest});
  if (total) prefetch = narrowed(prefetch, at_least_zero({total->low - cell.high, total->high - cell.low}));
  found.cells[kPrefetch] = prefetch;
  cell = cell + prefetch;
  found.shard[kPrefetch] = prefetch / exactly(found.shards);
  found.shard[kPerfTotal] = found.shard[kPerfTotal] + found.shard[kPrefetch];
}

// False: the kernel's bandwidth is not known.
bool find_perf(const TableCase& table, const OptionMoves& moves, TablePerf& found) {
  const auto bandwidth = kernel_bandwidth(table.h.setting, moves.facts());
  if (!bandwidth) return false;
  found.option = moves.option();
  found.shards = shards_of(table.parts);
  found.shard = cells_of(shard_perf(table.h.setting, moves.facts(), *bandwidth, moves.moved()));
  found.cells = cells_of(table, moves.facts(), found.shard, found.shards);
  for (RealInterval& x : found.cells) x = with_rounding(x);
  if (prefetch_hidden(table.h, table.inputs)) add_hidden_prefetch(table.perf.printed, found);
  return true;
}

}  // namespace

double shards_of(const PerfHypothesis& h, std::uint32_t t) { return shards_of((*h.outcome->parts)[t].front()); }

std::optional<TablePerf> option_perf(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& inputs,
                                     std::uint32_t t, PerfOption option, Codecs codecs) {
  const TableCase table(h, plan, inputs, t);
  std::optional<TablePerf> found(std::in_place);
  if (!find_perf(table, OptionMoves(table, option, codecs), *found)) found.reset();
  return found;
}

namespace {

// Those with some of the element sizes, a bit each. Sequences are seldom weighted: `likely` leaves that out where the
// planner does not print it. Where only the log does not have it, it may have said so.
PerfOptions options_of_sizes(const TableCase& table, std::uint32_t elements, bool likely) {
  PerfOptions options;
  const bool may_prefetch = table.inputs.kernel->speed == KernelSpeed::cached &&
                            table.h.setting.rules->release >= Release::v0_6_0 && table.h.setting.device == Device::cuda;
  const auto& printed = table.perf.weighted;
  const bool is_seldom = likely && table.inputs.sequence && !table.perf.weighted_lost;
  const bool may_be_weighted = printed ? *printed : !is_seldom;
  const bool may_be_plain = !printed || !*printed;
  const auto add = [&](double size, bool weighted) {
    options.add({size, weighted, false});
    if (may_prefetch) options.add({size, weighted, true});
  };
  each_bit(elements, [&](int element) {
    const double size = element_bytes(element);
    if (may_be_plain) add(size, false);
    if (may_be_weighted) add(size, true);
  });
  return options;
}

// Index of the element size that is likeliest before anything is known of the table.
int wide_element(const TableCase& table) {
  return table.h.element.value_or(plan_wide(table.inputs, table.h.outcome->pair).element);
}

// Those that the hypothesis leaves, the most likely one first.
PerfOptions likely_options(const TableCase& table) {
  const std::uint32_t elements = elements_of(table.h, table.t);
  const bool is_one = (elements & (elements - 1)) == 0;
  if (is_one) return options_of_sizes(table, elements, true);
  const std::uint32_t wide = 1u << wide_element(table);
  PerfOptions options = options_of_sizes(table, elements & wide, true);
  for (const PerfOption option : options_of_sizes(table, elements & ~wide, true)) options.add(option);
  return options;
}

}  // namespace

PerfOptions perf_options(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t) {
  return likely_options(TableCase(h, plan, perf, t));
}

PerfOptions perf_options(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
                         int element) {
  return options_of_sizes(TableCase(h, plan, perf, t), 1u << element, false);
}

bool prefetch_hidden(const PerfHypothesis& h, const TableInputs& table) {
  const PerfRules& rules = *h.setting.rules;
  if (rules.parts < 5 || table.kernel->speed != KernelSpeed::cached || table.sharding == Sharding::dp) return false;
  return rules.inference == InferencePerf::all ||
         !perf_detail::forward_only(rules, h.setting.inference, table.sharding);
}

PerfFacts<RealInterval> perf_facts(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
                                   std::uint32_t t, PerfOption option, Codecs codecs) {
  return TableCase(h, plan, perf, t).facts(option, codecs);
}

namespace {

// Bounds over the options that contradict the same printed numbers as the best one, and those options if asked for.
class BestOptions {
 public:
  // `first`: that is looked at.
  BestOptions(const TableCase& table, PerfOption first, Codecs codecs, std::vector<PerfOption>* list, TablePerf& best)
      : table_(table), moves_(table, first, codecs), list_(list), best_(best) {}

  // The first one alone. False: the kernel's bandwidth is not known.
  bool start() {
    if (!find(best_)) return false;
    add_to_list(moves_.option(), true);
    return true;
  }
  // Beside the best so far, until the kernel's bandwidth is not known.
  void look_at_all(std::span<const PerfOption> options) {
    for (const PerfOption option : options)
      if (!look_at(option)) return;
  }

 private:
  // False: the kernel's bandwidth is not known.
  bool look_at(PerfOption option) {
    moves_.take(option);
    TablePerf found;
    if (!find(found)) return false;
    const bool as_good = found.contradicted == best_.contradicted;
    const bool is_better = !as_good && count_cells(found.contradicted) < count_cells(best_.contradicted);
    if (as_good)
      widen(best_, found);
    else if (is_better)
      best_ = found;
    if (as_good || is_better) add_to_list(option, is_better);
    return true;
  }

  bool find(TablePerf& found) const {
    if (!find_perf(table_, moves_, found)) return false;
    found.contradicted = table_.perf.printed.contradicted(found.cells);
    return true;
  }

  void add_to_list(PerfOption option, bool is_alone) {
    if (list_ == nullptr) return;
    if (is_alone) list_->clear();
    list_->push_back(option);
  }

  const TableCase& table_;
  OptionMoves moves_;  // of the option before
  std::vector<PerfOption>* list_;
  TablePerf& best_;
};

// Sets `best`; false: the kernel's bandwidth is not known.
bool over_options(const TableCase& table, const PerfOptions& options, Codecs codecs, std::vector<PerfOption>* list,
                  TablePerf& best) {
  if (options.count == 0) return false;
  BestOptions found(table, options.options.front(), codecs, list, best);
  if (!found.start()) return false;
  found.look_at_all(std::span(options.begin() + 1, options.end()));
  return true;
}

// Of a table whose likely options contradict something.
void over_other_sizes(const TableCase& table, Codecs codecs, CellElements& other_sizes, std::vector<PerfOption>* list,
                      TablePerf& best) {
  const std::uint32_t elements = elements_of(table.h, table.t);
  const auto look_at = [&](const PerfOptions& options) {
    if (options.count > 0)
      BestOptions(table, options.options.front(), codecs, list, best).look_at_all({options.begin(), options.end()});
  };
  if (table.inputs.sequence && !table.perf.weighted) {
    look_at(options_of_sizes(table, elements, false));
    if (best.contradicted == 0) return;
  }
  const TablePerf best_likely = best;
  const auto listed = list != nullptr ? *list : std::vector<PerfOption>{};
  // A table too small for its storage to show its dtype may have one of its own.
  look_at(options_of_sizes(table, other_sizes.of(table.h, table.t) & ~elements, false));
  best.other_sizes = true;
  // Cells that even such a dtype leaves contradicted do not speak for it.
  if (count_cells(best.contradicted) <= 1) return;
  if (list != nullptr) *list = listed;
  best = best_likely;
}

}  // namespace

bool find_table_perf(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
                     const PerfOptions& options, Codecs codecs, TablePerf& found) {
  return over_options(TableCase(h, plan, perf, t), options, codecs, nullptr, found);
}

bool find_table_perf(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
                     Codecs codecs, TablePerf& found) {
  const TableCase table(h, plan, perf, t);
  return over_options(table, likely_options(table), codecs, nullptr, found);
}

void try_other_sizes(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
                     Codecs codecs, CellElements& other_sizes, TablePerf& found) {
  if (found.contradicted != 0) over_other_sizes(TableCase(h, plan, perf, t), codecs, other_sizes, nullptr, found);
}

std::vector<PerfOption> best_options(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
                                     std::uint32_t t, Codecs codecs, CellElements& other_sizes) {
  const TableCase table(h, plan, perf, t);
  std::vector<PerfOption> options;
  TablePerf best;
  if (over_options(table, likely_options(table), codecs, &options, best) && best.contradicted != 0)
    over_other_sizes(table, codecs, other_sizes, &options, best);
  return options;
}

bool have_same_perf(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t a,
                    std::uint32_t b) {
  const TableCase x(h, plan, perf, a), y(h, plan, perf, b);
  return x.parts.lookups == y.parts.lookups && are_alike(x.inputs, y.inputs) &&
         x.parts.variant.free_columns == y.parts.variant.free_columns && shards_of(x.parts) == shards_of(y.parts) &&
         perf_ratio(h, x.inputs, x.parts) == perf_ratio(h, y.inputs, y.parts) &&
         std::ranges::equal(h.outcome->tables[a].options, h.outcome->tables[b].options) &&
         wide_element(x) == wide_element(y);
}

void widen(TablePerf& perf, const TablePerf& other) {
  perf.cells = hull(perf.cells, other.cells);
  perf.shard = hull(perf.shard, other.shard);
}

}  // namespace shardstats::infer_detail
