#include "infer/requests.h"

#include <algorithm>
#include <array>

#include "infer/perf_hypothesis.h"
#include "infer/words.h"

namespace shardstats::infer_detail {
namespace {

using Refused = std::optional<std::string>;  // why

// Whose number is taken as it is, in the order of fitted_value().
constexpr std::array<Attribute, kFittedValues> kSpeeds = {Attribute::hbm_mem_bw,
                                                          Attribute::ddr_mem_bw,
                                                          Attribute::hbm_to_ddr_mem_bw,
                                                          Attribute::ssd_mem_bw,
                                                          Attribute::intra_host_bw,
                                                          Attribute::inter_host_bw,
                                                          Attribute::bwd_compute_multiplier,
                                                          Attribute::weighted_feature_bwd_compute_multiplier};

Refused request_of_run(const Change& change, RunRequest& run) {
  const auto whole = static_cast<std::int64_t>(change.number);
  switch (change.attribute) {
    case Attribute::batch_size:
      run.batch_size = whole;
      return {};
    case Attribute::world_size:
      run.world_size = whole;
      return {};
    case Attribute::local_world_size:
      run.local_world_size = whole;
      return {};
    case Attribute::pipeline:
      run.pipeline = parse_name<Pipeline>(change.word, kPipelineNames);
      return run.pipeline ? Refused{} : "no such pipeline";
    case Attribute::count_ephemeral:
      run.ephemeral = change.number != 0;
      return {};
    case Attribute::release:
      run.release = parse_release(change.word);
      return run.release ? Refused{} : "no such release";
    case Attribute::hbm:
      run.hbm = whole;
      return {};
    default:
      return "not an attribute of the run";
  }
}

Refused request_of_table(const Change& change, TableRequest& table) {
  const auto whole = static_cast<std::int64_t>(change.number);
  switch (change.attribute) {
    case Attribute::optimizer:
      table.optimizer = optimizer_index(change.word);
      return table.optimizer ? Refused{} : "no such optimizer";
    case Attribute::dtype:
      table.element = dtype_index(change.word);
      return table.element ? Refused{} : "no such dtype";
    case Attribute::sharding:
      table.sharding = parse_name<Sharding>(change.word, kShardingNames);
      return table.sharding ? Refused{} : "no such sharding type";
    case Attribute::kernel:
      table.kernel = find_kernel(change.word);
      return table.kernel != nullptr ? Refused{} : "no release has this compute kernel";
    case Attribute::cache_load_factor:
      table.cache_load_factor = change.number;
      return {};
    case Attribute::rows:
      table.rows = whole;
      return {};
    case Attribute::dim:
      table.dim = whole;
      return {};
    case Attribute::pooling_factor:
      table.pooling_factor = change.number;
      return {};
    case Attribute::num_poolings:
      table.num_poolings = change.number;
      return {};
    case Attribute::ranks:
      table.ranks = change.ranks;
      std::ranges::sort(table.ranks);
      return {};
    case Attribute::drop:
      table.drop = true;
      return {};
    default:
      return "not an attribute of a table";
  }
}

}  // namespace

std::optional<std::string> add_request(const Change& change, RunRequest& run, std::vector<TableRequest>& tables) {
  if (const auto* const speed = std::ranges::find(kSpeeds, change.attribute); speed != kSpeeds.end()) {
    fitted_value(run, static_cast<std::size_t>(speed - kSpeeds.begin())) = change.number;
    return {};
  }
  if (!form_of(change.attribute).of_tables) return request_of_run(change, run);
  if (change.tables) {
    for (const std::uint32_t t : *change.tables)
      if (auto why = request_of_table(change, tables[t])) return why;
    return {};
  }
  for (TableRequest& table : tables)
    if (auto why = request_of_table(change, table)) return why;
  return {};
}

}  // namespace shardstats::infer_detail
