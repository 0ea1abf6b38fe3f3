#include "infer/model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardstats::infer_detail {
namespace {

constexpr double kManyPassesBound = 1e9;

// Columns of a block where its width is not printed (before v0.5.0): `count` blocks of b columns each, the last one
// with the remainder, on a rank that is not known (3.2).
RealInterval hidden_block(std::int64_t cols, std::int64_t count, bool free) {
  if (count <= 1) return real(cols);
  const std::int64_t narrowest = cols / (count + 1) + 1;
  const std::int64_t block = free ? narrowest : usual_block(cols, count).value_or(narrowest);
  return {static_cast<double>(block), static_cast<double>(cols - (count - 1) * block)};
}

ShapeRuns runs_of(const Setting& setting, const TableInputs& table, SplitRows rows) {
  const Shape whole{table.rows, table.cols};
  const auto printed = static_cast<std::int64_t>(table.ranks.size());
  ShapeRuns runs;
  switch (table.sharding) {
    case Sharding::dp:
      runs.add(whole, printed > 0 ? printed : setting.world_size);
      break;
    case Sharding::tw:
      runs.add(whole, std::max<std::int64_t>(printed, 1));
      break;
    case Sharding::rw: {
      const std::int64_t parts = printed > 0 ? printed : setting.world_size;
      if (rows == SplitRows::by_equal_memory) return equal_share_runs(whole, parts);
      if (rows == SplitRows::by_virtual_buckets && has_virtual_kernel(table))
        return bucket_runs(whole, whole.rows, parts);
      return even_row_runs(whole, parts);
    }
    case Sharding::twrw:
      return even_row_runs(whole, printed > 0 ? printed : setting.group_size);
    case Sharding::cw:
    case Sharding::twcw:
      if (table.block > 0) return column_runs(whole, table.block, ColumnSplit::divisor);
      runs.add(whole, std::max<std::int64_t>(printed, 1));
      break;
    case Sharding::gs: {
      const std::int64_t block = table.block > 0 ? table.block : table.cols;
      runs = even_row_runs({table.rows, block}, setting.group_size);
      for (ShapeRun& run : runs) run.count *= std::max<std::int64_t>(table.cols / block, 1);
      break;
    }
  }
  return runs;
}

constexpr int kOptimizerBits = static_cast<int>(kOptimizers.size());
constexpr std::uint64_t kOfElement = (1u << kOptimizerBits) - 1;  // pairs of the first element size

WantedSizes wanted_sizes(const Setting& setting, std::uint64_t combos) {
  constexpr int kElementBits = kCombos / 3;
  constexpr std::uint64_t kOwn = (1u << kElementBits) - 1;
  WantedSizes wanted;
  wanted.combos = combos;
  for (int element = 0; element < 3; ++element) {
    const std::uint64_t own = combos >> element * kElementBits & kOwn;
    if (own == 0) continue;
    wanted.elements |= std::uint64_t{1} << element;
    for (int output = 0; output < 5; ++output) {
      const std::uint64_t optimizers = own >> output * kOptimizerBits & kOfElement;
      if (optimizers == 0) continue;
      wanted.pairs |= optimizers << element * kOptimizerBits;
      wanted.outputs |= std::uint64_t{1} << (setting.rules->output_dtype ? output : element);
    }
  }
  if (columns_show_estimate(setting)) wanted.shown = wanted.outputs;
  const auto place = [&](std::uint64_t bits, auto& places, int sizes) {
    each_bit(bits, [&](int i) {
      places[static_cast<std::size_t>(i)] = wanted.places.end;
      wanted.places.end = static_cast<std::uint8_t>(wanted.places.end + sizes);
    });
  };
  place(wanted.pairs, wanted.places.pairs, 3);
  place(wanted.outputs, wanted.places.outputs, 2);
  place(wanted.elements, wanted.places.elements, 1);
  return wanted;
}

// Takes another multiplier, given the sizes with any: nothing but the optimizer's state rests on it.
template <class N>
void take_multiplier(const Setting& setting, const TableFacts<N>& facts, const ShardFacts<N>& shard,
                     Specific<N>& sizes) {
  const bool state_is_hidden_in_sums = !is_zero(sizes.ssd) || uses_key_value_rule(setting, facts);
  if (state_is_hidden_in_sums) {
    sizes = specific_bytes(setting, facts, shard);
  } else if (!counts_as_inference(setting)) {
    sizes.optimizer_hbm = optimizer_bytes(facts.optimizer_multiplier, sizes.tensor_hbm);
    sizes.optimizer_ddr = optimizer_bytes(facts.optimizer_multiplier, sizes.tensor_ddr);
    sizes.hbm = sizes.cache_aux + sizes.tensor_hbm + sizes.optimizer_hbm;
    sizes.ddr = sizes.tensor_ddr + sizes.optimizer_ddr;
  }
}

TableFacts<RealInterval> facts_without_sizes(const Setting& setting, const TableInputs& table, const Variant& variant,
                                             const Lookups& lookups) {
  return {.sharding = table.sharding,
          .kernel = table.kernel,
          .quant = table.quant,
          .sequence = table.sequence,
          .virtual_table = variant.virtual_table,
          .rows = real(table.rows),
          .cols = real(table.cols),
          .lookups = lookups.lookups,
          .pooled = lookups.pooled,
          .caching_ratio = ratio_of(setting, table, variant),
          .passes = variant.passes < kManyPasses ? exactly(static_cast<double>(variant.passes))
                                                 : RealInterval{kManyPasses, kManyPassesBound},
          .l1_megabytes = {0, 1e12},  // hidden; the other operand bounds the result
          .key_value_ratio = {0, 1},
          .pooling_sum = table.pooling_sum,
          .features = real(table.features),
          .batch = table.batch};
}

RealInterval bounds_of(double x) { return exactly(x); }
RealInterval bounds_of(RealInterval x) { return x; }

// As single numbers those that specific_bytes() reads of a table that has no key-value cache.
TableFacts<double> exact_facts_of(const TableFacts<RealInterval>& facts) {
  return {.sharding = facts.sharding,
          .kernel = facts.kernel,
          .quant = facts.quant,
          .rows = facts.rows.low,
          .cols = facts.cols.low,
          .caching_ratio = facts.caching_ratio.low};
}

// Sets what the pipeline holds of a shard, after its input and output are.
void fill_pipeline(const Setting& setting, const TableFacts<RealInterval>& facts, std::size_t o, ClassParts& c) {
  c.sizes[c.places.outputs[o] + 1u] = pipeline_io_bytes(setting, facts, ShardIo<RealInterval>{c.input, c.output(o)});
}

// Fills in the sizes of the classes of one table.
class TableSizes {
 public:
  TableSizes(const Setting& setting, const TableInputs& table, const Parts& parts, const WantedSizes& wanted)
      : setting_(setting),
        wanted_(wanted),
        facts_(facts_without_sizes(setting, table, parts.variant, parts.lookups)),
        is_exact_(facts_.caching_ratio.exact() && !uses_key_value_rule(setting, facts_)),
        exact_facts_(exact_facts_of(facts_)) {
    const std::uint64_t pairs = wanted.pairs;
    each_bit((pairs | pairs >> kOptimizerBits | pairs >> 2 * kOptimizerBits) & kOfElement,
             [&](int o) { multipliers_[static_cast<std::size_t>(o)] = multiplier_of(setting, table, o); });
  }

