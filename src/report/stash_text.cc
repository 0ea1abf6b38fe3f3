#include <algorithm>
#include <numeric>
#include <utility>

#include "report/columns.h"
#include "report/width.h"
#include "report/words.h"
#include "shardstats/numbers/printed.h"
#include "shardstats/report/stash.h"
#include "shardstats/report/text.h"
#include "shardstats/report/timeline.h"
#include "shardstats/report/units.h"

namespace shardstats {
namespace {

constexpr std::string_view kColumnGap = "  ";

// As links are sold: "450.0 GB/s".
std::string rate_text(RealInterval bytes_per_ms) {
  constexpr double kPerGigabyte = 1e6;  // bytes/ms
  return from_to(format(bytes_per_ms.low / kPerGigabyte, Format::f1),
                 format(bytes_per_ms.high / kPerGigabyte, Format::f1)) +
         " GB/s";
}

// Columns as wide as their widest cell: the last one to the left, the others to the right. Where there is no room, the
// columns behind the first go.
void write_rows(Rows rows, std::size_t width, std::string& out) {
  constexpr std::size_t kLeast = 3;
  const auto taken = [](const Widths& widths) {
    return std::accumulate(widths.begin(), widths.end(), widths.size() * kColumnGap.size());
  };
  Widths widths = widths_of(rows);
  for (; rows.front().size() > kLeast && taken(widths) > width; widths = widths_of(rows))
    for (auto& row : rows) row.erase(row.begin() + 1);
  for (const auto& row : rows) {
    std::size_t used = kColumnGap.size();
    for (std::size_t c = 0; c + 1 < row.size(); used += widths[c++] + kColumnGap.size())
      out += std::string(kColumnGap) + right_aligned(row[c], widths[c]);
    const std::string last = with_its_end(row.back(), std::max(width, used + kLeast) - used, "...");
    out += (last.empty() ? "" : std::string(kColumnGap) + last) + "\n";
  }
}

std::string fits_text(const std::optional<Fits>& fits) {
  if (!fits) return "";
  return *fits == Fits::yes ? "fits" : *fits == Fits::no ? "does not fit" : "may not fit";
}

std::string choice_text(const RankStash& rank) {
  const std::string number = "Rank " + std::to_string(rank.rank) + ": ";
  if (rank.tables.empty()) return number + "nothing is stashed; peak " + human_bytes(rank.before.peak);
  std::string text = number + human_bytes(rank.bytes) + " of " + plural(rank.tables.size(), "table") + " stashed, " +
                     human_ms(rank.copy_ms) + " each way in a window of " + human_ms(exactly(rank.window)) + "; peak " +
                     human_bytes(rank.before.peak) + " before, " + human_bytes(rank.after.peak) + " after";
  if (rank.off_by > 0)
    text += "; the search was cut short, its bytes are at most " + human_bytes(exactly(rank.off_by)) + " from the best";
  else if (!rank.exact)
    text += "; the search was cut short, as many bytes in fewer tables were not ruled out";
  return text;
}

// "2 ranks fit, 1 rank does not fit"
std::string fit_words(Fits fits, bool one) {
  if (fits == Fits::undecided) return "may not fit";
  if (fits == Fits::yes) return one ? "fits" : "fit";
  return one ? "does not fit" : "do not fit";
}

// "table_7 may fit into the window: the log leaves its element size open (...)"
std::string may_fit_text(const std::vector<MayFit>& tables) {
  const MayFit& largest = tables.front();
  const std::string name(largest.name), bytes = human_bytes(largest.table.bytes) + " of weights";
  const std::string who = tables.size() == 1
                              ? name + " may fit into the window"
                              : plural(tables.size(), "more table") + " may fit into the window, such as " + name;
  if (largest.table.bytes.exact()) return who + ": the log leaves the bytes of what is stashed open";
  if (!largest.element_size) return who + ": the log leaves its bytes open (" + bytes + ")";
  return who + ": the log leaves its element size open (" + bytes + "; --assume " + name + ".dtype=TYPE says it)";
}

// Why no more is stashed.
std::string limit_text(const RankStash& rank) {
  if (rank.fits == Fits::yes) return "";
  if (rank.candidates == 0) return "none of its tables can be stashed";
  const Phase phase = rank.after.peak_phase;
  if (phase != Phase::dense_forward && phase != Phase::dense_backward)
    return "the peak is in " + spaced(name(phase)) + ", when the weights are needed: stashing more does not help";
  if (static_cast<std::int64_t>(rank.tables.size()) == rank.candidates) return "all tables that can be stashed are";
  if (rank.candidate_bytes.low == rank.bytes.low) return "its other tables may have no weights in HBM";
  return rank.may_fit.empty() ? "no further table fits into the window" : may_fit_text(rank.may_fit);
}

class StashWriter {
 public:
  StashWriter(const StashPlan& plan, std::size_t top, const TextStyle& style, std::string& out)
      : plan_(plan), top_(top), style_(style), out_(out), ranks_(by_peak(plan.ranks)) {}

  void write() {
    line(model());
    if (plan_.ranks.empty()) return;
    for (const LeftOut& group : plan_.left_out) line("Left out: " + left_out_text(group));
    line(painted(headline(), kBold, style_));
    write_fullest(*ranks_.front());
    write_ranks();
    write_hosts();
    for (const RiskFound& risk : plan_.risks) line("Risk: " + risk_text(risk));
  }

 private:
  void line(const std::string& text) { out_ += wrapped(text, style_.width, 2) + "\n"; }

