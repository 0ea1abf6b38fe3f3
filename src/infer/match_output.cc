#include "infer/match_output.h"

#include <algorithm>
#include <cmath>

namespace shardstats::infer_detail {
namespace {

constexpr std::size_t kMostSums = 1000;    // partial ones looked at for one printed sum
constexpr std::size_t kMostSteps = 2000;   // for one assignment
constexpr std::size_t kMostAssigned = 16;  // sizes that are kept for each table and rank

bool is_before(RealInterval a, RealInterval b) { return a.low != b.low ? a.low < b.low : a.high < b.high; }

// Each sum with the size more, in order, without those that can no longer become the printed one. `rest`: what is added
// afterwards.
void grow(const std::vector<RealInterval>& sums, RealInterval size, RealInterval rest, RealInterval printed,
          std::vector<RealInterval>& grown) {
  grown.clear();
  bool in_order = true;  // but for rounding
  for (const RealInterval sum : sums) {
    const RealInterval one = sum + size;
    if (!(one + rest).overlaps(printed)) continue;
    in_order = in_order && (grown.empty() || is_before(grown.back(), one));
    grown.push_back(one);
  }
  if (in_order) return;
  std::ranges::sort(grown, is_before);
  grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
}

// Each sum with each size more, in order; if they are more than `most`, some.
std::vector<RealInterval> with_sizes(const std::vector<RealInterval>& sums, const Sizes& sizes, RealInterval rest,
                                     RealInterval printed, std::size_t most) {
  std::vector<RealInterval> all, grown, both;
  grown.reserve(sums.size());
  for (const auto& [element, size] : sizes) {
    grow(sums, size, rest, printed, grown);
    both.resize(all.size() + grown.size());
    both.erase(std::ranges::set_union(all, grown, both.begin(), is_before).out, both.end());
    std::swap(all, both);
    if (all.size() > most) break;
  }
  return all;
}

// Finds sums among others that are in order, the lower ones first.
class Place {
 public:
  explicit Place(const std::vector<RealInterval>& sums) : next_(sums.data()), end_(next_ + sums.size()) {}
  bool finds(RealInterval sum) {
    while (next_ != end_ && next_->low < sum.low) ++next_;
    for (const RealInterval* equal = next_; equal != end_ && equal->low == sum.low; ++equal)
      if (equal->high == sum.high) return true;
    return false;
  }

 private:
  const RealInterval *next_, *end_;
};

// The largest first, each with what it and those after it can add.
void put_in_order(std::vector<OpenTable>& open) {
  std::sort(open.begin(), open.end(), [](const OpenTable& a, const OpenTable& b) {
    return a.sizes.front().second.high > b.sizes.front().second.high;
  });
  RealInterval rest{};
  for (auto table = open.rbegin(); table != open.rend(); ++table) {
    RealInterval all = table->sizes.front().second;
    for (const auto& size : table->sizes) all = hull(all, size.second);
    table->rest = rest = rest + all;
  }
}

// The sizes of the tables from the i-th on that lead from a sum to the printed one, nearest first; each table takes one
// as long as those after it can make up for the rest.
bool complete(const std::vector<OpenTable>& open, RealInterval sum, RealInterval printed, std::size_t& steps,
              Assignment& assignment) {
  const std::size_t i = assignment.size();
  if (i == open.size()) return true;
  if (steps == 0) return false;
  --steps;
  const RealInterval rest = i + 1 < open.size() ? open[i + 1].rest : RealInterval{};
  const auto off = [&](const auto& size) { return std::abs(middle(sum + size.second + rest) - middle(printed)); };
  auto sizes = open[i].sizes;
  std::ranges::sort(sizes, {}, off);
  for (const auto& [element, size] : sizes) {
    if (!(sum + size + rest).overlaps(printed)) continue;
    assignment.emplace_back(open[i].table, element);
    if (complete(open, sum + size, printed, steps, assignment)) return true;
    assignment.pop_back();
    if (steps == 0) return false;
  }
  return false;
}

// So many sums, and those of the tables after them: as a rule they become fewer evenly, or more.
std::size_t with_later_ones(std::size_t sums, std::size_t tables) { return sums + sums * tables / 2; }

enum class Assigned : std::uint8_t { none, some, too_many };

// Table after table: the sums that can still become the printed one. Many tables are alike, so that there are few. Then
// back again, to see which sizes the sums that end well are made of.
Assigned assign(std::vector<OpenTable>& open, RealInterval fixed, RealInterval printed) {
  std::vector<std::vector<RealInterval>> sums{{fixed}};
  std::size_t most = kMostSums;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const RealInterval rest = i + 1 < open.size() ? open[i + 1].rest : RealInterval{};
    std::vector<RealInterval> next = with_sizes(sums.back(), open[i].sizes, rest, printed, most);
    if (next.empty()) return Assigned::none;
    if (with_later_ones(next.size(), open.size() - i - 1) > most) return Assigned::too_many;
    most -= next.size();
    sums.push_back(std::move(next));
  }
  for (std::size_t i = open.size(); i-- > 0;) {
    std::vector<Place> places(open[i].sizes.size(), Place(sums[i + 1]));  // by size
    std::erase_if(sums[i], [&](RealInterval sum) {
      bool ends_well = false;
      for (std::size_t s = 0; s < open[i].sizes.size(); ++s) {
        const auto& [element, size] = open[i].sizes[s];
        const bool known = ends_well && (open[i].used >> element & 1) != 0;
        if (known || !places[s].finds(sum + size)) continue;
        open[i].used |= 1u << element;
        ends_well = true;
      }
      return !ends_well;
    });
  }
  return Assigned::some;
}

}  // namespace

