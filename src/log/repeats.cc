#include "log/repeats.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "shardstats/log/text_hash.h"

namespace shardstats::log_detail {

namespace {

constexpr std::size_t kManyProbes = 16;  // for each row: more only if many rows begin with one name

// Rows start with the table's name; equal rows have equal names, and few others have.
std::string_view name_of(std::string_view row) { return row.substr(0, row.find(' ')); }
std::string_view whole(std::string_view row) { return row; }

// Equal rows have equal keys. False: too many different ones share a key.
bool find_repeated(std::span<const Cell> rows, std::string_view (*key)(std::string_view), std::size_t most_probes,
                   std::vector<std::uint32_t>& repeated) {
  constexpr std::uint32_t kFree = UINT32_MAX;
  const std::size_t mask = std::bit_ceil(rows.size() * 2 + 1) - 1;
  const int dropped = std::countl_zero(mask);  // bits of a hash
  std::vector<std::uint32_t> slots(mask + 1, kFree);
  std::size_t probes = 0;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    auto at = static_cast<std::size_t>(text_hash(key(rows[row].text)) >> dropped);
    for (; slots[at] != kFree && rows[slots[at]].text != rows[row].text; at = (at + 1) & mask)
      if (++probes > most_probes) return false;
    if (slots[at] == kFree)
      slots[at] = row;
    else
      repeated.push_back(row);
  }
  return true;
}

class Runs {
 public:
  void add(const BoxLine& line) {
    const std::size_t at = kept_.size();
    kept_.push_back(line);
    if (run_ > 0 && kept_[at - distance_].text == line.text) {
      ++run_;
      texts_ += has_text(line);
      last_[line.text] = at;
    } else {
      run_ = 0;
      if (has_text(line)) begin(at);
    }
    constexpr std::size_t kFewestTexts = 2;
    if (run_ == 0 || run_ != distance_ || texts_ < kFewestTexts) return;
    for (std::size_t i = at + 1 - run_; i <= at; ++i) last_[kept_[i].text] = i - distance_;
    kept_.resize(kept_.size() - run_);
    again_.push_back(first_);
    run_ = 0;
  }

  std::vector<BoxLine>& kept() { return kept_; }
  std::vector<BoxLine>& again() { return again_; }

 private:
  static bool has_text(const BoxLine& line) { return line.text.find_first_not_of("# ") != std::string_view::npos; }

  // The line may stand in a run. Lines in front of it may do so, too: what is blank or stands in several places begins
  // none, or another one.
  void begin(std::size_t at) {
    const auto [last, is_new] = last_.try_emplace(kept_[at].text, at);
    if (!is_new) {
      distance_ = at - last->second;
      run_ = texts_ = 1;
      first_ = kept_[at];
      constexpr std::size_t kMostBack = 64;
      const std::size_t most = std::min({distance_, last->second + 1, kMostBack});
      while (run_ < most && kept_[at - run_].text == kept_[last->second - run_].text) {
        texts_ += has_text(kept_[at - run_]);
        first_ = kept_[at - run_];
        ++run_;
      }
    }
    last->second = at;
  }

  std::unordered_map<std::string_view, std::size_t> last_;  // index of the last line with this text
  std::size_t run_ = 0, texts_ = 0, distance_ = 0;          // lines that stand `distance_` above as well
  BoxLine first_;
  std::vector<BoxLine> kept_, again_;  // without the repeated runs; their first lines
};

}  // namespace

std::optional<WithoutRepeats> without_repeated_runs(const Block& block) {
  // The lists at the end may have several tables of one name.
  const auto lists = std::ranges::find_if(block.lines, [](const BoxLine& line) {
    return line.text.find("Top 5 Tables Causing") != std::string_view::npos;
  });
  Runs runs;
  std::for_each(block.lines.begin(), lists, [&](const BoxLine& line) { runs.add(line); });
  if (runs.again().empty()) return std::nullopt;
  WithoutRepeats without{block, std::move(runs.again())};
  without.block.lines = std::move(runs.kept());
  without.block.lines.insert(without.block.lines.end(), lists, block.lines.end());
  return without;
}

// A hash table with open addressing: sorting the rows or a node per row would take longer than reading them.
std::vector<std::uint32_t> repeated_rows(std::span<const Cell> rows) {
  std::vector<std::uint32_t> repeated;
  if (find_repeated(rows, name_of, kManyProbes * rows.size(), repeated)) return repeated;
  repeated.clear();
  find_repeated(rows, whole, SIZE_MAX, repeated);
  return repeated;
}

}  // namespace shardstats::log_detail
