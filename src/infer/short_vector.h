// A vector of a few small values that needs no heap for up to N of them: most tables have one shard and one option
// left. Private to src/infer.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace shardstats::infer_detail {

template <class T, std::size_t N>
class ShortVector {
 public:
  bool empty() const { return size() == 0; }
  std::size_t size() const { return many_.empty() ? few_count_ : many_.size(); }
  T* begin() { return many_.empty() ? few_.data() : many_.data(); }
  T* end() { return begin() + size(); }
  const T* begin() const { return many_.empty() ? few_.data() : many_.data(); }
  const T* end() const { return begin() + size(); }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  const T& front() const { return *begin(); }
  const T& back() const { return end()[-1]; }

  // Those values and no others.
  template <class Range>
  void assign(const Range& values) {
    clear();
    if (std::size(values) > N) {
      many_.assign(std::begin(values), std::end(values));
      return;
    }
    std::copy(std::begin(values), std::end(values), few_.begin());
    few_count_ = static_cast<std::uint32_t>(std::size(values));
  }
  void clear() {
    many_.clear();
    few_count_ = 0;
  }
  void push_back(T value) {
    if (many_.empty() && few_count_ < N) {
      few_[few_count_++] = std::move(value);
      return;
    }
    if (many_.empty()) {
      many_.assign(std::make_move_iterator(few_.begin()), std::make_move_iterator(few_.end()));
      few_count_ = 0;
    }
    many_.push_back(std::move(value));
  }
  template <class Predicate>
  void erase_if(Predicate predicate) {
    const ShortVector before = *this;
    clear();
    for (const T& value : before)
      if (!predicate(value)) push_back(value);
  }

 private:
  std::vector<T> many_;  // all values, if they are more than N
  std::array<T, N> few_{};
  std::uint32_t few_count_ = 0;
};

}  // namespace shardstats::infer_detail
