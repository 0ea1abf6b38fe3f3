// A loop over independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <vector>

namespace shardstats::cli {

// Calls work(0) ... work(count - 1), each once, on at most `threads` threads; starts none for a single piece.
// An exception of a piece is rethrown here.
template <class Work>
void for_each_index(std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::future<void>> others;
  for (std::size_t t = 1; t < std::min(count, threads); ++t) others.push_back(std::async(std::launch::async, run));
  run();
  for (std::future<void>& other : others) other.get();
}

}  // namespace shardstats::cli
