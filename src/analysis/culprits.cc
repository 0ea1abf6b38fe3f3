#include "shardstats/analysis/culprits.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "analysis/corrections.h"
#include "shardstats/log/missing_tables.h"

namespace shardstats {
namespace {

using namespace analysis;

constexpr std::size_t kTablesTried = 4000;             // over all corrections: each costs another inference
constexpr std::size_t kRanksOfTable = 64;              // so many take as long as a table
constexpr std::size_t kTrials = 32, kLeastTrials = 4;  // corrections tried
constexpr std::int64_t kFew = 4;                       // a correction must leave at most one finding in so many

// In the order in which they are tried.
struct Kind {
  void (*add)(const Disputed&, Corrections&);
  bool of_structure = true;
  bool explains_all = false;  // counts only if it leaves no error
};
constexpr Kind kKinds[] = {{add_repeated_rows},
                           {add_lost_rank, false, true},
                           {add_wrong_words},
                           {add_batch_size},
                           {add_table_inputs, false, true},
                           {add_rank_memory, false},
                           {add_misleading_ranks, false},
                           {add_misleading_tables, false}};

std::int64_t errors(const Report& report) { return count(report.findings).error; }

class Culprits {
 public:
  Culprits(const PrintedPlan& printed, const Plan& plan, const InferOptions& options, Report& report)
      : printed_(printed), plan_(plan), options_(options), report_(report) {
    options_.first_look = nullptr;  // what is corrected is another plan, which may have fewer ranks
  }

  // See find_culprits().
  FoundCulprits find(bool structure_only) {
    if (errors(report_) < 2 || report_.findings.size() * rows() > kMostPairs) return {};
    if (blame_missing_ranks()) return {true, std::nullopt};
    if (!structure_only && blame_unreadable_cell()) return {};
    const std::size_t tables =
        std::max<std::size_t>(printed_.tables.rows.size() + printed_.ranks.rows.size() / kRanksOfTable, 1);
    trials_ = std::clamp(kTablesTried / (tables * sharders()), kLeastTrials, kTrials);
    const Disputed disputed{printed_, plan_, options_, report_};
    for (const Kind& kind : kKinds) {
      if (structure_only && !kind.of_structure) continue;
      Corrections corrections;
      kind.add(disputed, corrections);
      if (auto found = blame_one(corrections.all(), structure_only, structure_only || kind.explains_all))
        return *std::move(found);
    }
    return {};
  }

 private:
  // Each has codecs of its own, which an inference tries with those of the others.
  std::size_t sharders() const {
    std::set<std::string_view> names;
    for (const PrintedTable& row : printed_.tables.rows) names.insert(row.sharder.text);
    return std::max<std::size_t>(names.size(), 1);
  }

  std::size_t rows() const { return printed_.ranks.rows.size() + printed_.tables.rows.size(); }
  using Key = std::tuple<std::string_view, std::uint32_t, std::uint32_t>;
  static Key key_of(const Finding& finding) {
    return Key(finding.rule->id, finding.where.place.line, finding.where.place.column);
  }
  // Puts them in front.
  static void lead(Finding& finding, const std::vector<Suspect>& culprits) {
    for (const Suspect& culprit : culprits)
      std::erase_if(finding.suspects, [&](const Suspect& s) { return s.cell.place == culprit.cell.place; });
    if (!finding.suspects.empty()) finding.suspects.front().as_likely = false;
    finding.suspects.insert(finding.suspects.begin(), culprits.begin(), culprits.end());
  }

  // So that nobody has to read them all.
  void remark(const std::vector<Suspect>& culprits, std::int64_t led, std::int64_t of) {
    constexpr std::int64_t kSeveral = 3;
    if (led < kSeveral) return;
    const std::string which =
        culprits.size() == 1 ? "One cause" : "One of " + std::to_string(culprits.size()) + " causes";
    report_.remarks.push_back(which + " explains " + std::to_string(led) + " of " + std::to_string(of) +
                              " errors: " + words_of_likeliest(culprits) + ".");
  }

  // Without all rank rows nothing else can be right, and no correction can be made up.
  bool blame_missing_ranks() {
    const Diagnostic* const missing = ranks_without_places(printed_);
    if (missing == nullptr) return false;
    for (Finding& finding : report_.findings)
      if (finding.severity == Severity::error) lead(finding, {{missing->where, "rows of ranks are missing here"}});
    return true;
  }

  // The table or rank of a cell that cannot be read is missing in every sum.
  bool blame_unreadable_cell() {
    const auto unreadable = [](const Finding& f) { return f.rule->id == "log.malformed_cell"; };
    const auto found = std::ranges::find_if(report_.findings, unreadable);
    if (std::ranges::count_if(report_.findings, unreadable) != 1) return false;
    const Cell where = found->where;
    for (Finding& finding : report_.findings)
      if (finding.severity == Severity::error)
        lead(finding, {{where, "this cell cannot be read, and others rest on it"}});
    return true;
  }

