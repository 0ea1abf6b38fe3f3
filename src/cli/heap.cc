#include "cli/heap.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace shardstats::cli {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kWorthIt = std::size_t{256} << 10;  // smaller logs need less than one large page
constexpr std::size_t kBytesPerLogByte = 8;               // of all records of a block
constexpr std::size_t kMostPrepared = std::size_t{32} << 20;

}  // namespace

void prepare_heap(std::size_t log_bytes) {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  if (log_bytes < kWorthIt) return;
  const std::size_t wanted = std::min(log_bytes * kBytesPerLogByte + kLargePage, kMostPrepared - kLargePage);
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kMostPrepared));  // large arrays come from the prepared part, too
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(2 * kMostPrepared));
  void* volatile grown = std::malloc(wanted);  // volatile: a pair of calls without use may be left out
  const auto start = reinterpret_cast<std::uintptr_t>(grown), end = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  std::free(grown);
  const std::uintptr_t first = (start + kLargePage - 1) / kLargePage * kLargePage;
  if (start >= end || first >= end) return;
  ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
  [[maybe_unused]] static void* volatile before_first;  // taken and never touched, so that all that follows lies in
                                                        // large pages
  before_first = std::malloc(first - start);
#else
  (void)log_bytes;
#endif
}

}  // namespace shardstats::cli
