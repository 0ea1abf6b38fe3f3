// Checks of the lines that are derived from the ranks: imbalance, maxima, distribution, tiers, critical path, top
// tables (log-format.md sections 3.8 to 3.10, 3.12 and 6.4 to 6.9).
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "analysis/checks.h"
#include "shardstats/planner/statistics.h"

namespace shardstats::analysis {
namespace {

constexpr double kNear = 1 << 20;  // bytes within which a rank belongs to a statistic (6.7)
constexpr double kWholeByte = 1;   // statistics are rounded to whole bytes
constexpr std::size_t kMostTiers = 5, kMostTables = 5;
constexpr double kManyRanks = 8;  // above, v1.2.0 and v1.3.0 divide comms of column-wise plans by three
constexpr double kEarlyDivisor = 3;
constexpr double kRounding = 1e-12;  // relative: the planner adds in another order

RealInterval real(ByteInterval x) { return {static_cast<double>(x.low), static_cast<double>(x.high)}; }
RealInterval give(RealInterval x, double slack) { return {x.low - slack, x.high + slack}; }

// Values of all ranks, in rank order.
struct RankValues {
  std::vector<RealInterval> hbm, ddr, sparse, perf;
  std::array<std::vector<RealInterval>, kPerfParts> parts;
};

class Statistics {
 public:
  explicit Statistics(Checks& checks) : checks_(checks) {}

  void check() {
    if (!read_values()) return;
    checks_.compared.ranks = true;
    for (const PrintedLine& line : checks_.printed.lines) check_line(line);
    check_sum_of_maxima();
    check_tiers();
    check_critical_path();
    check_top(LineId::top_perf_heading, LineId::top_perf_table, RuleId::top_tables_perf);
    check_top(LineId::top_hbm_heading, LineId::top_hbm_table, RuleId::top_tables_hbm);
  }

 private:
  // ---- rank values -------------------------------------------------------------------------------------------------

  // Where the formulas contradict many ranks, nothing explains them: then the printed cells stand for themselves.
  template <class Contradicted>
  bool trusted(Contradicted contradicted) const {
    const auto wrong = std::ranges::count_if(checks_.plan.ranks, contradicted);
    return static_cast<std::size_t>(wrong) <= checks_.plan.ranks.size() / 4 + 1;
  }

  bool read_values() {
    const auto& rows = checks_.printed.ranks.rows;
    const auto& ranks = checks_.plan.ranks;
    if (rows.empty() || rows.size() != ranks.size()) return false;
    const bool hbm = trusted([](const PlanRank& r) { return r.expected_hbm.contradicted; });
    const bool ddr = trusted([](const PlanRank& r) { return r.expected_ddr.contradicted; });
    const bool perf = trusted([](const PlanRank& r) { return r.expected_perf.contradicted != 0; });
    sparse_known_ = hbm && checks_.plan.sized;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rank_number(rows[r]) != static_cast<int>(r)) return false;
      const PlanRank& rank = ranks[r];
      const auto value = [](bool settled, bool wrong, RealInterval rebuilt, RealInterval printed) {
        return !settled ? printed
               : wrong  ? hull(rebuilt, printed)
                        : rebuilt;  // either of two that disagree may be right
      };
      values_.hbm.push_back(value(hbm, rank.expected_hbm.contradicted, real(rank.hbm), printed_memory(rows[r].hbm)));
      values_.ddr.push_back(value(ddr, rank.expected_ddr.contradicted, real(rank.ddr), printed_memory(rows[r].ddr)));
      values_.sparse.push_back(real(rank.sparse_hbm));
      const bool wrong = rank.expected_perf.contradicted != 0;
      values_.perf.push_back(value(perf, wrong, rank.perf.total, printed_value(rows[r].perf.total, Format::r3)));
      for (std::size_t p = 0; p < kPerfParts; ++p)
        values_.parts[p].push_back(
            value(perf, wrong, rank.perf.parts[p], printed_value(rows[r].perf.components[p], Format::c1)));
      sparse_known_ &= !rank.expected_hbm.contradicted;
    }
    return true;
  }

  RealInterval printed_memory(const Cell& cell) const {
    const Format memory = layout() < Release::v0_8_0 ? Format::r1 : Format::r3;
    const auto bytes = bytes_printed_as(cell.text, memory, kGiB);
    return bytes ? real(*bytes) : RealInterval{0, 1e18};
  }
  static RealInterval printed_value(const Cell& cell, Format format) {
    return values_printed_as(cell.text, format).value_or(RealInterval{0, 1e18});
  }
  Release layout() const { return checks_.printed.releases.front(); }