  struct Trial {
    const Correction* correction = nullptr;
    std::int64_t errors = 0;  // that the correction leaves
    std::set<Key> findings;   // likewise
  };

  // The corrections that explain most, as likely as each other, in the order in which they were tried.
  struct Best {
    std::vector<Trial> trials;
    std::int64_t errors = 0;  // that they leave, or may leave at most

    bool explains_all() const { return !trials.empty() && errors == 0; }
    // More cells speak against it than against the best.
    bool is_likelier_than(const Correction& other) const {
      return !trials.empty() && trials.front().correction->against < other.against;
    }
    bool has_cell_of(const Correction& other) const {
      const auto is_same = [&](const Trial& t) { return t.correction->culprit.place == other.culprit.place; };
      return std::ranges::any_of(trials, is_same);
    }
    void take(Trial trial) {
      if (trial.errors > errors || (trial.errors == errors && is_likelier_than(*trial.correction))) return;
      if (trial.errors < errors) trials.clear();
      errors = trial.errors;
      trials.push_back(std::move(trial));
    }
  };

  // Tries one after the other, also those that are as likely as one that leaves no error. None if even the best ones
  // leave too many.
  std::optional<FoundCulprits> blame_one(std::vector<Correction>& corrections, bool structure_only, bool all) {
    // One that the ranks' cells speak against can explain all the same while the inference is still uniform.
    if (structure_only && !corrections.empty()) {
      const int least = std::ranges::min_element(corrections, {}, &Correction::against)->against;
      std::erase_if(corrections, [least](const Correction& c) { return c.against > least; });
    }
    Best best{{}, all ? 0 : errors(report_) / kFew};
    const std::size_t for_other_kinds = trials_ / 2;
    for (const Correction& correction : corrections) {
      if (trials_ == for_other_kinds || (best.explains_all() && best.is_likelier_than(correction))) break;
      if (best.explains_all() && best.has_cell_of(correction)) continue;
      --trials_;
      best.take(with(correction));
    }
    if (best.trials.empty()) return std::nullopt;
    lead_with(best.trials);
    FoundCulprits found{best.explains_all(), std::nullopt};
    if (found.explain_all && best.trials.size() == 1) found.corrected = corrected_by(*best.trials.front().correction);
    return found;
  }

  // Of the trials that `counts` picks, each as likely as the first.
  template <class Counts>
  static std::vector<Suspect> suspects_of(const std::vector<Trial>& trials, Counts counts) {
    std::vector<Suspect> suspects;
    for (const Trial& trial : trials)
      if (counts(trial)) suspects.push_back({trial.correction->culprit, trial.correction->reason, !suspects.empty()});
    return suspects;
  }

  // The best corrections lead wherever they remove a finding.
  void lead_with(const std::vector<Trial>& best) {
    std::int64_t led = 0;
    const std::int64_t all = errors(report_);
    for (Finding& finding : report_.findings) {
      if (finding.severity != Severity::error) continue;
      const auto removes = [key = key_of(finding)](const Trial& trial) { return !trial.findings.contains(key); };
      const std::vector<Suspect> culprits = suspects_of(best, removes);
      if (!culprits.empty()) ++led;
      lead(finding, culprits);
    }
    remark(suspects_of(best, [](const Trial&) { return true; }), led, all);
  }

  PrintedPlan corrected_by(const Correction& correction) const {
    PrintedPlan corrected = printed_;
    std::erase_if(corrected.diagnostics,
                  [&](const Diagnostic& d) { return d.where.place.line == correction.culprit.place.line; });
    correction.apply(corrected);
    return corrected;
  }

  Trial with(const Correction& correction) {
    const PrintedPlan corrected = corrected_by(correction);
    InferOptions options = options_;
    // What only all explanations deny, they have to agree with.
    if (tried_ && !options.alternatives) options.effort = std::min(options.effort, Effort::likely);
    tried_ = true;
    const Plan plan = infer(corrected, options);
    const Report fixed = verify(corrected, plan);
    Trial trial{&correction, errors(fixed), {}};
    for (const Finding& finding : fixed.findings) trial.findings.insert(key_of(finding));
    return trial;
  }

  const PrintedPlan& printed_;
  const Plan& plan_;
  InferOptions options_;
  Report& report_;
  std::size_t trials_ = 0;
  bool tried_ = false;
};

}  // namespace

bool may_have_wrong_structure(const PrintedPlan& printed, const Plan& plan, const InferOptions& options) {
  return ranks_without_places(printed) != nullptr || may_have_wrong_rows(printed) ||
         may_have_wrong_batch_size(printed, plan, options);
}

FoundCulprits find_culprits(const PrintedPlan& printed, const Plan& plan, const InferOptions& options, Report& report,
                            bool structure_only) {
  return Culprits(printed, plan, options, report).find(structure_only);
}

}  // namespace shardstats
