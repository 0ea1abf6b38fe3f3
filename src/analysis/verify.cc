#include "shardstats/analysis/verify.h"

#include <algorithm>
#include <optional>

#include "analysis/checks.h"
#include "analysis/lines.h"
#include "analysis/lost_lines.h"
#include "shardstats/log/same_text.h"
#include "shardstats/numbers/printed.h"
#include "shardstats/utf8.h"

namespace shardstats {
namespace analysis {

Finding& Checks::add(RuleId rule, const Cell& where) {
  Finding& finding = findings.emplace_back();
  finding.rule = &rule_of(rule);
  finding.severity = finding.rule->severity;
  finding.where = where;
  finding.suspects.push_back({where, "the disputed number itself"});
  return finding;
}

Finding& Checks::add_table(RuleId rule, const Cell& where, std::size_t row) { return of_table(add(rule, where), row); }

Finding& Checks::of_table(Finding& finding, std::size_t row) const {
  finding.table = static_cast<std::uint32_t>(row);
  finding.fqn = printed.tables.rows[row].fqn.text;
  return finding;
}

Finding& Checks::add_rank(RuleId rule, const Cell& where, int rank) {
  Finding& finding = add(rule, where);
  if (rank >= 0) finding.rank = rank;
  return finding;
}

Finding& Checks::add_log(std::string_view rule, const Cell& where, std::string message) {
  Finding& finding = findings.emplace_back();
  finding.rule = find_rule(rule);
  finding.severity = finding.rule->severity;
  finding.where = where;
  finding.message = std::move(message);
  return finding;
}

const PlanRank* Checks::plan_rank(int rank) const {
  const auto at = static_cast<std::size_t>(rank);
  if (rank >= 0 && at < plan.ranks.size() && plan.ranks[at].rank == rank) return &plan.ranks[at];
  if (ranks_by_number.empty())  // rows are missing or out of order
    for (const PlanRank& of : plan.ranks) ranks_by_number.try_emplace(of.rank, &of);
  const auto found = ranks_by_number.find(rank);
  return found == ranks_by_number.end() ? nullptr : found->second;
}

namespace {

// Is the text that of "26.22", or one of "5e-06..7e-06"?
bool is_among(std::string_view printed, std::string_view expected) {
  constexpr std::string_view kTo = "..";
  const std::size_t to = expected.find(kTo);
  if (to == std::string_view::npos) return printed == expected;
  const auto number = parse_real(printed), low = parse_real(expected.substr(0, to));
  const auto high = parse_real(expected.substr(to + kTo.size()));
  return number && low && high && *low <= *number && *number <= *high;
}

std::string one_or_range(const std::string& low, const std::string& high) {
  return low == high ? low : low + ".." + high;
}

}  // namespace

Expected expected_bytes(ByteInterval bytes, Format form, std::int64_t unit) {
  const auto text = [&](std::int64_t n) { return format(static_cast<double>(n) / static_cast<double>(unit), form); };
  return {bytes, "bytes", one_or_range(text(bytes.low), text(bytes.high))};
}

Expected expected_value(RealInterval value, Format form, std::string_view unit) {
  if (unit == "bytes")
    return expected_bytes(outward({std::max(value.low, 0.0), std::max(value.high, 0.0)}), form, kGiB);
  return {value, unit, one_or_range(format(value.low, form), format(value.high, form))};
}

Expected expected_count(std::int64_t count) { return {exactly(count), "count", std::to_string(count)}; }

Expected expected_percent(RealInterval share) {
  return {RealInterval{share.low * 100, share.high * 100}, "percent",
          one_or_range(format(share.low, Format::p0), format(share.high, Format::p0))};
}

std::string differs(std::string_view what, std::string_view printed, std::string_view unit, std::string_view expected) {
  std::string message(what);
  message.append(" is printed as ").append(printed).append(unit);
  if (is_among(printed, expected)) return message.append(", which fits the formulas, but not the other numbers");
  return message.append(", the formulas give ").append(expected).append(unit);
}

void set_expected(Finding& finding, std::string_view what, std::string_view unit, Expected expected) {
  finding.message = differs(what, finding.where.text, unit, expected.text);
  finding.expected = std::move(expected);
}

void set_expected(Finding& finding, std::string_view what, Expected expected) {
  const std::string_view unit = printed_unit(expected.unit);
  set_expected(finding, what, unit, std::move(expected));
}

std::string does_not_add_up(std::string_view what, std::size_t ranks, std::string_view total, std::string_view unit,
                            std::string_view culprit) {
  std::string message(what);
  message.append(" of all ").append(std::to_string(ranks)).append(" ranks does not add up: all tables together give ");
  return message.append(total).append(unit).append("; at least one ").append(culprit).append(" is wrong");
}

namespace {

class WordCounter {
 public:
  explicit WordCounter(WordsOfRows& words) : words_(words) {}

  // Most rows repeat the word of the row above.
  void add(const Cell& cell) {
    if (!cell) return;
    if (above_ == words_.end() || !same_text(above_->first, cell.text))
      above_ = words_.try_emplace(cell.text, WordRows{cell}).first;
    ++above_->second.rows;
  }

