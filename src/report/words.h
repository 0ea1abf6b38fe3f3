// Pieces that the text reports are made of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/colors.h"
#include "shardstats/analysis/budgets.h"
#include "shardstats/analysis/findings.h"
#include "shardstats/input/source.h"
#include "shardstats/report/style.h"
#include "shardstats/report/verdict.h"

namespace shardstats {

std::string_view color_of(Severity severity);
std::string_view color_of(Verdict verdict);
// An empty color: as it is.
std::string painted(std::string_view text, std::string_view color, const TextStyle& style);

// "1 table", "1,935 tables"
std::string plural(std::int64_t n, std::string_view word);
std::string plural(std::size_t n, std::string_view word);
// "... and 3 more tables"
std::string and_more(std::size_t left_out, std::string_view word);
// "v1.2.0, v1.3.0 or v1.4.0"
std::string listed(const std::vector<std::string>& words, std::string_view last);
// "3.85..3.87", or "3.85" if both bounds read so.
std::string from_to(const std::string& low, const std::string& high);
// "cannot open; is it a directory?"
std::string message_and_hint(const Error& error);
// What is wrong, and the number that would explain it where that is another than the disputed one, or others are as
// likely:
// "...; suspect: 81.391 at 7:19 (without it the rest agrees)".
std::string message_and_suspect(const Finding& finding);
// "81.391 at 7:19 (without it the rest agrees)"; empty: the disputed number is the likeliest.
std::string suspect_text(const Finding& finding);
// {"2 errors", "1 note"}, {"1 broken", "2 passed"}; those of findings that are 0 are left out.
std::vector<std::string> count_words(const FindingCounts& counts);
std::vector<std::string> count_words(const BudgetCounts& counts);
// The last `most` columns of a text, with a mark in front where something is missing.
std::string with_its_end(std::string text, std::size_t most, std::string_view mark);
// "dense_forward" as words: "dense forward".
std::string spaced(std::string_view id);
// With blanks behind it or in front of it, so that it fills `width` columns.
std::string padded(std::string_view text, std::size_t width);
std::string right_aligned(std::string_view text, std::size_t width);
// Rows of a list that are shown if it is cut to `top`; 0: all.
std::size_t shown(std::size_t rows, std::size_t top);
template <class Row>
std::span<const Row> shown(const std::vector<Row>& rows, std::size_t top) {
  return std::span(rows).first(shown(rows.size(), top));
}

}  // namespace shardstats
