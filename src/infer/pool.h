// Memory of many small vectors that live as long as their owner, and are given back all at once: one call of the heap
// for thousands of them. Private to src/infer.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <type_traits>

namespace shardstats::infer_detail {

using Pool = std::pmr::monotonic_buffer_resource;

// Takes memory from a pool; from the heap without one, as copies do. Unlike that of std::pmr, it moves with its vector.
template <class T>
class PoolAllocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;

  PoolAllocator(Pool* pool = nullptr) : pool_(pool) {}
  PoolAllocator select_on_container_copy_construction() const { return {}; }
  T* allocate(std::size_t n) {
    return pool_ == nullptr ? std::allocator<T>{}.allocate(n)
                            : static_cast<T*>(pool_->allocate(n * sizeof(T), alignof(T)));
  }
  void deallocate(T* values, std::size_t n) {
    if (pool_ == nullptr) std::allocator<T>{}.deallocate(values, n);
  }
  friend bool operator==(PoolAllocator, PoolAllocator) = default;

 private:
  Pool* pool_;
};

}  // namespace shardstats::infer_detail
