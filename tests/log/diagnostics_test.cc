#include "shardstats/log/diagnostics.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <utility>

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

}  // namespace
}  // namespace shardstats
