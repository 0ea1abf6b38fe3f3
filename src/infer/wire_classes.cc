#include "infer/wire_classes.h"

#include <algorithm>
#include <utility>

namespace shardstats::infer_detail {
namespace {

WireSizes used_sizes(const PerfRules& rules, WireKind kind, Codecs codecs, double element_size) {
  const bool sequence = kind == WireKind::sequence_all_to_all || kind == WireKind::sequence_both;
  WireSizes sizes = wire_sizes(rules, codecs, sequence, element_size);
  if (kind == WireKind::all_to_all || kind == WireKind::sequence_all_to_all)
    sizes.scatter_forward = sizes.scatter_backward = 0;
  if (kind == WireKind::scatter) sizes.all_to_all_forward = sizes.all_to_all_backward = 0;
  return sizes;
}

// Equal in both.
EqualCodecs joined(const EqualCodecs& a, const EqualCodecs& b) {
  EqualCodecs both{};
  for (std::size_t c = 0; c < kCodecs; ++c) {
    std::size_t first = 0;
    while (a[first] != a[c] || b[first] != b[c]) ++first;
    both[c] = static_cast<std::uint8_t>(first);
  }
  return both;
}

}  // namespace

WireKind wire_kind_of(const TableInputs& table) {
  if (table.sharding == Sharding::dp) return WireKind::none;
  const bool grouped = is_grouped(table.sharding);
  if (table.sequence) return grouped ? WireKind::sequence_both : WireKind::sequence_all_to_all;
  return grouped ? WireKind::both : table.sharding == Sharding::rw ? WireKind::scatter : WireKind::all_to_all;
}

EqualCodecs equal_codecs(const PerfRules& rules, WireKind kind, double element_size) {
  EqualCodecs equal{};
  if (kind == WireKind::none) return equal;
  std::array<WireSizes, kCodecs> sizes;
  for (std::size_t c = 0; c < kCodecs; ++c) {
    sizes[c] = used_sizes(rules, kind, codec_table()[c], element_size);
    equal[c] = static_cast<std::uint8_t>(std::ranges::find(sizes, sizes[c]) - sizes.begin());
  }
  return equal;
}

WireClasses::WireClasses(const PerfRules& rules, std::size_t sharders) : rules_(rules), sharders_(sharders) {}

WireClasses::WireClasses(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf)
    : WireClasses(*h.setting.rules, perf.sharders) {
  for (std::uint32_t t = 0; t < perf.tables.size(); ++t) {
    if (!perf.tables[t].known) continue;
    const WireKind kind = wire_kind_of(plan.tables[t]);
    if (h.any_element) add(perf.tables[t].sharder, kind, kAnySize);
    each_bit(elements_of(h, t), [&](int size) { add(perf.tables[t].sharder, kind, static_cast<std::size_t>(size)); });
  }
}

void WireClasses::add(std::uint32_t sharder, WireKind kind, std::size_t size) {
  OfSharder& all = sharders_[sharder];
  if (std::exchange(all.known[static_cast<std::size_t>(kind) * (kAnySize + 1) + size], true)) return;
  const double element_size = size == kAnySize ? 0 : kElementSizes[size];
  all.equal = joined(all.equal, equal_codecs(rules_, kind, element_size));
}

std::vector<std::size_t> WireClasses::first_of(const std::vector<std::size_t>& codecs) const {
  std::vector<std::size_t> first = codecs;
  for (std::size_t s = 0; s < first.size(); ++s)
    if (first[s] < kCodecs) first[s] = sharders_[s].equal[first[s]];
  return first;
}

}  // namespace shardstats::infer_detail
