// How much more memory a changed plan takes than the plan of the log. Tested by tests/infer/what_if_test.cc.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "shardstats/numbers/interval.h"

namespace shardstats {

// By how much memory grows from the log to the changed plan, bytes, over all explanations of the log. Narrower than the
// bounds before and after tell, which rest on the same unknowns; exactly 0 where it stays, whatever is not known of it.
struct PlanGrowth {
  struct OfTable {
    RealInterval hbm{}, ddr{}, ssd{};
  };
  struct OfRank {
    RealInterval hbm{}, sparse_hbm{}, ddr{}, sparse_ddr{}, input{}, output{};
  };
  std::vector<OfTable> tables;  // of the changed plan
  // Of all tables that have it before and after, by name.
  std::map<std::string, OfTable, std::less<>> kernels;
  std::vector<OfRank> ranks;  // that both plans have
  RealInterval kjt_hbm{};     // of each rank, among its own
};

}  // namespace shardstats
