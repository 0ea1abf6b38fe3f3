#include "report/diff_words.h"
#include "report/markdown_pieces.h"
#include "shardstats/report/diff.h"

namespace shardstats {
namespace {

using namespace diff_words;
using namespace markdown;

std::string table_row(const ChangeTable& table, const ChangeRow& change) {
  Cells cells;
  for (const std::string& words : change.words)
    cells.push_back(table.first_is_name && cells.empty() ? code(words) : escaped(words));
  cells.insert(cells.end(), {change.before, change.after, change.change});
  return row(cells);
}

// Empty without a text.
std::string labelled(std::string_view label, const std::string& text) {
  return text.empty() ? "" : paragraph(std::string(label) + ": " + text);
}

void add_changes(const PlanDiff& diff, bool is_change, Sections& page) {
  if (diff.causes.empty()) page.add(labelled("Why", std::string(no_cause_text(is_change))));
  page.add("\n#### Why\n\n", "cause", diff.causes, [](const Cause& cause) { return item(cause_and_effect(cause)); });
  page.add("\n#### Assumptions\n\n", "assumption", diff.assumptions,
           [](const AssumptionDiff& assumption) { return item(assumption_text(assumption)); });
  for (const ChangeTable& table : change_tables(diff)) {
    const std::string aligned = std::string(table.names.size(), 'l') + "rrr";
    Cells names = table.names;
    names.insert(names.end(), {"before", "after", "change"});
    page.add("\n#### " + std::string(table.title) + "\n\n" + head(names, aligned), table.word, table.rows,
             [&](const ChangeRow& change) { return table_row(table, change); });
  }
  page.add("\n#### Not decided\n\n" + escaped(open_tables_text(diff)) + ":\n\n", "table", diff.open_tables,
           [](const std::string& table) { return item(table); });
  page.add(labelled("Not decided", open_ranks_text(diff)));
  page.add(labelled("Not shown", hidden_text(diff)));
}

}  // namespace

std::string diff_markdown(const DiffTitle& title, const PlanDiff& diff, std::size_t top, std::size_t most) {
  Sections page(most, top);
  page.add("### " + code(title.base, false) + " → " + code(title.next, false) + "\n");
  if (diff.limit)
    page.add(paragraph(std::string(name(verdict_of(diff.limit->status))) + ": " + limit_text(*diff.limit)));
  if (diff.changed() || diff.is_open()) {
    page.add(paragraph(headline_text(diff)));
    page.add(paragraph(headroom_text(diff)));
    page.add(labelled("Not compared", not_compared_text(diff)));
    add_changes(diff, title.is_change, page);
  } else {
    page.add(paragraph(title.is_change ? std::string(kNoDifference) : nothing_changed_text(diff)));
  }
  return page.text();
}

}  // namespace shardstats
