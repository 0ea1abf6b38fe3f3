#include "report/summary_words.h"

#include <algorithm>

#include "report/words.h"
#include "shardstats/numbers/printed.h"
#include "shardstats/report/units.h"

namespace shardstats::summary_words {
namespace {

constexpr std::size_t kMostRanks = 4;  // named one by one; more are counted
constexpr std::size_t kMostGroups = 4;

// "rank 28", "ranks 28 and 43", "96 ranks"
std::string ranks_text(const std::vector<int>& ranks) {
  if (ranks.size() > kMostRanks) return plural(ranks.size(), "rank");
  std::vector<std::string> words;
  for (const int rank : ranks) words.push_back(std::to_string(rank));
  return (ranks.size() == 1 ? "rank " : "ranks ") + listed(words, "and");
}

// " (lines 34, 2104)": where the numbers of a sentence are printed.
std::string lines_text(std::initializer_list<const Cell*> cells) {
  std::vector<std::uint32_t> lines;
  for (const Cell* cell : cells)
    if (*cell) lines.push_back(cell->place.line);
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  if (lines.empty()) return "";
  std::vector<std::string> words;
  for (const std::uint32_t line : lines) words.push_back(std::to_string(line));
  return (lines.size() == 1 ? " (line " : " (lines ") + listed(words, "") + ")";
}

// "rank 28 takes 100.0 GiB"
std::string take_text(const std::vector<int>& ranks, const std::string& what) {
  return ranks_text(ranks) + (ranks.size() == 1 ? " takes " : " take ") + what;
}

}  // namespace

std::string percent_text(RealInterval percent) {
  return from_to(format(percent.low, Format::f1), format(percent.high, Format::f1)) + "%";
}

std::string share_text(double part, double whole) { return percent_text(exactly(part / whole * 100)); }

std::string_view fit_word(Fit fit) {
  return fit == Fit::unknown ? std::string_view{} : fit == Fit::too_large ? "too large" : name(fit);
}

std::string fit_text(const MemorySummary& memory) {
  if (memory.largest.high <= 0) return "The planner counts no HBM on these devices.";
  std::string text = memory.complete ? "" : "of the rows of ranks that are not lost, ";
  text += take_text(memory.fullest, human_bytes(memory.largest));
  if (memory.planning) {
    text +=
        " of " + human_bytes(*memory.planning) + " planning HBM, " + percent_text(memory.share * exactly(100.0)) + "; ";
    text += memory.headroom.high < 0 ? human_bytes(RealInterval{} - memory.headroom) + " too much"
                                     : human_bytes(memory.headroom) + " left";
  } else if (memory.share_cell) {
    text += ", " + std::string(memory.share_cell.text) + "% of " +
            (memory.share_of_all ? "all memory there" : "what the planner may fill there");
  }
  if (memory.smaller)
    text += "; rank " + std::to_string(*memory.smaller) + " takes " + std::string(memory.smaller_cell.text) +
            "% of a smaller device";
  return text + lines_text({&memory.peak_cell, &memory.planning_cell, &memory.smaller_cell});
}

std::string no_memory_text(const Summary& summary) {
  return summary.empty_plan ? "The planner found no plan: there are no ranks."
                            : "The rank table is missing or damaged.";
}

std::string best_change_text(const MemorySummary& memory) {
  if (memory.changes.empty() && memory.parts.empty()) return {};
  if (memory.changes.empty())
    return "Largest item: " + std::string(memory.parts.front().label) + ", " + human_bytes(memory.parts.front().bytes);
  const ChangeEffect& best = memory.changes.front();
  return "Would help most: " + best.assignment + ": the fullest rank falls by " + human_bytes(best.fall) + " to " +
         human_bytes(best.largest) + " (storage recomputed; perf and placement as they are)";
}

std::string other_changes_text(const MemorySummary& memory) {
  std::vector<std::string> others;
  for (std::size_t i = 1; i < memory.changes.size(); ++i)
    others.push_back(memory.changes[i].assignment + " by " + human_bytes(memory.changes[i].fall));
  return others.empty() ? "" : "Would help less: " + listed(others, "");
}

std::string spread_text(const Summary& summary, std::string_view picture) {
  const MemorySummary& m = summary.memory;
  std::string text = std::string(name(summary.memory_balance)) + " over ranks: " + human_bytes(m.smallest);
  text += picture.empty() ? " to " : " [" + std::string(picture) + "] ";
  return text + human_bytes(m.largest) + ", mean " + human_bytes(m.mean) + ", largest " +
         percent_text(summary.memory_above_mean) + " above it";
}

std::string no_perf_text(const PerfSummary& perf) {
  return perf.in_ms ? "The log prints no perf that ranks could be compared by."
                    : "TorchRec v0.1.0 does not print perf in ms.";
}

std::string pace_text(const PerfSummary& perf) {
  const std::string_view of = perf.complete ? "" : "of the rows of ranks that are not lost, ";
  return std::string(of) + take_text(perf.slowest, human_ms(perf.largest)) + ", " +
         percent_text(perf.percent_above_mean) + " above the mean of " + human_ms(perf.mean) + lines_text({&perf.cell});
}

std::string bound_text(const PerfSummary& perf) {
  if (!perf.parts_known || perf.comms.high + perf.compute.high <= 0) return {};
  const double share = middle(perf.comms) / (middle(perf.comms) + middle(perf.compute));
  constexpr std::string_view kNames[] = {"forward compute", "forward comms", "backward compute", "backward comms",
                                         "prefetch compute"};
  std::size_t slowest = 0;
  for (std::size_t i = 1; i < perf.parts.size(); ++i)
    if (middle(perf.parts[i]) > middle(perf.parts[slowest])) slowest = i;
  return std::string(share >= 0.5 ? "comms-bound" : "compute-bound") + ": rank " + std::to_string(perf.rank) +
         " spends " + human_ms(perf.comms) + " in comms and " + human_ms(perf.compute) + " in compute, most of it in " +
         std::string(kNames[slowest]) + " (" + human_ms(perf.parts[slowest]) + ")";
}

std::string critical_text(const PerfSummary& perf) {
  if (!perf.critical) return {};
  return "critical path " + std::string(perf.critical.text) + " ms: comms " + std::string(perf.critical_comms.text) +
         " ms, compute " + std::string(perf.critical_compute.text) + " ms" +
         lines_text({&perf.critical_comms, &perf.critical_compute, &perf.critical});
}

std::string groups_text(const std::vector<TableGroup>& groups) {
  std::vector<std::string> words;
  for (const TableGroup& group : shown(groups, kMostGroups)) {
    std::string text = std::string(group.name) + " " + plural(group.tables, "table");
    if (group.hbm && group.hbm->high > 0) text += " " + human_bytes(*group.hbm);
    if (group.ddr && group.ddr->low > 0) text += " and " + human_bytes(*group.ddr) + " DDR";
    words.push_back(std::move(text));
  }
  if (groups.size() > kMostGroups) words.push_back(std::to_string(groups.size() - kMostGroups) + " more");
  return listed(words, "");
}

}  // namespace shardstats::summary_words
