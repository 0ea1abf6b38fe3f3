#include "shardstats/report/summary_text.h"

#include <algorithm>

#include "report/bars.h"
#include "report/summary_words.h"
#include "report/width.h"
#include "report/words.h"
#include "shardstats/report/text.h"
#include "shardstats/report/units.h"

namespace shardstats {
namespace {

using namespace summary_words;

constexpr int kBarWidth = 20;

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
    if (!m.known) return line(no_memory_text(summary_));
    line(judged(fit_word(m.fit), color_of(m.fit), fit_text(m)));
    write_notes(true);
    if (quiet) return;
    if (!m.counts_reservation) line(std::string(kEmbeddingsOnly));
    write_parts();
    write_tables("Largest tables on rank " + std::to_string(m.peak), m.tables, m.tables_on_peak, human_bytes,
                 m.largest);
    write_sentence(best_change_text(m));
    write_sentence(other_changes_text(m));
    line(spread_text(summary_, m.histogram.size() > 1 ? histogram(m.histogram, style_) : ""));
  }

  void write_perf(bool quiet) {
    heading("Speed");
    const PerfSummary& p = summary_.perf;
    if (!p.known) return line(no_perf_text(p));
    line(judged(name(p.balance), p.balance == Balance::uneven ? kBad : kGood, pace_text(p)));
    write_sentence(bound_text(p));
    if (quiet) return;
    write_sentence(critical_text(p));
    write_tables("Slowest tables on rank " + std::to_string(p.rank), p.tables, p.tables.size(), human_ms, p.largest);
  }

  void write_shape() {
    if (summary_.shape.shardings.empty()) return;
    heading("Plan");
    if (!summary_.shape.complete) line(std::string(kTablesLost));
    line("types: " + groups_text(summary_.shape.shardings));
    line("kernels: " + groups_text(summary_.shape.kernels));
    write_tables("Largest tables, all shards", summary_.shape.largest, summary_.shape.largest.size(), human_bytes, {});
    write_notes(false);
  }

 private:
  // Ranks that run out of host memory are part of the answer.
  void write_notes(bool of_memory) {
    for (const Oddity& oddity : summary_.oddities)
      if ((oddity.id == kFullDdr) == of_memory) line("note: " + oddity.message);
  }
  void heading(std::string_view words) { out_ += painted(words, kBold, style_) + "\n"; }
  void line(const std::string& text) { out_ += wrapped("  " + text, style_.width, 4) + "\n"; }
  void write_sentence(const std::string& text) {
    if (!text.empty()) line(text);
  }
  // "roomy: ranks 28 and 43 take ..."
  std::string judged(std::string_view word, std::string_view color, const std::string& text) const {
    return word.empty() ? text : painted(word, color, style_) + ": " + text;
  }

  void write_parts() {
    const MemorySummary& m = summary_.memory;
    if (m.parts.empty()) return;
    std::size_t labels = 0, values = 0;
    for (const MemoryPart& part : m.parts) {
      labels = std::max(labels, part.label.size());
      values = std::max(values, human_bytes(part.bytes).size());
    }
    constexpr int kIndent = 4, kGap = 2, kPercent = 8, kLeastBar = 4;
    const int taken = kIndent + static_cast<int>(labels) + kGap + kPercent + kGap + static_cast<int>(values);
    const int width = std::clamp(style_.width - taken, kLeastBar, kBarWidth);
    line("What fills rank " + std::to_string(m.peak) + ":");
    for (const MemoryPart& part : m.parts) {
      const double part_bytes = middle(part.bytes), whole = middle(m.largest);
      out_ += std::string(kIndent, ' ') + std::string(part.label) +
              std::string(labels - part.label.size() + kGap, ' ') + bar(part_bytes / whole, width, style_) +
              right_aligned(share_text(part_bytes, whole), kPercent) + std::string(kGap, ' ') +
              human_bytes(part.bytes) + "\n";
    }
  }

  // FQN, type, kernel and value of each; a name that is too long keeps its end.
  void write_tables(const std::string& title, const std::vector<TableShare>& tables, std::size_t count,
                    std::string (*text)(RealInterval), RealInterval whole) {
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
      widest = std::max(widest, columns_of(table.printed->fqn.text));
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
              right_aligned(text(table.value), values);
      if (whole.high > 0) out_ += right_aligned(share_text(middle(table.value), middle(whole)), kPercent);
      out_ += tails[i] + "\n";
    }
  }

  static std::string fitted(std::string_view name, std::size_t width) {
    return padded(with_its_end(std::string(name), width, "..."), width);
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
    write_block_head(path, block, style, out);
  writer.write_memory(quiet);
  writer.write_perf(quiet);
  if (quiet) return;
  writer.write_shape();
  write_assumed(path, block, 0, style, out);
}

}  // namespace shardstats
