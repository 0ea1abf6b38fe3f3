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
// make() and take() are never called at the same time. At most two items for each thread are alive at once; a single
// item starts no thread. An exception of any of them ends the loop and is rethrown.
template <class Item>
class InOrder {
 public:
  template <class Make, class Work, class Take>
  static void run(std::size_t threads, const Make& make, const Work& work, const Take& take) {
    InOrder loop(2 * threads);
    for (std::size_t i = 0; i < 2; ++i)
      if (std::optional<Item> item = make()) loop.made_.emplace(i, std::move(*item));
    loop.next_ = loop.made_.size();
    loop.ended_ = loop.next_ < 2;
    const auto one = [&] { loop.work_until_end(make, work, take); };
    std::vector<std::future<void>> others;
    for (std::size_t t = 1; t < threads && loop.next_ > 1; ++t) others.push_back(std::async(std::launch::async, one));
    one();
    for (std::future<void>& other : others) other.get();
  }

 private:
  explicit InOrder(std::size_t most) : most_(most) {}

  template <class Make, class Work, class Take>
  void work_until_end(const Make& make, const Work& work, const Take& take) {
    try {
      while (std::optional<std::pair<std::size_t, Item>> item = next(make)) {
        work(item->second);
        finish(std::move(*item), take);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      changed_.notify_all();
      throw;
    }
  }

  template <class Make>
  std::optional<std::pair<std::size_t, Item>> next(const Make& make) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || ended_ || !made_.empty() || next_ < taken_ + most_; });
    if (failed_) return std::nullopt;
    if (!made_.empty()) {
      auto first = made_.extract(made_.begin());
      return std::pair(first.key(), std::move(first.mapped()));
    }
    if (ended_) return std::nullopt;
    std::optional<Item> item = make();
    if (item) return std::pair(next_++, std::move(*item));
    ended_ = true;
    changed_.notify_all();
    return std::nullopt;
  }

  template <class Take>
  void finish(std::pair<std::size_t, Item> item, const Take& take) {
    const std::lock_guard lock(mutex_);
    finished_.insert(std::move(item));
    for (; !finished_.empty() && finished_.begin()->first == taken_; ++taken_) {
      take(finished_.begin()->second);
      finished_.erase(finished_.begin());
    }
    changed_.notify_all();
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, Item> made_, finished_;  // by number
  std::size_t next_ = 0, taken_ = 0;             // numbers of the next item to make and to take
  bool ended_ = false, failed_ = false;
};

}  // namespace shardstats::cli
