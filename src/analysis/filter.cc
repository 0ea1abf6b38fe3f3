#include "shardstats/analysis/filter.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "analysis/checks.h"
#include "analysis/explain_parts.h"
#include "shardstats/analysis/nearest.h"
#include "shardstats/planner/releases.h"

namespace shardstats {
namespace {

std::vector<std::string> split(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const std::string& word : words) {
    std::size_t start = 0;
    while (start <= word.size()) {
      const std::size_t comma = std::min(word.find(',', start), word.size());
      if (comma > start) parts.push_back(word.substr(start, comma - start));
      start = comma + 1;
    }
  }
  return parts;
}

// An empty variable of a script must not widen what it was to narrow.
bool has_empty_item(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word.empty() || word.front() == ',' || word.back() == ',' || word.find(",,") != std::string::npos;
  });
}

struct RankRange {
  int first = 0, last = 0;
};

bool one_of(const std::vector<std::string>& words, std::string_view word) {
  return words.empty() || std::ranges::find(words, word) != words.end();
}

using Expressions = std::vector<std::unique_ptr<re2::RE2>>;

bool matches_any(const Expressions& expressions, std::string_view text) {
  const re2::StringPiece piece(text.data(), text.size());
  return std::ranges::any_of(expressions, [&](const auto& e) { return re2::RE2::PartialMatch(piece, *e); });
}

// "0" or "4-7"; nothing if it is neither.
std::optional<RankRange> rank_range(std::string_view word) {
  const std::size_t dash = std::min(word.find('-'), word.size());
  const auto first = parse_integer(word.substr(0, dash), 1 << 24);
  const auto last = dash == word.size() ? first : parse_integer(word.substr(dash + 1), 1 << 24);
  if (!first || !last || *last < *first) return std::nullopt;
  return RankRange{static_cast<int>(*first), static_cast<int>(*last)};
}

std::optional<std::string> compile(const std::vector<std::string>& words, std::string_view option, Expressions& into) {
  for (const std::string& word : words) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    auto expression = std::make_unique<re2::RE2>(word, options);
    if (!expression->ok())
      return std::string(option) + " '" + word + "': not a regular expression: " + expression->error();
    into.push_back(std::move(expression));
  }
  return std::nullopt;
}

}  // namespace

struct Filter::Parts {
  Expressions tables, excluded;
  std::vector<RankRange> ranks;
  std::vector<std::string> shardings, kernels, select, ignore;
  bool selects_tables() const { return !tables.empty() || !shardings.empty() || !kernels.empty(); }
};

Filter::Filter() : parts_(std::make_unique<Parts>()) {}
Filter::~Filter() = default;
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;

std::optional<std::string> Filter::set(const FilterWords& words) {
  const auto has_empty = [](const std::vector<std::string>& expressions) {
    return std::ranges::find(expressions, "") != expressions.end();
  };
  if (has_empty(words.tables)) return "--table '': the empty expression matches every table";
  if (has_empty(words.excluded_tables)) return "--exclude-table '': the empty expression matches every table";
  if (auto wrong = compile(words.tables, "--table", parts_->tables)) return wrong;
  if (auto wrong = compile(words.excluded_tables, "--exclude-table", parts_->excluded)) return wrong;
  const std::pair<std::string_view, const std::vector<std::string>&> lists[] = {{"--rank", words.ranks},
                                                                                {"--sharding", words.shardings},
                                                                                {"--kernel", words.kernels},
                                                                                {"--select", words.select},
                                                                                {"--ignore", words.ignore}};
  for (const auto& [option, list] : lists)
    if (has_empty_item(list)) return std::string(option) + ": an item of its list is empty";
  for (const std::string& word : split(words.ranks)) {
    const auto range = rank_range(word);
    if (!range) return "--rank '" + word + "': expected ranks such as 0,4-7";
    parts_->ranks.push_back(*range);
  }
  parts_->shardings = split(words.shardings);
  for (const std::string& sharding : parts_->shardings)
    if (!parse_name<Sharding>(sharding, kShardingNames))
      return "--sharding '" + sharding + "': expected CW, DP, GS, RW, TW, TWCW or TWRW" + near_sharding(sharding);
  parts_->kernels = split(words.kernels);
  parts_->select = split(words.select);
  parts_->ignore = split(words.ignore);
  for (const auto* prefixes : {&parts_->select, &parts_->ignore})
    for (const std::string& prefix : *prefixes)
      if (rules_matching(prefix).empty()) return no_rule_begins_with(prefix);
  if (std::ranges::none_of(rule_table(), [&](const Rule& rule) { return selects(rule.id); }))
    return "--select and --ignore leave no rule to check";
  return std::nullopt;
}

bool Filter::keeps_table(std::string_view fqn, std::string_view sharding, std::string_view kernel) const {
  if (!parts_->tables.empty() && !matches_any(parts_->tables, fqn)) return false;
  if (matches_any(parts_->excluded, fqn)) return false;
  return one_of(parts_->shardings, sharding) && one_of(parts_->kernels, kernel);
}

bool Filter::keeps_rank(int rank) const {
  return parts_->ranks.empty() ||
         std::ranges::any_of(parts_->ranks, [&](RankRange r) { return r.first <= rank && rank <= r.last; });
}

bool Filter::keeps_kernel(std::string_view kernel) const { return one_of(parts_->kernels, kernel); }

bool Filter::keeps_row(const PrintedTable& row) const {
  return keeps_table(row.fqn.text, row.sharding.text, row.kernel.text);
}

bool Filter::selects(std::string_view id) const {
  const auto begins = [&](const std::string& prefix) { return id.starts_with(prefix); };
  if (!parts_->select.empty() && std::ranges::none_of(parts_->select, begins)) return false;
  return std::ranges::none_of(parts_->ignore, begins);
}

