// By how much a changed plan grows from the log: what each explanation makes of the two, and the hull of these.
#include <algorithm>
#include <map>

#include "infer/rebuild.h"
#include "infer/what_if_parts.h"

namespace shardstats::infer_detail {
namespace {

Parts without_weights(Parts parts, Combo combo) {
  for (auto* classes : {&parts.classes, &parts.same_total})
    for (ClassParts& c : *classes) c.set_specific(pair_of(combo), {});
  return parts;
}

bool have_same_shape(const ClassParts& a, const ClassParts& b) {
  return a.run.count == b.run.count && a.run.shape == b.run.shape;
}

// Of an input or output with so many times the batch.
RealInterval growth_with_batch(RealInterval before, double times, double shards) {
  constexpr double kRounding = 64;  // bytes of a shard, each amount of which is rounded up
  const RealInterval scaled = before * exactly(times), own = {scaled.low - before.low, scaled.high - before.high};
  const double slack = kRounding * shards;
  return {std::min(own.low, own.high) - slack, std::max(own.low, own.high) + slack};
}

// A table with one of the options that explain it in the log, and what became of that.
class TableOfChange {
 public:
  TableOfChange(const Inference& base, const ChangedInputs& changed, const ChangedOutcome& outcome, std::uint32_t b,
                const ChangedOption& option)
      : old_(base.inputs.tables[b]),
        before_(outcome.base->setting),
        after_(outcome.survivor.outcome.setting),
        was_(combo_of(option.was.combo)),
        from_((*outcome.base->parts)[b][option.was.variant]) {
    if (!option.is) return;
    now_ = &changed.inputs.tables[*changed.now_at[b]];
    is_ = combo_of(option.is->combo);
    to_ = &(*outcome.survivor.outcome.parts)[*changed.now_at[b]][option.is->variant];
    are_alike_ = std::ranges::equal(from_.classes, to_->classes, have_same_shape);
    stays_ = std::ranges::equal(old_.ranks, now_->ranks);
    keeps_weights_ = stays_ && has_same_weights();
    if (keeps_weights_ && before_ == after_ && differ_by_batch_alone(old_, *now_))
      times_ = now_->batch.low / old_.batch.low;
  }

  // Do the shards hold the same weights and optimizer state? Then these cancel out, even where a split by rows is
  // hidden.
  bool keeps_weights() const { return keeps_weights_; }
  // How many times the batch of the log it has, where nothing but that differs: then each input and output is so many
  // times what it was, whatever is not known of it.
  std::optional<double> times_batch() const { return times_; }

  bool has_same_shards() const {
    for (int q = 0; q < kQuantities; ++q)
      if (!has_same(static_cast<Quantity>(q))) return false;
    return true;
  }
  bool stays_as_it_is() const { return stays_ && has_same_shards(); }

  CellBytes cells_before() const { return cell_bytes(before_, from_, was_); }
  CellBytes cells_after() const { return cell_bytes(after_, *to_, is_); }
  // By how many bytes its cells grow. Not of a dropped table.
  CellBytes growth_of_cells() const {
    if (!keeps_weights_) return without_same(minus(cells_after(), cells_before()));
    const CellBytes before = cell_bytes(before_, without_weights(from_, was_), was_);
    CellBytes growth = minus(cell_bytes(after_, without_weights(*to_, is_), is_), before);
    for (std::size_t c = 0; c < growth.size(); ++c)
      growth[c] = narrowed_to_batch(growth[c], before[c], static_cast<double>(old_.ranks.size()));
    return without_same(growth);
  }

