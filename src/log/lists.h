// The shapes of the lists that the planner prints (log-format.md section 2). Private to src/log.
#pragma once

#include <cstdint>
#include <string_view>

namespace shardstats::log_detail {

bool is_rank_list(std::string_view text);   // "3", "0-95", "1,1,4", "[28, 43]", "[]"
bool is_shard_list(std::string_view text);  // "CW: 0 DP: 1"
bool is_batch_list(std::string_view text);  // "512 * 2, 256*3", "n/a"
// Would it be such a list, were its numbers not beyond what is read (limits.h)?
bool is_rank_list_beyond(std::string_view text);
bool is_batch_list_beyond(std::string_view text);

// How many ranks such a list names; 0 if the text is "None" or empty.
std::int64_t ranks_in(std::string_view text);

}  // namespace shardstats::log_detail
