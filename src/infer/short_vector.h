// A vector of a few small values that needs no heap for up to N of them: most tables have one shard and one option
// left. One that was moved from may be assigned to and nothing else. Private to src/infer.
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
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T* begin() { return size_ <= N ? few_.data() : many_.data(); }
  T* end() { return begin() + size_; }
  const T* begin() const { return size_ <= N ? few_.data() : many_.data(); }
  const T* end() const { return begin() + size_; }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  const T& front() const { return *begin(); }
  const T& back() const { return end()[-1]; }

  // Those values and no others.
  template <class Range>
  void assign(const Range& values) {
    clear();
    size_ = static_cast<std::uint32_t>(std::size(values));
    if (size_ > N)
      many_.assign(std::begin(values), std::end(values));
    else
      std::copy(std::begin(values), std::end(values), few_.begin());
  }
  void clear() {
    many_.clear();
    size_ = 0;
  }
  void push_back(const T& value) { push_back(T(value)); }
  void push_back(T&& value) {
    if (size_ == N) many_.assign(std::make_move_iterator(few_.begin()), std::make_move_iterator(few_.end()));
    if (size_ < N)
      few_[size_] = std::move(value);
    else
      many_.push_back(std::move(value));
    ++size_;
  }
  // One more, to be assigned to.
  T& add() {
    if (size_ >= N)
      push_back(T{});
    else
      ++size_;
    return end()[-1];
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
  std::uint32_t size_ = 0;
};

}  // namespace shardstats::infer_detail
