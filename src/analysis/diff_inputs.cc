// Inputs of whole plans that changed, and their words.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>

#include "analysis/checks.h"
#include "analysis/diff_parts.h"
#include "analysis/lost_lines.h"
#include "analysis/statistics.h"

namespace shardstats::analysis {

std::string shortest_in(RealInterval x) {
  char buffer[32];
  constexpr int kMostDigits = 7;
  const auto text = [&](double value, int digits) {
    const auto end = std::to_chars(buffer, std::end(buffer), value, std::chars_format::general, digits);
    return std::string(buffer, end.ptr);
  };
  for (int digits = 1; digits <= kMostDigits; ++digits) {
    const std::string candidate = text(middle(x), digits);
    double value = 0;
    std::from_chars(candidate.data(), candidate.data() + candidate.size(), value);
    if (x.contains(value)) return text(value, kMostDigits);
  }
  return text(middle(x), kMostDigits);
}

namespace {

std::string gibibytes(RealInterval bytes) {
  const double unit = static_cast<double>(kGiB);
  return shortest_in({bytes.low / unit, bytes.high / unit}) + "GiB";
}

// ---- assumptions ---------------------------------------------------------------------------------------------------

bool overlap(const AssumedValue& a, const AssumedValue& b) {
  const auto bounds = [](const AssumedValue& value) -> Known {
    if (const auto* number = std::get_if<double>(&value)) return exactly(*number);
    if (const auto* bytes = std::get_if<ByteInterval>(&value)) return real(*bytes);
    if (const auto* reals = std::get_if<RealInterval>(&value)) return *reals;
    return std::nullopt;
  };
  const Known x = bounds(a), y = bounds(b);
  return x && y ? x->overlaps(*y) : a == b;
}

std::vector<AssumedValue> values_of(const Assumption& assumption) {
  std::vector<AssumedValue> all{assumption.value};
  all.insert(all.end(), assumption.alternatives.begin(), assumption.alternatives.end());
  return all;
}

const Assumption* of_plan(const Plan& plan, std::string_view name) {
  const auto is = [&](const Assumption& a) { return !a.table && a.name == name; };
  const auto found = std::ranges::find_if(plan.assumptions, is);
  return found == plan.assumptions.end() ? nullptr : &*found;
}

// Those that the causes name, and their words in --set.
struct NamedAssumption {
  std::string_view name, word;
};
constexpr NamedAssumption kNamed[] = {{"local_world_size", "local_world_size"},
                                      {"compute_device", "compute_device"},
                                      {"pipeline_type", "pipeline"},
                                      {"count_ephemeral_storage_cost", "count_ephemeral"},
                                      {"is_inference", "is_inference"}};

std::string word_of(const AssumedValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value)) return shortest_in(exactly(*number));
  return {};
}

std::string others_of(const Assumption& assumption) {
  std::string text;
  for (const AssumedValue& other : assumption.alternatives) text += (text.empty() ? "or " : ", ") + word_of(other);
  return text;
}

void add_assumptions(const DiffSide& base, const DiffSide& next, std::vector<InputDiff>& inputs) {
  for (const auto& [name, word] : kNamed) {
    const Assumption *a = of_plan(base.plan, name), *b = of_plan(next.plan, name);
    if (a != nullptr && b != nullptr && !have_common(values_of(*a), values_of(*b)))
      inputs.push_back({word, word_of(a->value), word_of(b->value), others_of(*b)});
  }
}

// Where single values leave no trace but no setting as a whole fits both logs.
void add_joint_setting(const DiffSide& base, const DiffSide& next, std::vector<InputDiff>& inputs) {
  if (!base.plan.sized || !next.plan.sized) return;
  const auto all = [](const Plan& plan) {
    std::vector<Setting> settings{plan.setting};
    settings.insert(settings.end(), plan.alternatives.begin(), plan.alternatives.end());
    return settings;
  };
  const auto a = all(base.plan), b = all(next.plan);
  const auto same = [](const Setting& x, const Setting& y) {
    return x.device == y.device && x.pipeline == y.pipeline && x.ephemeral == y.ephemeral && x.inference == y.inference;
  };
  for (const Setting& x : a)
    if (std::ranges::any_of(b, [&](const Setting& y) { return same(x, y); })) return;
  const Setting &x = a.front(), &y = b.front();
  const std::string note = "other settings explain it as well";
  if (x.pipeline != y.pipeline)
    inputs.push_back({"pipeline", std::string(name(x.pipeline)), std::string(name(y.pipeline)), note});
  if (x.ephemeral != y.ephemeral)
    inputs.push_back({"count_ephemeral", word_of(x.ephemeral), word_of(y.ephemeral), note});
}

