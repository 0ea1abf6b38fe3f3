// The formulas against the planner's own numbers: every shard of every plan of the shared corpus, from the true inputs,
// in the exact reading. Nothing is inferred here and no difference is allowed (storage-model.md section 12.1).
#include "corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "shardstats/planner/perf.h"
#include "shardstats/planner/storage.h"
#include "true_shapes.h"

namespace shardstats {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// In the order of Sharding.
constexpr std::array<std::string_view, 7> kLongShardingNames = {
    "column_wise", "data_parallel", "grid_shard", "row_wise", "table_wise", "table_column_wise", "table_row_wise"};

Sharding sharding_of(const json& table) {
  return parse_name<Sharding>(table["sharding_type"].get<std::string>(), kLongShardingNames).value();
}

double number(const json& object, const char* key, double absent) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? absent : found->get<double>();
}

bool flag(const json& object, const char* key) { return object.contains(key) && object[key].get<bool>(); }

Setting setting_of(const json& plan) {
  Setting setting;
  const auto release = parse_name<Release>(plan["release"].get<std::string>(), kReleaseNames);
  setting.rules = &rules_of(release.value());
  setting.device = parse_name<Device>(plan["compute_device"].get<std::string>(), kDeviceNames).value();
  setting.pipeline = parse_name<Pipeline>(plan["pipeline_type"].get<std::string>(), kPipelineNames).value();
  setting.ephemeral = flag(plan, "count_ephemeral_storage_cost");
  setting.inference = flag(plan, "is_inference");
  setting.world_size = plan["world_size"];
  const std::int64_t local = plan["local_world_size"], pods = plan["intra_group_size"];
  setting.group_size = setting.rules->pods ? pods : local;
  setting.column_group_size = setting.rules->pods_in_statistics ? pods : local;
  return setting;
}

Optimizer optimizer_of(const json& table) {
  if (!table.contains("optimizer") || table["optimizer"].is_null()) return Optimizer::none;
  const std::string name = table["optimizer"];
  if (name == "SGD" || name == "torch.SGD") return Optimizer::none;
  if (name == "Adam" || name == "torch.Adam") return Optimizer::adam;
  return name == "RowWiseAdagrad" ? Optimizer::rowwise_adagrad : Optimizer::other;
}

// Sums over the features, left to right from zero, as the planner adds them (section 0, rule 4).
void add_features(const json& table, const Setting& setting, double batch_size, TableFacts<double>& facts) {
  for (const json& feature : table["features"]) {
    const double pooling = feature["pooling_factor"], poolings = number(feature, "num_poolings", 1);
    const double batch = number(feature, "batch_size", batch_size);
    const double counted = setting.rules->io == IoGeneration::d ? std::min(1.0, pooling) * poolings : poolings;
    facts.lookups += pooling * poolings * batch;
    facts.pooled += counted * batch;
    facts.pooling_sum += pooling;
    facts.features += 1;
  }
  facts.batch = batch_size;
}

TableFacts<double> facts_of(const json& plan, const json& table, const Setting& setting) {
  TableFacts<double> facts;
  facts.sharding = sharding_of(table);
  facts.kernel = find_kernel(table["compute_kernel"].get<std::string>());
  facts.quant = table["storage_family"] == "QUANT";
  facts.sequence = !table["is_pooled"].get<bool>();
  facts.virtual_table = flag(table, "use_virtual_table");
  facts.rows = table["rows"];
  facts.cols = table["cols"];
  facts.element_size = table["element_size"];
  facts.output_element_size = number(table, "output_element_size", facts.element_size);
  facts.optimizer_multiplier =
      optimizer_multiplier(*setting.rules, optimizer_of(table), facts.sharding, *facts.kernel, facts.cols);
  facts.caching_ratio = number(table, "caching_ratio_used", 0);
  facts.passes = std::max(number(table, "multipass_prefetch_max_pass", 1), 1.0);
  facts.l1_megabytes = table.contains("key_value") ? number(table["key_value"], "max_l1_cache_size", 0) : 0;
  facts.key_value_ratio = number(table, "sharder_cache_load_factor", kDefaultCachingRatio);
  add_features(table, setting, plan["batch_size"], facts);
  return facts;
}