  // `pool`: where they are kept.
  void fill(Pool* pool, ClassParts& c) {
    const ShardFacts<RealInterval> shard{c.rows, c.cols, c.empty};
    c.places = wanted_.places;
    c.sizes = {c.places.end, RealInterval{}, pool};
    if (is_exact_ && c.rows.exact() && c.cols.exact())
      fill_specific(exact_facts_, {c.rows.low, c.cols.low, c.empty}, c);
    else
      fill_specific(facts_, shard, c);
    each_bit(wanted_.outputs, [&](int o) { fill_io(static_cast<std::size_t>(o), shard, c); });
    each_bit(wanted_.elements, [&](int element) {
      const auto e = static_cast<std::size_t>(element);
      facts_.element_size = exactly(kElementSizes[e]);
      const auto io = (wanted_.shown >> element & 1) != 0 ? ShardIo<RealInterval>{c.input, c.output(e)}
                                                          : column_io_bytes(setting_, facts_, shard);
      c.column_input = io.input;
      c.sizes[c.places.elements[e]] = io.output;
    });
  }

 private:
  template <class N>
  void fill_specific(TableFacts<N>& facts, const ShardFacts<N>& shard, ClassParts& c) {
    each_bit(wanted_.elements, [&](int element) {
      facts.element_size = constant<N>(element_bytes(element));
      Specific<N> sizes;
      bool is_first = true;
      each_bit(wanted_.pairs >> element * kOptimizerBits & kOfElement, [&](int optimizer) {
        facts.optimizer_multiplier = constant<N>(multipliers_[static_cast<std::size_t>(optimizer)]);
        if (std::exchange(is_first, false))
          sizes = specific_bytes(setting_, facts, shard);
        else
          take_multiplier(setting_, facts, shard, sizes);
        c.set_specific(element * kOptimizerBits + optimizer,
                       {bounds_of(sizes.hbm), bounds_of(sizes.ddr), bounds_of(sizes.ssd)});
      });
    });
  }

