// Independent pieces of work on several threads, with their results in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace shardstats::cli {

// Calls make() until it gives none, work(item) on at most `threads` threads, and take(item) in the order of make().
// make() and take() are never called at the same time. At most two items for each thread are alive at once, and more,
// so that no thread waits for another's long piece, as long as all of them weigh less than kLight by weigh(item). A
// single item starts no thread. Work may wait for that of earlier items: those were begun before. An exception of any
// of them ends the loop and is rethrown.
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
    for (std::size_t t = 1; t < threads && loop.next_ > 1; ++t) others.push_back(std::async(std::launch::async, one));
    one();
    for (std::future<void>& other : others) other.get();
  }

 private:
  explicit InOrder(std::size_t threads) : threads_(threads) {}

  template <class Make, class Weigh, class Work, class Take>
  void work_until_end(const Make& make, const Weigh& weigh, const Work& work, const Take& take) {
    try {
      while (std::optional<std::pair<std::size_t, Item>> item = next(make, weigh)) {
        work(item->second);
        finish(std::move(*item), weigh, take);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      changed_.notify_all();
      throw;
    }
  }

  bool may_make() const {
    const std::size_t alive = next_ - taken_;
    return alive < 2 * threads_ || (alive < kMostLight * threads_ && weight_ < kLight);
  }

  template <class Make, class Weigh>
  std::optional<std::pair<std::size_t, Item>> next(const Make& make, const Weigh& weigh) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || ended_ || !made_.empty() || may_make(); });
    if (failed_) return std::nullopt;
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

  template <class Weigh, class Take>
  void finish(std::pair<std::size_t, Item> item, const Weigh& weigh, const Take& take) {
    const std::lock_guard lock(mutex_);
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
