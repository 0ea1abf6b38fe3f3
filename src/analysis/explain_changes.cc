#include "shardstats/analysis/explain_changes.h"

#include <algorithm>

namespace shardstats {
namespace {

bool same(const Amount& a, const Amount& b) { return a.nominal == b.nominal && a.bounds == b.bounds; }

const Amount& shown(const Step& step) { return step.narrowed ? *step.narrowed : step.value; }

void mark(const std::vector<Step>& log, std::vector<Step>& changed);

void mark(const Step& log, Step& changed) {
  if (!same(shown(log), shown(changed))) changed.was = shown(log);
  for (Operand& operand : changed.operands) {
    const auto before = std::ranges::find_if(
        log.operands, [&](const Operand& o) { return o.symbol == operand.symbol && o.label == operand.label; });
    if (before != log.operands.end() && !same(before->value, operand.value)) operand.was = before->value;
  }
  mark(log.children, changed.children);
}

// The n-th step of a label stands for the n-th of that label.
void mark(const std::vector<Step>& log, std::vector<Step>& changed) {
  std::vector<bool> taken(log.size());
  for (Step& step : changed)
    for (std::size_t i = 0; i < log.size(); ++i) {
      if (taken[i] || log[i].label != step.label) continue;
      taken[i] = true;
      mark(log[i], step);
      break;
    }
}

}  // namespace

void mark_changes(const std::vector<Explained>& log, std::vector<Explained>& changed) {
  for (Explained& one : changed) {
    const auto before = std::ranges::find(log, one.target, &Explained::target);
    if (before != log.end()) mark(before->steps, one.steps);
  }
}

}  // namespace shardstats