// Counts what was compared; keeps a few of the differences to show.
class Comparison {
 public:
  template <class T>
  void value(const std::string& what, T ours, T truth) {
    ++compared_;
    if (ours == truth) return;
    ++wrong_;
    if (shown_.size() < 5)
      shown_.push_back(what + ": " + std::to_string(ours) + ", the planner has " + std::to_string(truth));
  }
  void expect_none(const fs::path& file) const {
    std::string all;
    for (const std::string& line : shown_) all += "\n  " + line;
    EXPECT_EQ(wrong_, 0) << file << all;
  }
  std::int64_t compared() const { return compared_; }

 private:
  std::int64_t compared_ = 0, wrong_ = 0;
  std::vector<std::string> shown_;
};

using PlanCheck = void (*)(const json& plan, Comparison& out);

// Runs a check on every plan; the number of values compared.
std::int64_t compare_all(PlanCheck check) {
  std::int64_t compared = 0;
  for (const fs::path& log : test::corpus_logs("plans")) {
    const fs::path path = fs::path(log).replace_extension(".json");
    Comparison result;
    check(json::parse(test::file_text(path)), result);
    result.expect_none(path.parent_path().filename() / path.filename());
    compared += result.compared();
  }
  return compared;
}

void compare_shard(const std::string& where, const Setting& setting, const TableFacts<double>& facts, const json& truth,
                   Comparison& out) {
  const double rows = truth["rows"], cols = truth["cols"];
  const ShardFacts<double> shard{rows, cols, rows * cols == 0 ? Emptiness::yes : Emptiness::no};
  const auto storage = shard_storage(setting, facts, shard);
  out.value(where + " hbm", storage.hbm, truth["hbm"].get<double>());
  out.value(where + " ddr", storage.ddr, truth["ddr"].get<double>());
  out.value(where + " ssd", storage.ssd, number(truth, "ssd", 0));
  const auto estimator = [&](const char* own, const char* columns) {
    return truth.contains(own) ? own : truth.contains(columns) ? columns : nullptr;
  };
  if (const char* key = estimator("storage_input_bytes", "input_bytes"))
    out.value(where + " storage input", storage.io.input, truth[key].get<double>());
  if (const char* key = estimator("storage_output_bytes", "output_bytes"))
    out.value(where + " storage output", storage.io.output, truth[key].get<double>());
  if (setting.rules->column_io == ColumnIo::none || !truth.contains("input_bytes")) return;
  const auto columns = column_io_bytes(setting, facts, shard);
  out.value(where + " input", columns.input, truth["input_bytes"].get<double>());
  out.value(where + " output", columns.output, truth["output_bytes"].get<double>());
}

void compare_storage(const json& plan, Comparison& out) {
  const Setting setting = setting_of(plan);
  for (const json& table : plan["tables"]) {
    const auto facts = facts_of(plan, table, setting);
    const std::string name = table["fqn"];
    out.value(name + " optimizer multiplier", facts.optimizer_multiplier, table["optimizer_multiplier"].get<double>());
    std::size_t index = 0;
    for (const json& shard : table["shards"])
      compare_shard(name + " shard " + std::to_string(index++), setting, facts, shard, out);
  }
}

std::vector<Shape> expanded(const ShapeRuns& runs) {
  std::vector<Shape> shapes;
  for (const ShapeRun& run : runs) shapes.insert(shapes.end(), static_cast<std::size_t>(run.count), run.shape);
  return shapes;
}

std::vector<Shape> row_blocks(const std::vector<std::int64_t>& rows, std::int64_t cols) {
  std::vector<Shape> shapes;
  for (const std::int64_t r : rows) shapes.push_back({r, cols});
  return shapes;
}

std::vector<Shape> row_wise_shapes(const json& plan, const json& table, const Setting& setting, Shape whole) {
  const json& topology = plan["topology"];
  const bool uneven = setting.rules->uneven_rows && topology.contains("hbm_bytes_per_rank") && io_in_hbm(setting);
  if (setting.rules->buckets && table.contains("num_buckets")) {
    const std::int64_t buckets = table["num_buckets"];
    EXPECT_FALSE(uneven) << "no case of buckets with unequal capacities was known";
    return row_blocks(test::bucket_rows(whole.rows, buckets, setting.world_size), whole.cols);
  }
  if (uneven)
    return row_blocks(
        test::proportional_rows(whole.rows, topology["hbm_bytes_per_rank"].get<std::vector<std::int64_t>>()),
        whole.cols);
  return expanded(even_row_runs(whole, setting.world_size));
}

