// Which releases can have printed a block (log-format.md section 9), from the spellings, columns and lines in it.
// Each spelling has its first and last release in layout.h; the candidates are what all of them have in common.
// Tested by tests/log/fingerprint_test.cc.
#pragma once

#include <vector>

#include "shardstats/log/printed.h"

namespace shardstats {

// What rows of the parameter table say of the releases (section 9.2 and quirk Q16). Each hint counts once, however many
// rows show it.
struct TableHints {
  bool grid_shard = false;
  bool old_sharder = false;
  bool factor_without_cache = false;
  std::ptrdiff_t in_gib = 0;  // rows whose storage is, which says nothing of the known ones

  // Best right after the row was read: later its texts are no longer at hand.
  void add(const PrintedTable& row);
};

// Oldest first, never empty: where nothing fits (a newer or mixed layout) the releases that most of it fits.
// `complete`: the block was not cut off, so what is missing tells something too.
std::vector<Release> release_candidates(const PrintedPlan& plan, const TableHints& tables, bool complete);

}  // namespace shardstats