 private:
  WordsOfRows& words_;
  WordsOfRows::iterator above_ = words_.end();
};

}  // namespace

TableWords table_words(const PrintedPlan& printed) {
  TableWords words;
  WordCounter kernels(words.kernels), shardings(words.shardings);
  for (const PrintedTable& row : printed.tables.rows) {
    kernels.add(row.kernel);
    shardings.add(row.sharding);
  }
  return words;
}

std::set<std::string_view> counted_kernels(const PrintedPlan& printed) {
  std::set<std::string_view> kernels;
  for (const auto slots : lines_of(printed, LineId::kernel_count)) kernels.insert(slots.front().text);
  return kernels;
}

bool is_cut(const PrintedPlan& printed) {
  return printed.is_reported(DiagnosticKind::no_opening_border) ||
         printed.is_reported(DiagnosticKind::no_closing_border) || printed.is_rule_reported(DiagnosticKind::cut_lines);
}

LineId last_known_line(const PrintedPlan& printed) {
  const auto is_known = [](const PrintedLine& line) { return line.id != LineId::blank && !is_unknown(line.id); };
  const auto last = std::find_if(printed.lines.rbegin(), printed.lines.rend(), is_known);
  return last == printed.lines.rend() ? LineId::blank : last->id;
}

bool has_all_rows(const PrintedPlan& printed, const Plan& plan) {
  if (!printed.tables.printed || printed.tables.rows.empty() || plan.missing) return false;
  // A block that breaks off inside the table has lost rows, and a row without its words says nothing for a sum.
  if (last_known_line(printed) == LineId::parameter_table || may_lack_last_tables(printed)) return false;
  return std::ranges::all_of(printed.tables.rows, [](const PrintedTable& row) { return row.kernel && row.sharding; });
}

bool lists_all_ranks(const PrintedPlan& printed) {
  if (printed.ranks.rows.empty() || last_known_line(printed) == LineId::rank_table) return false;
  if (may_lack_last_ranks(printed)) return false;
  constexpr DiagnosticKind kLost[] = {DiagnosticKind::no_rank_rows, DiagnosticKind::odd_rank,
                                      DiagnosticKind::ranks_missing_before, DiagnosticKind::ranks_missing_after,
                                      DiagnosticKind::rank_may_be_lost};
  if (std::ranges::any_of(kLost, [&](DiagnosticKind kind) { return printed.is_reported(kind); })) return false;
  const auto ranks = static_cast<int>(printed.ranks.rows.size());
  const auto reaches_beyond = [ranks](std::string_view list) {
    std::vector<int> numbers;
    return parse_ranks(list, numbers) && std::ranges::any_of(numbers, [ranks](int rank) { return rank >= ranks; });
  };
  for (const PrintedLine& line : printed.lines) {
    const bool may_list_ranks = line.id >= LineId::max_total_perf && line.id <= LineId::tier && line.slot_count > 1;
    if (may_list_ranks && reaches_beyond(printed.slots_of(line).back().text)) return false;
  }
  return std::ranges::none_of(printed.tables.rows,
                              [&](const PrintedTable& row) { return reaches_beyond(row.ranks.text); });
}

namespace {

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 60;  // characters
  const std::size_t end = byte_of(text, kMost);
  return std::string(text.substr(0, end)) + (end < text.size() ? "..." : "");
}

std::string quoted_start(std::string_view text) { return "\"" + shortened(text) + "\""; }

// Headers of the columns in which cells do not have their form, by the place of the cell. Looked up for each such cell
// of a log, of which there may be many.
class OddHeaders {
 public:
  explicit OddHeaders(const PrintedPlan& printed) {
    add(printed.ranks);
    add(printed.tables);
    std::ranges::sort(all_);
  }
  // Empty: the cell is not among them.
  std::string_view above(Place place) const {
    const auto found = std::ranges::lower_bound(all_, order_of(place), {}, &Entry::first);
    return found == all_.end() || found->first != order_of(place) ? std::string_view() : found->second;
  }

 private:
  using Order = std::pair<std::uint32_t, std::uint32_t>;  // line and column
  using Entry = std::pair<Order, std::string_view>;
  static Order order_of(Place place) { return {place.line, place.column}; }

  template <class Row>
  void add(const ColumnTable<Row>& table) {
    for (const OddCell& odd : table.odd)
      all_.emplace_back(order_of(odd.cell.place), table.columns[odd.column].header.text);
  }