  void fill_io(std::size_t o, const ShardFacts<RealInterval>& shard, ClassParts& c) {
    facts_.element_size = exactly(kElementSizes[std::min<std::size_t>(o, 2)]);  // where there is no e_o, e counts
    facts_.output_element_size = exactly(kOutputSizes[o]);
    const auto io = io_bytes(setting_, facts_, shard);
    c.input = io.input;
    c.sizes[c.places.outputs[o]] = io.output;
    fill_pipeline(setting_, facts_, o, c);
  }

  const Setting& setting_;
  const WantedSizes& wanted_;
  TableFacts<RealInterval> facts_;  // with the sizes that are filled in next
  bool is_exact_;                   // all that specific bytes of shards of known shape rest on
  TableFacts<double> exact_facts_;  // read then, and nothing else
  std::array<double, kOptimizers.size()> multipliers_{};
};

// By part; empty: nothing is known.
std::vector<RealInterval> known_rows(const TableInputs& table, const RowSplit& split, std::size_t shards) {
  if (split.by_table && table.row < split.by_table->size() && (*split.by_table)[table.row].size() == shards)
    return (*split.by_table)[table.row];
  if (split.shares && split.shares->size() == shards) return rows_of_parts(table.rows, *split.shares);
  return {};
}

// Shards of unknown rows. Which of them are empty is only known of tables with many rows, or where the parts are; if
// none is, an even split adds up to as much.
void hide_rows(const Setting& setting, const TableInputs& table, const RowSplit& split, Parts& parts) {
  const std::size_t shards = table.ranks.empty() ? static_cast<std::size_t>(setting.world_size) : table.ranks.size();
  if (shards == 1) return;  // which has them all
  const auto rows = static_cast<double>(table.rows);
  const std::vector<RealInterval> known = known_rows(table, split, shards);
  const bool by_part = !known.empty();
  const bool all_filled = has_no_empty_part(table.rows, shards, split.how);
  const Classes even = std::move(parts.classes);
  ClassParts c = even.front();
  c.run.count = by_part ? 1 : static_cast<std::int64_t>(shards);
  parts.classes.assign(by_part ? shards : 1, c);
  for (std::size_t k = 0; k < parts.classes.size(); ++k)
    parts.classes[k].rows = by_part ? known[k] : RealInterval{0, rows};
  if (by_part) {
    RealInterval others{};
    for (std::size_t k = 0; k + 1 < shards; ++k) others = others + parts.classes[k].rows;
    parts.classes.back().rows = narrowed(parts.classes.back().rows, exactly(rows) - others);
  }
  for (ClassParts& part : parts.classes)
    part.empty = part.rows.high <= 0               ? Emptiness::yes
                 : all_filled || part.rows.low > 0 ? Emptiness::no
                                                   : Emptiness::unknown;
  const auto filled = [](const ClassParts& part) { return part.empty == Emptiness::no; };
  if (std::ranges::all_of(parts.classes, filled) && std::ranges::all_of(even, filled)) parts.same_total = even;
}

// Any shard may be any of them.
void hide_order(Parts& parts) {
  parts.same_total = parts.classes;
  ClassParts any = parts.classes.front();
  for (const ClassParts& c : parts.same_total) {
    any.rows = hull(any.rows, c.rows);
    if (any.empty != c.empty) any.empty = Emptiness::unknown;
    if (&c != &parts.same_total.front()) any.run.count += c.run.count;
  }
  parts.classes.assign(1, any);
}

// One shard of all columns and the others of none add up to as much as any split.
void hide_columns(const TableInputs& table, Parts& parts) {
  ClassParts& shards = parts.classes.front();
  shards.cols = hidden_block(table.cols, shards.run.count, parts.variant.free_columns);
  if (shards.cols.exact()) return;
  ClassParts whole = shards, rest = shards;
  whole.run.count = 1;
  whole.cols = real(table.cols);
  rest.run.count -= 1;
  rest.cols = exactly(0.0);
  parts.same_total = {whole, rest};
}

}  // namespace

