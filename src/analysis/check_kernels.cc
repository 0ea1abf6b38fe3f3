// Checks of the compute kernel sections (log-format.md sections 3.6 and 3.7).
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/checks.h"
#include "analysis/lines.h"
#include "analysis/lost_lines.h"
#include "shardstats/limits.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::analysis {
namespace {

void add_count(Checks& checks, const Cell& cell, std::string_view kernel, std::int64_t expected) {
  Finding& finding = checks.add(RuleId::kernel_count, cell);
  finding.kernel = kernel;
  finding.expected = expected_count(expected);
  finding.message = "tables with kernel " + std::string(kernel) + " are printed as " + std::string(cell.text) +
                    ", the parameter table has " + finding.expected->text;
}

// Rows whose kernel is none that is known or that a line names: each may be of any kernel.
std::int64_t rows_without_kernel(const Checks& checks) {
  std::set<std::string_view> counted;
  std::int64_t rows = 0;
  for (const auto& [word, seen] : checks.words.kernels) {
    if (find_kernel(word) != nullptr) continue;
    if (counted.empty()) counted = counted_kernels(checks.printed);
    if (!counted.contains(word)) rows += seen.rows;
  }
  return rows;
}

using KernelNames = std::set<std::string_view>;

// Returns the kernels whose line counts more tables than the parameter table has: rows of theirs may be lost.
KernelNames check_counts(Checks& checks) {
  KernelNames lacking;
  const std::int64_t unread = rows_without_kernel(checks);
  WordsOfRows left = checks.words.kernels;
  Cell last = checks.printed.slot(LineId::kernel_count);
  for (const auto slots : lines_of(checks.printed, LineId::kernel_count)) {
    last = slots[0];
    const std::int64_t expected = left[slots[0].text].rows;
    left.erase(slots[0].text);
    const auto printed = parse_integer(slots[1].text, kMostTables);
    if (printed && *printed > expected) lacking.insert(slots[0].text);
    if (printed && (*printed < expected || *printed > expected + unread))
      add_count(checks, slots[1], slots[0].text, expected);
  }
  // Otherwise check_sections() says so.
  const bool may_have_been_more = !last || last_known_line(checks.printed) == LineId::kernel_count;
  if (is_cut(checks.printed) && !may_have_been_more)
    for (const auto& [kernel, word] : left) add_count(checks, Cell{"no line", last.place}, kernel, word.rows);
  return lacking;
}

// What the cells of each kernel's tables add up to, where not all of these are rebuilt. Added up once: a log may have
// thousands of kernels.
class SumsOfCells {
 public:
  explicit SumsOfCells(const Checks& checks) : checks_(checks) {}

  Expectation of(const KernelSum& sum, std::string_view kernel, const Cell& printed) {
    if (!is_read_) read();
    const auto line = bytes_printed_as(printed.text, checks_.printed.format_of(RoundedNumbers::lines), kGiB);
    const auto found = sums_.find({sum.rule, kernel});
    if (!line || found == sums_.end() || !found->second) return {};
    return {*found->second, true, !found->second->overlaps(*line)};
  }

 private:
  void read() {
    is_read_ = true;
    if (!checks_.rows_complete || rows_without_kernel(checks_) > 0) return;
    const Format format = checks_.printed.format_of(RoundedNumbers::table_storage);
    for (const PrintedTable& row : checks_.printed.tables.rows)
      for (const KernelSum& sum : kKernelSums)
        if (sum.table != nullptr) {
          TotalBytes& total = sums_.try_emplace({sum.rule, row.kernel.text}, ByteInterval{}).first->second;
          total = with(total, bytes_printed_as((row.*sum.table).text, format, kGiB));
        }
  }

