#include "shardstats/analysis/explain_changes.h"

#include <algorithm>
#include <functional>

#include "analysis/explain_parts.h"
#include "analysis/predict.h"

namespace shardstats {
namespace {

bool same(const Amount& a, const Amount& b) { return a.nominal == b.nominal && a.bounds == b.bounds; }

const Amount& shown(const Step& step) { return step.narrowed ? *step.narrowed : step.value; }

// Dense modules of a rank take what they took, though what the rank leaves of it is known better or worse.
bool is_same_dense(const Step& log, const Step& changed) {
  return changed.formula.empty() && changed.label.starts_with(explain_detail::kDense) &&
         shown(log).bounds.overlaps(shown(changed).bounds);
}

// The cell of a changed plan stands in no log, unless the log has the same. One that is still to be computed says
// nothing.
void place(const Cell* log, Cell& changed) {
  if (changed.text == analysis::kUnknownText)
    changed = {};
  else if (log != nullptr && log->text == changed.text)
    changed = *log;
  else
    changed.place = {};
}

class Marks {
 public:
  explicit Marks(const Explained& log) { collect(log.steps); }

  // Printed cells of one text stand for each other, then steps of one label in their order, then those of one formula,
  // then the last ones left.
  void mark(const std::vector<Step>& log, std::vector<Step>& changed) {
    std::vector<const Step*> before(changed.size());
    std::vector<bool> taken(log.size());
    const auto match = [&](const std::function<bool(const Step&, const Step&)>& alike) {
      for (std::size_t c = 0; c < changed.size(); ++c)
        for (std::size_t i = 0; i < log.size() && before[c] == nullptr; ++i)
          if (!taken[i] && alike(log[i], changed[c])) {
            before[c] = &log[i];
            taken[i] = true;
          }
    };
    match([](const Step& a, const Step& b) {
      return a.label == b.label && a.printed && b.printed && a.printed->text == b.printed->text;
    });
    match([](const Step& a, const Step& b) { return a.label == b.label; });
    match(
        [](const Step& a, const Step& b) { return a.formula == b.formula && !a.formula.empty() && !a.sum && !b.sum; });
    if (log.size() == 1 && changed.size() == 1) match([](const Step&, const Step&) { return true; });
    for (std::size_t c = 0; c < changed.size(); ++c) mark(before[c], changed[c]);
  }

 private:
  void collect(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      for (const Operand& operand : step.operands)
        if (operand.origin == Origin::log) of_log_.push_back(&operand);
      collect(step.children);
    }
  }

  // `log`: the step that it stands for, if there is one.
  void mark(const Step* log, Step& changed) {
    if (log != nullptr && !same(shown(*log), shown(changed)) && !is_same_dense(*log, changed))
      changed.was = shown(*log);
    if (changed.printed) place(log != nullptr && log->printed ? &*log->printed : nullptr, *changed.printed);
    if (changed.printed && !*changed.printed) changed.printed.reset();
    for (Operand& operand : changed.operands) {
      const Operand* const before = find(log, operand);
      if (before != nullptr && !same(before->value, operand.value)) operand.was = before->value;
      place(before != nullptr ? &before->printed : nullptr, operand.printed);
    }
    static const std::vector<Step> kNone;
    mark(log != nullptr ? log->children : kNone, changed.children);
  }

  // That of the same step, or what the log says once for all of them.
  const Operand* find(const Step* log, const Operand& operand) const {
    const auto is_it = [&](const Operand& o) { return o.symbol == operand.symbol && o.label == operand.label; };
    if (log != nullptr)
      if (const auto found = std::ranges::find_if(log->operands, is_it); found != log->operands.end()) return &*found;
    const auto once = std::ranges::find_if(of_log_, [&](const Operand* o) { return is_it(*o); });
    return once != of_log_.end() ? *once : nullptr;
  }

  std::vector<const Operand*> of_log_;
};

}  // namespace

void mark_changes(const std::vector<Explained>& log, std::vector<Explained>& changed) {
  static const Explained kNothing;
  for (Explained& one : changed) {
    const auto before = std::ranges::find(log, one.target, &Explained::target);
    const Explained& same_target = before != log.end() ? *before : kNothing;
    Marks(same_target).mark(same_target.steps, one.steps);
  }
}

}  // namespace shardstats