std::vector<Shape> shapes_of(const json& plan, const json& table, const Setting& setting) {
  const Shape whole{table["rows"], table["cols"]};
  const std::int64_t least = table.value("min_partition", std::int64_t{0});
  const ColumnSplit split = setting.rules->columns;
  switch (sharding_of(table)) {
    case Sharding::dp:
      return std::vector<Shape>(static_cast<std::size_t>(setting.world_size), whole);
    case Sharding::tw:
      return {whole};
    case Sharding::rw:
      return row_wise_shapes(plan, table, setting, whole);
    case Sharding::twrw:
      return expanded(even_row_runs(whole, setting.group_size));
    case Sharding::cw:
    case Sharding::twcw:
      return expanded(column_runs(whole, test::column_block(whole.cols, least, split), split));
    case Sharding::gs: {
      const Shape block{whole.rows, test::column_block(whole.cols, least, split)};
      const auto rows = expanded(even_row_runs(block, setting.group_size));
      std::vector<Shape> shapes;
      for (std::int64_t j = 0; j < whole.cols / block.cols; ++j) shapes.insert(shapes.end(), rows.begin(), rows.end());
      return shapes;
    }
  }
  return {};
}

void compare_shapes(const json& plan, Comparison& out) {
  const Setting setting = setting_of(plan);
  for (const json& table : plan["tables"]) {
    const std::string name = table["fqn"];
    const auto shapes = shapes_of(plan, table, setting);
    const json& shards = table["shards"];
    out.value(name + " shards", shapes.size(), shards.size());
    for (std::size_t i = 0; i < std::min(shapes.size(), shards.size()); ++i) {
      out.value(name + " rows of shard " + std::to_string(i), shapes[i].rows, shards[i]["rows"].get<std::int64_t>());
      out.value(name + " columns of shard " + std::to_string(i), shapes[i].cols, shards[i]["cols"].get<std::int64_t>());
    }
  }
}

// Q of section 8.2. The planner walks the modules, the truth lists the plan, so a sum of many factors may differ in its
// last bits; the bounds allow for that and no more.
RealInterval kjt_lookups(const json& plan, const ReleaseRules& rules) {
  double sum = 0;
  std::int64_t terms = 1;
  for (const json& table : plan["tables"])
    for (const json& feature : table["features"]) {
      const double pooling = feature["pooling_factor"], uniform = plan["batch_size"];
      sum += pooling * (rules.kjt == KjtFeatures::per_feature ? number(feature, "batch_size", uniform) : uniform);
      ++terms;
    }
  const double error = static_cast<double>(terms) * 2.3e-16;
  return {sum * (1 - error), sum * (1 + error)};
}

void compare_kjt(const json& plan, Comparison& out) {
  const json& reservation = plan["reservation"];
  if (!reservation.contains("kjt")) return;
  const Setting setting = setting_of(plan);
  const double multiplier = reservation["policy"] == "inference" ? 1 : 20;
  const RealInterval ours = kjt_bytes(multiplier, kjt_lookups(plan, *setting.rules));
  const json& kjt = reservation["kjt"];
  const double truth = number(kjt, "hbm", 0) + number(kjt, "ddr", 0);
  if (truth == 0 && setting.device == Device::tpu) return;  // booked nowhere (section 8.2)
  out.value("kjt", ours.contains(truth) ? truth : ours.low, truth);
  EXPECT_LE(ours.width(), multiplier) << "the bounds would hide an error of a byte";
}

// ---- perf
// ------------------------------------------------------------------------------------------------------------

constexpr double kPerfTolerance = 1e-12;  // relative: sums of many features may differ in their last bits

PerfSetting<double> perf_setting_of(const json& plan) {
  const Setting storage = setting_of(plan);
  const json& topology = plan["topology"];
  PerfSetting<double> setting;
  setting.rules = &perf_rules_of(storage.rules->release);
  setting.device = storage.device;
  setting.inference = storage.inference;
  setting.world_size = storage.world_size;
  setting.local_size = plan["local_world_size"];
  setting.group_size = plan["intra_group_size"];
  setting.bandwidths = {number(topology, "hbm_mem_bw", 0),        number(topology, "ddr_mem_bw", 0),
                        number(topology, "hbm_to_ddr_mem_bw", 0), number(topology, "ssd_mem_bw", 0),
                        number(topology, "intra_host_bw", 0),     number(topology, "inter_host_bw", 0)};
  setting.backward = number(topology, "bwd_compute_multiplier", 2);
  setting.weighted_backward = number(topology, "weighted_feature_bwd_compute_multiplier", 1);
  return setting;
}

