// What blocks found out that later blocks with the same tables start from (shardstats/infer/precedent.h). Which block
// that is depends on the order of the blocks alone, so that the number of threads changes no answer.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "cli/parallel.h"
#include "shardstats/analysis/block.h"
#include "shardstats/infer/precedent.h"

namespace shardstats::cli {

class Precedents {
 public:
  // The precedent of a block, if an earlier one left any.
  struct Found {
    std::shared_ptr<const Precedent> precedent;
    BlockPlace place;
  };

  // A block on its way through inference. Blocks are numbered from 0 without gaps, and each has its turn, begun by the
  // threads in that order.
  class Turn {
   public:
    // Not `used`: the block waits for no other, finds nothing and leaves nothing; then none of them may be.
    // `help`: called while it waits for what another one finds.
    Turn(Precedents& all, std::size_t number, bool used = true, Help help = {})
        : all_(all), number_(number), used_(used), help_(std::move(help)) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { all_.end(*this); }

    // Waits until all earlier blocks have entered, and until the first with the same key has left what it found.
    std::optional<Found> enter(const PrintedPlan& printed) { return all_.enter(*this, printed); }
    // Will other blocks ask for what this one finds?
    bool is_first() const { return is_first_; }
    // For those that wait; without it there is none.
    void leave(std::shared_ptr<const Precedent> precedent, BlockPlace place) {
      all_.leave(*this, {std::move(precedent), std::move(place)});
    }

   private:
    friend class Precedents;
    Precedents& all_;
    std::size_t number_;
    bool used_;
    Help help_;
    std::uint64_t key_ = 0;
    bool entered_ = false, is_first_ = false;
  };

 private:
  // Tables and ranks of all precedents, and what each takes beside them: some 150 bytes each.
  static constexpr std::size_t kMost = 50'000, kBeside = 50;

  struct Entry {
    Found found;
    bool done = false;
  };

  std::optional<Found> enter(Turn& turn, const PrintedPlan& printed);
  void leave(Turn& turn, Found found);
  void end(Turn& turn);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::size_t next_ = 0;  // the block that enters next
  std::size_t size_ = 0;  // of all entries, as kMost counts it
};

}  // namespace shardstats::cli
