// Adds up what a scan finds. Tested by tests/cli/survey_test.cc.
#pragma once

#include "cli/writer.h"
#include "shardstats/report/survey.h"

namespace shardstats::cli {

void add_block(const BlockResult& block, LogSurvey& log, Survey& all);
// `failed`: it could not be read, or has no block though it was named.
void add_log(const LogSurvey& log, bool failed, Survey& all);

}  // namespace shardstats::cli