  const Checks& checks_;
  bool is_read_ = false;
  std::map<std::pair<RuleId, std::string_view>, TotalBytes> sums_;
};

// `lacking`: kernels that count more tables than have rows.
void check_sums(Checks& checks, const KernelNames& lacking) {
  SumsOfCells cells(checks);
  for (const PrintedLine& line : checks.printed.lines) {
    if (std::ranges::find(kKernelSums, line.id, &KernelSum::line) == std::end(kKernelSums)) continue;
    const auto slots = checks.printed.slots_of(line);
    const PlanKernel* kernel = is_any_kernel(checks, slots[0].text) ? kernel_of(checks.plan, slots[0].text) : nullptr;
    if (kernel == nullptr) continue;
    for (const KernelSum& sum : kKernelSums) {
      if (line.id != sum.line || sum.slot >= slots.size()) continue;
      const Expectation rebuilt = kernel->*sum.expected;
      const Expectation expectation = rebuilt.known ? rebuilt : cells.of(sum, slots[0].text, slots[sum.slot]);
      // Lost rows have the rest; where there is none, the count is what is wrong.
      if (!expectation.known || (expectation.contradicted && lacking.contains(slots[0].text))) continue;
      checks.compared_kernel_sums.push_back(&slots[sum.slot]);
      if (!expectation.contradicted) continue;
      Finding& finding = checks.add(sum.rule, slots[sum.slot]);
      finding.kernel = slots[0].text;
      finding.expected = expected_bytes(expectation.bytes, checks.printed.format_of(RoundedNumbers::lines), kGiB);
      const std::string what = std::string(sum.what) + " of kernel " + std::string(slots[0].text);
      finding.message = rebuilt.known ? differs(what, slots[sum.slot].text, " GB", finding.expected->text)
                                      : what + " is printed as " + std::string(slots[sum.slot].text) +
                                            " GB, the cells of its tables add up to " + finding.expected->text + " GB";
    }
  }
}

// What one wrong cell explains is said of that cell.
void check_memory_of_ranks(Checks& checks) {
  const auto lines = lines_of(checks.printed, LineId::kernel_storage);
  if (lines.empty()) return;
  for (const KernelSum& sum : kKernelSums) {
    if (sum.rank == nullptr) continue;
    const Cell cell = lines.back()[sum.slot];
    const MemoryTotals printed = memory_totals(checks.printed, sum, nullptr);
    if (!cell || !printed.disagree() || !memory_totals(checks.printed, sum, &checks.plan).disagree()) continue;
    if (!lists_all_ranks(checks.printed)) return;  // that is said already
    Finding& finding = checks.add(sum.rule, cell);
    finding.message = std::string(sum.what) + " of all kernels adds up to " +
                      expected_bytes(*printed.kernels, Format::r3, kGiB).text + " GB, of all ranks to " +
                      expected_bytes(*printed.ranks, Format::r3, kGiB).text +
                      " GB: a row of the rank table is missing, or one of the numbers is wrong";
  }
}

void check_counts_by_ranks(Checks& checks) {
  const auto tables = counted_tables(checks.printed);
  if (!(tables && tables->lack_ranks()) && lacks_shards_of_a_type(checks.printed))
    add_disputed(
        checks, "log.rank_rows", checks.printed.ranks.rows.back().shards,
        "no rank has a shard of a sharding type of the plan: a row of the rank table is missing, or one of the "
        "numbers is wrong");
  if (!tables || !(tables->lack_kernels() || tables->lack_ranks())) return;
  const auto [least, most] = tables->of_ranks;
  std::string message =
      "the kernels have " + std::to_string(tables->of_kernels.all) + " tables in all, the ranks shards of ";
  if (tables->lack_ranks())
    message += "at most " + std::to_string(most) + ": a row of the rank table is missing";
  else if (tables->of_kernels.all < least)
    message += "at least " + std::to_string(least) + ": a kernel's line is missing";
  else
    message = "the dense kernels have " + std::to_string(tables->of_kernels.dense) +
              " tables, the ranks shards of at least " + std::to_string(tables->of_dp) +
              " with DP: a kernel's line is missing";
  checks.add(RuleId::kernel_count, checks.printed.slot(LineId::kernel_count, 1)).message =
      message + ", or one of the numbers is wrong";
}

std::int64_t rows_with_kernel(const Checks& checks, std::string_view kernel) {
  const auto found = checks.words.kernels.find(kernel);
  return found == checks.words.kernels.end() ? 0 : found->second.rows;
}

// Hardcoded agrees with the number of rows: then one of the kernels' lines is wrong. `excess`: of their sum.
void blame_constraint_lines(Checks& checks, std::int64_t excess) {
  struct Line {
    Cell cell;
    std::int64_t expected, tables;  // what it should be if it is the wrong one; with the kernel
  };
  std::vector<Line> wrong;  // that could be it
  for (const auto slots : lines_of(checks.printed, LineId::kernel_constraint)) {
    const std::int64_t expected = parse_integer(slots[1].text, kMostTables).value_or(0) - excess;
    const std::int64_t tables = rows_with_kernel(checks, slots[0].text);
    if (expected >= 1 && expected <= tables) wrong.push_back({slots[1], expected, tables});
  }
  // First what cannot be, then large numbers: they have more ways to be wrong.
  std::ranges::stable_sort(wrong, {}, [excess](const Line& line) {
    const std::int64_t printed = line.expected + excess;
    return std::pair(printed >= 0 && printed <= line.tables, -printed);
  });
  const Cell where = wrong.empty() ? checks.printed.slot(LineId::kernel_constraints, 0) : wrong.front().cell;
  Finding& finding = checks.add(RuleId::kernel_constraints, where);
  finding.message = "the hardcoded kernels' lines add up to " + std::to_string(std::abs(excess)) +
                    (excess > 0 ? " more" : " fewer") + " than Hardcoded";
  if (wrong.size() == 1) finding.expected = expected_count(wrong.front().expected);
  for (std::size_t i = 1; i < wrong.size(); ++i)
    finding.suspects.push_back(
        {wrong[i].cell, "should be " + std::to_string(wrong[i].expected) + " if it is the wrong one"});
}

// The tables that a line counts have its kernel. Where the sums agree, which tell better what a count should be.
void check_kernels_of_constraints(Checks& checks) {
  const std::int64_t unread = rows_without_kernel(checks);
  for (const auto slots : lines_of(checks.printed, LineId::kernel_constraint)) {
    const std::int64_t tables = rows_with_kernel(checks, slots[0].text);
    if (parse_integer(slots[1].text, kMostTables).value_or(0) <= tables + unread) continue;
    Finding& finding = checks.add(RuleId::kernel_constraints, slots[tables == 0 ? 0 : 1]);
    finding.kernel = slots[0].text;
    finding.message = "Hardcoded " + std::string(slots[0].text) + " is printed as " + std::string(slots[1].text) +
                      ", the parameter table has " + std::to_string(tables) + " with this kernel";
  }
}

// Hardcoded stands in both sums, Auto-selected and the kernels' lines in one each: which of them breaks tells the
// culprit.
void check_constraints(Checks& checks) {
  const Cell hardcoded = checks.printed.slot(LineId::kernel_constraints, 0);
  const Cell selected = checks.printed.slot(LineId::kernel_constraints, 1);
  const auto by_hand = parse_integer(hardcoded.text, kMostTables),
             by_planner = parse_integer(selected.text, kMostTables);
  if (!by_hand || !by_planner) return;
  const auto add = [&](const Cell& cell, std::string_view what, std::int64_t expected) {
    Finding& finding = checks.add(RuleId::kernel_constraints, cell);
    finding.expected = expected_count(expected);
    finding.message = std::string(what) + " is printed as " + std::string(cell.text) + ", the other counts give " +
                      finding.expected->text;
  };
  const LineId end = last_known_line(checks.printed);
  if (end == LineId::kernel_constraints || end == LineId::kernel_constraint) return;  // there may have been more
  std::int64_t listed = 0;
  for (const auto slots : lines_of(checks.printed, LineId::kernel_constraint))
    listed += parse_integer(slots[1].text, kMostTables).value_or(0);
  const auto rows = static_cast<std::int64_t>(checks.printed.tables.rows.size());
  const bool rows_fit = !checks.rows_complete || *by_hand + *by_planner == rows;
  // Where rows are lost, or none are printed, the kernels' lines count them.
  const auto kernels = counted_kernel_lines(checks.printed);
  const std::int64_t counted = kernels ? kernels->all : 0;
  const bool counts_fit = checks.rows_complete ? rows_fit : counted == 0 || *by_hand + *by_planner == counted;
  if (listed != *by_hand && counts_fit)
    blame_constraint_lines(checks, listed - *by_hand);
  else if (listed != *by_hand)
    add(hardcoded, "Hardcoded", listed);
  else if (checks.rows_complete)
    check_kernels_of_constraints(checks);
  const std::int64_t true_by_hand = rows_fit ? *by_hand : listed;
  if (!rows_fit && true_by_hand + *by_planner != rows) add(selected, "Auto-selected", rows - true_by_hand);
}

}  // namespace

bool has_rows_of_kernels(const PrintedPlan& printed) {
  std::map<std::string_view, std::int64_t> rows;
  for (const PrintedTable& row : printed.tables.rows) ++rows[row.kernel.text];
  return std::ranges::none_of(lines_of(printed, LineId::kernel_count), [&](std::span<const Cell> slots) {
    return parse_integer(slots[1].text, kMostTables).value_or(0) > rows[slots[0].text];
  });
}

bool has_all_tables(const PrintedPlan& printed, const Plan& plan) {
  return has_all_rows(printed, plan) && has_rows_of_kernels(printed);
}

void check_kernels(Checks& checks) {
  KernelNames lacking;
  if (checks.rows_complete)
    lacking = check_counts(checks);
  else
    check_counts_by_ranks(checks);
  check_sums(checks, lacking);
  check_memory_of_ranks(checks);
  check_constraints(checks);
}

}  // namespace shardstats::analysis
