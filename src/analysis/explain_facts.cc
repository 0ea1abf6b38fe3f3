#include "analysis/explain_facts.h"

#include <algorithm>
#include <cmath>

namespace shardstats::explain_detail {
namespace {

std::string other_values(RealInterval all, std::string_view unit) {
  constexpr double kShown = 1e3;
  const double scale = kShown / (unit.empty() ? 1 : kBytesPerMs);
  return "or another one in " + number_text(std::floor(all.low * scale) / kShown) + ".." +
         number_text(std::ceil(all.high * scale) / kShown) + (unit.empty() ? "" : " GiB/s");
}

}  // namespace

Facts::Facts(const Context& context, std::uint32_t t, const Choice& choice, std::vector<Operand>& operands)
    : context_(context),
      t_(t),
      choice_(choice),
      table_(context.plan.tables[t]),
      row_(context.printed.tables.rows[table_.row]),
      setting_(context.plan.setting),
      operands_(operands) {}

TableFacts<Traced> Facts::table() {
  TableFacts<Traced> facts;
  facts.sharding = table_.sharding;
  facts.kernel = table_.kernel;
  facts.quant = is_quant(table_.kernel, row_.sharder.text);
  facts.sequence = table_.sequence;
  facts.virtual_table = choice_.virtual_table;
  facts.rows = from_log("R", "rows (Hash Size)", static_cast<double>(table_.rows), row_.hash_size);
  facts.cols = from_log("C", "columns (Emb Dim)", static_cast<double>(table_.cols), row_.emb_dim);
  facts.element_size =
      assumed("e", "bytes per element", "element_size", exactly(choice_.element_size), choice_.element_size);
  facts.output_element_size = assumed("e_o", "bytes per output element", "output_element_size",
                                      exactly(choice_.output_element_size), choice_.output_element_size);
  facts.optimizer_multiplier = multiplier();
  read_lookups(facts);
  facts.caching_ratio = caching_ratio();
  facts.passes = assumed("p", "passes of the prefetch", "multipass_prefetch_passes",
                         exactly(static_cast<double>(choice_.passes)), static_cast<double>(choice_.passes));
  read_key_value(facts);
  return facts;
}

PerfSetting<Traced> Facts::perf_setting() {
  const PerfSetting<RealInterval>& found = context_.plan.perf.setting;
  PerfSetting<Traced> setting;
  setting.rules = found.rules;
  setting.device = found.device;
  setting.inference = found.inference;
  setting.world_size = found.world_size;
  setting.local_size = found.local_size;
  setting.group_size = found.group_size;
  const PlanPerfSetting& perf = context_.plan.perf;
  const auto speed = [&](const char* symbol, const char* label, RealInterval Bandwidths<RealInterval>::*value,
                         double usual) {
    return fitted(symbol, label, found.bandwidths.*value, perf.bandwidths.*value, usual, "bytes/ms");
  };
  using B = Bandwidths<RealInterval>;
  const Bandwidths<double>& usual = kDefaultBandwidths;
  setting.bandwidths = {speed("b_hbm", "HBM bandwidth", &B::hbm, usual.hbm),
                        speed("b_ddr", "DDR bandwidth", &B::ddr, usual.ddr),
                        speed("b_link", "bandwidth between HBM and DDR", &B::hbm_to_ddr, usual.hbm_to_ddr),
                        speed("b_ssd", "SSD bandwidth", &B::ssd, usual.ssd),
                        speed("b_intra", "bandwidth inside a host", &B::intra_host, usual.intra_host),
                        speed("b_inter", "bandwidth between hosts", &B::inter_host, usual.inter_host)};
  setting.backward = fitted("m_b", "backward compute multiplier", found.backward, perf.backward, 2, "");
  setting.weighted_backward = fitted("m_w", "backward compute multiplier of weighted tables", found.weighted_backward,
                                     perf.weighted_backward, 1, "");
  return setting;
}

std::optional<Traced> Facts::ids() {
  const Batch batch = read_batch();
  if (!batch.uniform || batch.size <= 0) return std::nullopt;
  const Traced ids = pooling_sum();
  return ids * from_log("B", "batch size", batch.size, batch.cell);
}

PerfFacts<Traced> Facts::perf_table() {
  const TableFacts<Traced> storage = table();
  const PerfChoice& choice = table_.perf_choice;
  PerfFacts<Traced> facts;
  facts.sharding = table_.sharding;
  facts.kernel = table_.kernel;
  facts.sequence = table_.sequence;
  facts.weighted = choice.weighted;
  facts.prefetch_pipeline = choice.prefetch_pipeline;
  facts.rows = storage.rows;
  facts.element_size = choice.element_size == choice_.element_size
                           ? storage.element_size
                           : add("e", "bytes per element", exactly(choice.element_size), choice.element_size,
                                 Origin::inferred, {}, "from the printed perf");
  facts.lookups = storage.lookups;
  facts.pooled = storage.pooled;
  facts.caching_ratio = choice.caching_ratio == choice_.caching_ratio
                            ? storage.caching_ratio
                            : add("rho", "caching ratio", choice.caching_ratio, middle(choice.caching_ratio),
                                  Origin::log, row_.cache_load_factor, {});
  facts.wire = choice.wire;
  return facts;
}

Traced Facts::columns(const PlanShard& shard) {
  const bool printed = row_.cw_dim && shard.sizes->cols.exact() &&
                       static_cast<double>(shard.sizes->cols.low) == number_of(row_.cw_dim.text);
  return add("c", "columns of the shard", real(shard.sizes->cols),
             static_cast<double>(table_.cols) / std::max(1.0, static_cast<double>(table_.shard_count)),
             printed ? Origin::log : Origin::inferred, printed ? row_.cw_dim : Cell{}, {});
}

Traced Facts::hidden_prefetch() {
  const RealInterval time = table_.shard_perf.parts[static_cast<std::size_t>(PerfPart::prefetch_compute)];
  const Traced x = add("pf", "prefetch compute", time, middle(time), Origin::inferred, {},
                       "from the printed cells: it depends on cache statistics that are not printed");
  return time.high > 0 ? x : Traced{};
}

ShardFacts<Traced> Facts::shard(const PlanShard& shard) {
  const double shards = std::max(1.0, static_cast<double>(table_.shard_count));
  const RealInterval bounds = real(shard.sizes->rows);
  const double even = static_cast<double>(table_.rows) / shards;
  const Traced rows = add("r", "rows of the shard", bounds, bounds.contains(even) ? even : std::floor(middle(bounds)),
                          Origin::inferred, {}, split_note());
  return {rows, columns(shard), shard.sizes->emptiness()};
}

Traced Facts::add(std::string symbol, std::string label, RealInterval value, double nominal, Origin origin,
                  const Cell& cell, std::string note) {
  const int number = static_cast<int>(operands_.size());
  Traced x = traced_input(symbol, label, value, nominal, number);
  operands_.push_back({std::move(symbol), std::move(label), {x.nominal, value, ""}, origin, cell, std::move(note)});
  return x;
}

Traced Facts::fitted(const char* symbol, const char* label, RealInterval value, RealInterval all, double usual,
                     std::string_view unit) {
  const bool is_usual = value.contains(usual);
  const bool is_wider = all.low < value.low || all.high > value.high;
  const Traced x = add(symbol, label, value, is_usual ? usual : middle(value),
                       value == exactly(usual) ? Origin::defaulted : Origin::inferred, {},
                       is_wider ? other_values(all, unit) : std::string{});
  operands_.back().value.unit = unit;
  return x;
}

Traced Facts::from_log(const char* symbol, const char* label, double value, const Cell& cell) {
  return add(symbol, label, exactly(value), value, Origin::log, cell, {});
}

Traced Facts::assumed(const char* symbol, std::string label, std::string_view name, RealInterval value,
                      const AssumedValue& shown) {
  const Assumption* a = assumption(context_, name, t_);
  return add(symbol, std::move(label), value, middle(value), a ? a->origin : Origin::inferred, {},
             a ? alternatives_text(*a, &shown) : std::string{});
}

std::string Facts::split_note() const {
  if (!is_row_split(table_.sharding)) return {};
  const std::string quotient = "(R / " + number_text(static_cast<double>(parts())) + ") rows";
  switch (table_.row_split) {
    case RowSplitKind::evenly:
      break;
    case RowSplitKind::in_any_order:
      return "blocks of ceil" + quotient +
             ", fewer or none in the last ones, in an order of the ranks that no log prints";
    case RowSplitKind::by_equal_memory:
      return "rows split by capacities of the devices that are all the same: floor" + quotient +
             " each, the rest on the last one too";
    case RowSplitKind::by_memory:
      return "rows split by the capacities of the devices, as the memory of the ranks shows";
    case RowSplitKind::in_buckets:
      return "row split hidden: as many whole buckets each, of which no log prints the number";
    case RowSplitKind::hidden:
      return std::string("row split that this log does not show: by the capacities of the devices, ") +
             (setting_.rules->buckets ? "by buckets, or even" : "or even");
  }
  return "blocks of ceil" + quotient + ", the rest on the last ones";
}

std::int64_t Facts::parts() const {
  return table_.sharding == Sharding::rw ? setting_.world_size : setting_.group_size;
}

Traced Facts::multiplier() {
  const double m = optimizer_multiplier(*setting_.rules, choice_.optimizer, table_.sharding, *table_.kernel,
                                        static_cast<double>(table_.cols));
  if (setting_.rules->optimizer != OptimizerRule::by_class)
    return add("m", "optimizer multiplier, by a rule of the release", exactly(m), m, Origin::inferred, {}, {});
  std::string label = "optimizer multiplier, " + std::string(name(choice_.optimizer));
  if (choice_.optimizer == Optimizer::rowwise_adagrad)
    label += ": 1 / " + number_text(static_cast<double>(table_.cols));
  return assumed("m", std::move(label), "optimizer", exactly(m), std::string(name(choice_.optimizer)));
}

// S_i and y are products with the batch size where all features have the same one; else they stand for themselves.
void Facts::read_lookups(TableFacts<Traced>& facts) {
  const auto features = static_cast<double>(table_.features);
  const double factor = number_of(row_.pooling_factor.text);
  const double poolings = row_.num_poolings ? number_of(row_.num_poolings.text) : features;
  const Cell& ids = row_.num_indices ? row_.num_indices : row_.pooling_factor;
  const double indices = row_.num_indices ? number_of(ids.text) : factor * poolings / features;
  const double mean_factor = factor / features;
  const bool scaled = setting_.rules->io == IoGeneration::d;
  const double outputs = poolings * (scaled ? std::min(1.0, mean_factor) : 1.0);
  const Batch batch = read_batch();
  const Traced b = from_log("B", "batch size", batch.size, batch.cell);
  const std::string id_label = row_.num_indices    ? "ids per sample (Num Indices)"
                               : indices == factor ? "ids per sample (Pooling Factor)"
                                                   : "ids per sample, from Pooling Factor and number of poolings";
  facts.lookups = product("N", id_label, "S_i", "looked-up ids of a batch", indices, table_.lookups, ids, b, batch);
  const bool plain = !scaled || mean_factor >= 1;
  facts.pooled = product("P", plain ? "poolings per sample" : "poolings per sample, each times min(1, pooling factor)",
                         "y", "poolings of a batch", outputs, table_.pooled, row_.num_poolings, b, batch);
  facts.pooling_sum = pooling_sum();
  facts.features = from_log("F", "features", features, row_.features);
  facts.batch = b;
}

Traced Facts::pooling_sum() {
  return add("l", "sum of pooling factors", table_.pooling_sum, number_of(row_.pooling_factor.text), Origin::log,
             row_.pooling_factor, {});
}

Facts::Batch Facts::read_batch() const {
  Batch batch;
  batch.cell = context_.printed.slot(LineId::batch_size);
  batch.size = number_of(batch.cell.text);
  std::vector<std::int64_t> sizes;
  if (!row_.batch_sizes || !parse_batch_sizes(row_.batch_sizes.text, sizes) || sizes.empty()) return batch;
  batch.cell = row_.batch_sizes;
  double sum = 0;
  for (const std::int64_t size : sizes) sum += static_cast<double>(size);
  batch.size = sum / static_cast<double>(sizes.size());
  batch.uniform = std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t size) { return size == sizes.front(); }) &&
                  static_cast<std::int64_t>(sizes.size()) >= table_.features;
  return batch;
}