  // Adds by how much its shards let each rank grow.
  void add_to(std::vector<RankDifference>& ranks) const {
    const Parts from = keeps_weights_ ? without_weights(from_, was_) : from_;
    const Parts to = to_ == nullptr ? Parts{} : keeps_weights_ ? without_weights(*to_, is_) : *to_;
    const bool is_paired = stays_ && are_alike_;
    each_shard(before_, old_, from, ranks.size(), [&](std::size_t r, std::size_t cls) {
      RankDifference& rank = ranks[r];
      for (const Quantity q : kRankQuantities) {
        const RealInterval less = class_bytes(before_, from.classes[cls], was_, q);
        const RealInterval more = is_paired ? class_bytes(after_, to.classes[cls], is_, q) : RealInterval{};
        const bool is_same = is_paired && has_same_formulas() && less == more;
        if (!is_same) rank.of(q) = rank.of(q) + narrowed_to_batch(more - less, less, 1);
      }
    });
    if (is_paired || now_ == nullptr) return;
    each_shard(after_, *now_, to, ranks.size(), [&](std::size_t r, std::size_t cls) {
      for (const Quantity q : kRankQuantities)
        ranks[r].of(q) = ranks[r].of(q) + class_bytes(after_, to.classes[cls], is_, q);
    });
  }

 private:
  RealInterval narrowed_to_batch(RealInterval growth, RealInterval before, double shards) const {
    return times_ ? narrowed(growth, growth_with_batch(before, *times_, shards)) : growth;
  }

  CellBytes without_same(CellBytes growth) const {
    for (std::size_t c = 0; c < growth.size(); ++c)
      if (has_same_formulas() && has_same(kCells[c])) growth[c] = {};
    return growth;
  }

  static bool differ_by_batch_alone(const TableInputs& old, const TableInputs& now) {
    return old.uniform_batch && now.uniform_batch && old.batch.low > 0 && old.batch.exact() && now.batch.exact() &&
           old.indices == now.indices && old.poolings == now.poolings && old.pooling_sum == now.pooling_sum;
  }

  // Other releases know other hidden inputs, whose bounds may be equal by chance.
  bool has_same_formulas() const { return before_.rules == after_.rules; }
  // Bounds that one explanation gives to the same shards before and after are those of the same bytes.
  bool has_same(Quantity q) const {
    return are_alike_ && std::ranges::equal(from_.classes, to_->classes, [&](const ClassParts& a, const ClassParts& b) {
             return class_bytes(before_, a, was_, q) == class_bytes(after_, b, is_, q);
           });
  }

  // A caching ratio that the log prints is one of the variant's own after the change.
  bool has_same_variant() const {
    Variant is = to_->variant;
    is.free_ratio = from_.variant.free_ratio;
    is.ratio = from_.variant.ratio;
    return is == from_.variant && ratio_of(before_, old_, from_.variant) == ratio_of(after_, *now_, to_->variant);
  }

  bool has_same_weights() const {
    if (old_.rows != now_->rows || old_.cols != now_->cols || old_.sharding != now_->sharding ||
        old_.kernel != now_->kernel || was_.element != is_.element || was_.optimizer != is_.optimizer ||
        !has_same_variant())
      return false;
    return std::ranges::equal(from_.classes, to_->classes, [&](const ClassParts& a, const ClassParts& b) {
      const Amounts p = a.specific(pair_of(was_)), q = b.specific(pair_of(was_));
      return a.run.count == b.run.count && a.rows == b.rows && a.cols == b.cols && p.hbm == q.hbm && p.ddr == q.ddr &&
             p.ssd == q.ssd;
    });
  }