std::optional<std::int64_t> usual_block(std::int64_t cols, std::int64_t count) {
  constexpr std::int64_t kDefaultMinimum = 128;
  const std::int64_t widest = cols / count, narrowest = cols / (count + 1) + 1;
  if (narrowest <= kDefaultMinimum && kDefaultMinimum <= widest) return kDefaultMinimum;
  if (cols % count == 0) return widest;
  return std::nullopt;
}

std::vector<RealInterval> rows_of_parts(std::int64_t rows, const std::vector<RealInterval>& shares) {
  constexpr double kRounding = 1e-12;  // relative; far above that of the planner's products
  const auto all = static_cast<double>(rows);
  std::vector<RealInterval> parts;
  for (const RealInterval share : shares) {  // each is cut to whole rows, the last one takes the rest
    const RealInterval exact = share * exactly(all);
    const std::size_t cut = parts.size() + 1 == shares.size() ? parts.size() : 0;
    parts.push_back({std::max(std::floor(exact.low * (1 - kRounding)), 0.0),
                     std::min(std::floor(exact.high * (1 + kRounding)) + static_cast<double>(cut), all)});
  }
  return parts;
}

bool has_no_empty_part(std::int64_t rows, std::size_t parts, SplitRows how) {
  constexpr std::int64_t kManyRows = 100;  // a part
  return how != SplitRows::by_few_buckets && rows >= kManyRows * static_cast<std::int64_t>(parts);
}

int class_of_slot(const Setting& setting, const TableInputs& table, const Parts& parts, std::size_t slot) {
  std::int64_t index = static_cast<std::int64_t>(slot);
  if (table.sharding == Sharding::gs) index = table.ranks[slot] % setting.group_size;
  for (std::size_t c = 0; c < parts.classes.size(); ++c) {
    std::int64_t count = parts.classes[c].run.count;
    if (table.sharding == Sharding::gs)
      count /= std::max<std::int64_t>(table.cols / std::max<std::int64_t>(table.block, 1), 1);
    if (index < count) return static_cast<int>(c);
    index -= count;
  }
  return static_cast<int>(parts.classes.size()) - 1;
}

bool is_ratio_hidden(const Setting& setting, const TableInputs& table) {
  const ReleaseRules& rules = *setting.rules;
  if (table.kernel == nullptr || !is_cached(*table.kernel, rules.release)) return false;
  return !table.ratio_printed || hides_caching_ratio(*table.kernel, rules.release, !table.printed_ratio.has_value());
}

