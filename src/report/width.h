// Columns that text takes on a terminal: two for a wide character, none for one that combines with the one before it.
// Tested by tests/report/width_test.cc.
#pragma once

#include <cstddef>
#include <string_view>

namespace shardstats {

// What is no character counts as the mark that is shown for it; colours take no column.
std::size_t columns_of(std::string_view text);

// Bytes of as many first characters of `text`, which has no colours, as fit into `columns`.
std::size_t bytes_within(std::string_view text, std::size_t columns);
// As many of its last characters.
std::string_view end_within(std::string_view text, std::size_t columns);

}  // namespace shardstats