// ---- what is printed of the plan -----------------------------------------------------------------------------------

std::string release_words(const std::vector<Release>& releases) {
  std::string text;
  for (std::size_t i = 1; i < releases.size(); ++i) text += (i == 1 ? "or " : ", ") + std::string(name(releases[i]));
  return text;
}

void add_release(const DiffSide& base, const DiffSide& next, std::vector<InputDiff>& inputs) {
  const auto &a = base.plan.releases, &b = next.plan.releases;
  if (a.empty() || b.empty() || std::ranges::find_first_of(a, b) != a.end()) return;
  inputs.push_back({"release", std::string(name(a.front())), std::string(name(b.front())), release_words(b)});
}

void add_text(std::string_view name, std::string before, std::string after, std::vector<InputDiff>& inputs) {
  if (!before.empty() && !after.empty() && before != after)
    inputs.push_back({name, std::move(before), std::move(after)});
}

// Of one device: what is reserved of it and what is left for planning; or the latter and its share.
Known capacity_of(const PrintedPlan& printed) {
  const auto bytes_in = [&](LineId id) {
    const auto bytes = printed.bytes_in(id);
    return bytes ? Known(real(*bytes)) : std::nullopt;
  };
  const Known planning = bytes_in(LineId::planning_memory), reserved = bytes_in(LineId::reserved_hbm);
  const auto share = values_printed_as(printed.slot(LineId::planning_percent).text, Format::p0);
  if (!planning || planning->low <= 0) return std::nullopt;
  if (reserved) return *planning + *reserved + RealInterval{0, 2};  // each is cut to whole bytes
  if (share && share->low > 0) return *planning / *share;
  return std::nullopt;
}

void add_capacity(const DiffSide& base, const DiffSide& next, std::vector<InputDiff>& inputs) {
  const Known a = capacity_of(base.printed), b = capacity_of(next.printed);
  if (a && b && !a->overlaps(*b)) inputs.push_back({"hbm", gibibytes(*a), gibibytes(*b)});
  const auto share = [](const PrintedPlan& printed) {
    const Cell percent = printed.slot(LineId::planning_percent);
    return percent ? std::string(percent.text) + "%" : std::string();
  };
  add_text("planning_share", share(base.printed), share(next.printed), inputs);
}

// ---- optimizer and dtype of all tables -----------------------------------------------------------------------------

struct SizedPair {
  const PlanTable *before, *after;
};

std::vector<SizedPair> sized_pairs(const DiffSide& base, const DiffSide& next, const std::vector<TablePair>& pairs) {
  std::vector<SizedPair> sized;
  for (const TablePair& pair : pairs) {
    if (!pair.before || !pair.after) continue;
    const SizedPair both{base.plan.table_of_row(*pair.before), next.plan.table_of_row(*pair.after)};
    if (both.before != nullptr && both.after != nullptr && both.before->sized && both.after->sized)
      sized.push_back(both);
  }
  return sized;
}

template <class Fits>
bool some_choices(const SizedPair& pair, Fits fits) {
  const auto each = [](const PlanTable& table, auto test) {
    return test(table.choice) || std::ranges::any_of(table.alternatives, test);
  };
  return each(*pair.before,
              [&](const Choice& a) { return each(*pair.after, [&](const Choice& b) { return fits(a, b); }); });
}

// The value that the preferred explanation has for most tables.
template <class Field>
auto most_frequent(const std::vector<SizedPair>& pairs, const PlanTable* SizedPair::*side, Field Choice::*field) {
  std::map<Field, std::size_t> counts;
  for (const SizedPair& pair : pairs) ++counts[(pair.*side)->choice.*field];
  return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })->first;
}

// A change of the field by the same values explains more tables than none does.
template <class Field, class Rest>
std::optional<std::pair<Field, Field>> common_change(const std::vector<SizedPair>& pairs, Field Choice::*field,
                                                     Rest same_rest) {
  if (pairs.empty()) return std::nullopt;
  const Field before = most_frequent(pairs, &SizedPair::before, field);
  const Field after = most_frequent(pairs, &SizedPair::after, field);
  if (before == after) return std::nullopt;
  std::ptrdiff_t without = 0, with = 0;
  for (const SizedPair& pair : pairs) {
    without +=
        some_choices(pair, [&](const Choice& a, const Choice& b) { return a.*field == b.*field && same_rest(a, b); });
    with += some_choices(pair, [&](const Choice& a, const Choice& b) {
      return a.*field == before && b.*field == after && same_rest(a, b);
    });
  }
  if (with <= without) return std::nullopt;
  return std::pair(before, after);
}