RealInterval ratio_of(const Setting& setting, const TableInputs& table, const Variant& variant) {
  if (table.kernel == nullptr || !is_cached(*table.kernel, setting.rules->release)) return exactly(0.0);
  if (!is_ratio_hidden(setting, table)) {
    const double printed = table.printed_ratio.value_or(0);
    return exactly(printed == 0 ? kDefaultCachingRatio : printed);  // None and 0.0 both end as the default (4.3)
  }
  return variant.free_ratio ? variant.ratio : exactly(kDefaultCachingRatio);
}

TableFacts<RealInterval> facts_of(const Setting& setting, const TableInputs& table, const Variant& variant,
                                  const Lookups& lookups, Combo combo) {
  TableFacts<RealInterval> facts = facts_without_sizes(setting, table, variant, lookups);
  facts.element_size = exactly(element_bytes(combo.element));
  facts.output_element_size = exactly(kOutputSizes[static_cast<std::size_t>(combo.output)]);
  facts.optimizer_multiplier = exactly(multiplier_of(setting, table, combo.optimizer));
  return facts;
}

void PartsMaker::make(const TableInputs& table, const Variant& variant, std::uint64_t combos, const Lookups* lookups,
                      Parts& parts) {
  if (combos != wanted_.combos) wanted_ = wanted_sizes(setting_, combos);
  const auto runs = runs_of(setting_, table, rows_.how);
  parts.variant = variant;
  parts.lookups = lookups ? *lookups : lookups_of(table, setting_.rules->io, variant.free_poolings);
  parts.classes = Classes(runs.size(), pool_);
  parts.same_total = Classes(pool_);
  ClassParts* next = parts.classes.data();
  for (const ShapeRun& run : runs) {
    ClassParts& c = *next++;
    c.run = run;
    c.rows = real(run.shape.rows);
    c.cols = real(run.shape.cols);
    c.empty = run.shape.empty() ? Emptiness::yes : Emptiness::no;
  }
  if (rows_.hidden() && table.sharding == Sharding::rw && !parts.classes.empty())
    hide_rows(setting_, table, rows_, parts);
  else if (table.order_open && parts.classes.size() > 1)
    hide_order(parts);
  else if (columns_hidden(table))
    hide_columns(table, parts);
  TableSizes sizes(setting_, table, parts, wanted_);
  for (ClassParts& c : parts.classes) sizes.fill(pool_, c);
  for (ClassParts& c : parts.same_total) sizes.fill(pool_, c);
}

void PartsMaker::make_with_passes(const TableInputs& table, int passes, const Parts& others, Parts& parts) {
  parts.variant = others.variant;
  parts.variant.passes = passes;
  parts.lookups = others.lookups;
  const auto facts = facts_without_sizes(setting_, table, parts.variant, parts.lookups);
  const auto copy = [&](const Classes& from, Classes& to) {
    to = Classes(from.size(), pool_);
    for (std::size_t i = 0; i < from.size(); ++i) {
      static_cast<ClassShape&>(to[i]) = from[i];
      to[i].sizes = {from[i].sizes.begin(), from[i].sizes.end(), pool_};
      each_bit(wanted_.outputs, [&](int o) { fill_pipeline(setting_, facts, static_cast<std::size_t>(o), to[i]); });
    }
  };
  copy(others.classes, parts.classes);
  copy(others.same_total, parts.same_total);
}

RowEnds row_ends(const Setting& setting, const TableInputs& table, const Parts& parts, std::uint64_t combos) {
  const WantedSizes wanted = wanted_sizes(setting, combos);
  TableSizes sizes(setting, table, parts, wanted);
  RowEnds ends{parts.classes.front(), parts.classes.front()};
  ends.none.rows = exactly(0.0);
  ends.all.rows = real(table.rows);
  for (ClassParts* c : {&ends.none, &ends.all}) {
    c->empty = Emptiness::no;
    sizes.fill(nullptr, *c);
  }
  return ends;
}

}  // namespace shardstats::infer_detail
