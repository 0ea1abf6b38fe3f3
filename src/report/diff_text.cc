#include <algorithm>
#include <utility>

#include "report/diff_words.h"
#include "report/words.h"
#include "shardstats/report/diff.h"
#include "shardstats/report/text.h"

namespace shardstats {
namespace {

using namespace diff_words;

class DiffPaper {
 public:
  DiffPaper(std::size_t top, const TextStyle& style, std::string& out) : top_(top), style_(style), out_(out) {}

  void write(const DiffTitle& title, const PlanDiff& diff) {
    line(0, std::string(title.base) + " -> " + std::string(title.next));
    if (!diff.changed() && !diff.is_open())
      return line(0, title.is_change ? std::string(kNoDifference) : nothing_changed_text(diff));
    if (const std::string text = headline_text(diff); !text.empty()) line(0, text, color_of_change(diff.largest.hbm));
    if (const std::string text = headroom_text(diff); !text.empty()) line(0, text);
    write_causes(diff.causes, title.is_change);
    if (!diff.assumptions.empty()) line(0, "assumptions");
    for (const AssumptionDiff& assumption : diff.assumptions) line(2, assumption_text(assumption));
    write_plan(diff.numbers);
    write_tables(diff);
    write_ranks(diff);
    write_kernels(diff.kernels);
    if (const std::string text = hidden_text(diff); !text.empty()) line(0, "not shown: " + text);
  }

 private:
  void line(int indent, const std::string& text, std::string_view color = {}) {
    const std::string broken =
        wrapped(std::string(static_cast<std::size_t>(indent), ' ') + text, style_.width, indent + 4);
    out_ += painted(broken, color, style_) + "\n";
  }

  // More memory or time is bad.
  static std::string_view color_of_change(const NumberDiff& number) {
    if (!number.changed) return {};
    return number.change.low > 0 ? kBad : number.change.high < 0 ? kGood : std::string_view{};
  }

  void write_more(std::size_t rows, int indent, std::string_view word) {
    if (shown(rows, top_) < rows) line(indent, and_more(rows - shown(rows, top_), word));
  }

  void write_causes(const std::vector<Cause>& causes, bool is_change) {
    if (!causes.empty())
      line(0, "why");
    else
      line(0, "why: " + std::string(no_cause_text(is_change)));
    for (const Cause& cause : shown(causes, top_)) line(2, cause_and_effect(cause));
    write_more(causes.size(), 2, "cause");
  }

  void write_plan(const std::vector<NumberDiff>& numbers) {
    bool first = true;
    for (const NumberDiff& number : numbers) {
      if (!number.changed) continue;
      if (std::exchange(first, false)) line(0, "plan");
      line(2, std::string(title_of(number.name)) + ": " + both_text(number), color_of_size(number));
    }
  }
  // Other numbers are neither good nor bad.
  static std::string_view color_of_size(const NumberDiff& number) {
    const bool more_is_better = number.name.starts_with("planning");
    return number.unit == DiffUnit::count || more_is_better ? std::string_view{} : color_of_change(number);
  }

  void write_number(int indent, std::string_view name, const NumberDiff& number) {
    if (number.changed) line(indent, std::string(name) + " " + both_text(number), color_of_change(number));
  }

