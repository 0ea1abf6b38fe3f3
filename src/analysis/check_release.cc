// What no known release prints: sharding types, kernels and number formats. A newer release may be behind it, so that
// it is a warning where the rest of the block agrees with it.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/checks.h"
#include "analysis/lines.h"
#include "shardstats/planner/releases.h"

namespace shardstats::analysis {
namespace {

bool is_known_sharding(std::string_view text) { return parse_name<Sharding>(text, kShardingNames).has_value(); }
bool is_known_kernel(std::string_view text) { return find_kernel(text) != nullptr; }

using WordSet = std::set<std::string_view>;

// Sharding types are named in the rank rows as well, each in all of them (log-format.md section 3.2), kernels in lines
// of their own. Nothing there: no line speaks against a word.
WordSet shardings_of_ranks(const PrintedPlan& printed) {
  std::map<std::string_view, std::size_t> rows_with;
  std::size_t rows = 0;
  for (const PrintedRank& row : printed.ranks.rows) {
    const auto counts = shard_counts(row.shards);
    for (const ShardCount& pair : counts) ++rows_with[pair.type.text];
    rows += !counts.empty();
  }
  WordSet words;
  for (const auto& [word, with] : rows_with)
    if (2 * with > rows) words.insert(word);  // a cell or two may be damaged
  return words;
}

struct Words {
  std::string_view what;
  bool (*is_known)(std::string_view);
  WordSet (*elsewhere)(const PrintedPlan&);
  std::string_view not_elsewhere;
};
constexpr Words kShardings{"sharding type", is_known_sharding, shardings_of_ranks,
                           "the Shards of the ranks do not have it"};
constexpr Words kKernels{"compute kernel", is_known_kernel, counted_kernels,
                         "the lines of the compute kernels do not have it"};

// A warning, where a newer release may have the word.
Finding& add_unknown(Checks& checks, const Cell& word, std::string message) {
  Finding& finding = checks.add_log("log.unknown_word", word, std::move(message));
  if (!checks.printed.may_be_newer()) finding.severity = Severity::error;
  return finding;
}

std::string no_such_word(std::string_view word, const Words& words) {
  return std::string(word) + " is not a " + std::string(words.what) + " of any known release";
}

void check_words(Checks& checks, const Words& words, const WordsOfRows& printed) {
  std::optional<WordSet> elsewhere;  // most logs have no unknown word
  for (const auto& [word, seen] : printed) {
    if (words.is_known(word)) continue;
    if (!elsewhere) elsewhere = words.elsewhere(checks.printed);
    const std::string tables = seen.rows == 1 ? "1 table" : std::to_string(seen.rows) + " tables";
    Finding& finding =
        add_unknown(checks, seen.first, no_such_word(word, words) + "; the shards of " + tables + " were not rebuilt");
    if (!elsewhere->empty() && !elsewhere->contains(word)) {
      finding.severity = Severity::error;
      finding.message = no_such_word(word, words) + ", and " + std::string(words.not_elsewhere);
    }
    if (finding.severity == Severity::error) finding.suspects.push_back({seen.first, "the disputed word itself"});
  }
}

// Kernels of other releases than those that print this layout.
void check_kernels_of_releases(Checks& checks) {
  for (const auto& [word, seen] : checks.words.kernels) {
    const KernelTraits* const kernel = find_kernel(word);
    const auto has_kernel = [&](Release release) { return kernel->since <= release && release <= kernel->until; };
    if (kernel == nullptr || std::ranges::any_of(checks.printed.releases, has_kernel)) continue;
    const bool is_newer = kernel->since > checks.printed.releases.back();
    Finding& finding = add_unknown(checks, seen.first,
                                   std::string(word) + " is a compute kernel " +
                                       (is_newer ? "from TorchRec " + std::string(name(kernel->since)) + " on"
                                                 : "up to TorchRec " + std::string(name(kernel->until))) +
                                       ", which prints another layout");
    finding.suspects.push_back({seen.first, "the disputed word itself"});
  }
}

// Of tables whose rows are not printed, or are lost; or the label of a new line.
void check_kernel_lines(Checks& checks) {
  WordSet seen;
  for (const PrintedLine& line : checks.printed.lines) {
    if (!names_kernel(line.id)) continue;
    const Cell& kernel = checks.printed.slots_of(line).front();
    if (is_any_kernel(checks, kernel.text)) continue;
    if (seen.insert(kernel.text).second) add_unknown(checks, kernel, no_such_word(kernel.text, kKernels));
  }
}

// Where no rows are printed, only the ranks name the sharding types.
void check_shardings_of_ranks(Checks& checks) {
  if (!checks.printed.tables.rows.empty()) return;
  std::optional<WordSet> of_ranks;  // most logs have no unknown word
  WordSet seen;
  for (const PrintedRank& row : checks.printed.ranks.rows)
    for (const ShardCount& pair : shard_counts(row.shards)) {
      if (is_known_sharding(pair.type.text) || !seen.insert(pair.type.text).second) continue;
      Finding& finding =
          add_unknown(checks, in_log(checks.printed, pair.type), no_such_word(pair.type.text, kShardings));
      if (!of_ranks) of_ranks = shardings_of_ranks(checks.printed);
      if (of_ranks->contains(pair.type.text)) continue;
      finding.severity = Severity::error;
      finding.message += ", and the Shards of other ranks do not have it";
    }
}

using OddCells = std::vector<const Cell*>;

// Those of the column that could not be read.
template <class Row>
OddCells odd_cells(const ColumnTable<Row>& table, std::size_t column) {
  OddCells odd;
  for (const auto& cell : table.odd)
    if (cell.column == column && cell.cell) odd.push_back(&cell.cell);
  return odd;
}

// Are they in so many rows that the column has changed? `perf_has_changed`: that of the other table.
template <class Row>
bool has_changed(const PrintedPlan& printed, const ColumnTable<Row>& table, ColumnId id, const OddCells& odd,
                 bool perf_has_changed) {
  if (id == ColumnId::unknown || odd.empty()) return false;
  const bool is_perf = id == ColumnId::perf || id == ColumnId::table_perf;
  if (is_perf && perf_has_changed && odd.size() == table.rows.size()) return true;
  return is_changed_format(printed, odd.size(), table.rows.size());
}

void fold(Checks& checks, const OddCells& odd, const Cell& header) {
  const auto key = [](Place place) { return std::pair(place.line, place.column); };
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const Cell* cell : odd) places.insert(key(cell->place));
  const auto folded = [&](const Finding& f) {
    return f.rule->id == "log.malformed_cell" && places.contains(key(f.where.place));
  };
  std::erase_if(checks.findings, folded);
  add_changed_format(checks, header, odd.front()->text, odd.size());
}

template <class Row>
bool fold_changed_columns(Checks& checks, const ColumnTable<Row>& table, bool perf_has_changed) {
  bool is_perf_among_them = false;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const ColumnId id = table.columns[c].id;
    const OddCells odd = odd_cells(table, c);
    if (!has_changed(checks.printed, table, id, odd, perf_has_changed)) continue;
    fold(checks, odd, table.columns[c].header);
    is_perf_among_them |= id == ColumnId::perf || id == ColumnId::table_perf;
  }
  return is_perf_among_them;
}

