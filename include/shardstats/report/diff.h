// Reports of diff: text, JSON and Markdown that fits a comment on GitHub. Nothing is computed here.
//
//   largest rank HBM: 3.858 GiB on rank 43 -> 5.96 GiB on rank 43, +2.1 GiB (+54.5%)
//   why
//     batch_size 2560 -> 4096: HBM +20.3 GiB in 1,935 tables
//     ebc.table_7: sharding TW -> RW, ranks 2 -> 0-95: HBM +1.2 GiB
//
// Tested by tests/report/diff_test.cc and the golden runs in tests/cli.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "shardstats/analysis/diff.h"
#include "shardstats/report/json.h"
#include "shardstats/report/markdown.h"
#include "shardstats/report/style.h"

namespace shardstats {

// The two logs, as people tell them apart: "base.log", or "train.log, block 2".
struct DiffTitle {
  std::string_view base, next;
  bool is_change = false;  // of one log: `next` is what whatif makes of it
};

// `top`: rows of each list, and parts of each rank; 0: all.
void write_diff(const DiffTitle& title, const PlanDiff& diff, std::size_t top, const TextStyle& style,
                std::string& out);
// "findings: largest rank HBM increased by more than 2GiB"; write_diff() ends with it.
void write_limit(const LimitResult& limit, const TextStyle& style, std::string& out);
// At most `most` bytes: the largest changes first, and it says what was left out.
std::string diff_markdown(const DiffTitle& title, const PlanDiff& diff, std::size_t top,
                          std::size_t most = kMarkdownBytes);
Json diff_json(const PlanDiff& diff, std::size_t top);

}  // namespace shardstats
