// How long it takes to open a log and to find its blocks. The log: $SHARDSTATS_LOG, else testdata/logs/v1.4.0.log.
#include <benchmark/benchmark.h>

#include <memory>

#include "bench_log.h"
#include "shardstats/log/printed.h"
#include "shardstats/log/render.h"

namespace {

using bench::count_bytes, bench::opened, shardstats::Source;

void open_log(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(opened(state));
}
BENCHMARK(open_log);

void find_blocks(benchmark::State& state) {
  const std::unique_ptr<Source> source = opened(state);
  if (source == nullptr) return;
  for (auto _ : state) benchmark::DoNotOptimize(shardstats::find_blocks(source->bytes()));
  count_bytes(state, *source);
}
BENCHMARK(find_blocks);

void parse_blocks(benchmark::State& state) {
  const std::unique_ptr<Source> source = opened(state);
  if (source == nullptr) return;
  const auto blocks = shardstats::find_blocks(source->bytes());
  for (auto _ : state)
    for (const shardstats::Block& block : blocks) benchmark::DoNotOptimize(shardstats::parse(block));
  count_bytes(state, *source);
}
BENCHMARK(parse_blocks);

void render_blocks(benchmark::State& state) {
  const std::unique_ptr<Source> source = opened(state);
  if (source == nullptr) return;
  std::vector<shardstats::PrintedPlan> plans;
  for (const shardstats::Block& block : shardstats::find_blocks(source->bytes()))
    plans.push_back(shardstats::parse(block));
  for (auto _ : state) {
    std::string out;
    for (const shardstats::PrintedPlan& plan : plans) shardstats::render(plan, out);
    benchmark::DoNotOptimize(out);
  }
  count_bytes(state, *source);
}
BENCHMARK(render_blocks);

}  // namespace
