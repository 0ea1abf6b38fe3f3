#include "infer/fill_perf.h"

#include <algorithm>
#include <tuple>

#include "infer/used_bandwidths.h"

namespace shardstats::infer_detail {
namespace {

PlanPerf perf_of(const PerfCells& cells) {
  PlanPerf perf;
  std::copy_n(cells.begin(), kPerfParts, perf.parts.begin());
  perf.total = cells[kPerfTotal];
  return perf;
}

void widen(PlanPerf& perf, const PlanPerf& other) {
  for (std::size_t c = 0; c < kPerfParts; ++c) perf.parts[c] = hull(perf.parts[c], other.parts[c]);
  perf.total = hull(perf.total, other.total);
}

void narrow(PlanPerf& perf, const PrintedPerfCells& printed, std::uint32_t wrong) {
  for (std::size_t c = 0; c < kPerfCells; ++c) {
    RealInterval& value = perf_cell(perf, c);
    if (printed[c] && (wrong >> c & 1) == 0) value = narrowed(value, *printed[c]);
  }
}

void choose(const PerfOutcome& outcome, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
            bool alternatives, PerfChoice& choice) {
  const PerfHypothesis& h = outcome.hypothesis;
  const PerfOption option = outcome.tables[t]->option;
  const std::uint64_t codecs = outcome.codecs[perf.tables[t].sharder];
  const auto first = static_cast<std::size_t>(std::countr_zero(codecs));
  const TableInputs& table = plan.tables[t];
  const auto wire_of = [&](std::size_t codec) {
    return wire_sizes(*h.setting.rules, codec_table()[codec], table.sequence, option.element_size);
  };
  choice.element_size = option.element_size;
  choice.weighted = option.weighted;
  choice.prefetch_pipeline = option.prefetch_pipeline;
  choice.prefetch_hidden = prefetch_hidden(h, table);
  choice.caching_ratio = perf_ratio(h, table, (*h.outcome->parts)[t].front());
  choice.wire = wire_of(first);
  choice.other_wires.clear();
  each_bit(alternatives ? codecs & (codecs - 1) : 0, [&](int c) {
    const WireSizes wire = wire_of(static_cast<std::size_t>(c));
    if (wire != choice.wire && std::ranges::find(choice.other_wires, wire) == choice.other_wires.end())
      choice.other_wires.push_back(wire);
  });
}

// Releases that print the other parts alone have no prefetch.
std::uint32_t told_cells(const PrintedPerfCells& printed, const Plan& plan) {
  constexpr auto kPrefetch = static_cast<std::uint32_t>(PerfPart::prefetch_compute);
  const bool all_but_prefetch = !plan.releases.empty() && perf_rules_of(plan.releases.front()).parts == kPrefetch;
  return printed.all() == 0 || !all_but_prefetch ? printed.all() : printed.all() | 1u << kPrefetch;
}

void fill_tables(const std::vector<PerfOutcome>& outcomes, const PlanInputs& inputs, const PerfInputs& perf,
                 bool alternatives, Plan& plan) {
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    PlanTable& table = plan.tables[t];
    const auto has = [&](const PerfOutcome& o) { return o.tables[t] != nullptr; };
    table.perf.known = std::all_of(outcomes.begin(), outcomes.end(), has);
    if (!table.perf.known) continue;
    table.perf.contradicted = outcomes.front().tables[t]->contradicted;
    table.perf.expected = perf_of(outcomes.front().tables[t]->cells);
    table.shard_perf = perf_of(outcomes.front().tables[t]->shard);
    choose(outcomes.front(), inputs, perf, t, alternatives, table.perf_choice);
    for (std::size_t o = 1; o < outcomes.size(); ++o) {
      widen(table.shard_perf, perf_of(outcomes[o].tables[t]->shard));
      if (alternatives) widen(table.perf.expected, perf_of(outcomes[o].tables[t]->cells));
    }
  }
}

void fill_ranks(const PerfInputs& perf, const std::vector<PerfOutcome>& outcomes, Plan& plan) {
  const auto is_known = [&](std::uint32_t t) { return plan.tables[t].perf.known; };
  const bool all_known = std::ranges::all_of(plan.tables, [](const PlanTable& t) { return t.perf.known; });
  const bool common_known = all_known || std::ranges::all_of(perf.everywhere, is_known);
  for (std::size_t r = 0; r < plan.ranks.size() && r < perf.ranks.size(); ++r) {
    PlanRank& rank = plan.ranks[r];
    bool known = perf.ranks[r].known && common_known;
    if (!all_known)
      for (const auto& [t, shards] : perf.ranks[r].shards) known &= is_known(t);
    rank.expected_perf.known = known;
    if (known) {
      rank.expected_perf.contradicted = outcomes.front().wrong_in_rank[r];
      rank.expected_perf.expected = perf_of(outcomes.front().ranks[r]);
      rank.perf = rank.expected_perf.expected;
      rank.perf_cells = (1u << kPerfCells) - 1;
      for (const PerfOutcome& outcome : outcomes) widen(rank.perf, perf_of(outcome.ranks[r]));
    }
    narrow(rank.perf, perf.ranks[r].printed, rank.expected_perf.contradicted);
  }
}

// Those that some table uses.
Bandwidths<bool> used_bandwidths(const PerfOutcome& outcome, const PlanInputs& inputs, const PerfInputs& perf,
                                 const Plan& plan) {
  Bandwidths<bool> used{};
  UsedBandwidths bandwidths(outcome.hypothesis.setting);
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    if (!plan.tables[t].perf.known) continue;
    const auto* const flags = bandwidths.of_new_kind(outcome.hypothesis, inputs, perf, t, outcome.tables[t]->option);
    for (std::size_t k = 0; flags && k < kBandwidths.size(); ++k) used.*kBandwidthFlags[k] |= (*flags)[k];
  }
  return used;
}

void fill_values(const std::vector<PerfOutcome>& outcomes, const PlanInputs& inputs, const PerfInputs& perf,
                 Plan& plan) {
  FittedValues values = outcomes.front().values;
  plan.perf.used = {true, true, true, true, true, true};
  for (const PerfOutcome& outcome : outcomes) {
    values = hull(values, outcome.values);
    const auto used = used_bandwidths(outcome, inputs, perf, plan);
    for (const auto flag : kBandwidthFlags)
      plan.perf.used.*flag = plan.perf.used.*flag && used.*flag && outcome.bounded.*flag;
  }
  plan.perf.bandwidths = values.bandwidths;
  plan.perf.backward = values.backward;
  plan.perf.weighted_backward = values.weighted_backward;
}

}  // namespace

void fill_printed_ranks(const PerfInputs& perf, Plan& plan) {
  for (std::size_t r = 0; r < plan.ranks.size() && r < perf.ranks.size(); ++r) {
    plan.ranks[r].perf_cells = told_cells(perf.ranks[r].printed, plan);
    for (std::size_t c = 0; c < kPerfCells; ++c)
      if (perf.ranks[r].printed[c]) perf_cell(plan.ranks[r].perf, c) = *perf.ranks[r].printed[c];
  }
}

void fill_perf(const std::vector<PerfOutcome>& outcomes, const PlanInputs& inputs, const PerfInputs& perf,
               bool alternatives, Plan& plan) {
  fill_tables(outcomes, inputs, perf, alternatives, plan);
  fill_ranks(perf, outcomes, plan);
  plan.all_ranks.perf = outcomes.front().all_ranks;
  plan.perf.setting = outcomes.front().hypothesis.setting;
  plan.perf.known = true;
  fill_values(outcomes, inputs, perf, plan);
}

}  // namespace shardstats::infer_detail
