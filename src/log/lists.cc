#include "log/lists.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "log/text.h"
#include "shardstats/limits.h"
#include "shardstats/log/printed.h"

namespace shardstats {
namespace {

using namespace log_detail;

constexpr std::int64_t kHighestRank = kMostRanks - 1;
constexpr std::size_t kShortestSeveral = 3;  // "0,1"

// The whole number at `at`, which moves behind its digits; -1 if it is none or above `most`.
std::int64_t whole_at(std::string_view text, std::size_t& at, std::int64_t most) {
  const std::size_t start = at;
  std::int64_t number = 0;
  for (; at < text.size(); ++at) {
    const auto digit = static_cast<unsigned>(text[at]) - '0';
    if (digit > 9) break;
    number = number * 10 + digit;
    if (number > most) return -1;
  }
  return at == start ? -1 : number;
}

// The rank that the text begins with, which is cut off; -1 if that is none.
std::int64_t take_rank(std::string_view& text) {
  std::size_t digits = 0;
  const std::int64_t rank = whole_at(text, digits, kHighestRank);
  text.remove_prefix(digits);
  return rank;
}

// Calls add(rank, rank) for each rank between commas.
template <class Add>
bool scan_items(std::string_view text, Add add) {
  for (std::size_t at = 0;; ++at) {
    while (at < text.size() && text[at] == ' ') ++at;
    const std::int64_t rank = whole_at(text, at, kHighestRank);
    const bool is_last = at == text.size();
    if (rank < 0 || !(is_last || text[at] == ',') || !add(rank, rank)) return false;
    if (is_last) return true;
  }
}

// Calls add(first, last) for the ranks of a list that has no brackets around it. Most tables have one shard.
template <class Add>
bool scan_bare_ranks(std::string_view text, Add add) {
  std::string_view rest = text;
  const std::int64_t first = take_rank(rest);
  if (first < 0) return scan_items(text, add);
  if (rest.empty()) return add(first, first);
  if (rest.front() == ',') return add(first, first) && scan_items(rest.substr(1), add);
  if (rest.front() != '-') return false;
  rest.remove_prefix(1);
  const std::int64_t last = take_rank(rest);
  return rest.empty() && first < last && add(first, last);
}

// Calls add(first, last) for each run of ranks; false if the text is malformed or add refuses.
template <class Add>
bool scan_ranks(std::string_view text, Add add) {
  if (!text.starts_with('[')) return scan_bare_ranks(text, add);
  if (!text.ends_with(']')) return false;
  text = text.substr(1, text.size() - 2);
  return text.empty() || scan_bare_ranks(text, add);
}

// Cuts off "TWRW: " up to its blank; empty if the text does not begin with a word and such a colon.
std::string_view take_type(std::string_view& text) {
  for (std::size_t at = 0; at + 1 < text.size() && text[at] != ' '; ++at) {
    if (text[at] != ':' || text[at + 1] != ' ') continue;
    const std::string_view type = text.substr(0, at);
    text.remove_prefix(at + 2);
    return type;
  }
  return {};
}

// Calls add(type, count) with the texts of each pair.
template <class Add>
bool scan_shards(std::string_view text, Add add) {
  while (!text.empty()) {
    const std::string_view type = take_type(text);
    const std::size_t digits = skip_digits(text, 0);
    const bool is_count = digits == text.size() || text[digits] == ' ';
    const std::string_view count = text.substr(0, digits);
    if (type.empty() || !is_count || !parse_integer(count)) return false;
    add(type, count);
    text.remove_prefix(std::min(digits + 1, text.size()));
  }
  return true;
}

// The whole number at `at`, which moves to the first printed byte behind it; -1 if it is none or above `most`.
std::int64_t take_count(std::string_view text, std::size_t& at, std::int64_t most) {
  at = skip_blanks(text, at);
  const std::int64_t count = whole_at(text, at, most);
  at = skip_blanks(text, at);
  return count;
}

// Calls add(size, times) for each run.
template <class Add>
bool scan_batches(std::string_view text, Add add) {
  if (text == "n/a") return true;
  for (std::size_t at = 0;; ++at) {
    const std::int64_t size = take_count(text, at, kLargestBatch);
    std::int64_t times = 1;
    if (size >= 0 && at < text.size() && text[at] == '*') times = take_count(text, ++at, kMostFeatures);
    if (size < 0 || times < 0 || !add(size, times)) return false;
    if (at == text.size()) return true;
    if (text[at] != ',') return false;
  }
}

constexpr auto kAccept = [](auto, auto) { return true; };

std::int64_t ranks_in_range(std::string_view text) {
  std::int64_t count = 0;
  scan_ranks(text, [&](std::int64_t first, std::int64_t last) {
    count = last - first + 1;
    return true;
  });
  return count;
}

// Appends the number to the text, behind a separator if it is not the first.
void append(std::string& text, std::string_view separator, int number) {
  std::array<char, 12> digits;
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  if (!text.empty()) text += separator;
  text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

}  // namespace

namespace log_detail {

bool is_rank_list(std::string_view text) { return scan_ranks(text, kAccept); }
std::int64_t ranks_in(std::string_view text) {
  if (text.empty() || text == "None" || text == "[]") return 0;
  if (text.size() < kShortestSeveral) return 1;
  std::int64_t items = 1;
  for (const char c : text) {
    if (c == '-') return ranks_in_range(text);
    items += c == ',';
  }
  return items;
}
bool is_shard_list(std::string_view text) { return scan_shards(text, kAccept); }
bool is_batch_list(std::string_view text) {
  std::int64_t count = 0;
  return scan_batches(text, [&](std::int64_t, std::int64_t times) { return (count += times) <= kMostFeatures; });
}

bool is_rank_list_beyond(std::string_view text) {
  if (text.find_first_not_of("0123456789,- []") != std::string_view::npos) return false;
  bool beyond = false;
  while (!text.empty()) {
    const std::size_t digits = skip_digits(text, 0);
    beyond = beyond || (digits > 0 && !parse_integer(text.substr(0, digits), kHighestRank));
    text.remove_prefix(std::max<std::size_t>(digits, 1));
  }
  return beyond;
}

bool is_batch_list_beyond(std::string_view text) {
  bool beyond = false;
  std::int64_t entries = 0;
  for (std::size_t at = 0, end; at <= text.size(); at = end + 1) {
    end = std::min(text.find(',', at), text.size());
    const std::string_view run = text.substr(at, end - at);
    const std::size_t star = std::min(run.find('*'), run.size());
    const std::string_view size = trim_left(trim_right(run.substr(0, star)));
    const std::string_view times = star == run.size() ? "1" : trim_left(trim_right(run.substr(star + 1)));
    if (!is_whole_number(size) || !is_whole_number(times)) return false;
    entries = capped_sum(entries, parse_integer(times).value_or(INT64_MAX));
    beyond = beyond || !parse_integer(size, kLargestBatch) || entries > kMostFeatures;
  }
  return beyond;
}

}  // namespace log_detail

void read_shard_counts(const Cell& shards, std::vector<ShardCount>& counts) {
  counts.clear();
  const auto cell = [&](std::string_view text) {
    const auto offset = static_cast<std::uint32_t>(text.data() - shards.text.data());
    return Cell{text, {shards.place.line, shards.place.column + offset}};
  };
  const bool well_formed = scan_shards(shards.text, [&](std::string_view type, std::string_view count) {
    counts.push_back({cell(type), cell(count)});
  });
  if (!well_formed) counts.clear();
}

std::vector<ShardCount> shard_counts(const Cell& shards) {
  std::vector<ShardCount> counts;
  counts.reserve(kShardingNames.size());
  read_shard_counts(shards, counts);
  return counts;
}

std::int64_t most_shards(const PrintedTable& row, std::int64_t ranks) {
  const std::int64_t dim = parse_integer(row.emb_dim.text).value_or(1),
                     block = parse_integer(row.cw_dim.text).value_or(0);
  const std::int64_t blocks = block > 0 ? std::min(dim / block, kMostShards) : 1;
  return std::max<std::int64_t>(blocks, 1) * ranks;
}

bool parse_ranks(std::string_view text, std::vector<int>& ranks, std::size_t limit) {
  return scan_ranks(text, [&](std::int64_t first, std::int64_t last) {
    const std::size_t before = ranks.size(), count = static_cast<std::size_t>(last - first + 1);
    if (before + count > limit) return false;
    if (count == 1) {
      ranks.push_back(static_cast<int>(first));
      return true;
    }
    ranks.resize(before + count);
    std::iota(ranks.begin() + static_cast<std::ptrdiff_t>(before), ranks.end(), static_cast<int>(first));
    return true;
  });
}

std::string ranks_text(const std::vector<int>& ranks) {
  const auto gap = std::ranges::adjacent_find(ranks, [](int a, int b) { return b != a + 1; });
  std::string text;
  if (ranks.size() > 1 && gap == ranks.end()) {
    append(text, {}, ranks.front());
    append(text, "-", ranks.back());
  } else {
    for (const int rank : ranks) append(text, ",", rank);
  }
  return text;
}

std::string bracketed(const std::vector<int>& ranks) {
  std::string text;
  for (const int rank : ranks) append(text, ", ", rank);
  return "[" + text + "]";
}

std::optional<BatchSummary> summarize_batch_sizes(std::string_view text, std::int64_t features) {
  BatchSummary sizes;
  const bool good = scan_batches(text, [&](std::int64_t size, std::int64_t times) {
    sizes.least = sizes.count == 0 ? size : std::min(sizes.least, size);
    sizes.most = std::max(sizes.most, size);
    sizes.first_total += size * std::clamp<std::int64_t>(features - sizes.count, 0, times);
    sizes.count += times;
    return sizes.count <= kMostFeatures;
  });
  return good ? std::optional(sizes) : std::nullopt;
}

bool parse_batch_sizes(std::string_view text, std::vector<std::int64_t>& sizes, std::size_t limit) {
  return scan_batches(text, [&](std::int64_t size, std::int64_t times) {
    if (sizes.size() + static_cast<std::size_t>(times) > limit) return false;
    sizes.insert(sizes.end(), static_cast<std::size_t>(times), size);
    return true;
  });
}

}  // namespace shardstats
