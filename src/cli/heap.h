// How the process gets its memory from the system.
#pragma once

#include <cstddef>

namespace shardstats::cli {

// Prepares the heap for a log of that many bytes. Page faults of small pages would cost as much as all of the parsing.
void prepare_heap(std::size_t log_bytes);
// The same for another thread, which has a heap of its own; again and again at no cost.
void prepare_thread_heap();

}  // namespace shardstats::cli