  std::string model() const {
    if (!plan_.unknown.empty()) return "No stash plan: " + plan_.unknown;
    const StashOptions& options = plan_.options;
    std::string text = "Model: memory over a step as `shardstats timeline` has it; copies at " +
                       rate_text(exactly(options.bandwidth)) + " each way; ";
    if (options.window)
      text += "a window of " + human_ms(exactly(*options.window)) + " as given, which is " +
              human_bytes(*options.window * options.bandwidth) + " a rank";
    else
      text += "a window as short as output dist or gradient dist of the perf model";
    return text + "; " +
           (plan_.activations == 0 ? "no activations, which the log cannot know: give --activations SIZE"
                                   : human_bytes(exactly(plan_.activations)) + " of activations as given");
  }

  std::string headline() const {
    std::string text = plural(plan_.ranks.size(), "rank") + ": the largest peak is " + human_bytes(plan_.peak_before) +
                       " before and " + human_bytes(plan_.peak_after) + " after";
    if (!plan_.options.target) return text;
    text += "; target " + human_bytes(exactly(*plan_.options.target)) + ":";
    for (std::size_t f = 0; f < kFitsNames.size(); ++f)
      if (plan_.fits[f] > 0)
        text += (text.ends_with(':') ? " " : ", ") + plural(plan_.fits[f], "rank") + " " +
                fit_words(static_cast<Fits>(f), plan_.fits[f] == 1);
    return text;
  }

  void write_fullest(const RankStash& rank) {
    line(choice_text(rank));
    if (const std::string limit = limit_text(rank); !limit.empty()) line("  " + limit);
    if (rank.tables.empty()) return;
    const std::int64_t whole = std::max(rank.before.peak.high, rank.after.peak.high);
    write_phases("before", rank.before, whole, style_, out_);
    write_phases("after", rank.after, whole, style_, out_);
    Rows rows = {{"bytes", "stashed table"}};
    const auto tables = shown(rank.tables, top_);
    for (const StashedTable& table : tables) rows.push_back({human_bytes(table.bytes), std::string(table.fqn)});
    if (tables.size() < rank.tables.size())
      rows.push_back({"...", "and " + plural(rank.tables.size() - tables.size(), "table") + " more"});
    write_rows(std::move(rows), static_cast<std::size_t>(style_.width), out_);
  }

  void write_ranks() {
    if (ranks_.size() < 2) return;
    Rows rows = {{"rank", "tables", "stashed", "each way", "before", "after", ""}};
    for (const RankStash* rank : shown(ranks_, top_))
      rows.push_back({std::to_string(rank->rank), std::to_string(rank->tables.size()), human_bytes(rank->bytes),
                      human_ms(rank->copy_ms), human_bytes(rank->before.peak), human_bytes(rank->after.peak),
                      fits_text(rank->fits)});
    write_rows(std::move(rows), static_cast<std::size_t>(style_.width), out_);
  }

  void write_hosts() {
    if (plan_.hosts.empty()) return;
    const HostMemory& most =
        *std::ranges::max_element(plan_.hosts, {}, [](const auto& host) { return host.pinned.high; });
    if (most.pinned.high == 0) return;
    line("Pinned memory: at most " + human_bytes(most.pinned) + " on a host (host " + std::to_string(most.host) +
         ", of " + with_commas(static_cast<std::int64_t>(plan_.hosts.size())) + ")" +
         (most.free ? ", whose DDR has " + human_bytes(*most.free) + " free" : "; the log does not tell its DDR"));
  }

  const StashPlan& plan_;
  std::size_t top_;
  const TextStyle& style_;
  std::string& out_;
  std::vector<const RankStash*> ranks_;
};

}  // namespace

std::string left_out_text(const LeftOut& group) {
  const std::string tables = plural(group.tables, "table");
  switch (group.reason) {
    case NotStashed::not_asked_for:
      return tables + " not asked for";
    case NotStashed::kernel:
      return tables + " with kernel " + std::string(group.kernel) +
             "; only fused kernels have all weights in HBM and need them in lookup and embedding backward alone";
    case NotStashed::sequence:
      return tables + " whose outputs are sequences (EmbeddingCollection); --sequence takes them, too";
    case NotStashed::not_in_hbm:
      break;
  }
  return tables + " without weights in HBM";
}

std::string risk_text(const RiskFound& risk) {
  const std::string on = "on " + plural(risk.count, "rank") + " ";
  const std::string times =
      " (rank " + std::to_string(risk.worst) + ": " + human_ms(risk.value) + " against " + human_ms(risk.limit) + ")";
  switch (risk.risk) {
    case StashRisk::short_output_dist:
      return on + "the copy to the host may take longer than output dist" + times +
             ": the first activations meet weights that are still there";
    case StashRisk::short_gradient_dist:
      return on + "restoring may take longer than gradient dist" + times +
             ": the embedding backward waits, or restoring starts in dense backward and its weights count there";
    case StashRisk::pinned_memory:
      return "on " + plural(risk.count, "host") + " pinned memory may exceed the DDR that is free (host " +
             std::to_string(risk.worst) + ": " + human_bytes(risk.value) + " of " + human_bytes(risk.limit) + ")";
    case StashRisk::bandwidth:
      return "the window needs " + rate_text(risk.value) + " each way on rank " + std::to_string(risk.worst) +
             "; other traffic between host and device, such as the copy of the next batch, shares the link";
    case StashRisk::modelled_window:
      return "the window is the planner's estimate, made with its own bandwidths; --window takes a measured one";
    case StashRisk::unknown_hosts:
      break;
  }
  return "how many ranks share the memory of a host is not known; --ranks-per-host says it";
}

void write_stash(const StashPlan& plan, std::size_t top, const TextStyle& style, std::string& out) {
  StashWriter(plan, top, style, out).write();
}

}  // namespace shardstats
