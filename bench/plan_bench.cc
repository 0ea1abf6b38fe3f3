// How long the stages behind a parsed block take: inference, checking, and the reading and printing of single numbers.
// The log: $SHARDSTATS_LOG, else testdata/logs/v1.4.0.log.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "bench_log.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/infer/plan.h"
#include "shardstats/log/printed.h"
#include "shardstats/numbers/printed.h"

namespace {

using namespace shardstats;

std::vector<PrintedPlan> parsed(const Source& source) {
  std::vector<PrintedPlan> plans;
  for (const Block& block : find_blocks(source.bytes())) plans.push_back(parse(block));
  return plans;
}

// As verify asks for it.
InferOptions options(bool perf) {
  InferOptions options;
  options.alternatives = false;
  options.shard_parts = false;
  options.perf = perf;
  return options;
}

void infer_plans(benchmark::State& state, bool perf) {
  const auto source = bench::opened(state);
  if (source == nullptr) return;
  const auto plans = parsed(*source);
  for (auto _ : state)
    for (const PrintedPlan& plan : plans) benchmark::DoNotOptimize(infer(plan, options(perf)));
  bench::count_bytes(state, *source);
}
BENCHMARK_CAPTURE(infer_plans, storage, false);
BENCHMARK_CAPTURE(infer_plans, storage_and_perf, true);

void verify_plans(benchmark::State& state) {
  const auto source = bench::opened(state);
  if (source == nullptr) return;
  const auto plans = parsed(*source);
  std::vector<Plan> inferred;
  for (const PrintedPlan& plan : plans) inferred.push_back(infer(plan, options(true)));
  for (auto _ : state)
    for (std::size_t i = 0; i < plans.size(); ++i) benchmark::DoNotOptimize(verify(plans[i], inferred[i]));
  bench::count_bytes(state, *source);
}
BENCHMARK(verify_plans);

void read_number(benchmark::State& state, std::string_view text, Format form) {
  for (auto _ : state) benchmark::DoNotOptimize(values_printed_as(text, form));
}
BENCHMARK_CAPTURE(read_number, r3, "385.759", Format::r3);
BENCHMARK_CAPTURE(read_number, c1, "0.0004", Format::c1);

void read_bytes(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(bytes_printed_as("385.759", Format::r3, kGiB));
}
BENCHMARK(read_bytes);

void print_number(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(format(385.75912, Format::r3));
}
BENCHMARK(print_number);

void read_ranks(benchmark::State& state, std::string_view text) {
  std::vector<int> ranks;
  for (auto _ : state) {
    ranks.clear();
    benchmark::DoNotOptimize(parse_ranks(text, ranks));
  }
}
BENCHMARK_CAPTURE(read_ranks, range, "0-95");
BENCHMARK_CAPTURE(read_ranks, list, "10,8,1,0,2,14,1,6,8,5,2,1,2,4,5,5");

}  // namespace
