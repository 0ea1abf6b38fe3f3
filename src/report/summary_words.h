// Sentences that text and Markdown of summary share; each without an end mark, empty where there is nothing to say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/summary.h"

namespace shardstats::summary_words {

inline constexpr std::string_view kTablesLost =
    "Rows, sharding types or kernels of the parameter table are lost: this is of those that are left.";
inline constexpr std::string_view kEmbeddingsOnly =
    "This release counts embeddings only: dense modules and KJT come on top.";

std::string percent_text(RealInterval percent);  // "12.5%", "12.5..13.0%"
std::string share_text(double part, double whole);

std::string_view fit_word(Fit fit);  // "too large"; empty if it is not known
// "ranks 28 and 43 take 100.0 GiB of 138.0 GiB planning HBM, 72.5%; 37.96 GiB left (lines 34, 2104)"
std::string fit_text(const MemorySummary& memory);
std::string no_memory_text(const Summary& summary);  // why there is nothing on memory
// "batch_size=1280: the fullest rank falls by ...", or the largest item
std::string best_change_text(const MemorySummary& memory);
std::string other_changes_text(const MemorySummary& memory);
// `picture`: a histogram between the least and the most; may be empty.
std::string spread_text(const Summary& summary, std::string_view picture);

std::string no_perf_text(const PerfSummary& perf);   // why there is nothing on perf
std::string pace_text(const PerfSummary& perf);      // "rank 3 takes 1.3 ms, 5.0% above the mean of ..."
std::string bound_text(const PerfSummary& perf);     // "comms-bound: rank 3 spends ..."
std::string critical_text(const PerfSummary& perf);  // "critical path 0.6 ms: ..."

// "CW 4 tables 1.2 GiB, RW 2 tables 3.4 GiB"
std::string groups_text(const std::vector<TableGroup>& groups);

}  // namespace shardstats::summary_words