void add_optimizer(const std::vector<SizedPair>& pairs, WideInputs& wide) {
  const auto same_dtype = [](const Choice& a, const Choice& b) { return a.element_size == b.element_size; };
  wide.optimizer = common_change(pairs, &Choice::optimizer, same_dtype);
  if (wide.optimizer)
    wide.storage.push_back(
        {"optimizer", optimizer_word(wide.optimizer->first), optimizer_word(wide.optimizer->second)});
}

}  // namespace

bool have_common(const std::vector<AssumedValue>& a, const std::vector<AssumedValue>& b) {
  return std::ranges::any_of(a, [&](const AssumedValue& x) {
    return std::ranges::any_of(b, [&](const AssumedValue& y) { return overlap(x, y); });
  });
}

std::string dtype_word(double element_size) {
  return element_size == 4   ? "fp32"
         : element_size == 2 ? "fp16"
         : element_size == 1 ? "int8"
                             : shortest_in(exactly(element_size));
}

std::string optimizer_word(Optimizer optimizer) {
  constexpr std::array<const char*, 4> kWords = {"none", "rowwise_adagrad", "adagrad", "adam"};
  return kWords[static_cast<std::size_t>(optimizer)];
}

std::string bandwidth_word(RealInterval x) {
  return shortest_in({x.low / kBytesPerMs, x.high / kBytesPerMs}) + "GiB/s";
}

const InputDiff* WideInputs::find(std::string_view name) const {
  const auto found = std::ranges::find(storage, name, &InputDiff::name);
  return found == storage.end() ? nullptr : &*found;
}

std::string world_size_text(const DiffSide& side) {
  const PrintedPlan& printed = side.printed;
  if (printed.ranks.printed)
    return knows_all_ranks(printed, side.plan) ? std::to_string(printed.ranks.rows.size()) : "";
  return std::string(printed.slot(LineId::world_size).text);
}

WideInputs wide_inputs(const DiffSide& base, const DiffSide& next, const std::vector<TablePair>& pairs) {
  WideInputs wide;
  add_release(base, next, wide.storage);
  add_text("world_size", world_size_text(base), world_size_text(next), wide.storage);
  add_text("batch_size", std::string(base.printed.slot(LineId::batch_size).text),
           std::string(next.printed.slot(LineId::batch_size).text), wide.storage);
  const std::size_t printed = wide.storage.size();
  add_assumptions(base, next, wide.storage);
  if (wide.storage.size() == printed) add_joint_setting(base, next, wide.storage);
  add_optimizer(sized_pairs(base, next, pairs), wide);
  add_capacity(base, next, wide.capacity);
  return wide;
}

std::vector<AssumptionDiff> assumption_diffs(const DiffSide& base, const DiffSide& next,
                                             const std::vector<TablePair>& pairs) {
  std::vector<AssumptionDiff> diffs;
  const auto add = [&](const Assumption& a, const Assumption& b) {
    std::vector<AssumedValue> before = values_of(a), after = values_of(b);
    if (have_common(before, after)) return;
    const std::int64_t tables = a.table ? 1 : 0;
    const auto same = [&](const AssumptionDiff& d) {
      return d.name == a.name && (d.tables > 0) == a.table.has_value() && d.before == before && d.after == after;
    };
    if (const auto found = std::ranges::find_if(diffs, same); found != diffs.end())
      ++found->tables;
    else
      diffs.push_back({a.name, std::move(before), std::move(after), tables});
  };
  for (const Assumption& a : base.plan.assumptions) {
    if (a.table || a.name == "dense_hbm" || a.name == "kjt_hbm") continue;  // sizes are among the plan's numbers
    if (const Assumption* b = of_plan(next.plan, a.name)) add(a, *b);
  }
  std::map<std::pair<std::uint32_t, std::string_view>, const Assumption*> after;
  for (const Assumption& b : next.plan.assumptions)
    if (b.table) after.emplace(std::pair(*b.table, b.name), &b);
  std::map<std::uint32_t, std::uint32_t> rows;
  for (const TablePair& pair : pairs)
    if (pair.before && pair.after) rows.emplace(*pair.before, *pair.after);
  for (const Assumption& a : base.plan.assumptions) {
    if (!a.table) continue;
    const auto row = rows.find(*a.table);
    if (row == rows.end()) continue;
    if (const auto b = after.find({row->second, a.name}); b != after.end()) add(a, *b->second);
  }
  return diffs;
}

}  // namespace shardstats::analysis
