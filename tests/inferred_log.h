// A log of testdata with what is inferred from it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "corpus.h"
#include "shardstats/infer/plan.h"
#include "shardstats/input/blocks.h"

namespace shardstats::test {

struct InferredLog {
  // `name`: below testdata.
  explicit InferredLog(std::string_view name) : text(file_text(source_folder() / "testdata" / name)) {}
  InferredLog(const InferredLog&) = delete;
  InferredLog& operator=(const InferredLog&) = delete;

  // By the last part of its name; throws if there is none.
  const PlanTable& table(std::string_view name) const {
    const auto has_name = [&](const PlanTable& t) { return is_named(printed.tables.rows[t.row].fqn.text, name); };
    return plan.tables.at(static_cast<std::size_t>(std::ranges::find_if(plan.tables, has_name) - plan.tables.begin()));
  }

  std::string text;
  PrintedPlan printed = parse(find_blocks(text).front());
  Plan plan = infer(printed);
};

}  // namespace shardstats::test
