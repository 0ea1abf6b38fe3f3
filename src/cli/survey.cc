#include "cli/survey.h"

#include <algorithm>

namespace shardstats::cli {
namespace {

void extend(std::optional<Span>& span, std::int64_t value) {
  if (!span) span = Span{value, value};
  span->least = std::min(span->least, value);
  span->most = std::max(span->most, value);
}

void merge(const std::vector<Release>& more, std::vector<Release>& releases) {
  for (const Release release : more) {
    const auto at = std::ranges::lower_bound(releases, release);
    if (at == releases.end() || *at != release) releases.insert(at, release);
  }
}

}  // namespace

void add_block(const BlockResult& block, LogSurvey& log, Survey& all) {
  ++log.blocks;
  if (block.view.tables > 0) extend(log.tables, block.view.tables);
  if (block.view.world_size) extend(log.ranks, *block.view.world_size);
  merge(block.view.candidates, log.releases);
  log.clean = log.clean && block.status == kClean;
  for (const Finding& finding : block.report->findings) {
    log.findings.add(finding.severity);
    ++all.rules[{finding.severity, finding.rule->id}];
    if (!log.first || finding.severity < log.first->severity)
      log.first = FirstFinding{finding.rule->id, finding.severity, finding.where.place};
  }
}

void add_log(const LogSurvey& log, bool failed, Survey& all) {
  ++(failed ? all.failed : log.blocks == 0 ? all.without_block : log.clean ? all.clean : all.with_findings);
}

}  // namespace shardstats::cli
