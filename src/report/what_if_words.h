// What the reports of whatif say in the same words.
#pragma once

#include <string>
#include <vector>

#include "shardstats/analysis/sweep.h"

namespace shardstats::what_if_words {

// "what if batch_size=4096 and optimizer=adam"; empty without changes.
std::string question(const WhatIfResult& result);
std::string placed_text(const std::string& table);  // "placed where least HBM is taken: ebc.t on rank 1"

// The table of a sweep: a row for the plan as logged, then one for each point.
inline constexpr std::string_view kAsLogged = "(as logged)";
std::vector<std::string> head(const Sweep& sweep);
std::vector<std::string> base_row(const Sweep& sweep);
std::vector<std::string> row(const SweepPoint& point);  // the values alone if it was refused
std::string refusal(const SweepPoint& point);           // "64, none: ..."
// A line for each reason: "64, none and 7 more points: ..."
std::vector<std::string> refusals(const Sweep& sweep);

// "largest batch_size that fits 72 GiB: 4,096", or that none does.
std::string answer(const LargestFit& largest);
std::string doubt(const LargestFit& largest);  // up to which value it may fit; empty if that is certain
// With that value and with one more: "at 4,096: rank 3 takes 71.9 GiB, the slowest rank 650.2 ms".
std::vector<std::string> points(const LargestFit& largest);

}  // namespace shardstats::what_if_words
