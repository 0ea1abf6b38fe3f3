// How long it takes to open a log and to find its blocks. The log: $SHARDSTATS_LOG, else testdata/logs/demo.log.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shardstats/input/blocks.h"
#include "shardstats/input/source.h"
#include "shardstats/log/printed.h"
#include "shardstats/log/render.h"

namespace {

using shardstats::Source;

std::string log_path() {
  const char* named = std::getenv("SHARDSTATS_LOG");
  return named != nullptr ? named : SHARDSTATS_SOURCE_DIR "/testdata/logs/demo.log";
}

// Null, with the benchmark skipped, if the log cannot be opened.
std::unique_ptr<Source> opened(benchmark::State& state) {
  shardstats::OpenResult result = shardstats::open_source(log_path());
  if (auto* source = std::get_if<std::unique_ptr<Source>>(&result)) return std::move(*source);
  state.SkipWithError((log_path() + ": " + std::get<shardstats::Error>(result).message).c_str());
  return nullptr;
}

void count_bytes(benchmark::State& state, const Source& source) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(source.bytes().size()));
}

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