Traced Facts::product(const char* symbol, std::string label, const char* whole_symbol, const char* whole_label,
                      double each, RealInterval bounds, const Cell& cell, const Traced& b, const Batch& batch) {
  if (!batch.uniform || batch.size <= 0)
    return add(whole_symbol, whole_label, bounds, each * batch.size, Origin::inferred, cell,
               "the batch sizes of the features differ");
  const RealInterval one{bounds.low / batch.size, bounds.high / batch.size};
  const Origin origin = cell ? Origin::log : Origin::inferred;
  return within(add(symbol, std::move(label), one, each, origin, cell, {}) * b, bounds);
}

Traced Facts::caching_ratio() {
  const RealInterval ratio = choice_.caching_ratio;
  const bool printed = row_.cache_load_factor && ratio.exact() && number_of(row_.cache_load_factor.text) == ratio.low;
  if (printed)
    return add("rho", "caching ratio (Cache Load Factor)", ratio, ratio.low, Origin::log, row_.cache_load_factor, {});
  if (ratio.exact()) return assumed("rho", "caching ratio", "caching_ratio", ratio, ratio.low);
  return assumed("rho", "caching ratio", "caching_ratio", ratio, ratio);
}

// L1 size and ratio are hidden; the storage cell bounds what comes of them.
void Facts::read_key_value(TableFacts<Traced>& facts) {
  const ShardSizes& shard = *context_.plan.shards[table_.first_shard].sizes;
  const RealInterval buffers = io_in_hbm(setting_) ? real(shard.pipeline_io) : RealInterval{};
  const RealInterval held = narrowed(real(shard.tensor), real(shard.hbm) - buffers);
  const double mega = 1 << 20;
  const double whole = std::max(1.0, facts.rows.nominal * facts.cols.nominal * facts.element_size.nominal);
  const double least_ratio = std::min(1.0, held.low / whole * (1 - 1e-12));
  facts.l1_megabytes = add("l1", "L1 cache size in MB, as far as it counts", {held.low / mega, held.high / mega},
                           middle(held) / mega, Origin::inferred, {}, "from the printed storage");
  facts.key_value_ratio = add("kappa", "key-value load factor", {least_ratio, 1}, 1, Origin::inferred, {}, "hidden");
}

}  // namespace shardstats::explain_detail
