// The planner's log of a changed plan, as `render` writes it (log-format.md; the numbers by section 6).
//
//   (PrintedPlan and Plan of a log, its inputs changed, the Plan of those) --changed_print()--> PrintedPlan
//
// The one PrintedPlan whose numbers were computed: each shows the middle of its bounds. What does not differ for the
// changed plan keeps the text that the log has, so that nothing changed prints the log itself.
// Tested by tests/analysis/changed_print_test.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "shardstats/infer/plan.h"
#include "shardstats/log/texts.h"

namespace shardstats {

// Can all of its numbers be computed? A plan that was found and printed with debug by v0.3.0 or later, with each table
// rebuilt.
bool is_printable(const Plan& plan);

// The rows of both tables in the columns of another release, both v0.4.0 or later. An input that the log does not print
// gets the planner's default; "?" stands for what changed_print() computes, as it does the lines.
PrintedPlan relaid(const PrintedPlan& base, Release to, Texts& texts);

// `skeleton`: the log with changed inputs: rows of tables and ranks added or taken out, relaid for another release.
// Its rank rows stand in the order of changed.ranks (of a new one only the Rank cell is read), PlanTable::row are rows
// of its parameter table. `capacity`: HBM of each device in bytes, if changed. Both plans must be printable. Of
// `changed` it reads the setting, policy, dense and KJT storage, ranks, shards and tables, not kernels, totals or
// assumptions. Expectations of a table's bytes narrow the sum of its shards, so old ones must not stay known.
PrintedPlan changed_print(const PrintedPlan& base_printed, const Plan& base, const PrintedPlan& skeleton,
                          const Plan& changed, Texts& texts, std::optional<std::int64_t> capacity = {});

// A print of the plan `after` without the numbers that may differ from those of the log, `before`: "?" stands for each
// derived cell of rows and lines that `texts` holds, and for cells of ranks and tables whose bounds differ. Memory that
// the planner may fill, and what shares are of it, stay.
PrintedPlan without_changed(PrintedPlan print, const Plan& before, const Plan& after, const PrintedPlan& log,
                            const Texts& texts);

}  // namespace shardstats