  std::vector<Entry> all_;
};

// What is odd itself says more than where it stands.
std::string message_of(const OddHeaders& headers, const Diagnostic& diagnostic) {
  const std::string_view text = diagnostic.where.text;
  if (text.empty()) return std::string(diagnostic.message);
  if (diagnostic.rule.starts_with("log.unknown_")) return quoted_start(text) + " is " + std::string(diagnostic.message);
  if (diagnostic.kind != DiagnosticKind::malformed_cell) return std::string(diagnostic.message);
  const std::string_view header = headers.above(diagnostic.where.place);
  return header.empty() ? std::string(diagnostic.message)
                        : quoted_start(text) + " does not have the form of its column, " + quoted_start(header);
}

Finding from(const OddHeaders& headers, const Diagnostic& diagnostic, const Rule* rule) {
  Finding finding;
  finding.rule = rule;
  finding.severity = diagnostic.severity;
  finding.where = diagnostic.where;
  finding.message = message_of(headers, diagnostic);
  return finding;
}

// A contradiction in a layout of no known release may be the new release's own doing, so each message says it.
void mark_unknown_release(Report& report) {
  report.remarks.push_back("This layout is of no known release: the formulas of the newest known one were used.");
  for (Finding& finding : report.findings) {
    if (finding.severity == Severity::note) continue;
    if (finding.rule->id == "log.missing_lines")
      finding.message += "; the release is unknown, so it may have another name now";
    else if (!finding.rule->id.starts_with("log."))
      finding.message += "; the release is unknown, so its formula may have changed";
  }
}

void remark_unexplained(const Plan& plan, std::int64_t unexplained, Report& report) {
  if (unexplained == 0) return;
  std::string remark = "No dtype, optimizer and caching explain the storage of " + std::to_string(unexplained) +
                       " of " + std::to_string(plan.tables.size()) + (plan.tables.size() == 1 ? " table" : " tables");
  remark += "; the closest release is " + std::string(name(plan.setting.rules->release)) + " on " +
            std::string(name(plan.setting.device)) + " with pipeline " + std::string(name(plan.setting.pipeline)) + ".";
  report.remarks.push_back(std::move(remark));
}

// The frame is looked at in every block.
std::vector<const Rule*> checked_rules(const Coverage& coverage, const std::vector<Finding>& findings) {
  std::vector<const Rule*> checked;
  const std::span<const Rule> rules = rule_table();
  for (std::size_t i = 0; i < rules.size(); ++i)
    if ((i < coverage.rules.size() && coverage.rules.test(i)) || rules[i].id.starts_with("log.") ||
        std::ranges::find(findings, &rules[i], &Finding::rule) != findings.end())
      checked.push_back(&rules[i]);
  return checked;
}

}  // namespace
}  // namespace analysis

bool has_unknown_layout(const Report& report) {
  return std::ranges::any_of(report.findings, [](const Finding& f) {
    return f.severity == Severity::warning && f.rule->id.starts_with("log.unknown_");
  });
}

bool disputes_number(const Finding& finding) {
  return finding.severity == Severity::error && !finding.rule->id.starts_with("log.");
}

FindingCounts count(const std::vector<Finding>& findings) {
  FindingCounts counts;
  for (const Finding& finding : findings) counts.add(finding.severity);
  return counts;
}

std::string words_of(const Suspect& suspect) {
  constexpr std::size_t kMostText = 60;  // bytes
  const Cell& cell = suspect.cell;
  const bool is_short = !cell.text.empty() && cell.text.size() <= kMostText;
  return (is_short ? std::string(cell.text) + " at " : "") + std::to_string(cell.place.line) + ":" +
         std::to_string(cell.place.column) + " (" + suspect.reason + ")";
}

std::string words_of_likeliest(const std::vector<Suspect>& suspects) {
  constexpr std::size_t kMostNamed = 2;
  std::size_t likeliest = std::min<std::size_t>(suspects.size(), 1);
  while (likeliest < suspects.size() && suspects[likeliest].as_likely) ++likeliest;
  const std::size_t named = std::min(likeliest, kMostNamed), others = likeliest - named;
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    if (i > 0) text += i + 1 == likeliest ? " or " : ", ";
    text += words_of(suspects[i]);
  }
  if (others == 1) return text + " or one other";
  return others == 0 ? text : text + " or one of " + std::to_string(others) + " others";
}

Report verify(const PrintedPlan& printed, const Plan& plan) {
  Report report;
  const analysis::OddHeaders headers(printed);
  for (const Diagnostic& diagnostic : printed.diagnostics)
    if (const Rule* rule = find_rule(diagnostic.rule))
      report.findings.push_back(analysis::from(headers, diagnostic, rule));
  analysis::Checks checks{
      printed, plan, report.findings, {}, analysis::has_all_rows(printed, plan), analysis::table_words(printed)};
  analysis::check_sections(checks);
  analysis::check_release(checks);
  analysis::check_numbers(checks);
  analysis::check_tables(checks);
  analysis::check_ranks(checks);
  analysis::check_perf_of_ranks(checks);
  analysis::check_kernels(checks);
  analysis::check_reservation(checks);
  analysis::check_statistics(checks);
  analysis::check_percentages(checks);
  report.coverage = analysis::cover(checks);
  report.checked = analysis::checked_rules(report.coverage, report.findings);
  std::ranges::stable_sort(report.findings, {},
                           [](const Finding& f) { return std::pair(f.where.place.line, f.where.place.column); });
  if (has_unknown_layout(report)) analysis::mark_unknown_release(report);
  analysis::remark_unexplained(plan, checks.unexplained, report);
  return report;
}

}  // namespace shardstats
