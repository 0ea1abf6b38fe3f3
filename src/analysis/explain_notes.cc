// Where documentation and source disagree, as far as it concerns a table (storage-model.md section 11).
#include <algorithm>

#include "analysis/explain_parts.h"

namespace shardstats::explain_detail {
namespace {

struct Situation {
  const Setting& setting;
  const PlanTable& table;
  const PrintedTable& row;
  const Plan& plan;
  const TracedTable& traced;

  bool cached() const { return is_cached(*table.kernel, setting.rules->release); }
  bool is(Sharding s) const { return table.sharding == s; }
  bool uneven_split() const {
    const std::int64_t parts = is(Sharding::rw) ? setting.world_size : setting.group_size;
    const bool evenly = table.row_split == RowSplitKind::evenly || table.row_split == RowSplitKind::in_any_order;
    return is_row_split(table.sharding) && evenly && parts > 0 && table.rows % parts != 0;
  }
  bool has_empty_shard() const {
    return std::any_of(traced.classes.begin(), traced.classes.end(),
                       [](const ShardClass& c) { return c.rows.high == 0; });
  }
  bool trains_in_pipeline() const { return setting.pipeline >= Pipeline::train_sparse_dist; }
};

struct NoteForm {
  bool (*applies)(const Situation&);
  std::string_view text;
  std::string_view section;  // of storage-model.md
};
using S = Situation;

constexpr NoteForm kNotes[] = {
    {[](const S& s) { return s.row.sharder.text.starts_with("EmbeddingCollection") && !s.table.kernel->quant; },
     "The documentation adds 4 bytes per row for EmbeddingCollectionSharder; the source does so for quantized sharders "
     "only.",
     "11 no. 1"},
    {[](const S& s) { return s.uneven_split(); },
     "The documentation divides the rows evenly; the source makes blocks of the rounded-up quotient, so the last "
     "shards are shorter.",
     "3.1, 11 no. 2"},
    {[](const S& s) { return s.table.row_split == RowSplitKind::in_buckets; },
     "The rows of a virtual table are split by whole buckets, of which no log prints the number: those of its shards "
     "are bounds.",
     "3.4"},
    {[](const S& s) { return s.has_empty_shard(); },
     "The documentation does not mention empty shards; the source gives them no input and output.", "11 no. 16"},
    {[](const S& s) { return !s.table.sequence && s.setting.rules->io == IoGeneration::d; },
     "The documentation counts n * b pooled outputs; from v1.7.0 each feature counts times min(1, pooling factor).",
     "5.1, 11 no. 5"},
    {[](const S& s) { return !s.is(Sharding::dp) && s.setting.rules->io >= IoGeneration::c; },
     "The short formulas of the documentation leave out the factor W (world size) of input and output.", "11 no. 15"},
    {[](const S& s) {
       return s.is(Sharding::dp) || s.is(Sharding::twrw) || s.is(Sharding::twcw) || s.is(Sharding::gs);
     },
     "The documentation gives formulas for TW, RW and CW only; those of DP, TWRW, TWCW and GS are from the source.",
     "5.1, 11 no. 14"},
    {[](const S& s) { return s.is(Sharding::rw) && s.table.sequence; },
     "Outputs of a row-wise sequence table follow the ids already divided by W, so W cancels up to rounding.",
     "11 no. 28"},
    {[](const S& s) {
       return s.setting.rules->optimizer != OptimizerRule::by_class &&
              s.setting.rules->optimizer != OptimizerRule::always_zero;
     },
     "The documented optimizer classes do not hold for this release: dense parameters count twice, others not at all.",
     "4.1, 11 no. 6"},
    {[](const S& s) { return s.setting.rules->optimizer == OptimizerRule::always_zero; },
     "In v0.4.0 to v1.0.0 no optimizer counts: the source reads an attribute that nothing sets.", "4.1, 11 no. 6"},
    {[](const S& s) {
       return s.table.choice.optimizer == Optimizer::rowwise_adagrad && s.table.choice.element_size != 4 &&
              s.setting.rules->optimizer == OptimizerRule::by_class;
     },
     "The documentation counts 4 bytes per row for row-wise Adagrad; the source counts one element per row, of the "
     "weights' own type.",
     "4.1, 11 no. 8"},
    {[](const S& s) {
       return s.cached() && s.setting.rules->cache_aux && s.table.kernel->name != name(Kernel::fused_uvm_caching);
     },
     "The documentation names auxiliary cache state for fused_uvm_caching only; the source counts it for every cached "
     "kernel.",
     "4.4, 11 no. 9"},
    {[](const S& s) { return s.cached() && s.table.kernel->uvm && s.setting.rules->release != Release::v0_1_0; },
     "The cache share of a UVM table is rounded to the nearest byte, and the DDR keeps the whole table.",
     "4.2, 11 no. 10"},
    {[](const S& s) {
       const bool is_none = s.row.cache_load_factor.text == "None";
       return s.cached() && (is_none || s.row.cache_load_factor.text == "0.0") &&
              !hides_caching_ratio(*s.table.kernel, s.setting.rules->release, is_none);
     },
     "A Cache Load Factor of None or 0.0 on a cached table means 0.2.", "4.3, 11 no. 23"},
    {[](const S& s) { return s.trains_in_pipeline() && s.setting.rules->pipeline == PipelineRule::maximum; },
     "The documented pipeline formulas hold from v1.1.0; this release takes the larger of held inputs and output.",
     "6, 11 no. 11"},
    {[](const S& s) { return s.setting.pipeline == Pipeline::train_prefetch_sparse_dist && !s.cached(); },
     "The documented prefetch buffers exist for cached kernels only.", "6, 11 no. 12"},
    {[](const S& s) { return !io_in_hbm(s.setting); },
     "The documentation puts input and output into HBM; on this device the source books them elsewhere.",
     "7.1, 11 no. 13"},
    {[](const S& s) { return s.table.choice.output_element_size != s.table.choice.element_size; },
     "The output type counts for storage only; the Output (MB) column of the ranks keeps the element size of the "
     "weights.",
     "5.2, 11 no. 17"},
    {[](const S& s) {
       return s.row.num_poolings && number_of(s.row.num_poolings.text) != static_cast<double>(s.table.features);
     },
     "The documentation says the number of poolings equals the number of features; here it does not.", "11 no. 27"},
};

}  // namespace

std::vector<std::string> notes_on(const Context& context, std::uint32_t t, const TracedTable& traced) {
  const PlanTable& table = context.plan.tables[t];
  const Situation situation{context.plan.setting, table, context.printed.tables.rows[table.row], context.plan, traced};
  std::vector<std::string> notes;
  for (const NoteForm& form : kNotes)
    if (form.applies(situation))
      notes.push_back(std::string(form.text) + " (docs/reference/storage-model.md " + std::string(form.section) + ")");
  return notes;
}

}  // namespace shardstats::explain_detail
