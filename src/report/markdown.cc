#include "shardstats/report/markdown.h"

#include <algorithm>

#include "report/clean.h"
#include "report/words.h"
#include "shardstats/report/explain_text.h"
#include "shardstats/report/text.h"
#include "shardstats/report/units.h"

namespace shardstats {
namespace {

constexpr std::size_t kMostName = 300, kMostSentence = 1000;  // bytes of a text from the log
// Bytes of each part of a document; together with headings they stay below kMarkdownBytes.
constexpr std::size_t kMostFailed = 8'000, kMostFindings = 40'000, kMostBlocks = 14'000;
constexpr std::size_t kLastLine = 500;    // for what is said of parts that were left out
constexpr std::size_t kLeastPart = 4000;  // no part of less is worth beginning

// A sentence with words from the log: nothing in it is markup, and nobody is called.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : clean(text, kMostSentence)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '@')
      out += "@&#8203;";  // a blank of no width ends a mention
    else if (std::string_view("\\`*_~[]|#!").find(c) != std::string_view::npos)
      out += {'\\', c};
    else
      out += c;
  }
  return out;
}

// Ticks that are in no run of `text`.
std::string fence(std::string_view text, std::size_t least) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  return std::string(longest == 0 ? least : std::max(least, longest + 1), '`');
}

// A name as code. Cells of a table end at a bar even inside code, unless it is escaped.
std::string code(std::string_view name, bool in_table = true) {
  const std::string text = clean(name, kMostName);
  if (text.find_first_not_of(' ') == std::string::npos) return {};
  const std::string ticks = fence(text, 1);
  const std::string_view blank = text.starts_with('`') || text.ends_with('`') ? " " : "";
  std::string inner;
  for (const char c : text) inner += c == '|' && in_table ? std::string("\\|") : std::string(1, c);
  return ticks + std::string(blank) + inner + std::string(blank) + ticks;
}

using Cells = std::vector<std::string>;

