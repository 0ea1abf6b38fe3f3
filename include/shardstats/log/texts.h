// What the cells of a PrintedPlan that is not parsed refer to. It has to live as long as the plan.
// Tested by tests/infer/what_if_test.cc.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace shardstats {

class Texts {
 public:
  std::string_view add(std::string text) {
    const std::string& kept = all_.emplace_back(std::move(text));
    starts_.insert(kept.data());
    return kept;
  }
  bool has(std::string_view text) const { return starts_.contains(text.data()); }

 private:
  std::deque<std::string> all_;
  std::unordered_set<const char*> starts_;
};

}  // namespace shardstats
