#include "cli/heap.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

namespace shardstats::cli {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kWorthIt = std::size_t{256} << 10;  // smaller logs need less than one large page
constexpr std::size_t kBytesPerLogByte = 8;               // of all records of a block
constexpr std::size_t kMostPrepared = std::size_t{32} << 20;
// Longer logs use what they take many times over: small pages cost them little, and large ones more than that where
// the system has to put them together first.
constexpr std::size_t kLongLog = std::size_t{32} << 20;

std::size_t wanted = 0;  // bytes for each thread; set before there is a second one

// Grows the heap that this thread allocates from by one piece of large pages.
void take_large_pages() {
  void* volatile grown = std::malloc(wanted);  // volatile: a pair of calls without use may be left out
  const auto start = reinterpret_cast<std::uintptr_t>(grown), end = start + wanted;
  std::free(grown);
  const std::uintptr_t first = (start + kLargePage - 1) / kLargePage * kLargePage;
  if (start == 0 || first >= end) return;
  ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
  // Taken and never touched, so that all that follows lies in large pages.
  static thread_local const std::unique_ptr<void, void (*)(void*)> before_first(std::malloc(first - start), &std::free);
}

}  // namespace

void prepare_heap(std::size_t log_bytes) {
  if (log_bytes < kWorthIt) return;
  if (log_bytes < kLongLog) wanted = std::min(log_bytes * kBytesPerLogByte + kLargePage, kMostPrepared - kLargePage);
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kMostPrepared));  // large arrays come from the prepared part, too
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(2 * kMostPrepared));
  prepare_thread_heap();
}

void prepare_thread_heap() {
  static thread_local bool prepared = false;
  if (wanted > 0 && !std::exchange(prepared, true)) take_large_pages();
}
#else
void prepare_heap(std::size_t /*log_bytes*/) {}
void prepare_thread_heap() {}
#endif

}  // namespace shardstats::cli