// A block of few ranks says by its tables that their perf has changed, and the other way round.
void fold_changed_columns_of_both(Checks& checks) {
  const bool of_tables = fold_changed_columns(checks, checks.printed.tables, false);
  const bool of_ranks = fold_changed_columns(checks, checks.printed.ranks, of_tables);
  if (of_ranks && !of_tables) fold_changed_columns(checks, checks.printed.tables, true);
}

}  // namespace

bool is_any_kernel(const Checks& checks, std::string_view word) {
  return is_known_kernel(word) || checks.words.kernels.contains(word);
}

bool is_changed_format(const PrintedPlan& printed, std::size_t odd, std::size_t rows) {
  constexpr std::size_t kFew = 3;  // that damage may have hit alike
  return printed.may_be_newer() && odd > kFew && 2 * odd > rows;
}

void add_changed_format(Checks& checks, const Cell& where, std::string_view example, std::size_t cells) {
  checks.add_log("log.unknown_format", where,
                 "no known release prints numbers of this column as " + std::string(example) + "; " +
                     std::to_string(cells) + " cells of it are kept but not checked");
}

void check_release(Checks& checks) {
  check_words(checks, kShardings, checks.words.shardings);
  check_words(checks, kKernels, checks.words.kernels);
  check_kernels_of_releases(checks);
  check_kernel_lines(checks);
  check_shardings_of_ranks(checks);
  fold_changed_columns_of_both(checks);
}

}  // namespace shardstats::analysis
