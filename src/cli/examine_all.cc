#include "cli/examine_all.h"

#include <atomic>
#include <utility>

#include "cli/heap.h"
#include "cli/parallel.h"
#include "shardstats/analysis/assumed_tables.h"

namespace shardstats::cli {
namespace {

// A verified block is told from its report, which refers to the log alone.
void drop_plan(Examined& examined) {
  examined.printed.reset();
  examined.plan.reset();
}

bool is_dropped(const Examined& examined) { return examined.result.report && !examined.printed; }

// Bytes of the block, and of a log that is in memory with its first one.
std::size_t weight_of(const Work& work) {
  std::size_t bytes = work.step.first && work.step.log->source ? work.step.log->source->held() : 0;
  if (work.step.block && !is_dropped(work.examined))
    for (const BoxLine& line : work.step.block->lines) bytes += line.text.size();
  return bytes;
}

}  // namespace

std::vector<std::string> examine_all(const Options& options, const Filter& filter,
                                     const std::function<void(Work&)>& take) {
  Steps steps(options);
  AssumedTables assumed(options.assume);
  UnmatchedWords unmatched(options.filter);
  bool prepared = false;  // the heap
  std::atomic<std::size_t> blocks = 0;
  std::atomic<bool> is_end = false;
  const bool looks_for_words = !options.assume.empty() || options.filter != FilterWords{};
  Precedents precedents;
  InOrder<Work>::run(
      options.threads,
      [&]() -> std::optional<Work> {
        std::optional<Step> step = steps.next();
        is_end = !step;
        if (!step) return std::nullopt;
        if (!std::exchange(prepared, true) && step->log->source) prepare_heap(step->log->source->bytes().size());
        const std::size_t number = step->block ? blocks++ : 0;
        return Work{std::move(*step), number, {}};
      },
      weight_of,
      [&](Work& work, const Help& help) {
        if (!work.step.block) return;
        prepare_thread_heap();
        const bool is_only = is_end && blocks == 1;
        Precedents::Turn turn(precedents, work.number, verifies(options.command) && !is_only, help);
        const Block& block = *work.step.block;
        const BlockPlace place{work.step.log->path, work.step.index, block.lines.front().place.line};
        work.examined = examine(options, filter, block, place, turn);
        if (verifies(options.command) && !looks_for_words) drop_plan(work.examined);
      },
      [&](Work& work) {
        if (work.examined.printed) {
          assumed.see(*work.examined.printed);
          unmatched.see(*work.examined.printed);
        }
        take(work);
      });
  std::vector<std::string> wrong;
  for (const auto& missing : {assumed.missing(), unmatched.missing()})
    for (const UnknownTarget& unknown : missing) wrong.push_back(message_of(unknown));
  return wrong;
}

}  // namespace shardstats::cli
