// Independent pieces of work on several threads, with their results in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace shardstats::cli {

// Works on another item; false if there is none at the moment.
using Help = std::function<bool()>;

// Calls make() until it gives none, work(item, help) on at most `threads` threads, and take(item) in the order of
// make(). make() and take() are never called at the same time. A single item starts no thread. An exception of any of
// them ends the loop and is rethrown.
//
// At most two items for each thread are alive at once. As long as all of them together weigh less than kLight by
// weigh(item), which is asked again after work(), there may be more, so that no thread waits for another's long piece.
// Work on an item may wait for the work on earlier ones, which has begun before, and call help() meanwhile.
template <class Item>
class InOrder {
 public:
  static constexpr std::size_t kLight = std::size_t{4} << 20;
  static constexpr std::size_t kMostLight = 32;  // items for each thread

  template <class Make, class Weigh, class Work, class Take>
  static void run(std::size_t threads, const Make& make, const Weigh& weigh, const Work& work, const Take& take) {
    InOrder loop(threads);
    for (std::size_t i = 0; i < 2; ++i)
      if (std::optional<Item> item = make()) loop.made_.emplace(i, std::move(*item));
    for (const auto& [number, item] : loop.made_) loop.weight_ += weigh(item);
    loop.next_ = loop.made_.size();
    loop.ended_ = loop.next_ < 2;
    const auto one = [&] { loop.work_until_end(make, weigh, work, take); };
    std::vector<std::future<void>> others;
    try {
      for (std::size_t t = 1; t < threads && loop.next_ > 1; ++t) others.push_back(std::async(std::launch::async, one));
    } catch (const std::system_error&) {
      // The limits of a container may allow fewer threads: those that there are do the work.
    }
    one();
    for (std::future<void>& other : others) other.get();
  }

 private:
  using Numbered = std::pair<std::size_t, Item>;

  explicit InOrder(std::size_t threads) : threads_(threads) {}

  template <class Make, class Weigh, class Work, class Take>
  void work_until_end(const Make& make, const Weigh& weigh, const Work& work, const Take& take) {
    try {
      const Help help = [&] { return work_on(next(make, weigh, false), weigh, work, take, help); };
      while (work_on(next(make, weigh, true), weigh, work, take, help)) continue;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      changed_.notify_all();
      throw;
    }
  }

  template <class Weigh, class Work, class Take>
  bool work_on(std::optional<Numbered> item, const Weigh& weigh, const Work& work, const Take& take, const Help& help) {
    if (!item) return false;
    const std::size_t before = weigh(std::as_const(item->second));
    work(item->second, help);
    finish(std::move(*item), before, weigh, take);
    return true;
  }

  bool may_make() const {
    const std::size_t alive = next_ - taken_;
    return alive < 2 * threads_ || (alive < kMostLight * threads_ && weight_ < kLight);
  }

  // `waits`: until there is an item or the end.
  template <class Make, class Weigh>
  std::optional<Numbered> next(const Make& make, const Weigh& weigh, bool waits) {
    std::unique_lock lock(mutex_);
    const auto is_ready = [&] { return failed_ || ended_ || !made_.empty() || may_make(); };
    if (waits) changed_.wait(lock, is_ready);
    if (failed_ || !is_ready()) return std::nullopt;
    if (!made_.empty()) {
      auto first = made_.extract(made_.begin());
      return std::pair(first.key(), std::move(first.mapped()));
    }
    if (ended_) return std::nullopt;
    std::optional<Item> item = make();
    if (item) {
      weight_ += weigh(*item);
      return std::pair(next_++, std::move(*item));
    }
    ended_ = true;
    changed_.notify_all();
    return std::nullopt;
  }

  // `before`: what the item weighed before the work.
  template <class Weigh, class Take>
  void finish(Numbered item, std::size_t before, const Weigh& weigh, const Take& take) {
    const std::lock_guard lock(mutex_);
    weight_ = weight_ - before + weigh(std::as_const(item.second));
    finished_.insert(std::move(item));
    for (; !finished_.empty() && finished_.begin()->first == taken_; ++taken_) {
      weight_ -= weigh(std::as_const(finished_.begin()->second));
      take(finished_.begin()->second);
      finished_.erase(finished_.begin());
    }
    changed_.notify_all();
  }

  const std::size_t threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, Item> made_, finished_;  // by number
  std::size_t next_ = 0, taken_ = 0;             // numbers of the next item to make and to take
  std::size_t weight_ = 0;                       // of all items that are made and not taken
  bool ended_ = false, failed_ = false;
};

}  // namespace shardstats::cli
