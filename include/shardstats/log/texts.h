// Texts made by us that cells of a PrintedPlan can refer to: they stay where they are.
// Tested by tests/infer/what_if_test.cc.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>

namespace shardstats {

class Texts {
 public:
  std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }

 private:
  std::deque<std::string> kept_;
};

}  // namespace shardstats
