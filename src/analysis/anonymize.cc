#include "shardstats/analysis/anonymize.h"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <unordered_set>

#include "analysis/lines.h"
#include "analysis/pseudonyms.h"
#include "shardstats/ascii.h"
#include "shardstats/planner/releases.h"

namespace shardstats {
namespace {

using namespace analysis;

// What a text of a block may be.
enum class Role : std::uint8_t { fqn, listed_name, sharder, kernel, sharding, shards, unknown };

// How a text is made anonymous: not at all, part by part, without the planner's words around it, letter by letter.
enum class Treatment : std::uint8_t { none, parts, class_name, mask };

constexpr std::size_t kLongestIndex = 2;  // digits
constexpr std::string_view kSharder = "Sharder";
constexpr std::array<std::string_view, 2> kClassPrefixes = {"Quant", "EmbeddingCollection"};  // inference reads them

bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) > 0x7F; }
bool is_word_character(char c) { return is_digit(c) || is_letter(c) || c == '_' || is_beyond_ascii(c); }

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word_character(text[at])) ++at;
  return at;
}

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Words that planners print; they say nothing of a model.
const std::unordered_set<std::string_view>& planner_words() {
  static const auto kWords = [] {
    std::unordered_set<std::string_view> words = {"rank", "ranks",  "None",     "n",        "a",         "nan",
                                                  "inf",  "pooled", "sequence", "weighted", "unweighted"};
    const auto add_words = [&](std::string_view text) {
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text[at] == '{' ? text.find('}', at) : end_of_word(text, at);
        if (text[at] != '{' && end > at) words.insert(text.substr(at, end - at));
        at = std::max(end, at + 1);
      }
    };
    for (const LineForm& form : line_forms()) add_words(form.pattern);
    for (const ColumnForm& form : column_forms()) add_words(form.header);
    for (const KernelTraits& kernel : kernel_table()) words.insert(kernel.name);
    words.insert(kShardingNames.begin(), kShardingNames.end());
    words.insert(kSharderNames.begin(), kSharderNames.end());
    return words;
  }();
  return kWords;
}

bool is_name(std::string_view part) {
  const bool index = part.size() <= kLongestIndex && std::ranges::all_of(part, is_digit);
  return !part.empty() && !index;
}

// One word with a letter in it: a name, not the rest of a damaged line.
bool is_like_name(std::string_view text) {
  return text.find_first_of(" :") == std::string_view::npos &&
         std::ranges::any_of(text, [](char c) { return is_letter(c) || is_beyond_ascii(c); });
}

template <class Visit>
void each_part(std::string_view text, Visit visit) {
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('.', start), text.size());
    visit(text.substr(start, end - start), end == text.size());
    start = end + 1;
  }
}

// "QuantMyTableSharder" is "Quant", "MyTable", "Sharder".
struct ClassName {
  std::string_view prefix, own, suffix;
};
ClassName class_name(std::string_view text) {
  ClassName name{{}, text, {}};
  for (const std::string_view prefix : kClassPrefixes)
    if (name.own.starts_with(prefix)) {
      name.prefix = text.substr(0, prefix.size());
      name.own.remove_prefix(prefix.size());
      break;
    }
  if (name.own.ends_with(kSharder)) {
    name.suffix = name.own.substr(name.own.size() - kSharder.size());
    name.own.remove_suffix(kSharder.size());
  }
  return name;
}

std::optional<Role> role_of(LineId id) {
  if (names_kernel(id)) return Role::kernel;
  if (lists_table(id)) return Role::listed_name;
  return is_unknown(id) ? std::optional(Role::unknown) : std::nullopt;
}

