#include "shardstats/report/summary_text.h"

#include <algorithm>

#include "report/bars.h"
#include "report/clean.h"
#include "report/words.h"
#include "shardstats/numbers/printed.h"
#include "shardstats/report/text.h"
#include "shardstats/report/units.h"
#include "shardstats/utf8.h"

namespace shardstats {
namespace {

constexpr std::size_t kMostRanks = 4;  // named one by one; more are counted
constexpr std::size_t kMostGroups = 4;
constexpr int kBarWidth = 20;

std::string bytes_text(RealInterval bytes) { return human_bytes(ByteInterval{capped(bytes.low), capped(bytes.high)}); }

std::string percent_text(RealInterval percent) {
  const std::string low = format(percent.low, Format::f1), high = format(percent.high, Format::f1);
  return (low == high ? low : low + ".." + high) + "%";
}

// "rank 28", "ranks 28 and 43", "96 ranks"
std::string ranks_text(const std::vector<int>& ranks) {
  if (ranks.size() > kMostRanks) return plural(static_cast<std::int64_t>(ranks.size()), "rank");
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

std::string_view color_of(Fit fit) {
  return fit == Fit::too_large ? kBad : fit == Fit::tight ? color_of(Severity::warning) : kGood;
}

class SummaryWriter {
 public:
  SummaryWriter(const Summary& summary, const TextStyle& style, std::string& out)
      : summary_(summary), style_(style), out_(out) {}

  void write_memory(bool quiet) {
    heading("Memory");
    const MemorySummary& m = summary_.memory;
    if (!m.known)
      return line(summary_.empty_plan ? "The planner found no plan: there are no ranks."
                                      : "The rank table is missing or damaged.");
    if (m.largest.high <= 0) return line("The planner counts no HBM on these devices.");
    if (!m.complete) line("Rows of the rank table are missing: this is of those that are there only.");
    write_fit();
    if (quiet) return;
    if (!m.counts_reservation) line("This release counts embeddings only: dense modules and KJT come on top.");
    write_parts();
    write_tables(
        "Largest tables on rank " + std::to_string(m.peak), m.tables, m.tables_on_peak,
        [](RealInterval value) { return bytes_text(value); }, m.largest);
    write_changes();
    write_histogram();
  }

  void write_perf(bool quiet) {
    heading("Speed");
    const PerfSummary& p = summary_.perf;
    if (!p.known) return line("The log prints no perf that ranks could be compared by.");
    line(painted(name(p.balance), p.balance == Balance::uneven ? kBad : kGood, style_) + ": " + ranks_text(p.slowest) +
         (p.slowest.size() == 1 ? " takes " : " take ") + human_ms(p.largest) + ", " +
         percent_text(p.percent_above_mean) + " above the mean of " + human_ms(p.mean) + lines_text({&p.cell}));
    write_bound();
    if (quiet) return;
    if (p.critical)
      line("critical path " + std::string(p.critical.text) + " ms: comms " + std::string(p.critical_comms.text) +
           " ms, compute " + std::string(p.critical_compute.text) + " ms" +
           lines_text({&p.critical_comms, &p.critical_compute, &p.critical}));
    write_tables("Slowest tables on rank " + std::to_string(p.rank), p.tables, p.tables.size(), human_ms, p.largest);
  }

  void write_shape() {
    if (summary_.shape.shardings.empty()) return;
    heading("Plan");
    write_groups("types", summary_.shape.shardings);
    write_groups("kernels", summary_.shape.kernels);
    write_tables("Largest tables, all shards", summary_.shape.largest, summary_.shape.largest.size(),
                 [](RealInterval value) { return bytes_text(value); }, {});
    for (const Oddity& oddity : summary_.oddities) line("note: " + oddity.message);
  }

 private:
  void heading(std::string_view words) { out_ += painted(words, style_.color ? "\033[1m" : "", style_) + "\n"; }
  void line(const std::string& text) { out_ += wrapped("  " + text, style_.width, 4) + "\n"; }

  void write_fit() {
    const MemorySummary& m = summary_.memory;
    std::string text = ranks_text(m.fullest) + (m.fullest.size() == 1 ? " takes " : " take ") + bytes_text(m.largest);
    if (m.planning) {
      text += " of " + bytes_text(*m.planning) + " planning HBM, " + percent_text(m.share * exactly(100.0)) + "; ";
      text += m.headroom.high < 0 ? bytes_text(RealInterval{} - m.headroom) + " too much"
                                  : bytes_text(m.headroom) + " left";
    } else if (m.share_cell) {
      text += ", " + std::string(m.share_cell.text) + "% of what the planner may fill there";
    }
    if (m.fit != Fit::unknown)
      text = painted(m.fit == Fit::too_large ? "too large" : name(m.fit), color_of(m.fit), style_) + ": " + text;
    line(text + lines_text({&m.peak_cell, &m.planning_cell}));
  }

  void write_parts() {
    const MemorySummary& m = summary_.memory;
    if (m.parts.empty()) return;
    std::size_t labels = 0, values = 0;
    for (const MemoryPart& part : m.parts) {
      labels = std::max(labels, part.label.size());
      values = std::max(values, bytes_text(part.bytes).size());
    }
    constexpr int kIndent = 4, kGap = 2, kPercent = 8, kLeastBar = 4;
    const int taken = kIndent + static_cast<int>(labels) + kGap + kPercent + kGap + static_cast<int>(values);
    const int width = std::clamp(style_.width - taken, kLeastBar, kBarWidth);
    line("What fills rank " + std::to_string(m.peak) + ":");
    for (const MemoryPart& part : m.parts) {
      const double share = middle(part.bytes) / middle(m.largest);
      out_ += std::string(kIndent, ' ') + std::string(part.label) +
              std::string(labels - part.label.size() + kGap, ' ') + bar(share, width, style_) +
              right(percent_text(exactly(share * 100)), kPercent) + std::string(kGap, ' ') + bytes_text(part.bytes) +
              "\n";
    }
  }

  static std::string right(std::string text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), ' ') + text;
  }

