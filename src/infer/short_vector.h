// A vector of a few small values that needs no heap for up to N of them: most tables have one shard and one option
// left. One that was moved from is empty. Private to src/infer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

namespace shardstats::infer_detail {

template <class T, std::size_t N>
class ShortVector {
 public:
  ShortVector() = default;
  ShortVector(const ShortVector& other) : few_(other.few_), size_(other.size_) {
    if (size_ > N) copy_many(other);
  }
  ShortVector& operator=(const ShortVector& other) {
    if (this == &other) return *this;
    few_ = other.few_;
    size_ = other.size_;
    size_ > N ? copy_many(other) : many_.reset();
    return *this;
  }
  ShortVector(ShortVector&& other) noexcept
      : many_(std::move(other.many_)), few_(std::move(other.few_)), size_(std::exchange(other.size_, 0)) {}
  ShortVector& operator=(ShortVector&& other) noexcept {
    many_ = std::move(other.many_);
    few_ = std::move(other.few_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~ShortVector() = default;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T* begin() { return size_ <= N ? few_.data() : many_.get(); }
  T* end() { return begin() + size_; }
  const T* begin() const { return size_ <= N ? few_.data() : many_.get(); }
  const T* end() const { return begin() + size_; }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  const T& front() const { return *begin(); }
  const T& back() const { return end()[-1]; }

  // Those values and no others.
  template <class Range>
  void assign(const Range& values) {
    clear();
    size_ = static_cast<std::uint32_t>(std::size(values));
    if (size_ > N) many_ = with_room(size_);
    std::copy(std::begin(values), std::end(values), begin());
  }
  void clear() {
    many_.reset();
    size_ = 0;
  }
  // By value, which may be one of its own.
  void push_back(T value) {
    if (size_ >= N && is_full()) grow();
    ++size_;
    end()[-1] = std::move(value);
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
  using Many = std::unique_ptr<T[]>;

  // There is room for the next power of two.
  static Many with_room(std::uint32_t size) { return std::make_unique_for_overwrite<T[]>(std::bit_ceil(size)); }
  bool is_full() const { return size_ == N || std::has_single_bit(size_); }
  void copy_many(const ShortVector& other) {
    many_ = with_room(size_);
    std::copy_n(other.many_.get(), size_, many_.get());
  }
  void grow() {
    Many more = with_room(size_ + 1);
    std::move(begin(), end(), more.get());
    many_ = std::move(more);
  }

  Many many_;  // all values, if they are more than N
  std::array<T, N> few_{};
  std::uint32_t size_ = 0;
};

}  // namespace shardstats::infer_detail