  const TableInputs& old_;
  const Setting &before_, &after_;
  Combo was_, is_{};
  const Parts& from_;
  const TableInputs* now_ = nullptr;  // likewise the next: of a dropped table
  const Parts* to_ = nullptr;
  bool are_alike_ = false;  // the classes of its shards, and how many each has
  bool stays_ = false;      // on its ranks
  bool keeps_weights_ = false;
  std::optional<double> times_;
};

// Of a table of the log, by what one hypothesis makes of it.
CellBytes growth_of_cells(const Inference& base, const ChangedInputs& changed, const ChangedOutcome& outcome,
                          std::uint32_t b) {
  std::optional<CellBytes> all;
  for (const ChangedOption& option : outcome.options[b])
    hull_into(all, TableOfChange(base, changed, outcome, b, option).growth_of_cells());
  return all.value_or(CellBytes{});
}

using ByKernel = std::map<std::string_view, CellBytes>;

// Of a table that has another kernel now, or is dropped.
void add_to_other_kernels(const Inference& base, const ChangedInputs& changed, const ChangedOutcome& outcome,
                          std::uint32_t b, std::string_view old, std::string_view now, ByKernel& kernels) {
  std::optional<CellBytes> less, more;
  for (const ChangedOption& option : outcome.options[b]) {
    const TableOfChange table(base, changed, outcome, b, option);
    hull_into(less, minus(CellBytes{}, table.cells_before()));
    if (option.is) hull_into(more, table.cells_after());
  }
  if (less) kernels[old] = plus(kernels[old], *less);
  if (more) kernels[now] = plus(kernels[now], *more);
}

PlanGrowth::OfTable of_cells(const std::optional<CellBytes>& cells) {
  return cells ? PlanGrowth::OfTable{(*cells)[0], (*cells)[1], (*cells)[2]} : PlanGrowth::OfTable{};
}

// By how much the ranks grow, by what one hypothesis makes of all tables.
class DifferencesOfOutcome {
 public:
  DifferencesOfOutcome(const Inference& base, const ChangedInputs& changed, std::size_t ranks)
      : base_(base), changed_(changed), sum_(ranks), table_(ranks), one_(ranks) {}

  const std::vector<RankDifference>& of(const ChangedOutcome& outcome) {
    std::ranges::fill(sum_, RankDifference{});
    for (std::uint32_t b = 0; b < base_.inputs.tables.size(); ++b) add_table(outcome, b);
    return sum_;
  }
  // How many times the batch of the log all tables have, where nothing but that differs.
  std::optional<double> times_batch() const { return by_batch_alone_ ? times_ : std::nullopt; }

 private:
  void add_table(const ChangedOutcome& outcome, std::uint32_t b) {
    std::vector<TableOfChange> differing;
    for (const ChangedOption& option : outcome.options[b]) {
      const TableOfChange with(base_, changed_, outcome, b, option);
      note_batch(with.times_batch());
      if (!with.stays_as_it_is()) differing.push_back(with);
    }
    if (differing.empty()) return;
    const auto t = changed_.now_at[b];
    const auto on_ranks =
        shards_by_rank(&base_.inputs.tables[b], t ? &changed_.inputs.tables[*t] : nullptr, sum_.size());
    for (const ShardsOfChange& on : on_ranks) table_[on.rank] = {};  // with the options that stay as they are: nothing
    bool first = differing.size() == outcome.options[b].size();
    for (const TableOfChange& with : differing) {
      for (const ShardsOfChange& on : on_ranks) one_[on.rank] = {};
      with.add_to(one_);
      for (const ShardsOfChange& on : on_ranks)
        table_[on.rank].bytes = first ? one_[on.rank].bytes : hull(table_[on.rank].bytes, one_[on.rank].bytes);
      first = false;
    }
    for (const ShardsOfChange& on : on_ranks) sum_[on.rank].bytes = plus(sum_[on.rank].bytes, table_[on.rank].bytes);
  }

  void note_batch(std::optional<double> times) {
    by_batch_alone_ = by_batch_alone_ && times && times == times_.value_or(*times);
    times_ = times;
  }