  // FQN, type, kernel and value of each; a name that is too long keeps its end.
  template <class Text>
  void write_tables(const std::string& title, const std::vector<TableShare>& tables, std::size_t count, Text text,
                    RealInterval whole) {
    if (tables.empty()) return;
    std::string head = title;
    if (tables.size() < count)
      head += ", " + with_commas(static_cast<std::int64_t>(tables.size())) + " of " +
              with_commas(static_cast<std::int64_t>(count));
    line(head + ":");
    std::vector<std::string> tails;
    std::size_t widest = 0, values = 0, tail = 0;
    for (const TableShare& table : tables) {
      values = std::max(values, text(table.value).size());
      widest = std::max(widest, characters(table.printed->fqn.text));
      tails.push_back("  " + std::string(table.printed->sharding.text) + " " + std::string(table.printed->kernel.text));
      tail = std::max(tail, tails.back().size());
    }
    constexpr std::size_t kIndent = 4, kGap = 2, kPercent = 8, kLeastName = 12;
    const std::size_t taken = kIndent + kGap + values + (whole.high > 0 ? kPercent : 0) + tail;
    const auto width = static_cast<std::size_t>(style_.width);
    widest = std::min(widest, std::max(width > taken ? width - taken : 0, kLeastName));
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const TableShare& table = tables[i];
      out_ += std::string(kIndent, ' ') + fitted(table.printed->fqn.text, widest) + std::string(kGap, ' ') +
              right(text(table.value), values);
      if (whole.high > 0) out_ += right(percent_text(exactly(middle(table.value) / middle(whole) * 100)), kPercent);
      out_ += tails[i] + "\n";
    }
  }

  std::string fitted(std::string_view name, std::size_t width) const {
    const std::size_t length = characters(name);
    if (length <= width) return std::string(name) + std::string(width - length, ' ');
    for (std::size_t left = length; left > width - 3; --left) name.remove_prefix(character_at(name));
    return "..." + std::string(name);
  }

  void write_changes() {
    const MemorySummary& m = summary_.memory;
    if (m.changes.empty()) {
      if (!m.parts.empty())
        line("Largest item: " + std::string(m.parts.front().label) + ", " + bytes_text(m.parts.front().bytes));
      return;
    }
    const ChangeEffect& best = m.changes.front();
    line("Would help most: " + best.assignment + ": the fullest rank falls by " + bytes_text(best.fall) + " to " +
         bytes_text(best.largest) + " (storage recomputed; perf and placement as they are)");
    std::vector<std::string> others;
    for (std::size_t i = 1; i < m.changes.size(); ++i)
      others.push_back(m.changes[i].assignment + " by " + bytes_text(m.changes[i].fall));
    if (!others.empty()) line("less: " + listed(others, ""));
  }

  void write_histogram() {
    const MemorySummary& m = summary_.memory;
    std::string text = std::string(name(summary_.memory_balance)) + " over ranks: " + bytes_text(m.smallest);
    text += m.histogram.size() > 1 ? " [" + histogram(m.histogram, style_) + "] " : " to ";
    line(text + bytes_text(m.largest) + ", mean " + bytes_text(m.mean) + ", largest " +
         percent_text(summary_.memory_above_mean) + " above it");
  }

  void write_bound() {
    const PerfSummary& p = summary_.perf;
    if (!p.parts_known || p.comms.high + p.compute.high <= 0) return;
    const double share = middle(p.comms) / (middle(p.comms) + middle(p.compute));
    constexpr std::string_view kNames[] = {"forward compute", "forward comms", "backward compute", "backward comms",
                                           "prefetch compute"};
    std::size_t slowest = 0;
    for (std::size_t i = 1; i < p.parts.size(); ++i)
      if (middle(p.parts[i]) > middle(p.parts[slowest])) slowest = i;
    line(std::string(share >= 0.5 ? "comms-bound" : "compute-bound") + ": rank " + std::to_string(p.rank) + " spends " +
         human_ms(p.comms) + " in comms and " + human_ms(p.compute) + " in compute, most of it in " +
         std::string(kNames[slowest]) + " (" + human_ms(p.parts[slowest]) + ")");
  }

  void write_groups(std::string_view what, const std::vector<TableGroup>& groups) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < groups.size() && i < kMostGroups; ++i) {
      const TableGroup& group = groups[i];
      std::string text = std::string(group.name) + " " + plural(group.tables, "table");
      if (group.hbm.high > 0) text += " " + bytes_text(group.hbm);
      if (group.ddr.low > 0) text += " and " + bytes_text(group.ddr) + " DDR";
      words.push_back(std::move(text));
    }
    if (groups.size() > kMostGroups) words.push_back(std::to_string(groups.size() - kMostGroups) + " more");
    if (!words.empty()) line(std::string(what) + ": " + listed(words, ""));
  }

  const Summary& summary_;
  const TextStyle& style_;
  std::string& out_;
};

}  // namespace

void write_summary(std::string_view path, const BlockView& block, const Summary& summary, bool quiet,
                   const TextStyle& style, std::string& out) {
  SummaryWriter writer(summary, style, out);
  if (quiet)
    out += std::string(path) + ": block " + std::to_string(block.index + 1) + "\n";
  else
    write_block(path, block, nullptr, style, out);
  writer.write_memory(quiet);
  writer.write_perf(quiet);
  if (!quiet) writer.write_shape();
}

}  // namespace shardstats
