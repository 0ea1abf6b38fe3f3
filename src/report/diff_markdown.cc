#include <algorithm>
#include <utility>

#include "report/diff_words.h"
#include "report/words.h"
#include "shardstats/report/diff.h"
#include "shardstats/utf8.h"

namespace shardstats {
namespace {

using namespace diff_words;

constexpr std::size_t kMostCharacters = 65536;  // of a comment on GitHub
constexpr std::size_t kReserved = 200;          // for the line that says what was left out

// Names of tables may hold anything; none of it is to be markup.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|~&@").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

// Sections one after the other, each a heading and lines, as far as there is room.
class Comment {
 public:
  explicit Comment(std::size_t top) : top_(top) {}

  void always(const std::string& text) { append(text); }

  template <class Rows, class Write>
  void section(const std::string& heading, const Rows& rows, const Write& write) {
    if (rows.empty()) return;
    bool headed = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (top_ > 0 && i == top_) return leave_out(rows.size() - i);
      const std::string text = write(rows[i]);
      const std::string all = headed ? text : heading + text;
      if (characters_ + characters(all) + kReserved > kMostCharacters) return leave_out(rows.size() - i);
      append(all);
      headed = true;
    }
  }

  std::string take() {
    if (left_out_ > 0)
      append("\n" + plural(static_cast<std::int64_t>(left_out_), "smaller change") +
             " left out; `shardstats diff --top 0` lists them in text.\n");
    return std::move(text_);
  }

 private:
  void append(const std::string& text) {
    text_ += text;
    characters_ += characters(text);
  }
  void leave_out(std::size_t rows) { left_out_ += rows; }

  const std::size_t top_;
  std::string text_;
  std::size_t characters_ = 0, left_out_ = 0;
};

std::string number_cells(const NumberDiff& number) {
  return side_text(number.before, number.unit) + " | " + side_text(number.after, number.unit) + " | " +
         change_text(number) + " |\n";
}

std::string head_of(const PlanDiff& diff) {
  const NumberDiff& hbm = diff.largest.hbm;
  if (!hbm.before && !hbm.after) return {};
  const auto on = [](const std::vector<int>& ranks) { return ranks.empty() ? "" : " on " + ranks_of(ranks); };
  std::string text = "**Largest rank HBM: " + side_text(hbm.before, hbm.unit) + on(diff.largest.before) + " → " +
                     side_text(hbm.after, hbm.unit) + on(diff.largest.after) + ", " + change_text(hbm) + "**\n";
  if (diff.headroom.before || diff.headroom.after)
    text += "Headroom to planning memory: " + both_text(diff.headroom) + "\n";
  return text;
}

std::string table_row(const TableDiff& table) {
  return "| " + plain(table.fqn) + " | " + plain(table_text(table)) + " | " + number_cells(table.hbm);
}

std::string rank_row(const RankDiff& rank) {
  std::vector<std::string> parts;
  constexpr std::size_t kMostParts = 3;
  for (std::size_t i = 0; i < std::min(kMostParts, rank.parts.size()); ++i)
    parts.push_back(signed_text(rank.parts[i].hbm, DiffUnit::bytes) + " " + plain(part_text(rank.parts[i])));
  if (rank.parts.size() > kMostParts) parts.emplace_back("...");
  return "| " + std::to_string(rank.rank) + " | " + listed(parts, "") + " | " + number_cells(rank.hbm);
}

}  // namespace

std::string diff_markdown(const DiffTitle& title, const PlanDiff& diff, std::size_t top) {
  Comment comment(top);
  comment.always("### " + plain(title.base) + " → " + plain(title.next) + "\n\n");
  if (!diff.changed()) {
    comment.always("Nothing changed: both logs print and explain the same plan.\n");
    return comment.take();
  }
  comment.always(head_of(diff));
  comment.section("\n#### Why\n\n", diff.causes, [](const Cause& cause) {
    const std::string effect = effect_text(cause);
    return "- " + plain(cause_text(cause)) + (effect.empty() ? "" : ": " + effect) + "\n";
  });
  comment.section("\n#### Assumptions\n\n", diff.assumptions,
                  [](const AssumptionDiff& a) { return "- " + plain(assumption_text(a)) + "\n"; });
  std::vector<NumberDiff> numbers = diff.numbers;
  std::erase_if(numbers, [](const NumberDiff& number) { return !number.changed; });
  const std::string columns = "before | after | change |\n| --- | ---: | ---: | ---: |\n";
  const std::string wide_columns = "before | after | change |\n| --- | --- | ---: | ---: | ---: |\n";
  comment.section("\n#### Plan\n\n| | " + columns, numbers, [](const NumberDiff& number) {
    return "| " + std::string(title_of(number.name)) + " | " + number_cells(number);
  });
  comment.section("\n#### Tables, HBM\n\n| table | what | " + wide_columns, diff.tables, table_row);
  comment.section("\n#### Ranks, HBM\n\n| rank | of it | " + wide_columns, diff.ranks, rank_row);
  comment.section("\n#### Kernels, HBM\n\n| kernel | " + columns, diff.kernels, [](const KernelDiff& kernel) {
    return "| " + plain(kernel.name) + " | " + number_cells(kernel.hbm);
  });
  return comment.take();
}

}  // namespace shardstats