bool Filter::keeps(const Rule& rule) const {
  if (!selects(rule.id)) return false;
  const bool by_table = parts_->selects_tables(), by_rank = !parts_->ranks.empty();
  if ((!by_table && !by_rank) || rule.id.starts_with("log.") || rule.id.starts_with("table.")) return true;
  if (rule.id.starts_with("rank.")) return by_rank;
  return rule.id.starts_with("kernel.") && !parts_->kernels.empty();
}

bool Filter::keeps(const Finding& finding, const PrintedPlan& printed) const {
  const std::string_view id = finding.rule->id;
  if (!selects(id)) return false;
  const bool by_table = parts_->selects_tables(), by_rank = !parts_->ranks.empty();
  if (id.starts_with("log.")) return true;  // damage concerns every row
  if (finding.table) {
    const PrintedTable& row = printed.tables.rows[*finding.table];
    return keeps_row(row) && (!by_rank || has_kept_rank(row));
  }
  if (!by_table && !by_rank) return true;
  if (finding.rank) return by_rank && keeps_rank(*finding.rank);
  return !finding.kernel.empty() && !parts_->kernels.empty() && one_of(parts_->kernels, finding.kernel);
}

bool Filter::has_kept_rank(const PrintedTable& row) const {
  std::vector<int> ranks;
  parse_ranks(row.ranks.text, ranks);
  return std::ranges::any_of(ranks, [&](int rank) { return keeps_rank(rank); });
}

namespace {

// The options that choose tables, as written, if --table is one of several; `tables` is set to them.
std::string options_for_tables(const FilterWords& words, Filter& tables) {
  const FilterWords of_tables{.tables = words.tables,
                              .excluded_tables = words.excluded_tables,
                              .shardings = words.shardings,
                              .kernels = words.kernels};
  if (words.tables.empty() || of_tables == FilterWords{.tables = words.tables} || tables.set(of_tables)) return {};
  const std::pair<std::string_view, const std::vector<std::string>&> options[] = {
      {"--table", words.tables},
      {"--exclude-table", words.excluded_tables},
      {"--sharding", words.shardings},
      {"--kernel", words.kernels}};
  std::string text;
  for (const auto& [option, list] : options)
    for (const std::string& word : list) text += (text.empty() ? "" : " ") + std::string(option) + " '" + word + "'";
  return text;
}

}  // namespace

struct UnmatchedWords::Word {
  std::string option, text;
  std::unique_ptr<re2::RE2> table;  // of --table
  std::optional<RankRange> ranks;   // of --rank
  std::vector<std::string> nearest{};
  bool matched = false;
};

UnmatchedWords::UnmatchedWords(const FilterWords& words) {
  Expressions tables;
  if (compile(words.tables, "", tables)) return;  // set() says so
  narrowed_ = options_for_tables(words, tables_);
  for (std::size_t i = 0; i < tables.size(); ++i)
    words_.push_back({"--table", words.tables[i], std::move(tables[i]), std::nullopt});
  for (const std::string& word : split(words.ranks)) words_.push_back({"--rank", word, nullptr, rank_range(word)});
  for (const std::string& word : split(words.kernels))
    if (find_kernel(word) == nullptr) words_.push_back({"--kernel", word, nullptr, std::nullopt});
}
UnmatchedWords::~UnmatchedWords() = default;

void UnmatchedWords::see(const PrintedPlan& printed) {
  seen_ = true;
  for (Word& word : words_) {
    if (word.matched) continue;
    if (word.ranks)
      word.matched = std::ranges::any_of(printed.ranks.rows, [&](const PrintedRank& row) {
        const int rank = row.lost ? static_cast<int>(&row - printed.ranks.rows.data()) : analysis::rank_number(row);
        return word.ranks->first <= rank && rank <= word.ranks->last;
      });
    else
      see_tables(printed, word);
  }
  if (narrowed_.empty() || keeps_table_) return;
  keeps_table_ =
      std::ranges::any_of(printed.tables.rows, [&](const PrintedTable& row) { return tables_.keeps_row(row); });
}

void UnmatchedWords::see_tables(const PrintedPlan& printed, Word& word) const {
  std::vector<std::string> names;
  for (const PrintedTable& row : printed.tables.rows) {
    const std::string_view fqn = row.fqn.text;
    word.matched |= word.table != nullptr ? re2::RE2::PartialMatch({fqn.data(), fqn.size()}, *word.table)
                                          : row.kernel.text == word.text;
    names.emplace_back(word.table != nullptr ? telling_end(fqn) : row.kernel.text);
  }
  if (!word.matched && word.nearest.empty()) word.nearest = nearest_of(word.text, names);
}

std::vector<UnknownTarget> UnmatchedWords::missing() const {
  std::vector<UnknownTarget> unknown;
  for (const Word& word : words_) {
    if (!seen_ || word.matched) continue;
    const std::string what = word.ranks ? "such a rank" : word.table ? "a table that matches" : "such a kernel";
    unknown.push_back({word.option + " '" + word.text + "': no block has " + what, word.nearest});
  }
  if (!narrowed_.empty() && unknown.empty() && seen_ && !keeps_table_)
    unknown.push_back({narrowed_ + ": together they keep no table of any block", {}});
  return unknown;
}

void apply(const Filter& filter, const PrintedPlan& printed, Report& report) {
  std::erase_if(report.findings, [&](const Finding& finding) { return !filter.keeps(finding, printed); });
  std::erase_if(report.checked, [&](const Rule* rule) { return !filter.keeps(*rule); });
}

}  // namespace shardstats