// Visits the cells that are no numbers, in printed order. Plan: PrintedPlan, const or not.
template <class Plan, class Visit>
void each_text(Plan& plan, Visit visit) {
  const auto each_unknown = [&](auto& table, auto& odd, std::uint32_t row) {
    for (; odd != table.odd.end() && odd->row == row; ++odd) {
      const bool is_fqn = table.columns[odd->column].id == ColumnId::fqn && is_like_name(odd->cell.text);
      visit(odd->cell, is_fqn ? Role::fqn : Role::unknown);
    }
  };
  const auto each_row = [&](auto& table, auto visit_row) {
    for (auto& column : table.columns)
      if (column.id == ColumnId::unknown) visit(column.header, Role::unknown);
    auto odd = table.odd.begin();
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      visit_row(table.rows[row]);
      each_unknown(table, odd, static_cast<std::uint32_t>(row));
    }
  };
  for (auto& line : plan.lines) {
    if (line.id == LineId::rank_table) {
      each_row(plan.ranks, [&](auto& row) { visit(row.shards, Role::shards); });
    } else if (line.id == LineId::parameter_table) {
      each_row(plan.tables, [&](auto& row) {
        visit(row.fqn, Role::fqn);
        visit(row.sharding, Role::sharding);
        visit(row.kernel, Role::kernel);
        visit(row.sharder, Role::sharder);
      });
    } else if (const auto role = role_of(line.id); role && line.slot_count > 0) {
      visit(plan.slots[line.first_slot], *role);
    }
  }
}

// Tells what of a plan's texts is the planner's.
class Reader {
 public:
  // A kernel that no known release has is one all the same if a table has it and the lines of kernels list it.
  explicit Reader(const PrintedPlan& plan) {
    std::set<std::string_view> of_tables;
    for (const PrintedTable& row : plan.tables.rows) of_tables.insert(row.kernel.text);
    for (const PrintedLine& line : plan.lines)
      if (role_of(line.id) == Role::kernel && of_tables.contains(plan.slots[line.first_slot].text))
        kernels_.insert(plan.slots[line.first_slot].text);
  }

  Treatment treatment(Role role, std::string_view text) const {
    if (is_of_planner(role, text)) return Treatment::none;
    if (role == Role::fqn) return Treatment::parts;
    if (role == Role::unknown || role == Role::shards || !is_like_name(text)) return Treatment::mask;
    return role == Role::sharder ? Treatment::class_name : Treatment::parts;
  }

 private:
  bool is_of_planner(Role role, std::string_view text) const {
    switch (role) {
      case Role::kernel:
        return find_kernel(text) != nullptr || kernels_.contains(text);
      case Role::sharding:
        return contains(kShardingNames, text);
      case Role::sharder:
        return contains(kSharderNames, text);
      case Role::shards:
        return std::ranges::all_of(shard_counts({text, {}}),
                                   [](const ShardCount& pair) { return contains(kShardingNames, pair.type.text); });
      default:
        return false;
    }
  }

  std::set<std::string_view> kernels_;
};

NameKind kind_of(Role role, bool last) {
  if (role == Role::kernel || role == Role::sharding) return NameKind::word;
  return last ? NameKind::table : NameKind::module;
}

// The names of the plans, without replacements yet.
class Collector {
 public:
  explicit Collector(const KeepName& keep) : keep_(keep) {}

  void read(const PrintedPlan& plan) {
    const Reader reader(plan);
    each_text(plan, [&](const Cell& cell, Role role) {
      if (cell) read(reader.treatment(role, cell.text), role, cell.text);
    });
  }

  std::vector<Replacement> take() { return std::move(names_); }

 private:
  void read(Treatment treatment, Role role, std::string_view text) {
    if (treatment == Treatment::parts) {
      const bool keep = keep_(text);
      each_part(text, [&](std::string_view part, bool last) { add(part, kind_of(role, last), keep); });
    } else if (treatment == Treatment::class_name) {
      add(class_name(text).own, NameKind::sharder, keep_(text));
    }
  }

  void add(std::string_view name, NameKind kind, bool keep) {
    if (!is_name(name)) return;
    const auto [found, is_new] = index_.try_emplace(std::string(name), names_.size());
    if (is_new) names_.push_back({std::string(name), kind, keep_(name), {}});
    names_[found->second].kept |= keep;
  }

  const KeepName& keep_;
  std::vector<Replacement> names_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

class Anonymizer {
 public:
  Anonymizer(const PrintedPlan& printed, const Replacements& replacements)
      : reader_(printed), replacements_(replacements) {
    result_.plan = printed;
    result_.plan.diagnostics.clear();  // they quote the log
  }

  AnonymizedPlan run() {
    each_text(result_.plan, [&](Cell& cell, Role role) {
      if (cell) replace(cell, role);
    });
    return std::move(result_);
  }