bool OutputMatcher::has_open_table(const SumLine& line) const {
  const auto has_one = [&](Part shards) {
    return std::ranges::any_of(lines_.entries(shards),
                               [&](const Entry& entry) { return bounds_.sizes_differ(entry.table); });
  };
  return has_one(lines_.common(line)) || has_one(SumLines::own(line));
}

std::optional<std::vector<OpenTable>> OutputMatcher::matched(const SumLine& line) const {
  std::vector<OpenTable> open;
  if (!has_open_table(line)) return open;
  RealInterval fixed{};
  open = open_tables(line, fixed);
  put_in_order(open);
  const Assigned found = assign(open, fixed, line.printed);
  if (found == Assigned::none) return std::nullopt;
  if (found == Assigned::too_many) open.clear();
  return open;
}

Assignments OutputMatcher::assignments() const {
  Assignments all;
  std::size_t left = kMostAssigned * (plan_.tables.size() + plan_.ranks.size());
  std::optional<std::uint32_t> last;  // line that was looked at
  for (std::uint32_t l = 0; l < outcome_.sums.size(); ++l) {
    const SumLine& line = outcome_.sums[l];
    if (!line.is_of_rank(Quantity::output) || line.contradicted) continue;
    if (last && SumLines::are_equal(outcome_.sums[*last], line)) {
      if (const auto same = all.find(*last); same != all.end() && same->second.size() <= left) {
        left -= same->second.size();
        all.emplace(l, same->second);
      }
      continue;
    }
    last = l;
    RealInterval fixed{};
    std::vector<OpenTable> open = open_tables(line, fixed);
    if (open.empty() || open.size() > std::min(kMostSteps, left)) continue;
    put_in_order(open);
    std::size_t steps = kMostSteps;
    Assignment found;
    if (!complete(open, fixed, line.printed, steps, found)) continue;
    std::ranges::sort(found);
    left -= found.size();
    all.emplace(l, std::move(found));
  }
  return all;
}

bool OutputMatcher::gives(const SumLine& line, const Assignments& known, std::uint32_t l) const {
  const auto assignment = known.find(l);
  if (assignment == known.end()) return false;
  std::size_t assigned = 0;  // tables
  RealInterval sum{};
  for (const Part shards : {lines_.common(line), SumLines::own(line)}) {
    const auto added = add_known(shards, assignment->second, sum);
    if (!added) return false;
    assigned += *added;
  }
  return assigned == assignment->second.size() && sum.overlaps(line.printed);
}

// Adds the output of shards with the known sizes; returns how many tables have one. None: a table has no such size.
std::optional<std::size_t> OutputMatcher::add_known(Part shards, const Assignment& known, RealInterval& sum) const {
  std::size_t assigned = 0;
  auto next = known.begin();
  for (std::uint32_t i = shards.first; i < shards.end; ++i) {
    const Entry& entry = lines_[i];
    if (!bounds_.sizes_differ(entry.table)) {
      sum = sum + entry.times(bounds_.values()[entry.values + at(Quantity::output)]);
      continue;
    }
    const bool is_next = i == shards.first || lines_[i - 1].table != entry.table;
    if (is_next) {
      next = std::find_if(next, known.end(), [&](const auto& one) { return one.first == entry.table; });
      ++assigned;
    }
    if (next == known.end() || !bounds_.has_element(entry.table, next->second)) return std::nullopt;
    sum = sum + output_of(entry, next->second);
  }
  return assigned;
}

// With an element size that some option has.
RealInterval OutputMatcher::output_of(const Entry& entry, int element) const {
  const TableParts& variants = (*outcome_.parts)[entry.table];
  std::size_t variant = 0;
  if (variants.size() > 1) {
    const auto has_size = [&](Option option) { return option.element() == element; };
    variant = std::ranges::find_if(outcome_.tables[entry.table].options, has_size)->variant;
  }
  return bounds_.bytes(entry, variants[variant], {element, element, 0}, Quantity::output);
}

// Tables with several element sizes left, and the bytes of all others.
std::vector<OpenTable> OutputMatcher::open_tables(const SumLine& line, RealInterval& fixed) const {
  std::vector<OpenTable> open;
  open.reserve(line.count);
  lines_.each_part(line, [&](Part part) {
    if (!bounds_.sizes_differ(part.table)) {
      fixed = fixed + bounds_.sum_of(part, Quantity::output);
      return;
    }
    OpenTable& one = open.emplace_back();
    one.table = part.table;
    const auto& options = outcome_.tables[part.table].options;
    std::uint32_t known = 0;
    for (const Option option : options) {
      const int element = option.element();
      if ((known >> element & 1) != 0) continue;
      known |= 1u << element;
      one.sizes.push_back({element, bounds_.bytes(part, option, Quantity::output)});
    }
  });
  return open;
}

}  // namespace shardstats::infer_detail
