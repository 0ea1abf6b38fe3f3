#include "shardstats/analysis/filter.h"

#include <re2/re2.h>

#include <algorithm>

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

std::optional<std::string> compile(const std::vector<std::string>& words, std::string_view option, Expressions& into) {
  for (const std::string& word : words) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    auto expression = std::make_unique<re2::RE2>(word, options);
    if (!expression->ok()) return std::string(option) + " '" + word + "': " + expression->error();
    into.push_back(std::move(expression));
  }
  return std::nullopt;
}

}  // namespace

struct Filter::Parts {
  Expressions tables, excluded;
  std::vector<RankRange> ranks;
  std::vector<std::string> shardings, kernels, select, ignore;
  bool rows() const { return !tables.empty() || !excluded.empty() || !shardings.empty() || !kernels.empty(); }
};

Filter::Filter() : parts_(std::make_unique<Parts>()) {}
Filter::~Filter() = default;
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;

std::optional<std::string> Filter::set(const FilterWords& words) {
  if (auto wrong = compile(words.tables, "--table", parts_->tables)) return wrong;
  if (auto wrong = compile(words.excluded_tables, "--exclude-table", parts_->excluded)) return wrong;
  for (const std::string& word : split(words.ranks)) {
    const std::size_t dash = std::min(word.find('-'), word.size());
    const auto first = parse_integer(std::string_view(word).substr(0, dash), 1 << 24);
    const auto last = dash == word.size() ? first : parse_integer(std::string_view(word).substr(dash + 1), 1 << 24);
    if (!first || !last || *last < *first) return "--rank '" + word + "': expected ranks such as 0,4-7";
    parts_->ranks.push_back({static_cast<int>(*first), static_cast<int>(*last)});
  }
  parts_->shardings = split(words.shardings);
  for (const std::string& sharding : parts_->shardings)
    if (!parse_name<Sharding>(sharding, kShardingNames))
      return "--sharding '" + sharding + "': expected CW, DP, GS, RW, TW, TWCW or TWRW";
  parts_->kernels = split(words.kernels);
  parts_->select = split(words.select);
  parts_->ignore = split(words.ignore);
  for (const auto* prefixes : {&parts_->select, &parts_->ignore})
    for (const std::string& prefix : *prefixes)
      if (rules_matching(prefix).empty()) return "no rule begins with '" + prefix + "'; `shardstats rules` lists them";
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
  const bool by_table = parts_->rows(), by_rank = !parts_->ranks.empty();
  if ((!by_table && !by_rank) || rule.id.starts_with("log.") || rule.id.starts_with("table.")) return true;
  if (rule.id.starts_with("rank.")) return by_rank;
  return rule.id.starts_with("kernel.") && !parts_->kernels.empty();
}

bool Filter::keeps(const Finding& finding, const PrintedPlan& printed) const {
  const std::string_view id = finding.rule->id;
  if (!selects(id)) return false;
  const bool by_table = parts_->rows(), by_rank = !parts_->ranks.empty();
  if ((!by_table && !by_rank) || id.starts_with("log.")) return true;  // damage concerns every row
  if (finding.table) {
    const PrintedTable& row = printed.tables.rows[*finding.table];
    return keeps_row(row) && (!by_rank || has_kept_rank(row));
  }
  if (finding.rank) return by_rank && keeps_rank(*finding.rank);
  return !finding.kernel.empty() && !parts_->kernels.empty() && one_of(parts_->kernels, finding.kernel);
}

bool Filter::has_kept_rank(const PrintedTable& row) const {
  std::vector<int> ranks;
  parse_ranks(row.ranks.text, ranks);
  return std::ranges::any_of(ranks, [&](int rank) { return keeps_rank(rank); });
}

void apply(const Filter& filter, const PrintedPlan& printed, Report& report) {
  std::erase_if(report.findings, [&](const Finding& finding) { return !filter.keeps(finding, printed); });
  std::erase_if(report.checked, [&](const Rule* rule) { return !filter.keeps(*rule); });
}

}  // namespace shardstats
