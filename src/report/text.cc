#include "shardstats/report/text.h"

#include <algorithm>

#include "report/columns.h"
#include "report/width.h"
#include "report/words.h"
#include "shardstats/ascii.h"
#include "shardstats/report/units.h"

namespace shardstats {
namespace {

constexpr std::size_t kMostAlternatives = 4;  // named one by one; more are counted

std::string alternatives_text(const std::vector<AssumedValue>& values) {
  std::vector<std::string> words;
  for (const AssumedValue& value : values) words.push_back(value_text(value));
  if (words.size() <= kMostAlternatives) return listed(words, "or");
  const std::size_t more = words.size() - kMostAlternatives;
  words.resize(kMostAlternatives);
  return listed(words, "") + " or " + plural(more, "more value");
}

std::string assumption_line(const AssumptionView& view) {
  std::string text(view.name);
  if (view.scope != AssumptionView::Scope::tables) {
    const auto* bandwidth = is_bandwidth(view.name) ? std::get_if<RealInterval>(&view.assumption.value) : nullptr;
    text += " " + (bandwidth ? human_bandwidth(*bandwidth) : value_text(view.assumption.value));
    if (bandwidth && view.assumption.origin == Origin::defaulted) text += " (the default)";
    if (!view.assumption.alternatives.empty()) text += " (or " + alternatives_text(view.assumption.alternatives) + ")";
    return text;
  }
  std::vector<std::string> parts;
  for (const ValueCount& counted : view.values) {
    if (parts.size() == kMostAlternatives) {
      parts.push_back("...");
      break;
    }
    parts.push_back(value_text(counted.value) + " in " + plural(counted.tables, "table"));
  }
  return text + " " + listed(parts, "and");
}

bool may_have_another_size(const PlanTable& table) {
  return std::ranges::any_of(table.alternatives,
                             [&](const Choice& c) { return c.element_size != table.choice.element_size; });
}

bool may_have_another_optimizer(const PlanTable& table) {
  return std::ranges::any_of(table.alternatives,
                             [&](const Choice& c) { return c.optimizer != table.choice.optimizer; });
}

// "4 B", or "4 B?" where the log allows another value as well.
std::string element_text(const PlanTable& table) {
  return value_text(table.choice.element_size) + " B" + (may_have_another_size(table) ? "?" : "");
}

std::string optimizer_text(const PlanTable& table) {
  return std::string(name(table.choice.optimizer)) + (may_have_another_optimizer(table) ? "?" : "");
}

}  // namespace

std::string block_name(std::string_view path, const BlockView& block) {
  return std::string(path) + " block " + std::to_string(block.index + 1);
}

std::string candidates_text(const BlockView& block) {
  std::vector<std::string> names;
  for (const Release release : block.candidates) names.emplace_back(name(release));
  return listed(names, "or");
}

std::string tables_text(const BlockView& block) {
  return block.has_tables ? plural(block.tables, "table") : "tables not printed";
}

std::string value_text(const AssumedValue& value) {
  struct Writer {
    std::string operator()(const std::string& word) const { return word; }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(double x) const {
      const std::int64_t whole = capped(x);
      return static_cast<double>(whole) == x ? std::to_string(whole) : format(x, Format::python_float);
    }
    std::string operator()(ByteInterval x) const { return human_bytes(x); }
    std::string operator()(RealInterval x) const {
      return from_to(format(x.low, Format::g3), format(x.high, Format::g3));
    }
  };
  return std::visit(Writer{}, value);
}

namespace {

// "GiB" or "GiB..1.2", but not "Billing".
bool begins_with_unit(std::string_view text) {
  constexpr std::string_view kUnitsOfText[] = {"B", "KiB", "MiB", "GiB", "TiB", "GB", "ms"};
  return std::ranges::any_of(kUnitsOfText, [&](std::string_view unit) {
    return text.starts_with(unit) && (text.size() == unit.size() || !is_letter(text[unit.size()]));
  });
}

// Where the first word ends: a number and its unit are one.
std::size_t end_of_word(std::string_view text) {
  std::size_t end = std::min(text.find(' '), text.size());
  while (end > 0 && end < text.size() && is_digit(text[end - 1]) &&
         begins_with_unit(text.substr(end + 1, text.find(' ', end + 1) - end - 1)))
    end = std::min(text.find(' ', end + 1), text.size());
  return end;
}

}  // namespace

std::string wrapped(std::string_view text, int width, int indent) {
  const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
  std::string out;
  constexpr std::size_t kFewLines = 4;  // for whose indentation there is room, too
  out.reserve(text.size() + kFewLines * static_cast<std::size_t>(indent));
  out.append(start, ' ');
  text.remove_prefix(start);
  std::size_t column = start;
  const auto most = static_cast<std::size_t>(std::max(width, indent + 20));
  bool at_line_start = true;
  while (!text.empty()) {
    std::size_t end = end_of_word(text), next = std::min(end + 1, text.size());
    if (at_line_start && column < most && column + columns_of(text.substr(0, end)) > most)
      if (const std::size_t comma = text.substr(0, bytes_within(text, most - column)).rfind(','); comma < end)
        end = next = comma + 1;  // of a list that no line holds
    const std::size_t columns = columns_of(text.substr(0, end));
    if (!at_line_start && column + 1 + columns > most) {
      out.resize(out.find_last_not_of(' ') + 1);  // the gap before a formula's name
      out += '\n';
      out.append(static_cast<std::size_t>(indent), ' ');
      column = static_cast<std::size_t>(indent);
      at_line_start = true;
      continue;
    }
    if (!at_line_start) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += columns;
    at_line_start = false;
    text.remove_prefix(next);
  }
  return out;
}

std::string finding_text(std::string_view path, const Finding& finding, const TextStyle& style) {
  std::string line(path);
  line += ":" + std::to_string(finding.where.place.line) + ":" + std::to_string(finding.where.place.column) + ": ";
  line += painted(name(finding.severity), color_of(finding.severity), style);
  return line + " " + std::string(finding.rule->id) + ": " + message_and_suspect(finding);
}

void write_findings(std::string_view path, const Report& report, bool hints, std::size_t top, const TextStyle& style,
                    std::string& out) {
  const auto findings = shown(report.findings, top);
  for (const Finding& finding : findings) {
    out += wrapped(finding_text(path, finding, style), style.width, 4) + "\n";
    if (hints && !finding.rule->hint.empty())
      out += wrapped("    try: " + std::string(finding.rule->hint), style.width, 9) + "\n";
  }
  if (findings.size() < report.findings.size())
    out += and_more(report.findings.size() - findings.size(), "finding") + "\n";
}

namespace {

// "block 1 at line 7", of another log "block 1 of a.log".
std::string place_text(std::string_view path, const BlockPlace& place) {
  const std::string block = "block " + std::to_string(place.index + 1);
  return place.path == path ? block + " at line " + std::to_string(place.line) : block + " of " + place.path;
}

}  // namespace

std::string block_place(std::string_view path, const BlockView& block) {
  return std::string(path) + ": block " + std::to_string(block.index + 1) + " at line " + std::to_string(block.line);
}

void write_block_head(std::string_view path, const BlockView& block, const TextStyle& style, std::string& out) {
  std::string head = block_place(path, block) + ": TorchRec " + candidates_text(block);
  if (block.world_size) head += ", " + plural(*block.world_size, "rank");
  head += ", " + tables_text(block);
  if (block.batch_size) head += ", batch size " + std::to_string(*block.batch_size);
  out += wrapped(head, style.width, 2) + "\n";
}

void write_assumed(std::string_view path, const BlockView& block, int indent, const TextStyle& style,
                   std::string& out) {
  if (block.assumptions.empty()) return;
  std::vector<std::string> assumed;
  for (const AssumptionView& view : block.assumptions) assumed.push_back(assumption_line(view));
  const std::string precedent = block.precedent ? " as in " + place_text(path, *block.precedent) : "";
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  out += wrapped(margin + "assumed" + precedent + ": " + listed(assumed, ""), style.width, indent + 2) + "\n";
}

void write_block(std::string_view path, const BlockView& block, const Report* report, const TextStyle& style,
                 std::string& out) {
  write_block_head(path, block, style, out);
  write_assumed(path, block, 2, style, out);
  if (report == nullptr) return;
  const Coverage& c = report->coverage;
  out += wrapped("  numbers: " + with_commas(c.numbers()) + " printed, " + with_commas(c.derived) +
                     " recomputed and compared, " + with_commas(c.inputs) + " inputs, " + with_commas(c.unchecked) +
                     " not checked yet",
                 style.width, 4) +
         "\n";
  const auto in_bytes = [](const Finding& f) { return f.expected && f.expected->unit == "bytes"; };
  if (std::ranges::any_of(report->findings, in_bytes)) out += "  units: GB and MB of the log are 2^30 and 2^20 bytes\n";
  for (const std::string& remark : report->remarks) out += wrapped("  " + remark, style.width, 4) + "\n";
}

void write_reconstruction(const Reconstruction& plan, const TextStyle& style, std::string& out) {
  if (!plan.sized)
    out += wrapped("No shards are rebuilt: " + std::string(plan.why_not_sized) + ".", style.width, 0) + "\n";
  const bool ssd = std::ranges::any_of(plan.tables, [](const TableRow& row) { return row.ssd.high > 0; });
  Columns tables;
  std::vector<std::string> head = {"table", "type", "kernel", "shards", "element", "optimizer", "HBM", "DDR"};
  if (ssd) head.emplace_back("SSD");
  tables.add(std::move(head));
  for (const TableRow& row : plan.tables) {
    const auto or_dash = [&](std::string text) { return row.table->sized ? text : std::string("-"); };
    std::vector<std::string> cells = {std::string(row.printed->fqn.text),    std::string(row.printed->sharding.text),
                                      std::string(row.printed->kernel.text), or_dash(with_commas(row.shard_count)),
                                      or_dash(element_text(*row.table)),     or_dash(optimizer_text(*row.table)),
                                      or_dash(human_bytes(row.hbm)),         or_dash(human_bytes(row.ddr))};
    if (ssd) cells.push_back(or_dash(human_bytes(row.ssd)));
    tables.add(std::move(cells));
  }
  if (plan.sized && !plan.tables.empty()) tables.write(style, out);
  if (plan.sized && plan.tables_hidden > 0) out += "  " + and_more(plan.tables_hidden, "table") + "\n";
  const bool is_open = std::ranges::any_of(plan.tables, [](const TableRow& row) {
    return may_have_another_size(*row.table) || may_have_another_optimizer(*row.table);
  });
  if (plan.sized && is_open)
    out += wrapped("  ?: the log allows another value as well; -f json lists them", style.width, 4) + "\n";
  Columns ranks;
  const auto bytes_or_dash = [](bool known, ByteInterval x) { return known ? human_bytes(x) : std::string("-"); };
  ranks.add({"rank", "HBM", "sparse HBM", "DDR", "input", "output"});
  for (const PlanRank* rank : plan.ranks)
    ranks.add({std::to_string(rank->rank), bytes_or_dash(plan.rank_hbm, rank->hbm),
               bytes_or_dash(plan.rank_hbm, rank->sparse_hbm), bytes_or_dash(plan.rank_ddr, rank->ddr),
               bytes_or_dash(plan.column_bytes, rank->input), bytes_or_dash(plan.column_bytes, rank->output)});
  if (!plan.ranks.empty()) ranks.write(style, out);
  if (plan.ranks_hidden > 0) out += "  " + and_more(plan.ranks_hidden, "rank") + "\n";
}

void write_verdict(Verdict verdict, const Totals& totals, const TextStyle& style, std::string& out) {
  const std::vector<std::string> words = totals.budgets ? count_words(*totals.budgets) : count_words(totals.findings);
  out += painted(name(verdict), color_of(verdict), style) + ": " +
         (words.empty() ? "no findings" : listed(words, "and")) + " in " + plural(totals.blocks, "block");
  if (totals.logs > 1) out += " of " + plural(totals.logs, "log");
  out += "\n";
}

void write_rules(const std::vector<const Rule*>& rules, bool details, const TextStyle& style, std::string& out) {
  if (!details) {
    std::size_t widest = 0;
    for (const Rule* rule : rules) widest = std::max(widest, rule->id.size());
    for (const Rule* rule : rules) {
      std::string line(rule->id);
      line += std::string(widest + 2 - rule->id.size(), ' ') + std::string(name(rule->severity));
      line += std::string(9 - name(rule->severity).size(), ' ') + std::string(rule->title);
      // Elsewhere a rule is a line, for grep.
      out += (style.terminal ? wrapped(line, style.width, static_cast<int>(widest + 2 + 9)) : line) + "\n";
    }
    return;
  }
  for (const Rule* rule : rules) {
    const std::string head = std::string(rule->id) + " (" + std::string(name(rule->severity)) + "): ";
    out += wrapped(head + std::string(rule->title), style.width, 2) + "\n";
    out += wrapped("  compares  " + std::string(rule->compares), style.width, 12) + "\n";
    if (!rule->formula.empty()) out += wrapped("  formula   " + std::string(rule->formula), style.width, 12) + "\n";
    out += "  releases  " + std::string(name(rule->since)) + " to " + std::string(name(rule->until)) + "\n";
    out += wrapped("  see       docs/reference/" + std::string(rule->reference), style.width, 4) + "\n";
    out += wrapped("  try       " + std::string(rule->hint), style.width, 12) + "\n";
  }
}

}  // namespace shardstats
