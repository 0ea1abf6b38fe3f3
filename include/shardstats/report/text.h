// Text reports of verify, reconstruct and rules. Each function appends whole lines; nothing is computed here.
//
//   train.log:1043:412: error table.storage.hbm: HBM of ebc.table_7 is printed as 3.859 GB, the formulas give 3.858 GB
//   train.log: block 1 at line 12: TorchRec v1.4.0 or V1.5.0, 96 ranks, 1,935 tables, batch size 2560
//     assumed: compute_device cuda, pipeline_type none (or train_base), element_size 2 in 1,935 tables
//
// Tested by tests/report/text_test.cc and the golden runs in tests/cli.
#pragma once

#include <string>
#include <string_view>

#include "shardstats/analysis/block.h"
#include "shardstats/analysis/reconstruct.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/report/json.h"
#include "shardstats/report/style.h"

namespace shardstats {

// "train.log:1043:412: error table.storage.hbm: HBM of ...", one line however long.
std::string finding_text(std::string_view path, const Finding& finding, const TextStyle& style);
// `hints`: also what to try. `top`: the first findings only; 0: all.
void write_findings(std::string_view path, const Report& report, bool hints, std::size_t top, const TextStyle& style,
                    std::string& out);
// "a.log: block 2 at line 70".
std::string block_place(std::string_view path, const BlockView& block);
// Which block of which log it is: release, ranks, tables.
void write_block_head(std::string_view path, const BlockView& block, const TextStyle& style, std::string& out);
// What of it was assumed; below an answer, where it is not in the way.
void write_assumed(std::string_view path, const BlockView& block, int indent, const TextStyle& style, std::string& out);
// One paragraph about the block: release, size, what was assumed, coverage (where `report` is given), remarks.
void write_block(std::string_view path, const BlockView& block, const Report* report, const TextStyle& style,
                 std::string& out);
void write_reconstruction(const Reconstruction& plan, const TextStyle& style, std::string& out);
// "clean: no findings in 1 block", "findings: 2 errors and 1 note in 3 blocks of 2 logs"; of check "findings: 1 broken
// and 2 passed in 1 block".
void write_verdict(Verdict verdict, const Totals& totals, const TextStyle& style, std::string& out);
void write_rules(const std::vector<const Rule*>& rules, bool details, const TextStyle& style, std::string& out);

std::string block_name(std::string_view path, const BlockView& block);  // "train.log block 2"
std::string candidates_text(const BlockView& block);                    // "v1.4.0 or V1.5.0"
std::string tables_text(const BlockView& block);                        // "4 tables"
std::string value_text(const AssumedValue& value);

// Breaks `text` at blanks into lines of at most `width`; following lines start with `indent` blanks. No number loses
// its unit.
std::string wrapped(std::string_view text, int width, int indent);

}  // namespace shardstats
