#include "shardstats/report/markdown.h"

#include <algorithm>

#include "report/bars.h"
#include "report/clean.h"
#include "report/markdown_pieces.h"
#include "report/summary_words.h"
#include "report/what_if_words.h"
#include "shardstats/report/budgets_text.h"
#include "shardstats/report/diff.h"
#include "shardstats/report/explain_text.h"
#include "shardstats/report/text.h"
#include "shardstats/report/units.h"

namespace shardstats {
namespace {

using namespace markdown;

// Bytes of each part of a document; together with headings they stay below kMarkdownBytes.
constexpr std::size_t kMostFailed = 8'000, kMostAnswers = 40'000, kMostBlocks = 14'000;
constexpr std::size_t kLeastPart = 4000;  // no part of less is worth beginning

std::string place_of(std::string_view path, Place place) {
  std::string text(path);
  if (place.line > 0) text += ":" + std::to_string(place.line);
  if (place.column > 0) text += ":" + std::to_string(place.column);
  return text;
}

std::string error_item(const Error& error) {
  return "- " + code(place_of(error.path, error.place), false) + ": " + escaped(message_and_hint(error)) + "\n";
}

std::string finding_row(std::string_view path, const Finding& finding) {
  return row({std::string(name(finding.severity)), code(place_of(path, finding.where.place)), code(finding.rule->id),
              escaped(message_and_suspect(finding))});
}

std::string budget_row(std::string_view path, const BudgetResult& result) {
  return row({std::string(name(result.status)), code(place_of(path, {result.where.line, 0})), code(title_of(result)),
              escaped(message_of(result))});
}

std::string block_row(std::string_view path, const BlockView& block, const FindingCounts& counts) {
  return row({code(path), std::to_string(block.index + 1), candidates_text(block), with_commas(block.tables),
              block.world_size ? with_commas(*block.world_size) : "", with_commas(counts.error),
              with_commas(counts.warning), with_commas(counts.note)});
}

std::string block_heading(std::string_view path, const BlockView& block) {
  return "### " + code(block_name(path, block), false) + "\n\nTorchRec " + candidates_text(block) + ", " +
         tables_text(block) + (block.world_size ? ", " + plural(*block.world_size, "rank") : "") + "\n";
}

std::string table_row(const TableRow& table, bool ssd) {
  const PrintedTable& printed = *table.printed;
  Cells cells = {code(printed.fqn.text),         code(printed.sharding.text), code(printed.kernel.text),
                 with_commas(table.shard_count), human_bytes(table.hbm),      human_bytes(table.ddr)};
  if (ssd) cells.push_back(human_bytes(table.ssd));
  return row(cells);
}

std::string tables_part(const Reconstruction& plan, bool largest_first, std::size_t most) {
  std::vector<const TableRow*> tables;
  for (const TableRow& table : plan.tables) tables.push_back(&table);
  if (largest_first)
    std::ranges::stable_sort(tables, std::ranges::greater{}, [](const TableRow* table) { return table->hbm.high; });
  const bool ssd = std::ranges::any_of(tables, [](const TableRow* table) { return table->ssd.high > 0; });
  MarkdownRows rows(most);
  for (const TableRow* table : tables) rows.add(table_row(*table, ssd));
  Cells names = {"table", "type", "kernel", "shards", "HBM", "DDR"};
  if (ssd) names.emplace_back("SSD");
  const std::string out = head(names, ssd ? "lllrrrr" : "lllrrr");
  const auto hidden = static_cast<std::int64_t>(plan.tables_hidden);
  return out + rows.text() + rest(rows.left_out() + hidden, "table");
}

std::string ranks_part(const Reconstruction& plan, std::size_t most) {
  MarkdownRows rows(most);
  const auto bytes = [](bool known, ByteInterval x) { return known ? human_bytes(x) : std::string(); };
  for (const PlanRank* rank : plan.ranks)
    rows.add(row({std::to_string(rank->rank), bytes(plan.rank_hbm, rank->hbm), bytes(plan.rank_hbm, rank->sparse_hbm),
                  bytes(plan.rank_ddr, rank->ddr), bytes(plan.column_bytes, rank->input),
                  bytes(plan.column_bytes, rank->output)}));
  const auto hidden = static_cast<std::int64_t>(plan.ranks_hidden);
  return head({"rank", "HBM", "of it shards", "DDR", "input", "output"}, "rrrrrr") + rows.text() +
         rest(rows.left_out() + hidden, "rank");
}

// ---- summary -------------------------------------------------------------------------------------------------------

// "roomy: ranks 28 and 43 take ..."
std::string judged(std::string_view word, const std::string& sentence) {
  return paragraph((word.empty() ? "" : std::string(word) + ": ") + sentence);
}

void add_parts(const MemorySummary& memory, Sections& page) {
  constexpr int kBarWidth = 20;
  const std::string what = "what fills rank " + std::to_string(memory.peak);
  page.add("\n" + head({what, "HBM", "share", ""}, "lrrl"), "part", memory.parts, [&](const MemoryPart& part) {
    const double bytes = middle(part.bytes), whole = middle(memory.largest);
    return row({std::string(part.label), human_bytes(part.bytes), summary_words::share_text(bytes, whole),
                code(bar(bytes / whole, kBarWidth, {}))});
  });
}

// `whole`: what the values are shares of; 0: of nothing.
void add_tables(const std::string& title, std::string_view unit, const std::vector<TableShare>& tables,
                std::string (*text)(RealInterval), RealInterval whole, Sections& page) {
  Cells names = {title, "type", "kernel", std::string(unit)};
  if (whole.high > 0) names.emplace_back("share");
  page.add("\n" + head(names, whole.high > 0 ? "lllrr" : "lllr"), "table", tables, [&](const TableShare& table) {
    Cells cells = {code(table.printed->fqn.text), code(table.printed->sharding.text), code(table.printed->kernel.text),
                   text(table.value)};
    if (whole.high > 0) cells.push_back(summary_words::share_text(middle(table.value), middle(whole)));
    return row(cells);
  });
}

void add_memory(const Summary& summary, Sections& page) {
  using namespace summary_words;
  const MemorySummary& m = summary.memory;
  page.add("\n#### Memory\n");
  if (!m.known) return page.add(paragraph(no_memory_text(summary)));
  page.add(judged(fit_word(m.fit), fit_text(m)));
  if (!m.counts_reservation) page.add(paragraph(std::string(kEmbeddingsOnly)));
  add_parts(m, page);
  add_tables("largest tables on rank " + std::to_string(m.peak), "HBM", m.tables, human_bytes, m.largest, page);
  page.add(rest(static_cast<std::int64_t>(m.tables_on_peak - m.tables.size()), "table"));
  page.add(paragraph(best_change_text(m)));
  page.add(paragraph(other_changes_text(m)));
  page.add(paragraph(spread_text(summary, "")));
}

void add_perf(const PerfSummary& perf, Sections& page) {
  using namespace summary_words;
  page.add("\n#### Speed\n");
  if (!perf.known) return page.add(paragraph(no_perf_text(perf)));
  page.add(judged(name(perf.balance), pace_text(perf)));
  page.add(paragraph(bound_text(perf)));
  page.add(paragraph(critical_text(perf)));
  add_tables("slowest tables on rank " + std::to_string(perf.rank), "perf", perf.tables, human_ms, perf.largest, page);
}

void add_shape(const Summary& summary, Sections& page) {
  using namespace summary_words;
  if (summary.shape.shardings.empty()) return;
  page.add("\n#### Plan\n");
  if (!summary.shape.complete) page.add(paragraph(std::string(kTablesLost)));
  page.add(paragraph("types: " + groups_text(summary.shape.shardings)));
  page.add(paragraph("kernels: " + groups_text(summary.shape.kernels)));
  add_tables("largest tables, all shards", "HBM", summary.shape.largest, human_bytes, {}, page);
  page.add("\n", "note", summary.oddities, [](const Oddity& oddity) { return item(oddity.message); });
}

// ---- whatif --------------------------------------------------------------------------------------------------------

std::string escaped_row(const std::vector<std::string>& texts, std::size_t columns) {
  Cells cells(columns);
  std::ranges::transform(texts, cells.begin(), [](const std::string& text) { return escaped(text); });
  return row(cells);
}

void add_sweep(const Sweep& sweep, Sections& page) {
  using namespace what_if_words;
  const Cells names = what_if_words::head(sweep);
  Cells escaped_names;
  for (const std::string& name : names) escaped_names.push_back(escaped(name));
  page.add("\n" + markdown::head(escaped_names, std::string(sweep.keys.size(), 'l') + "rrrr") +
               escaped_row(base_row(sweep), names.size()),
           "point", sweep.points,
           [&](const SweepPoint& point) { return escaped_row(what_if_words::row(point), names.size()); });
  std::vector<const SweepPoint*> refused;
  for (const SweepPoint& point : sweep.points)
    if (!point.peak) refused.push_back(&point);
  page.add("\n", "refused point", refused, [](const SweepPoint* point) { return item(refusal(*point)); });
}

void add_largest(const LargestFit& largest, Sections& page) {
  using namespace what_if_words;
  page.add(paragraph(answer(largest)));
  page.add(paragraph(doubt(largest)));
  page.add("\n");
  for (const std::string& point : points(largest)) page.add(item(point));
}

}  // namespace

void MarkdownRows::add(std::string_view row) {
  if (left_out_ == 0 && text_.size() + row.size() <= most_) {
    text_ += row;
    ++kept_;
  } else {
    ++left_out_;
  }
}

void MarkdownRows::add(const MarkdownRows& more) {
  std::string_view text = more.text_;
  while (!text.empty()) {
    const std::size_t end = text.find('\n') + 1;
    add(text.substr(0, end));
    text.remove_prefix(end);
  }
  left_out_ += more.left_out_;
}

MarkdownAnswers::MarkdownAnswers()
    : failed_(kMostFailed),
      answers_{MarkdownRows(kMostAnswers), MarkdownRows(kMostAnswers), MarkdownRows(kMostAnswers)},
      blocks_{MarkdownRows(kMostBlocks), MarkdownRows(kMostBlocks)} {}

void MarkdownAnswers::add(std::string_view path, const BlockView& block, const Report& report, bool holds) {
  for (const Finding& finding : report.findings)
    answers_[static_cast<std::size_t>(finding.severity)].add(finding_row(path, finding));
  blocks_[holds ? 1 : 0].add(block_row(path, block, count(report.findings)));
}

void MarkdownAnswers::add(std::string_view path, const BudgetReport& report) {
  constexpr std::size_t kGravity[] = {2, 0, 1};  // by BudgetStatus
  for (const BudgetResult& result : report.results)
    answers_[kGravity[static_cast<std::size_t>(result.status)]].add(budget_row(path, result));
}

void MarkdownAnswers::add(const Error& error) { failed_.add(error_item(error)); }

void MarkdownAnswers::write(std::string_view command, Verdict verdict, const Totals& totals, std::string& out) const {
  out += "### shardstats " + std::string(command) + "\n\n";
  write_verdict(verdict, totals, {}, out);
  for (const std::string& message : totals.errors) out += paragraph(message);
  if (failed_.count() > 0) out += "\nCould not be read:\n\n" + failed_.text() + rest(failed_.left_out(), "log");
  MarkdownRows answers(kMostAnswers), blocks(kMostBlocks);
  for (const MarkdownRows& of_gravity : answers_) answers.add(of_gravity);
  for (const MarkdownRows& of_status : blocks_) blocks.add(of_status);
  if (answers.count() > 0) {
    const Cells names =
        totals.budgets ? Cells{"status", "place", "budget", "result"} : Cells{"severity", "place", "rule", "finding"};
    out += "\n" + head(names, "llll") + answers.text() + rest(answers.left_out(), names.back());
  }
  if (blocks.count() > 0)
    out += "\n" + head({"log", "block", "release", "tables", "ranks", "errors", "warnings", "notes"}, "lrlrrrrr") +
           blocks.text() + rest(blocks.left_out(), "block");
}

std::size_t MarkdownParts::room() {
  if (left_out_ == 0 && text_.size() + kLeastPart + kLastLines <= kMarkdownBytes)
    return kMarkdownBytes - kLastLines - text_.size();
  ++left_out_;
  return 0;
}

void MarkdownParts::add(std::string_view path, const BlockView& block, const Reconstruction& plan, bool largest_first) {
  const std::size_t most = room();
  if (most == 0) return;
  std::string part = block_heading(path, block);
  if (!plan.sized)
    part += "\nNo shards are rebuilt: " + std::string(plan.why_not_sized) + ".\n";
  else if (!plan.tables.empty())
    part += "\n" + tables_part(plan, largest_first, most / 2);
  if (!plan.ranks.empty()) part += "\n" + ranks_part(plan, (most - part.size()) / 2);
  append(part);
}

void MarkdownParts::append(const std::string& part) { text_ += (text_.empty() ? "" : "\n") + part; }

void MarkdownParts::add(std::string_view path, const BlockView& block, const Summary& summary) {
  const std::size_t most = room();
  if (most == 0) return;
  Sections page(most);
  page.add(block_heading(path, block));
  add_memory(summary, page);
  add_perf(summary.perf, page);
  add_shape(summary, page);
  append(page.text());
}

void MarkdownParts::add(std::string_view path, const Explained& explained) {
  const std::size_t most = room();
  if (most == 0) return;
  const std::string start = "### " + code(explained.target, false) + "\n\n" + code(path, false) + "\n\n";
  std::string whole;
  write_explained({explained}, {}, whole);
  MarkdownRows lines(most - start.size() - kLastLines);
  for (std::string_view text = whole; !text.empty();) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.add(clean(text.substr(0, end)) + "\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const std::string ticks = fence(lines.text(), 3);
  append(start + ticks + "text\n" + lines.text() + ticks + "\n" + rest(lines.left_out(), "line"));
}

void MarkdownParts::add(std::string_view path, const BlockView& block, const WhatIfResult& result, std::size_t top) {
  const std::size_t most = room();
  if (most == 0) return;
  Sections page(most);
  page.add(block_heading(path, block));
  page.add(paragraph(what_if_words::question(result)));
  page.add(result.placed.empty() ? "" : "\n");
  for (const std::string& table : result.placed) page.add(item(what_if_words::placed_text(table)));
  if (result.sweep) add_sweep(*result.sweep, page);
  if (result.largest) add_largest(*result.largest, page);
  if (result.diff) {
    page.add("\n");
    page.add(diff_markdown({path, "changed", true}, *result.diff, top, most - page.text().size()));
  }
  append(page.text());
}

void MarkdownParts::add(const Error& error) {
  if (room() > 0) append(error_item(error));
}

void MarkdownParts::write(std::string& out) const { out += text_ + rest(left_out_, "part"); }

}  // namespace shardstats