WirePrecision precision_of(const json& codec, const char* key) {
  if (!codec.contains(key) || codec[key].is_null()) return WirePrecision::fp32;
  const std::string name = codec[key];
  return name == "FP32"   ? WirePrecision::fp32
         : name == "INT8" ? WirePrecision::int8
         : name == "FP8"  ? WirePrecision::fp8
                          : WirePrecision::half;
}

Codecs codecs_of(const json& table) {
  const json& codec = table["qcomm"];
  if (codec.is_null() || codec["forward"].is_null()) return {};
  return {true, precision_of(codec, "forward"), precision_of(codec, "backward")};
}

double fetches_of(const json& table) {
  if (!table.contains("cache_stats") || table["compute_kernel"] != "fused_uvm_caching") return 0;
  const json& stats = table["cache_stats"];
  const double of_sharder = number(table, "sharder_cache_load_factor", -1);
  const double hit_share = number(table, "cache_load_factor", of_sharder);
  if (hit_share < 0) return 0;  // without a ratio of the table or the sharder nothing is fetched ahead
  return std::pow(1 - hit_share, stats["miss_rate_exponent"].get<double>()) * stats["expected_lookups"].get<double>();
}

PerfFacts<double> perf_facts_of(const json& plan, const json& table, const PerfSetting<double>& setting) {
  const auto storage = facts_of(plan, table, setting_of(plan));
  PerfFacts<double> facts;
  facts.sharding = storage.sharding;
  facts.kernel = storage.kernel;
  facts.sequence = storage.sequence;
  facts.weighted = flag(table, "is_weighted");
  facts.prefetch_pipeline = flag(table, "prefetch_pipeline");
  facts.rows = storage.rows;
  facts.element_size = storage.element_size;
  facts.lookups = storage.lookups;
  facts.pooled = storage.pooled;
  if (setting.rules->release <= Release::v0_1_1) {
    facts.lookups = storage.batch * storage.pooling_sum;
    facts.pooled = storage.batch * storage.features;
  }
  facts.caching_ratio = number(table, "perf_caching_ratio", kDefaultCachingRatio);
  facts.fetches = fetches_of(table);
  facts.wire = wire_sizes(*setting.rules, codecs_of(table), facts.sequence, facts.element_size);
  return facts;
}

constexpr std::array<const char*, kPerfParts> kPerfKeys = {"fwd_compute", "fwd_comms", "bwd_compute", "bwd_comms",
                                                           "prefetch_compute"};

void compare_perf(const json& plan, Comparison& out) {
  const auto setting = perf_setting_of(plan);
  if (setting.rules->release == Release::v0_1_0) return;
  const auto close = [](double ours, double truth) {
    return std::abs(ours - truth) <= kPerfTolerance * std::abs(truth) ? truth : ours;
  };
  for (const json& table : plan["tables"]) {
    auto facts = perf_facts_of(plan, table, setting);
    const std::string name = table["fqn"];
    for (const json& shard : table["shards"]) {
      facts.cols = shard["cols"];
      const auto perf = shard_perf(setting, facts);
      if (!perf) {
        out.value(name + " has no perf", 1, 0);
        continue;
      }
      const json& truth = shard["perf"];
      const double total = truth.is_object() ? truth["total"].get<double>() : truth.get<double>();
      out.value(name + " total", close(perf->total, total), total);
      if (!truth.is_object() || setting.rules->parts == 0) continue;
      for (std::size_t p = 0; p < kPerfParts; ++p) {
        const double part = number(truth, kPerfKeys[p], 0);
        out.value(name + " " + kPerfKeys[p], close(perf->parts[p], part), part);
      }
    }
  }
}

class PlannerCorpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(test::corpus("plans"))) GTEST_SKIP() << test::kNoCorpus;
  }
};

TEST_F(PlannerCorpus, StorageOfEveryShardIsExact) { EXPECT_GT(compare_all(compare_storage), test::sampled(400000)); }
TEST_F(PlannerCorpus, ShapeOfEveryShardIsExact) { EXPECT_GT(compare_all(compare_shapes), test::sampled(100000)); }
TEST_F(PlannerCorpus, PerfOfEveryShardIsExact) { EXPECT_GT(compare_all(compare_perf), test::sampled(300000)); }
TEST_F(PlannerCorpus, KjtReservationIsExact) { EXPECT_GT(compare_all(compare_kjt), test::sampled(100)); }

}  // namespace
}  // namespace shardstats
