#include "cli/examine_all.h"

#include <utility>

#include "cli/heap.h"
#include "cli/parallel.h"
#include "shardstats/analysis/assumed_tables.h"

namespace shardstats::cli {

std::vector<std::string> examine_all(const Options& options, const Filter& filter,
                                     const std::function<void(Work&)>& take) {
  Steps steps(options);
  AssumedTables assumed(options.assume);
  bool prepared = false;  // the heap
  InOrder<Work>::run(
      options.threads,
      [&]() -> std::optional<Work> {
        std::optional<Step> step = steps.next();
        if (!step) return std::nullopt;
        if (!std::exchange(prepared, true) && step->log->source) prepare_heap(step->log->source->bytes().size());
        return Work{std::move(*step), {}};
      },
      [&](Work& work) {
        if (work.step.block) work.examined = examine(options, filter, *work.step.block, work.step.index);
      },
      [&](Work& work) {
        if (work.examined.printed) assumed.see(*work.examined.printed);
        take(work);
      });
  std::vector<std::string> wrong;
  for (const UnknownTarget& unknown : assumed.missing()) wrong.push_back(message_of(unknown));
  return wrong;
}

}  // namespace shardstats::cli
