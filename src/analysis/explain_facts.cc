// The inputs of a table's formulas with their origins, and its shards read through the formulas.
#include <algorithm>
#include <cmath>

#include "analysis/explain_parts.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::explain_detail {
namespace {

class Facts {
 public:
  Facts(const Context& context, std::uint32_t t, const Choice& choice, std::vector<Operand>& operands)
      : context_(context),
        t_(t),
        choice_(choice),
        table_(context.plan.tables[t]),
        row_(context.printed.tables.rows[table_.row]),
        setting_(context.plan.setting),
        operands_(operands) {}

  TableFacts<Traced> table() {
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

  PerfSetting<Traced> perf_setting() {
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

  std::optional<Traced> ids() {
    const Batch batch = read_batch();
    if (!batch.uniform || batch.size <= 0) return std::nullopt;
    return pooling_sum() * add("B", "batch size", exactly(batch.size), batch.size, Origin::log, batch.cell, {});
  }

  // Without the columns of a shard.
  PerfFacts<Traced> perf_table() {
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

  Traced columns(const PlanShard& shard) {
    const bool printed = row_.cw_dim && shard.sizes->cols.exact() &&
                         static_cast<double>(shard.sizes->cols.low) == number_of(row_.cw_dim.text);
    return add("c", "columns of the shard", real(shard.sizes->cols),
               static_cast<double>(table_.cols) / std::max(1.0, static_cast<double>(table_.shard_count)),
               printed ? Origin::log : Origin::inferred, printed ? row_.cw_dim : Cell{}, {});
  }

  // What the printed cells leave for a time that depends on statistics of the cache.
  Traced hidden_prefetch() {
    const RealInterval time = table_.shard_perf.parts[static_cast<std::size_t>(PerfPart::prefetch_compute)];
    const Traced x = add("pf", "prefetch compute", time, middle(time), Origin::inferred, {},
                         "from the printed cells: it depends on cache statistics that are not printed");
    return time.high > 0 ? x : Traced{};
  }

  ShardFacts<Traced> shard(const PlanShard& shard) {
    const Emptiness empty = shard.sizes->rows.high == 0 || shard.sizes->cols.high == 0 ? Emptiness::yes
                            : shard.sizes->rows.low == 0 || shard.sizes->cols.low == 0 ? Emptiness::unknown
                                                                                       : Emptiness::no;
    const double shards = std::max(1.0, static_cast<double>(table_.shard_count));
    const RealInterval bounds = real(shard.sizes->rows);
    const double even = static_cast<double>(table_.rows) / shards;
    const Traced rows = add("r", "rows of the shard", bounds, bounds.contains(even) ? even : std::floor(middle(bounds)),
                            Origin::inferred, {}, split_note());
    return {rows, columns(shard), empty};
  }

 private:
  Traced add(std::string symbol, std::string label, RealInterval value, double nominal, Origin origin, const Cell& cell,
             std::string note) {
    const int number = static_cast<int>(operands_.size());
    Traced x = traced_input(symbol, label, value, nominal, number);
    operands_.push_back({std::move(symbol), std::move(label), {x.nominal, value, ""}, origin, cell, std::move(note)});
    return x;
  }
  // The default where it is among what the log leaves. `all`: bounds over everything that explains the log.
  Traced fitted(const char* symbol, const char* label, RealInterval value, RealInterval all, double usual,
                std::string_view unit) {
    const bool is_usual = value.contains(usual);
    const bool is_wider = all.low < value.low || all.high > value.high;
    const Traced x = add(symbol, label, value, is_usual ? usual : middle(value),
                         value == exactly(usual) ? Origin::defaulted : Origin::inferred, {},
                         is_wider ? other_values(all, unit) : std::string{});
    operands_.back().value.unit = unit;
    return x;
  }
  static std::string other_values(RealInterval all, std::string_view unit) {
    constexpr double kShown = 1e3;
    const double scale = kShown / (unit.empty() ? 1 : kBytesPerMs);
    return "or another one in " + number_text(std::floor(all.low * scale) / kShown) + ".." +
           number_text(std::ceil(all.high * scale) / kShown) + (unit.empty() ? "" : " GiB/s");
  }
  Traced from_log(const char* symbol, const char* label, double value, const Cell& cell) {
    return add(symbol, label, exactly(value), value, Origin::log, cell, {});
  }
  // `shown`: the value in the assumption's own words; what else is possible goes into the note.
  Traced assumed(const char* symbol, std::string label, std::string_view name, RealInterval value,
                 const AssumedValue& shown) {
    const Assumption* a = assumption(context_, name, t_);
    return add(symbol, std::move(label), value, middle(value), a ? a->origin : Origin::inferred, {},
               a ? alternatives_text(*a, &shown) : std::string{});
  }

  std::string split_note() const {
    if (!is_row_split(table_.sharding)) return {};
    const std::string quotient = "(R / " + number_text(static_cast<double>(parts())) + ") rows";
    switch (table_.row_split) {
      case RowSplitKind::evenly:
        break;
      case RowSplitKind::by_equal_memory:
        return "rows split by capacities of the devices that are all the same: floor" + quotient +
               " each, the rest on the last one too";
      case RowSplitKind::by_memory:
        return "rows split by the capacities of the devices, as the memory of the ranks shows";
      case RowSplitKind::in_buckets:
        return "row split hidden: as many whole buckets each, of which no log prints the number";
      case RowSplitKind::hidden:
        return "row split hidden: proportional to capacities, or by buckets";
    }
    return "blocks of ceil" + quotient + ", the rest on the last ones";
  }
  std::int64_t parts() const { return table_.sharding == Sharding::rw ? setting_.world_size : setting_.group_size; }

  Traced multiplier() {
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
  void read_lookups(TableFacts<Traced>& facts) {
    const auto features = static_cast<double>(table_.features);
    const double factor = number_of(row_.pooling_factor.text);
    const double poolings = row_.num_poolings ? number_of(row_.num_poolings.text) : features;
    const Cell& ids = row_.num_indices ? row_.num_indices : row_.pooling_factor;
    const double indices = row_.num_indices ? number_of(ids.text) : factor * poolings / features;
    const double mean_factor = factor / features;
    const bool scaled = setting_.rules->io == IoGeneration::d;
    const double outputs = poolings * (scaled ? std::min(1.0, mean_factor) : 1.0);
    const Batch batch = read_batch();
    const Traced b = add("B", "batch size", exactly(batch.size), batch.size, Origin::log, batch.cell, {});
    const std::string id_label = row_.num_indices    ? "ids per sample (Num Indices)"
                                 : indices == factor ? "ids per sample (Pooling Factor)"
                                                     : "ids per sample, from Pooling Factor and number of poolings";
    facts.lookups = product("N", id_label, "S_i", "looked-up ids of a batch", indices, table_.lookups, ids, b, batch);
    const bool plain = !scaled || mean_factor >= 1;
    facts.pooled =
        product("P", plain ? "poolings per sample" : "poolings per sample, each times min(1, pooling factor)", "y",
                "poolings of a batch", outputs, table_.pooled, row_.num_poolings, b, batch);
    facts.pooling_sum = pooling_sum();
    facts.features = from_log("F", "features", features, row_.features);
    facts.batch = b;
  }

  Traced pooling_sum() {
    return add("l", "sum of pooling factors", table_.pooling_sum, number_of(row_.pooling_factor.text), Origin::log,
               row_.pooling_factor, {});
  }

  struct Batch {
    double size = 0;  // per feature; the mean where they differ
    bool uniform = true;
    Cell cell;
  };
  Batch read_batch() const {
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

  Traced product(const char* symbol, std::string label, const char* whole_symbol, const char* whole_label, double each,
                 RealInterval bounds, const Cell& cell, const Traced& b, const Batch& batch) {
    if (!batch.uniform || batch.size <= 0)
      return add(whole_symbol, whole_label, bounds, each * batch.size, Origin::inferred, cell,
                 "the batch sizes of the features differ");
    const RealInterval one{bounds.low / batch.size, bounds.high / batch.size};
    const Origin origin = cell ? Origin::log : Origin::inferred;
    return within(add(symbol, std::move(label), one, each, origin, cell, {}) * b, bounds);
  }

  Traced caching_ratio() {
    const RealInterval ratio = choice_.caching_ratio;
    const bool printed = row_.cache_load_factor && ratio.exact() && number_of(row_.cache_load_factor.text) == ratio.low;
    if (printed)
      return add("rho", "caching ratio (Cache Load Factor)", ratio, ratio.low, Origin::log, row_.cache_load_factor, {});
    if (ratio.exact()) return assumed("rho", "caching ratio", "caching_ratio", ratio, ratio.low);
    return assumed("rho", "caching ratio", "caching_ratio", ratio, ratio);
  }

  // L1 size and ratio are hidden; the storage cell bounds what comes of them.
  void read_key_value(TableFacts<Traced>& facts) {
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

  const Context& context_;
  std::uint32_t t_;
  const Choice& choice_;
  const PlanTable& table_;
  const PrintedTable& row_;
  const Setting& setting_;
  std::vector<Operand>& operands_;
};

}  // namespace

std::span<const Memory> memories() {
  using S = ShardStorage<Traced>;
  static constexpr Memory kMemories[] = {
      {"HBM", FormulaId::shard_hbm, &S::hbm, &ShardSizes::hbm, &PlanTable::hbm, &PlanKernel::hbm, &PrintedTable::hbm,
       1},
      {"DDR", FormulaId::shard_ddr, &S::ddr, &ShardSizes::ddr, &PlanTable::ddr, &PlanKernel::ddr, &PrintedTable::ddr,
       2},
      {"SSD", FormulaId::shard_ssd, &S::ssd, &ShardSizes::ssd, &PlanTable::ssd, &PlanKernel::ssd, &PrintedTable::ssd,
       3},
  };
  return kMemories;
}

Context context_of(const PrintedPlan& printed, const Plan& plan, const InferOptions& options) {
  const auto none = static_cast<std::uint32_t>(plan.assumptions.size());
  Context context{printed, plan, options, std::vector<std::uint32_t>(plan.tables.size(), none),
                  shortest_names(printed)};
  for (std::uint32_t i = 0; i < none; ++i)
    if (const auto t = plan.assumptions[i].table; t && context.first_assumption[*t] == none)
      context.first_assumption[*t] = i;
  return context;
}

namespace {

TracedTable traced_with(const Context& context, std::uint32_t t, const Choice& choice) {
  TracedTable result;
  const PlanTable& table = context.plan.tables[t];
  Facts facts(context, t, choice, result.operands);
  const TableFacts<Traced> inputs = facts.table();
  for (std::uint32_t i = 0; i < table.shard_count; ++i) {
    const PlanShard& shard = context.plan.shards[table.first_shard + i];
    const auto same = [&](const ShardClass& c) {
      return c.shards.front()->sizes->rows == shard.sizes->rows && c.shards.front()->sizes->cols == shard.sizes->cols;
    };
    const auto found = std::find_if(result.classes.begin(), result.classes.end(), same);
    if (found != result.classes.end())
      found->shards.push_back(&shard);
    else
      result.classes.push_back({{&shard}, shard_storage(context.plan.setting, inputs, facts.shard(shard))});
  }
  return result;
}

bool agrees_with_cells(const Context& context, std::uint32_t t, const TracedTable& shards) {
  const PlanTable& table = context.plan.tables[t];
  for (const Memory& memory : memories()) {
    const auto printed = bytes_printed_as((context.printed.tables.rows[table.row].*memory.cell).text,
                                          context.printed.format_of(RoundedNumbers::table_storage), kGiB);
    if (!printed || (table.*memory.table).contradicted) continue;
    RealInterval sum{};
    for (const ShardClass& c : shards.classes) sum = sum + (c.storage.*memory.storage).value * exactly(c.count());
    if (!sum.overlaps(real(*printed))) return false;
  }
  return true;
}

}  // namespace

// With the preferred choice, or, if its printed cells speak against it, with the first alternative they allow.
TracedTable traced(const Context& context, std::uint32_t t) {
  const PlanTable& table = context.plan.tables[t];
  if (!context.plan.sized || !table.sized || table.kernel == nullptr || table.shard_count == 0) return {};
  TracedTable preferred = traced_with(context, t, table.choice);
  if (agrees_with_cells(context, t, preferred)) return preferred;
  for (const Choice& choice : table.alternatives)
    if (TracedTable other = traced_with(context, t, choice); agrees_with_cells(context, t, other)) return other;
  return preferred;
}

double largest_nominal(const TracedTable& table, const Memory& memory) {
  double most = 0;
  for (const ShardClass& c : table.classes) most = std::max(most, (c.storage.*memory.storage).nominal);
  return most;
}

TracedPerf traced_perf(const Context& context, std::uint32_t t) {
  TracedPerf result;
  const PlanTable& table = context.plan.tables[t];
  if (!context.plan.perf.known || !table.perf.known || table.shard_count == 0) return result;
  Facts facts(context, t, table.choice, result.operands);
  const PerfSetting<Traced> setting = facts.perf_setting();
  PerfFacts<Traced> inputs = facts.perf_table();
  for (std::uint32_t i = 0; i < table.shard_count; ++i) {
    const PlanShard& shard = context.plan.shards[table.first_shard + i];
    const auto same = [&](const PerfClass& c) { return c.shards.front()->sizes->cols == shard.sizes->cols; };
    const auto found = std::find_if(result.classes.begin(), result.classes.end(), same);
    if (found != result.classes.end()) {
      found->shards.push_back(&shard);
      continue;
    }
    inputs.cols = facts.columns(shard);
    auto perf = shard_perf(setting, inputs);
    if (!perf) return {};
    if (table.perf_choice.prefetch_hidden) {
      (*perf)[PerfPart::prefetch_compute] = named(FormulaId::prefetch_compute, facts.hidden_prefetch());
      perf->total = named(FormulaId::perf_total, total_of(perf->parts));
    }
    result.classes.push_back({{&shard}, *std::move(perf)});
  }
  return result;
}

std::optional<TracedIds> traced_ids(const Context& context, std::uint32_t t) {
  const PlanTable& table = context.plan.tables[t];
  if (!table.sized || table.kernel == nullptr) return std::nullopt;
  TracedIds result;
  auto ids = Facts(context, t, table.choice, result.operands).ids();
  if (!ids) return std::nullopt;
  result.ids = *std::move(ids);
  return result;
}

std::string_view fqn_of(const Context& context, std::uint32_t t) {
  return context.printed.tables.rows[context.plan.tables[t].row].fqn.text;
}

std::string name_of(const Context& context, std::uint32_t t) {
  return std::string(context.names[context.plan.tables[t].row]);
}

double number_of(std::string_view text) { return parse_real(text).value_or(0); }

std::string rank_list(const std::vector<const PlanShard*>& shards) {
  const bool ranked = std::all_of(shards.begin(), shards.end(), [](const PlanShard* s) { return s->rank.has_value(); });
  std::string text;
  const auto number = [&](std::size_t i) { return ranked ? *shards[i]->rank : shards[i]->index; };
  for (std::size_t i = 0; i < shards.size();) {
    std::size_t end = i + 1;
    while (end < shards.size() && number(end) == number(end - 1) + 1) ++end;
    text += (i == 0 ? "" : ", ") + std::to_string(number(i));
    if (end - i > 1) text += "-" + std::to_string(number(end - 1));
    i = end;
  }
  return (ranked ? shards.size() > 1 ? "ranks " : "rank " : shards.size() > 1 ? "shards " : "shard ") + text;
}

std::string shape_text(const PlanShard& shard) {
  const auto side = [](ByteInterval x) {
    std::string text = number_text(static_cast<double>(x.low));
    if (!x.exact()) text += ".." + number_text(static_cast<double>(x.high));
    return text;
  };
  return side(shard.sizes->rows) + " x " + side(shard.sizes->cols);
}

const Assumption* assumption(const Context& context, std::string_view name, std::optional<std::uint32_t> table) {
  const auto& all = context.plan.assumptions;
  std::size_t i = table ? context.first_assumption[*table] : 0;
  for (; i < all.size() && (!table || all[i].table == table); ++i)
    if (all[i].name == name && all[i].table == table) return &all[i];
  return nullptr;
}

std::string value_words(const AssumedValue& value) {
  struct Words {
    std::string operator()(const std::string& word) const { return word; }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(double number) const { return number_text(number); }
    std::string operator()(ByteInterval x) const { return (*this)(real(x)) + " B"; }
    std::string operator()(RealInterval x) const {
      return x.exact() ? number_text(x.low) : number_text(x.low) + ".." + number_text(x.high);
    }
  };
  return std::visit(Words{}, value);
}

std::string alternatives_text(const Assumption& a, const AssumedValue* shown) {
  std::string text;
  const auto add = [&](const AssumedValue& value) {
    if (value != (shown ? *shown : a.value)) text += (text.empty() ? "or " : ", ") + value_words(value);
  };
  add(a.value);
  for (const AssumedValue& value : a.alternatives) add(value);
  return text;
}

}  // namespace shardstats::explain_detail
