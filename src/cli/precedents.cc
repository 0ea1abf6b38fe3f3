#include "cli/precedents.h"

#include <utility>

namespace shardstats::cli {

std::optional<Precedents::Found> Precedents::enter(Turn& turn, const PrintedPlan& printed) {
  if (!turn.used_) return std::nullopt;
  const std::uint64_t key = precedent_key(printed);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return next_ == turn.number_; });
  ++next_;
  turn.entered_ = true;
  changed_.notify_all();
  const auto known = entries_.find(key);
  if (known == entries_.end()) {
    const std::size_t tables = printed.tables.rows.size(), size = tables + printed.ranks.rows.size() + kBeside;
    if (tables == 0 || size_ + size > kMost) return std::nullopt;
    size_ += size;
    entries_.emplace(key, Entry{});
    turn.key_ = key;
    turn.is_first_ = true;
    return std::nullopt;
  }
  Entry& first = known->second;  // stays where it is when others are added
  for (bool helps = turn.help_ != nullptr; helps && !first.done;) {
    lock.unlock();
    helps = turn.help_();
    lock.lock();
  }
  changed_.wait(lock, [&] { return first.done; });
  if (first.found.precedent == nullptr) return std::nullopt;
  return first.found;
}

void Precedents::leave(Turn& turn, Found found) {
  if (!turn.is_first_) return;
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[turn.key_];
  if (!entry.done) entry = {std::move(found), true};
  changed_.notify_all();
}

// Also of a block that never entered: others wait for it.
void Precedents::end(Turn& turn) {
  if (!turn.used_) return;
  leave(turn, {});
  if (turn.entered_) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return next_ == turn.number_; });
  ++next_;
  changed_.notify_all();
}

}  // namespace shardstats::cli
