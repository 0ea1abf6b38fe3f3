#include "cli/precedents.h"

#include <utility>

namespace shardstats::cli {

std::optional<Precedents::Found> Precedents::enter(Turn& turn, const PrintedPlan& printed) {
  if (!used_ || !turn.goes_on_) return std::nullopt;
  const std::uint64_t key = precedent_key(printed);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return next_ == turn.number_; });
  ++next_;
  turn.entered_ = true;
  changed_.notify_all();
  const auto known = entries_.find(key);
  if (known == entries_.end()) {
    const std::size_t tables = printed.tables.rows.size();
    if (tables == 0 || tables_ + tables > kMostTables) return std::nullopt;
    tables_ += tables;
    entries_.emplace(key, Entry{});
    turn.key_ = key;
    turn.is_first_ = true;
    return std::nullopt;
  }
  Entry& first = known->second;  // stays where it is when others are added
  changed_.wait(lock, [&] { return first.done; });
  if (first.found.precedent == nullptr) return std::nullopt;
  return first.found;
}

// Also of a block that never entered: others wait for it.
void Precedents::end(Turn& turn) {
  if (!used_) return;
  std::unique_lock lock(mutex_);
  if (!turn.entered_) {
    changed_.wait(lock, [&] { return next_ == turn.number_; });
    ++next_;
  }
  if (turn.is_first_) entries_[turn.key_] = {std::move(turn.left_), true};
  changed_.notify_all();
}

}  // namespace shardstats::cli