  const Inference& base_;
  const ChangedInputs& changed_;
  std::vector<RankDifference> sum_;
  std::vector<RankDifference> table_, one_;  // only the ranks that have shards of the table are set
  bool by_batch_alone_ = true;
  std::optional<double> times_;
};

// Each rank's input and output grows with what is known of it, which is more than is known of its tables.
void narrow_to_batch(double times, const Plan& log, std::vector<RankDifference>& ranks) {
  const auto shards = static_cast<double>(log.shards.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto narrow = [&](Quantity q, ByteInterval before) {
      ranks[r].of(q) = narrowed(ranks[r].of(q), growth_with_batch(real(before), times, shards));
    };
    narrow(Quantity::input, log.ranks[r].input);
    narrow(Quantity::output, log.ranks[r].output);
  }
}

}  // namespace

std::vector<bool> changed_storage(const Inference& base, const ChangedInputs& changed,
                                  const std::vector<ChangedOutcome>& outcomes) {
  std::vector<bool> differs(changed.inputs.tables.size());
  for (const ChangedOutcome& outcome : outcomes)
    for (std::uint32_t t = 0; t < differs.size(); ++t)
      for (const ChangedOption& option : outcome.options[changed.base_rows[t]])
        differs[t] =
            differs[t] || !TableOfChange(base, changed, outcome, changed.base_rows[t], option).stays_as_it_is();
  return differs;
}

std::optional<CellBytes> cell_differences(const Inference& base, const ChangedInputs& changed,
                                          const std::vector<ChangedOutcome>& outcomes, std::uint32_t t) {
  const std::uint32_t b = changed.base_rows[t];
  std::optional<CellBytes> all;
  for (const ChangedOutcome& outcome : outcomes)
    for (const ChangedOption& option : outcome.options[b]) {
      const TableOfChange table(base, changed, outcome, b, option);
      if (!table.keeps_weights()) return std::nullopt;
      hull_into(all, table.growth_of_cells());
    }
  return all;
}

void add_growth_of_cells(const Inference& base, const ChangedInputs& changed,
                         const std::vector<ChangedOutcome>& outcomes, PlanGrowth& growth) {
  std::vector<std::optional<CellBytes>> tables(changed.inputs.tables.size());
  std::map<std::string_view, std::optional<CellBytes>> kernels;
  for (const ChangedOutcome& outcome : outcomes) {
    ByKernel of_outcome;
    for (std::uint32_t b = 0; b < base.inputs.tables.size(); ++b) {
      const std::string_view old = base.inputs.printed->tables.rows[base.inputs.tables[b].row].kernel.text;
      const auto t = changed.now_at[b];
      const std::string_view now = t ? changed.printed.tables.rows[changed.inputs.tables[*t].row].kernel.text : "";
      const CellBytes own = t ? growth_of_cells(base, changed, outcome, b) : CellBytes{};
      if (t) hull_into(tables[*t], own);
      if (old == now)
        of_outcome[old] = plus(of_outcome[old], own);
      else
        add_to_other_kernels(base, changed, outcome, b, old, now, of_outcome);
    }
    for (const auto& [name, cells] : of_outcome) hull_into(kernels[name], cells);
  }
  for (const auto& cells : tables) growth.tables.push_back(of_cells(cells));
  for (const auto& [name, cells] : kernels) growth.kernels.emplace(name, of_cells(cells));
}

std::vector<ShardsOfChange> shards_by_rank(const TableInputs* before, const TableInputs* now, std::size_t ranks) {
  std::vector<ShardsOfChange> all;
  const auto add_shards = [&](const TableInputs* table, double ShardsOfChange::*shards) {
    if (table == nullptr) return;
    each_rank(*table, ranks, [&](std::size_t rank) {
      all.push_back({rank});
      all.back().*shards = 1;
    });
  };
  add_shards(before, &ShardsOfChange::before);
  add_shards(now, &ShardsOfChange::now);
  std::ranges::sort(all, {}, &ShardsOfChange::rank);
  std::vector<ShardsOfChange> by_rank;
  for (const ShardsOfChange& on : all) {
    if (by_rank.empty() || by_rank.back().rank != on.rank) by_rank.push_back({on.rank});
    by_rank.back().before += on.before;
    by_rank.back().now += on.now;
  }
  return by_rank;
}

std::vector<RankDifference> rank_differences(const Inference& base, const ChangedInputs& changed,
                                             const std::vector<ChangedOutcome>& outcomes) {
  const std::size_t ranks = std::min(base.plan.ranks.size(), changed.inputs.ranks.size());
  std::vector<RankDifference> all(ranks);
  DifferencesOfOutcome differences(base, changed, ranks);
  for (const ChangedOutcome& outcome : outcomes) {
    const std::vector<RankDifference>& sum = differences.of(outcome);
    const bool first = &outcome == &outcomes.front();
    for (std::size_t r = 0; r < ranks; ++r) all[r].bytes = first ? sum[r].bytes : hull(all[r].bytes, sum[r].bytes);
  }
  if (const auto times = differences.times_batch()) narrow_to_batch(*times, base.plan, all);
  return all;
}

}  // namespace shardstats::infer_detail
