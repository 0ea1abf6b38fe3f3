// Elimination: which settings explain the log with the fewest contradicted cells and freedoms. Private to src/infer.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "infer/settings.h"

namespace shardstats {
namespace infer_detail {

struct Survivor {
  Outcome outcome;
  std::vector<Setting> members;  // settings that give the same bytes; front() is the outcome's
};

struct Excluded {
  std::vector<Setting> members;
  std::int64_t cost = 0;  // at least this many printed cells speak against it
};

struct SearchResult {
  std::vector<Survivor> survivors;  // all of least cost, most likely first; empty only if nothing is sized
  std::vector<Excluded> excluded;
  bool gave_up = false;                         // values of single tables were not looked for
  std::shared_ptr<const FirstLook> first_look;  // then: what a search of the same plan with more effort starts from
};

// What ranks hold besides shards, by any of the survivors.
Constants constants_of(const SearchResult& found);

// The uniform tier of a search, which needs no more than the plan, whatever the effort is.
struct UniformSearch {
  std::vector<SettingGroup> groups;
  SearchResult result;
  std::vector<std::optional<PlanWide>> wides;  // by group; none where it was given up
  std::int64_t limit = kNoLimit;               // cost of the survivors
};

// Those of releases that split rows like that.
std::vector<Setting> members_that(const std::vector<Setting>& members, SplitRows split);

// With options.alternatives also what tables may have beside the plan-wide values, where nothing contradicts those.
// `first_look`: of the same arguments, if there was one with less effort.
SearchResult search(const PlanInputs& plan, const FixedSetting& fixed, const InferOptions& options,
                    const FirstLook* first_look = nullptr);

// What a search excluded, by itself: the releases, or all settings.
enum class Others : std::uint8_t { releases, settings };
SearchResult search_others(const PlanInputs& plan, const FixedSetting& fixed, const SearchResult& found, Others others,
                           const InferOptions& options);

}  // namespace infer_detail

struct FirstLook {
  infer_detail::UniformSearch uniform;
};

}  // namespace shardstats