std::string row(const Cells& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

// `aligned`: "l" or "r" for each column.
std::string head(const Cells& names, std::string_view aligned) {
  std::string line = "|";
  for (const char side : aligned) line += side == 'r' ? " ---: |" : " --- |";
  return row(names) + line + "\n";
}

std::string rest(std::int64_t left_out, std::string_view word) {
  return left_out == 0 ? "" : "\n" + plural(left_out, "more " + std::string(word)) + " did not fit in here.\n";
}

std::string place_of(std::string_view path, Place place) {
  std::string text(path);
  if (place.line > 0) text += ":" + std::to_string(place.line);
  if (place.column > 0) text += ":" + std::to_string(place.column);
  return text;
}

std::string block_name(std::string_view path, const BlockView& block) {
  return std::string(path) + " block " + std::to_string(block.index + 1);
}

std::string error_item(std::string_view path, const Error& error) {
  std::string text = "- " + code(place_of(path, error.place), false) + ": " + escaped(error.message);
  if (!error.hint.empty()) text += "; " + escaped(error.hint);
  return text + "\n";
}

std::string finding_row(std::string_view path, const Finding& finding) {
  return row({std::string(name(finding.severity)), code(place_of(path, finding.where.place)), code(finding.rule->id),
              escaped(finding.message)});
}

std::string block_row(std::string_view path, const BlockView& block, const FindingCounts& counts) {
  return row({code(path), std::to_string(block.index + 1), candidates_text(block), with_commas(block.tables),
              block.world_size ? with_commas(*block.world_size) : "", with_commas(counts.error),
              with_commas(counts.warning), with_commas(counts.note)});
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
  for (const PlanRank* rank : plan.ranks)
    rows.add(
        row({std::to_string(rank->rank), human_bytes(rank->hbm), human_bytes(rank->sparse_hbm), human_bytes(rank->ddr),
             plan.column_bytes ? human_bytes(rank->input) : "", plan.column_bytes ? human_bytes(rank->output) : ""}));
  const auto hidden = static_cast<std::int64_t>(plan.ranks_hidden);
  return head({"rank", "HBM", "of it shards", "DDR", "input", "output"}, "rrrrrr") + rows.text() +
         rest(rows.left_out() + hidden, "rank");
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

MarkdownFindings::MarkdownFindings()
    : failed_(kMostFailed),
      findings_{MarkdownRows(kMostFindings), MarkdownRows(kMostFindings), MarkdownRows(kMostFindings)},
      blocks_{MarkdownRows(kMostBlocks), MarkdownRows(kMostBlocks)} {}

void MarkdownFindings::add(std::string_view path, const BlockView& block, const Report& report, bool holds) {
  for (const Finding& finding : report.findings)
    findings_[static_cast<std::size_t>(finding.severity)].add(finding_row(path, finding));
  blocks_[holds ? 1 : 0].add(block_row(path, block, count(report.findings)));
}

void MarkdownFindings::add(std::string_view path, const Error& error) { failed_.add(error_item(path, error)); }

void MarkdownFindings::write(std::string_view command, std::string_view verdict, const Totals& totals,
                             std::string& out) const {
  out += "### shardstats " + std::string(command) + "\n\n";
  write_verdict(verdict, totals.findings, totals.blocks, totals.logs, {}, out);
  if (failed_.count() > 0) out += "\nCould not be read:\n\n" + failed_.text() + rest(failed_.left_out(), "log");
  MarkdownRows findings(kMostFindings), blocks(kMostBlocks);
  for (const MarkdownRows& of_severity : findings_) findings.add(of_severity);
  for (const MarkdownRows& of_status : blocks_) blocks.add(of_status);
  if (findings.count() > 0)
    out += "\n" + head({"severity", "place", "rule", "finding"}, "llll") + findings.text() +
           rest(findings.left_out(), "finding");
  if (blocks.count() > 0)
    out += "\n" + head({"log", "block", "release", "tables", "ranks", "errors", "warnings", "notes"}, "lrlrrrrr") +
           blocks.text() + rest(blocks.left_out(), "block");
}

std::size_t MarkdownParts::room() {
  if (left_out_ == 0 && text_.size() + kLeastPart + kLastLine <= kMarkdownBytes)
    return kMarkdownBytes - kLastLine - text_.size();
  ++left_out_;
  return 0;
}

void MarkdownParts::add(std::string_view path, const BlockView& block, const Reconstruction& plan, bool largest_first) {
  const std::size_t most = room();
  if (most == 0) return;
  std::string part = "### " + code(block_name(path, block), false) + "\n\nTorchRec " + candidates_text(block) + ", " +
                     plural(block.tables, "table");
  part += (block.world_size ? ", " + plural(*block.world_size, "rank") : "") + "\n";
  if (!plan.sized)
    part += "\nThis block does not print what shards are rebuilt from.\n";
  else if (!plan.tables.empty())
    part += "\n" + tables_part(plan, largest_first, most / 2);
  if (!plan.ranks.empty()) part += "\n" + ranks_part(plan, (most - part.size()) / 2);
  text_ += (text_.empty() ? "" : "\n") + part;
}

void MarkdownParts::add(std::string_view path, const Explained& explained) {
  const std::size_t most = room();
  if (most == 0) return;
  const std::string start = "### " + code(explained.target, false) + "\n\n" + code(path, false) + "\n\n";
  std::string whole;
  write_explained({explained}, {}, whole);
  MarkdownRows lines(most - start.size() - kLastLine);
  for (std::string_view text = whole; !text.empty();) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.add(clean(text.substr(0, end)) + "\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const std::string ticks = fence(lines.text(), 3);
  text_ += (text_.empty() ? "" : "\n") + start + ticks + "text\n" + lines.text() + ticks + "\n" +
           rest(lines.left_out(), "line");
}

void MarkdownParts::add(std::string_view path, const Error& error) {
  if (room() > 0) text_ += (text_.empty() ? "" : "\n") + error_item(path, error);
}

void MarkdownParts::write(std::string& out) const { out += text_ + rest(left_out_, "part"); }

}  // namespace shardstats