  // ---- numbers and lists -------------------------------------------------------------------------------------------

  bool differ(RuleId rule, const Cell& cell, Format format, RealInterval expected, std::string_view what,
              std::string_view unit) {
    const auto printed = values_printed_as(cell.text, format);
    if (!cell || (printed && printed->overlaps(expected))) return false;  // no such number at all differs, too
    Finding& finding = checks_.add(rule, cell);
    finding.expected = expected_value(expected, format, unit == " ms" ? "ms" : unit == "%" ? "percent" : "");
    finding.message = differs(what, cell.text, unit, finding.expected->text);
    return true;
  }

  bool differ_bytes(RuleId rule, const Cell& cell, RealInterval expected, std::string_view what) {
    const auto printed = bytes_printed_as(cell.text, Format::r3, kGiB);
    if (!printed || real(*printed).overlaps(expected)) return false;
    Finding& finding = checks_.add(rule, cell);
    const ByteInterval bytes{static_cast<std::int64_t>(std::max(expected.low, 0.0)),
                             static_cast<std::int64_t>(std::max(expected.high, 0.0))};
    finding.expected = expected_bytes(bytes, Format::r3, kGiB);
    finding.message = differs(what, cell.text, " GB", finding.expected->text);
    return true;
  }

  static std::string text_of(const std::vector<bool>& ranks) {
    std::string text;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      if (!ranks[r]) continue;
      std::size_t end = r;
      while (end + 1 < ranks.size() && ranks[end + 1]) ++end;
      text += (text.empty() ? "" : ",") + std::to_string(r) + (end > r ? "-" + std::to_string(end) : "");
      r = end;
    }
    return text;
  }

  void differ_ranks(RuleId rule, const Cell& cell, const RankList& list, std::string_view what) {
    std::vector<int> ranks;
    if (!cell || !parse_ranks(cell.text, ranks) || list.could_be(ranks)) return;
    Finding& finding = checks_.add(rule, cell);
    const std::string must = text_of(list.must), may = text_of(list.may);
    finding.expected = Expected{{}, "ranks", must == may ? must : may};
    finding.message = "ranks of " + std::string(what) + " are printed as " + std::string(cell.text) +
                      (must == may ? ", the rank table gives " : ", the rank table leaves only ") + may;
  }

  // ---- one line at a time ------------------------------------------------------------------------------------------

  void check_line(const PrintedLine& line) {
    const auto slots = checks_.printed.slots_of(line);
    const auto maximum = [&](std::span<const RealInterval> values, std::string_view what) {
      if (slots.size() < 2) return;
      differ(RuleId::maxima_value, slots[0], Format::r3, largest(values), what, " ms");
      differ_ranks(RuleId::maxima_ranks, slots[1], at_largest(narrowed_to(values, slots[0], Format::r3)), what);
    };
    switch (line.id) {
      case LineId::perf_imbalance_heading:
      case LineId::hbm_imbalance_heading:
      case LineId::ddr_imbalance_heading:
        imbalance_of_ = line.id;
        return;
      case LineId::total_variation:
      case LineId::total_distance:
      case LineId::chi_divergence:
      case LineId::kl_divergence:
        return check_imbalance(line.id, slots[0]);
      case LineId::range_chi_divergence:
        differ(RuleId::imbalance_range, slots[0], Format::f3, exactly(chi_range(values_.hbm.size())),
               "the range of chi divergence", "");
        return;
      case LineId::range_kl_divergence:
        differ(RuleId::imbalance_range, slots[0], Format::f3, exactly(kl_range(values_.hbm.size())),
               "the range of KL divergence", "");
        return;
      case LineId::max_total_perf:
        return maximum(values_.perf, "the maximum of total perf");
      case LineId::max_fwd_compute:
        return maximum(values_.parts[0], "the maximum of forward compute");
      case LineId::max_fwd_comms:
        return maximum(values_.parts[1], "the maximum of forward comms");
      case LineId::max_bwd_compute:
        return maximum(values_.parts[2], "the maximum of backward compute");
      case LineId::max_bwd_comms:
        return maximum(values_.parts[3], "the maximum of backward comms");
      case LineId::max_prefetch_compute:
        return maximum(values_.parts[4], "the maximum of prefetch compute");
      case LineId::mean_total_perf:
        differ(RuleId::maxima_mean, slots[0], Format::r3, mean_of(values_.perf), "mean total perf", " ms");
        return;
      case LineId::max_total_perf_percent:
        differ(RuleId::maxima_percent, slots[0], Format::g3, percent_above_mean(values_.perf),
               "the maximum of total perf above its mean", "%");
        return;
      case LineId::max_hbm_percent:
        differ(RuleId::distribution_percent, slots[0], Format::g3, percent_above_mean(values_.hbm),
               "Max HBM above the mean", "%");
        return;
      case LineId::peak_memory_pressure:
        differ_bytes(RuleId::maxima_hbm, slots[0], largest(values_.hbm), "peak memory pressure");
        differ_ranks(RuleId::maxima_ranks, slots[1], at_largest(narrowed_to_bytes(values_.hbm, slots[0])),
                     "peak memory pressure");
        return;
      case LineId::top_hbm:
        differ_bytes(RuleId::tiers_value, slots[0], largest(values_.hbm), "the top HBM memory usage");
        return;
      case LineId::sparse_max_hbm:
        return check_distribution(slots, values_.sparse, largest(values_.sparse), "sparse only Max HBM");
      case LineId::sparse_min_hbm:
        return check_distribution(slots, values_.sparse, smallest(values_.sparse), "sparse only Min HBM");
      case LineId::max_hbm:
        return check_distribution(slots, values_.hbm, largest(values_.hbm), "Max HBM");
      case LineId::min_hbm:
        return check_distribution(slots, values_.hbm, smallest(values_.hbm), "Min HBM");
      case LineId::mean_hbm:
        return check_distribution(slots, values_.hbm, mean_of(values_.hbm), "Mean HBM");
      case LineId::low_median_hbm:
        return check_distribution(slots, values_.hbm, ranked(values_.hbm, (values_.hbm.size() - 1) / 2),
                                  "Low Median HBM");
      case LineId::high_median_hbm:
        return check_distribution(slots, values_.hbm, ranked(values_.hbm, values_.hbm.size() / 2), "High Median HBM");
      default:
        return;
    }
  }

  void check_imbalance(LineId id, const Cell& cell) {
    const bool perf = imbalance_of_ == LineId::perf_imbalance_heading,
               hbm = imbalance_of_ == LineId::hbm_imbalance_heading;
    const auto& values = perf ? values_.perf : hbm ? values_.hbm : values_.ddr;
    if (largest(values).high <= 0) return;
    const Imbalance found = imbalance(values, layout() < Release::v1_1_0);
    const auto [expected, what] = id == LineId::total_variation  ? std::pair{found.total_variation, "total variation"}
                                  : id == LineId::total_distance ? std::pair{found.total_distance, "total distance"}
                                  : id == LineId::chi_divergence ? std::pair{found.chi_divergence, "chi divergence"}
                                                                 : std::pair{found.kl_divergence, "KL divergence"};
    differ(perf  ? RuleId::imbalance_perf
           : hbm ? RuleId::imbalance_hbm
                 : RuleId::imbalance_ddr,
           cell, Format::f3, expected,
           std::string(perf  ? "perf "
                       : hbm ? "HBM "
                             : "DDR ") +
               what,
           "");
  }

  void check_distribution(std::span<const Cell> slots, std::span<const RealInterval> values, RealInterval value,
                          std::string_view what) {
    if (slots.size() < 2 || (values.data() == values_.sparse.data() && !sparse_known_)) return;
    value = give(value, kWholeByte);
    if (differ_bytes(RuleId::distribution_value, slots[0], value, what)) return;
    if (const auto printed = bytes_printed_as(slots[0].text, Format::r3, kGiB)) value = narrowed(value, real(*printed));
    if (slots[1].text == "[]") return check_empty_list(slots[1], near(values, value, kNear), what);
    differ_ranks(RuleId::distribution_ranks, slots[1], near(values, value, kNear), what);
  }

  void check_empty_list(const Cell& cell, const RankList& list, std::string_view what) {
    if (list.could_be({})) return;
    Finding& finding = checks_.add(RuleId::distribution_ranks, cell);
    finding.message =
        "ranks of " + std::string(what) + " are printed as [], the rank table gives " + text_of(list.must);
  }

  // The printed number of a line narrows the ranks that can have it.
  static std::vector<RealInterval> narrowed_by(std::span<const RealInterval> values, RealInterval most) {
    std::vector<RealInterval> all(values.begin(), values.end());
    for (RealInterval& x : all)
      if (x.low <= most.high) x.high = std::max(std::min(x.high, most.high), x.low);
    return all;
  }
  static std::vector<RealInterval> narrowed_to(std::span<const RealInterval> values, const Cell& cell, Format format) {
    const auto printed = values_printed_as(cell.text, format);
    if (!printed || !printed->overlaps(largest(values))) return {values.begin(), values.end()};
    return raised(narrowed_by(values, *printed), printed->low);
  }
  static std::vector<RealInterval> narrowed_to_bytes(std::span<const RealInterval> values, const Cell& cell) {
    const auto printed = bytes_printed_as(cell.text, Format::r3, kGiB);
    if (!printed || !real(*printed).overlaps(largest(values))) return {values.begin(), values.end()};
    return raised(narrowed_by(values, real(*printed)), static_cast<double>(printed->low));
  }
  // Only one rank can reach the printed number: then it does.
  static std::vector<RealInterval> raised(std::vector<RealInterval> values, double low) {
    const auto reaches = [&](RealInterval x) { return x.high >= low; };
    if (std::ranges::count_if(values, reaches) == 1)
      for (RealInterval& x : values)
        if (reaches(x)) x.low = std::max(x.low, low);
    return values;
  }

  // The largest value of a component; its own line is printed more finely than the ranks' cells.
  RealInterval maximum_of(PerfPart part) const {
    constexpr std::array<LineId, kPerfParts> kLines = {LineId::max_fwd_compute, LineId::max_fwd_comms,
                                                       LineId::max_bwd_compute, LineId::max_bwd_comms,
                                                       LineId::max_prefetch_compute};
    const auto p = static_cast<std::size_t>(part);
    const RealInterval most = largest(values_.parts[p]);
    const Cell cell = checks_.printed.slot(kLines[p], 0);
    return cell ? narrowed(most, printed_value(cell, Format::r3)) : most;
  }

  void check_sum_of_maxima() {
    const Cell cell = checks_.printed.slot(LineId::sum_of_maxima);
    if (!cell) return;
    RealInterval sum{};
    for (std::size_t p = 0; p < static_cast<std::size_t>(perf_rules_of(layout()).parts); ++p)
      sum = sum + maximum_of(static_cast<PerfPart>(p));
    differ(RuleId::maxima_sum, cell, Format::r3, sum, "the sum of maxima", " ms");
  }

  // ---- tiers -------------------------------------------------------------------------------------------------------

  struct Tier {
    Cell value, ranks;
  };

  std::map<std::int64_t, Tier> printed_tiers() const {
    std::map<std::int64_t, Tier> tiers;
    for (const PrintedLine& line : checks_.printed.lines) {
      if (line.id != LineId::tier) continue;
      const auto slots = checks_.printed.slots_of(line);
      if (const auto number = parse_integer(slots[0].text); number && slots.size() >= 3)
        tiers[*number] = {slots[1], slots[2]};
    }
    return tiers;
  }

  // Printed ranks are positions among the ranks that are left (Q1): both the printed and the right list are known.
  void check_tiers() {
    const auto tiers = printed_tiers();
    std::vector<std::size_t> left(values_.hbm.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    for (std::int64_t k = 1; k <= static_cast<std::int64_t>(kMostTiers) && !left.empty(); ++k) {
      const auto found = tiers.find(k);
      if (found == tiers.end()) return;
      const Tier& tier = found->second;
      std::vector<RealInterval> values;
      for (const std::size_t rank : left) values.push_back(values_.hbm[rank]);
      const std::string what = "tier #" + std::to_string(k);
      RealInterval most = largest(values);
      if (differ_bytes(RuleId::tiers_value, tier.value, most, what)) return;
      if (const auto printed = bytes_printed_as(tier.value.text, Format::r3, kGiB))
        most = narrowed(most, real(*printed));
      const RankList members = near(values, most, kNear);
      std::vector<int> positions;
      if (!parse_ranks(tier.ranks.text, positions)) return;
      if (!members.could_be(positions)) {
        differ_ranks(RuleId::tiers_ranks, tier.ranks, members, what);
        return;
      }
      note_shift(tier, positions, left);
      remove(left, positions);
    }
  }

  void note_shift(const Tier& tier, const std::vector<int>& positions, const std::vector<std::size_t>& left) {
    std::vector<bool> right(values_.hbm.size());
    bool shifted = false;
    for (const int position : positions) {
      const std::size_t rank = left[static_cast<std::size_t>(position)];
      right[rank] = true;
      shifted |= rank != static_cast<std::size_t>(position);
    }
    if (!shifted) return;
    Finding& finding = checks_.add(RuleId::tiers_ranks, tier.ranks);
    finding.severity = Severity::note;
    finding.known_issue = "tier-rank-shift";
    finding.expected = Expected{{}, "ranks", text_of(right)};
    const std::string word = positions.size() == 1 ? "rank " : "ranks ";
    finding.message = "printed " + word + std::string(tier.ranks.text) + (positions.size() == 1 ? " is" : " are") +
                      " really " + word + text_of(right) +
                      ": from tier #2 on the planner prints positions among the ranks left";
  }

  static void remove(std::vector<std::size_t>& left, const std::vector<int>& positions) {
    std::vector<bool> gone(left.size());
    for (const int position : positions) gone[static_cast<std::size_t>(position)] = true;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left.size(); ++i)
      if (!gone[i]) left[kept++] = left[i];
    left.resize(kept);
  }

  // ---- critical path -----------------------------------------------------------------------------------------------

  static std::string_view module_of(std::string_view fqn) {
    const std::size_t dot = fqn.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : fqn.substr(0, dot);
  }

  // Table names may have dots of their own ("ebc.item.v2"): then a shorter path, that of other tables, is the module.
  std::vector<std::string_view> modules(bool dotted_names) const {
    std::map<std::string_view, int> tables_of;
    for (const PlanTable& table : checks_.plan.tables) ++tables_of[module_of(fqn_of(table))];
    std::vector<std::string_view> modules;
    for (const PlanTable& table : checks_.plan.tables) {
      std::string_view module = module_of(fqn_of(table));
      if (dotted_names)
        for (std::string_view path = module_of(module); !path.empty(); path = module_of(path))
          if (tables_of.contains(path)) module = path;
      modules.push_back(module);
    }
    return modules;
  }

  // Sum over modules and sharding types of the largest rank's comms, forward and backward by themselves.
  RealInterval comms(bool dotted_names) const {
    const auto module = modules(dotted_names);
    std::map<std::pair<std::string_view, Sharding>, std::vector<const PlanTable*>> groups;
    for (std::size_t t = 0; t < module.size(); ++t)
      groups[{module[t], checks_.plan.tables[t].sharding}].push_back(&checks_.plan.tables[t]);
    RealInterval sum{};
    std::vector<RealInterval> ranks(values_.hbm.size());
    for (const auto& [group, tables] : groups)
      for (const PerfPart part : {PerfPart::forward_comms, PerfPart::backward_comms}) {
        std::ranges::fill(ranks, RealInterval{});
        for (const PlanTable* table : tables)
          for (std::uint32_t i = 0; i < table->shard_count; ++i) {
            const auto rank = checks_.plan.shards[table->first_shard + i].rank;
            if (!rank || static_cast<std::size_t>(*rank) >= ranks.size()) continue;
            RealInterval& on = ranks[static_cast<std::size_t>(*rank)];
            on = on + table->shard_perf.parts[static_cast<std::size_t>(part)];
          }
        sum = sum + largest(ranks);
      }
    return {sum.low * (1 - kRounding), sum.high * (1 + kRounding)};
  }

  bool divides_comms() const {
    std::vector<bool> used(values_.hbm.size());
    for (const PlanShard& shard : checks_.plan.shards)
      if (shard.rank && static_cast<std::size_t>(*shard.rank) < used.size())
        used[static_cast<std::size_t>(*shard.rank)] = true;
    return static_cast<double>(std::ranges::count(used, true)) > kManyRanks &&
           std::ranges::all_of(checks_.plan.tables, [](const PlanTable& t) { return t.sharding == Sharding::cw; });
  }

  // What the shards give, in the way to read the names and by the rule of a release left that the printed value fits.
  RealInterval likely_comms(RealInterval printed) const {
    const auto early = [](Release r) { return r < Release::v1_4_0; };
    const bool thirds = divides_comms() && std::ranges::any_of(checks_.plan.releases, early);
    const bool wholes = !thirds || !std::ranges::all_of(checks_.plan.releases, early);
    std::optional<RealInterval> first;
    for (const bool dotted_names : {false, true}) {
      const RealInterval sum = comms(dotted_names);
      const RealInterval third{sum.low / kEarlyDivisor, sum.high / kEarlyDivisor};
      if (wholes && sum.overlaps(printed)) return sum;
      if (thirds && third.overlaps(printed)) return third;
      if (!first) first = wholes ? sum : third;
    }
    return *first;
  }

  void check_critical_path() {
    const Cell comms_cell = checks_.printed.slot(LineId::critical_path_comms);
    const Cell compute_cell = checks_.printed.slot(LineId::critical_path_compute);
    const Cell sum_cell = checks_.printed.slot(LineId::critical_path_sum);
    const auto known = [](const PlanTable& t) { return t.perf.known; };
    if (!comms_cell && !compute_cell) return;
    checks_.compared.critical_path =
        checks_.rows_complete && std::ranges::all_of(checks_.plan.tables, known) && checks_.plan.perf.known;
    RealInterval compute = maximum_of(PerfPart::forward_compute) + maximum_of(PerfPart::backward_compute);
    differ(RuleId::critical_path_compute, compute_cell, Format::r3, give(compute, 1e-9), "the critical path of compute",
           " ms");
    compute = narrowed(compute, printed_value(compute_cell, Format::r3));
    if (!checks_.compared.critical_path) return;
    RealInterval sum = likely_comms(printed_value(comms_cell, Format::r3));
    differ(RuleId::critical_path_comms, comms_cell, Format::r3, sum, "the critical path of comms", " ms");
    sum = narrowed(sum, printed_value(comms_cell, Format::r3));
    differ(RuleId::critical_path_sum, sum_cell, Format::r3, give(sum + compute, 1e-9), "the critical path", " ms");
  }

  // ---- top tables --------------------------------------------------------------------------------------------------

  RealInterval first_shard(const PlanTable& table, bool perf) const {
    if (perf) return table.shard_perf.total;
    ByteInterval all = checks_.plan.shards[table.first_shard].hbm;
    if (table.sharding == Sharding::twrw && !table.uneven_rows) return real(all);
    for (std::uint32_t i = 1; i < table.shard_count; ++i)
      all = hull(all, checks_.plan.shards[table.first_shard + i].hbm);
    return real(all);
  }

  // Ranks that may have the largest sum; the list of tables is about those that lie on all of them.
  std::vector<int> top_ranks(bool perf) const {
    const auto& values = perf ? values_.perf : values_.sparse;
    std::vector<RealInterval> used(values.begin(), values.end());
    const RankList list = at_largest(used);
    std::vector<int> ranks;
    for (std::size_t r = 0; r < list.may.size(); ++r)
      if (list.may[r]) ranks.push_back(static_cast<int>(r));
    return ranks;
  }

  bool is_candidate(const PlanTable& table, int rank) const {
    if (table.sharding == Sharding::rw || table.sharding == Sharding::dp) return false;
    for (std::uint32_t i = 0; i < table.shard_count; ++i)
      if (checks_.plan.shards[table.first_shard + i].rank == rank) return true;
    return false;
  }

  void check_top(LineId heading, LineId id, RuleId rule) {
    const bool perf = rule == RuleId::top_tables_perf;
    if (!checks_.printed.find(heading) || !checks_.rows_complete || !checks_.plan.sized) return;
    const auto ready = [&](const PlanTable& t) { return t.sized && (!perf || t.perf.known); };
    if (!std::ranges::all_of(checks_.plan.tables, ready) || (!perf && !sparse_known_)) return;
    (perf ? checks_.compared.top_perf : checks_.compared.top_hbm) = true;
    const std::vector<int> ranks = top_ranks(perf);
    std::vector<const PlanTable*> candidates;
    for (const PlanTable& table : checks_.plan.tables)
      if (ranks.size() == 1 && is_candidate(table, ranks.front())) candidates.push_back(&table);
    std::size_t listed = 0;
    RealInterval last{0, 1e300};
    Cell cell = Cell{"no line", checks_.printed.find(heading)->place};
    for (const PrintedLine& line : checks_.printed.lines) {
      if (line.id != id) continue;
      const auto slots = checks_.printed.slots_of(line);
      cell = slots[0];
      ++listed;
      if (!check_top_table(slots, perf, rule, ranks.size() == 1, candidates, last)) return;
    }
    if (ranks.size() != 1 || values_.hbm.size() < 2) return;
    const bool missing = listed < kMostTables && !candidates.empty() && ranks_with_shards() > 1;
    const auto larger = [&](const PlanTable* t) { return first_shard(*t, perf).low > last.high * (1 + 1e-12); };
    const auto above = std::ranges::find_if(candidates, larger);
    if (!missing && (listed == 0 || above == candidates.end())) return;
    Finding& finding = checks_.add(rule, cell);
    const PlanTable* table = above != candidates.end() ? *above : candidates.front();
    finding.message = std::string(fqn_of(*table)) + " is not listed, but belongs before " + std::string(cell.text);
  }

  std::ptrdiff_t ranks_with_shards() const {
    return std::ranges::count_if(values_.sparse, [](RealInterval x) { return x.high > 0; });
  }

  std::string_view fqn_of(const PlanTable& table) const { return checks_.printed.tables.rows[table.row].fqn.text; }

  // Listed names are bare, but may have dots.
  bool is_named(const PlanTable& table, std::string_view name) const {
    const std::string_view fqn = fqn_of(table);
    if (!fqn.ends_with(name)) return false;
    return fqn.size() == name.size() || fqn[fqn.size() - name.size() - 1] == '.';
  }

  // Takes the listed table out of the candidates; false if it cannot stand there.
  bool check_top_table(std::span<const Cell> slots, bool perf, RuleId rule, bool rank_known,
                       std::vector<const PlanTable*>& candidates, RealInterval& last) {
    const auto fits = [&](const PlanTable* t) {
      return is_named(*t, slots[0].text) && first_shard(*t, perf).low <= last.high * (1 + 1e-12);
    };
    // Of tables with one name the largest comes first.
    const PlanTable* table = nullptr;
    const auto consider = [&](const PlanTable* t) {
      if (fits(t) && (table == nullptr || first_shard(*t, perf).high > first_shard(*table, perf).high)) table = t;
    };
    if (rank_known) {
      std::ranges::for_each(candidates, consider);
      std::erase(candidates, table);
    } else {
      for (const PlanTable& t : checks_.plan.tables)
        if (t.sharding != Sharding::rw && t.sharding != Sharding::dp) consider(&t);
    }
    if (table == nullptr) {
      Finding& finding = checks_.add(rule, slots[0]);
      finding.message = std::string(slots[0].text) + " does not belong at this place of the list";
      return false;
    }
    const RealInterval value = first_shard(*table, perf);
    last = {std::min(last.low, value.low), std::min(last.high, value.high)};
    if (!perf && slots.size() >= 3) check_top_detail(slots, *table, value);
    return true;
  }

  void check_top_detail(std::span<const Cell> slots, const PlanTable& table, RealInterval value) {
    const bool duplicate = duplicate_name(table, slots[0].text);
    if (!duplicate)
      differ_bytes(RuleId::top_tables_hbm, slots[1], value, "HBM of the first shard of " + std::string(slots[0].text));
    std::vector<int> printed, ranks;
    for (std::uint32_t i = 0; i < table.shard_count; ++i)
      if (const auto rank = checks_.plan.shards[table.first_shard + i].rank) ranks.push_back(*rank);
    if (duplicate || !parse_ranks(slots[2].text, printed)) return;
    std::ranges::sort(printed);
    std::ranges::sort(ranks);
    if (printed == ranks) return;
    Finding& finding = checks_.add(RuleId::top_tables_hbm, slots[2]);
    finding.message = "ranks of " + std::string(slots[0].text) + " are printed as " + std::string(slots[2].text) +
                      ", the parameter table has " + std::string(checks_.printed.tables.rows[table.row].ranks.text);
  }

  bool duplicate_name(const PlanTable& table, std::string_view name) const {
    const auto same = [&](const PlanTable& t) { return &t != &table && is_named(t, name); };
    return std::ranges::any_of(checks_.plan.tables, same);
  }

  Checks& checks_;
  RankValues values_;
  bool sparse_known_ = false;
  LineId imbalance_of_ = LineId::blank;  // the heading above the line
};

}  // namespace

void check_statistics(Checks& checks) { Statistics(checks).check(); }

}  // namespace shardstats::analysis