  void write_tables(const PlanDiff& diff) {
    if (const std::string text = not_compared_text(diff); !text.empty()) line(0, "not compared: " + text);
    if (diff.tables.empty()) return write_open(diff);
    line(0,
         "tables: " + plural(diff.tables.size(), "change") + ", " + plural(diff.same_tables, "table") + " as before");
    for (const TableDiff& table : shown(diff.tables, top_)) {
      const std::string what = table_text(table);
      line(2, table.fqn + (what.empty() ? "" : ": " + what));
      if (table.presence == Presence::both) {
        write_number(6, "HBM", table.hbm);
        write_number(6, "DDR", table.ddr);
        write_number(6, "SSD", table.ssd);
        write_number(6, "perf", table.perf);
      } else {
        line(6, only_side(table.presence, {{"HBM", &table.hbm}, {"DDR", &table.ddr}, {"SSD", &table.ssd}}));
      }
    }
    write_more(diff.tables.size(), 2, "table");
    write_open(diff);
  }
  // The memory of what is in one of the logs alone; HBM always, others if there surely are any.
  static std::string only_side(Presence presence,
                               std::initializer_list<std::pair<std::string_view, const NumberDiff*>> memories) {
    std::string text;
    for (const auto& [name, number] : memories) {
      const auto& bytes = presence == Presence::added ? number->after : number->before;
      if (text.empty() || (bytes && bytes->low > 0))
        text += (text.empty() ? "" : ", ") + std::string(name) + " " + side_text(bytes, DiffUnit::bytes);
    }
    return text;
  }

  void write_open(const PlanDiff& diff) {
    if (diff.open_tables.empty()) return;
    line(0, "not decided: " + open_tables_text(diff));
    for (const std::string& table : shown(diff.open_tables, top_)) line(2, table);
    write_more(diff.open_tables.size(), 2, "table");
  }

  void write_ranks(const PlanDiff& diff) {
    if (!diff.ranks.empty()) write_changed(diff.ranks);
    if (const std::string text = open_ranks_text(diff); !text.empty()) line(0, "not decided: " + text);
  }
  void write_changed(const std::vector<RankDiff>& ranks) {
    line(0, "ranks: " + plural(ranks.size(), "change"));
    for (const RankDiff& rank : shown(ranks, top_)) {
      const std::string name = "rank " + std::to_string(rank.rank);
      if (rank.presence != Presence::both) {
        line(2, name + (rank.presence == Presence::added ? " is new: " : " is gone: ") +
                    only_side(rank.presence, {{"HBM", &rank.hbm}, {"DDR", &rank.ddr}}));
        continue;
      }
      if (rank.hbm.changed)
        write_number(2, name + ": HBM", rank.hbm);
      else if (may_have_changed(rank.hbm))
        line(2, name + ": HBM " + both_text(rank.hbm) + ", " + change_text(rank.hbm));
      else
        line(2, name + (rank.hbm.before && rank.hbm.after ? ": HBM as before" : ": HBM is not known"));
      for (const RankPart& part : shown(rank.parts, top_))
        line(6, signed_text(part.hbm, DiffUnit::bytes) + "  " + part_text(part));
      write_more(rank.parts.size(), 6, "part");
      write_number(6, "DDR", rank.ddr);
      write_number(6, "input", rank.input);
      write_number(6, "output", rank.output);
      write_number(6, "perf", rank.perf);
    }
    write_more(ranks.size(), 2, "rank");
  }

  void write_kernels(const std::vector<KernelDiff>& kernels) {
    if (kernels.empty()) return;
    line(0, "kernels");
    for (const KernelDiff& kernel : shown(kernels, top_)) {
      line(2, kernel.name + (kernel.tables.changed ? ": tables " + both_text(kernel.tables) : ""));
      write_number(6, "HBM", kernel.hbm);
      write_number(6, "DDR", kernel.ddr);
      write_number(6, "SSD", kernel.ssd);
    }
    write_more(kernels.size(), 2, "kernel");
  }

  const std::size_t top_;
  const TextStyle& style_;
  std::string& out_;
};

}  // namespace

void write_diff(const DiffTitle& title, const PlanDiff& diff, std::size_t top, const TextStyle& style,
                std::string& out) {
  DiffPaper(top, style, out).write(title, diff);
  if (diff.limit) write_limit(*diff.limit, style, out);
}

void write_limit(const LimitResult& limit, const TextStyle& style, std::string& out) {
  const Verdict verdict = verdict_of(limit.status);
  out += painted(name(verdict), color_of(verdict), style) + ": " + limit_text(limit) + "\n";
}

}  // namespace shardstats
