#include <algorithm>

#include "report/diff_words.h"
#include "report/markdown_pieces.h"
#include "report/words.h"
#include "shardstats/report/diff.h"

namespace shardstats {
namespace {

using namespace diff_words;
using namespace markdown;

// A side on which the row is not there has no number.
Cells with_number(Cells cells, const NumberDiff& number, Presence presence = Presence::both) {
  cells.push_back(presence == Presence::added ? "" : side_text(number.before, number.unit));
  cells.push_back(presence == Presence::dropped ? "" : side_text(number.after, number.unit));
  cells.push_back(change_text(number));
  return cells;
}

std::string heading(std::string_view title, Cells names) {
  const std::string aligned = std::string(names.size(), 'l') + "rrr";
  names.insert(names.end(), {"before", "after", "change"});
  return "\n#### " + std::string(title) + "\n\n" + head(names, aligned);
}

std::string item(const std::string& sentence) { return "- " + escaped(sentence) + "\n"; }

std::string rank_row(const RankDiff& rank) {
  std::vector<std::string> parts;
  constexpr std::size_t kMostParts = 3;
  for (std::size_t i = 0; i < std::min(kMostParts, rank.parts.size()); ++i)
    parts.push_back(signed_text(rank.parts[i].hbm, DiffUnit::bytes) + " " + part_text(rank.parts[i]));
  if (rank.parts.size() > kMostParts) parts.emplace_back("...");
  if (rank.presence != Presence::both) parts = {rank.presence == Presence::added ? "new" : "gone"};
  return row(with_number({std::to_string(rank.rank), escaped(listed(parts, ""))}, rank.hbm, rank.presence));
}

void add_changes(const PlanDiff& diff, Sections& page) {
  page.add("\n#### Why\n\n", "cause", diff.causes, [](const Cause& cause) { return item(cause_and_effect(cause)); });
  page.add("\n#### Assumptions\n\n", "assumption", diff.assumptions,
           [](const AssumptionDiff& assumption) { return item(assumption_text(assumption)); });
  std::vector<NumberDiff> numbers = diff.numbers;
  std::erase_if(numbers, [](const NumberDiff& number) { return !number.changed; });
  page.add(heading("Plan", {""}), "number", numbers,
           [](const NumberDiff& number) { return row(with_number({std::string(title_of(number.name))}, number)); });
  page.add(heading("Tables, HBM", {"table", "what"}), "table", diff.tables, [](const TableDiff& table) {
    return row(with_number({code(table.fqn), escaped(table_text(table))}, table.hbm, table.presence));
  });
  page.add(heading("Ranks, HBM", {"rank", "of it"}), "rank", diff.ranks, rank_row);
  page.add(heading("Kernels, HBM", {"kernel"}), "kernel", diff.kernels,
           [](const KernelDiff& kernel) { return row(with_number({code(kernel.name)}, kernel.hbm)); });
}

}  // namespace

std::string diff_markdown(const DiffTitle& title, const PlanDiff& diff, std::size_t top) {
  Sections page(kMarkdownBytes, top);
  page.add("### " + code(title.base, false) + " → " + code(title.next, false) + "\n");
  if (diff.limit) page.add(paragraph(std::string(verdict_of(diff.limit->status)) + ": " + limit_text(*diff.limit)));
  if (diff.changed()) {
    page.add(paragraph(headline_text(diff)));
    page.add(paragraph(headroom_text(diff)));
    add_changes(diff, page);
  } else {
    page.add(paragraph(std::string(kNothingChanged)));
  }
  return page.text();
}

}  // namespace shardstats