 private:
  void replace(Cell& cell, Role role) {
    const Treatment treatment = reader_.treatment(role, cell.text);
    if (treatment == Treatment::none) return;
    std::string text = treatment == Treatment::parts        ? parts(cell.text)
                       : treatment == Treatment::class_name ? replaced_class(cell.text)
                                                            : masked(cell.text);
    if (text == cell.text) return;
    if (treatment == Treatment::mask && result_.masked++ == 0) result_.first_masked = cell.place;
    cell.text = result_.texts.emplace_back(std::move(text));
  }

  std::string parts(std::string_view text) const {
    std::string out;
    each_part(text, [&](std::string_view part, bool last) {
      out += replaced(part);
      if (!last) out += '.';
    });
    return out;
  }

  std::string replaced_class(std::string_view text) const {
    const ClassName name = class_name(text);
    return std::string(name.prefix).append(replaced(name.own)).append(name.suffix);
  }

  std::string_view replaced(std::string_view name) const {
    const Replacement* found = replacements_.find(name);
    return found == nullptr ? name : std::string_view(found->replacement);
  }

  std::string masked(std::string_view text) const {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      if (const Replacement* name = replacements_.longest_at(text, at)) {
        out += name->replacement;
        at += name->name.size();
        continue;
      }
      const std::size_t end = std::max(end_of_word(text, at), at + 1);
      const std::string_view word = text.substr(at, end - at);
      if (planner_words().contains(word))
        out += word;
      else
        each_character(word, [&](std::string_view character) { out += masked_character(character); });
      at = end;
    }
    return out;
  }

  static std::string masked_character(std::string_view character) {
    if (character.size() > 1) return letter(character.size(), 0);
    return is_letter(character[0]) || is_beyond_ascii(character[0]) ? "x" : std::string(character);
  }

  Reader reader_;
  const Replacements& replacements_;
  AnonymizedPlan result_;
};

}  // namespace

std::variant<KeepName, std::string> keep_matching(const std::vector<std::string>& expressions) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  std::vector<std::shared_ptr<const re2::RE2>> compiled;  // shared, since functions are copied
  for (const std::string& text : expressions) {
    compiled.push_back(std::make_shared<const re2::RE2>(text, options));
    if (!compiled.back()->ok()) return "'" + text + "': not a regular expression: " + compiled.back()->error();
  }
  return [compiled](std::string_view name) {
    const re2::StringPiece piece(name.data(), name.size());
    return std::ranges::any_of(compiled, [&](const auto& one) { return re2::RE2::FullMatch(piece, *one); });
  };
}

std::variant<Replacements, std::string> Replacements::choose(std::span<const PrintedPlan* const> plans,
                                                             const KeepName& keep) {
  Collector collector(keep);
  for (const PrintedPlan* plan : plans) collector.read(*plan);
  Replacements chosen;
  chosen.all_ = collector.take();
  for (std::size_t i = 0; i < chosen.all_.size(); ++i) chosen.by_name_.emplace(chosen.all_[i].name, i);
  Pseudonyms pseudonyms(chosen.by_name_);
  for (Replacement& one : chosen.all_) {
    auto replacement = one.kept ? one.name : pseudonyms.next(one.kind, one.name);
    if (!replacement)
      return "no other name of the length of '" + one.name + "' is left that has no name of the log in it";
    one.replacement = std::move(*replacement);
  }
  return chosen;
}

const Replacement* Replacements::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &all_[found->second];
}

const Replacement* Replacements::longest_at(std::string_view text, std::size_t at) const {
  std::string_view rest = text.substr(at);
  while (true) {
    const auto found = longest_prefix(by_name_, rest);
    if (found == by_name_.end()) return nullptr;
    const std::size_t size = found->first.size(), end = at + size;
    const bool goes_on = end < text.size() && is_word_character(text[end]) && is_word_character(text[end - 1]);
    if (!goes_on) return &all_[found->second];
    rest = rest.substr(0, size - 1);
  }
}

AnonymizedPlan anonymize(const PrintedPlan& printed, const Replacements& replacements) {
  return Anonymizer(printed, replacements).run();
}

}  // namespace shardstats
