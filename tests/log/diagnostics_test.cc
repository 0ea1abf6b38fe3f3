#include "shardstats/log/diagnostics.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <utility>

#include "shardstats/log/printed.h"

namespace shardstats {
namespace {

// Who reads a report has nothing else to tell them apart by. One sentence may be an error in a known release and a
// warning in one that may be newer.
TEST(Diagnostics, NoTwoKindsShareSentenceAndSeverity) {
  std::set<std::pair<std::string_view, Severity>> said;
  for (const DiagnosticForm& form : diagnostic_forms()) {
    EXPECT_TRUE(form.rule.starts_with("log.")) << form.message;
    EXPECT_FALSE(form.message.empty() || form.message.ends_with('.')) << form.message;
    EXPECT_TRUE(said.emplace(form.message, form.severity).second) << form.message;
    EXPECT_EQ(&diagnostic_form(form.kind), &form);
  }
}

TEST(Diagnostics, ARuleIsReportedByAnyOfItsKinds) {
  PrintedPlan plan;
  plan.diagnostics.push_back({diagnostic_form(DiagnosticKind::cut_headers), {}});
  EXPECT_TRUE(plan.is_rule_reported(DiagnosticKind::cut_lines));
  EXPECT_FALSE(plan.is_reported(DiagnosticKind::cut_lines));
  EXPECT_FALSE(plan.is_rule_reported(DiagnosticKind::unknown_column));
}

}  // namespace
}  // namespace shardstats
