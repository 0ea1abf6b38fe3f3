// The batch size that the memory cells ask for.
#include <algorithm>
#include <bit>
#include <optional>

#include "analysis/byte_columns.h"
#include "analysis/corrections.h"
#include "shardstats/limits.h"
#include "shardstats/numbers/most_shared.h"

namespace shardstats::analysis {
namespace {

constexpr std::int64_t kMostSizes = 4096;  // batch sizes looked at
constexpr std::int64_t kManyErrors = 5;    // from which the batch size may be wrong

// How many of the intervals hold the value.
std::ptrdiff_t holding(const std::vector<RealInterval>& intervals, double value) {
  return std::ranges::count_if(intervals, [value](RealInterval interval) { return interval.contains(value); });
}

// The batch size that most of these intervals hold, if the printed one is in less than half as many. Of those that
// nearly as many hold it is the roundest: people choose such sizes.
std::optional<std::int64_t> most_asked(const std::vector<RealInterval>& sizes, double printed) {
  constexpr double kAround = 0.01, kNearly = 0.95;
  const double best = most_shared(sizes, {0, static_cast<double>(kLargestBatch)}, printed, 0).low;
  const std::ptrdiff_t most = holding(sizes, best);
  if (best < 1 || best > static_cast<double>(kLargestBatch) || 2 * holding(sizes, printed) > most) return std::nullopt;
  const auto zeros = [](std::int64_t size) { return std::countr_zero(static_cast<std::uint64_t>(size)); };
  std::optional<std::int64_t> roundest;
  const auto first = std::max<std::int64_t>(static_cast<std::int64_t>(best * (1 - kAround)), 1);
  const std::int64_t last = std::min(static_cast<std::int64_t>(best * (1 + kAround)) + 1, first + kMostSizes);
  for (std::int64_t size = first; size <= last; ++size) {
    if (roundest && zeros(size) <= zeros(*roundest)) continue;
    if (static_cast<double>(holding(sizes, static_cast<double>(size))) >= kNearly * static_cast<double>(most))
      roundest = size;
  }
  return roundest;
}

// The sizes that each memory cell leaves, given the plan with twice the batch size.
std::vector<RealInterval> batch_sizes(const PrintedPlan& printed_plan, const Plan& plan, const Plan& doubled,
                                      double batch) {
  std::vector<RealInterval> sizes;
  const auto add_cell = [&](const std::optional<ByteInterval>& printed, const Expectation& at_batch,
                            const Expectation& at_double) {
    if (!printed || !at_batch.known || !at_double.known) return;
    const RealInterval one = real(at_batch.bytes), two = real(at_double.bytes);
    const RealInterval slope = two - one;
    if (slope.low <= 0) return;
    const RealInterval off = real(*printed) - one;
    constexpr double kRounding = 1e-9;  // of the quotients
    const RealInterval factor{1 + off.low / (off.low < 0 ? slope.low : slope.high) - kRounding,
                              1 + off.high / (off.high < 0 ? slope.high : slope.low) + kRounding};
    sizes.push_back(factor * exactly(batch));
  };
  const Format storage = printed_plan.format_of(RoundedNumbers::table_storage);
  for (const PlanTable& table : plan.tables) {
    const PrintedTable& row = printed_plan.tables.rows[table.row];
    add_cell(bytes_printed_as(row.hbm.text, storage, kGiB), table.hbm, doubled.tables[table.row].hbm);
    add_cell(bytes_printed_as(row.ddr.text, storage, kGiB), table.ddr, doubled.tables[table.row].ddr);
  }
  for (std::size_t r = 0; r < std::min(plan.ranks.size(), printed_plan.ranks.rows.size()); ++r)
    for (const ByteColumn& column : {kRankInput, kRankOutput})
      add_cell(column.printed_in(printed_plan, printed_plan.ranks.rows[r]), plan.ranks[r].*column.expected,
               doubled.ranks[r].*column.expected);
  return sizes;
}

// How many cells of a column hold what the printed batch size gives.
class Agreement {
 public:
  void add(ByteInterval printed, ByteInterval expected) {
    ++cells_;
    agreeing_ += printed.overlaps(expected);
  }
  bool of_most() const { return 2 * agreeing_ > cells_; }

 private:
  std::int64_t agreeing_ = 0, cells_ = 0;
};

// Do most cells of the column that `counts(printed, expected)` picks agree with the printed size?
template <class Counts>
bool agrees(const PrintedPlan& printed_plan, const Plan& plan, const ByteColumn& column, Counts counts) {
  Agreement cells;
  for (std::size_t r = 0; r < std::min(plan.ranks.size(), printed_plan.ranks.rows.size()); ++r) {
    const Expectation& expected = plan.ranks[r].*column.expected;
    const auto printed = column.printed_in(printed_plan, printed_plan.ranks.rows[r]);
    if (printed && expected.known && counts(*printed, expected.bytes)) cells.add(*printed, expected.bytes);
  }
  return cells.of_most();
}

// The Input column rests on the batch size, but on no dtype, optimizer or pipeline. Where most of its cells that leave
// nothing open agree with the printed size, that is right, whatever else is wrong.
bool input_agrees(const PrintedPlan& printed_plan, const Plan& plan) {
  const auto leaves_nothing_open = [](ByteInterval printed, ByteInterval expected) {
    return expected.low != 0 && expected.width() <= printed.width();  // else another size may fit as well
  };
  return agrees(printed_plan, plan, kRankInput, leaves_nothing_open);
}

// The same of tables that are alike, where the Input column leaves much open: a wrong batch size makes most cells of
// one column wrong at least. Tables of their own kind may hide that.
bool all_columns_agree(const PrintedPlan& printed_plan, const Plan& plan) {
  Agreement hbm;
  const Format storage = printed_plan.format_of(RoundedNumbers::table_storage);
  for (const PlanTable& table : plan.tables) {
    const auto printed = bytes_printed_as(printed_plan.tables.rows[table.row].hbm.text, storage, kGiB);
    if (printed && table.hbm.known && table.hbm.bytes.high > 0) hbm.add(*printed, table.hbm.bytes);
  }
  const auto is_something = [](ByteInterval /*printed*/, ByteInterval expected) { return expected.high > 0; };
  return hbm.of_most() && agrees(printed_plan, plan, kRankInput, is_something) &&
         agrees(printed_plan, plan, kRankOutput, is_something);
}

auto with_batch_size(const PrintedPlan& printed, std::int64_t size) {
  const std::size_t slot = printed.find(LineId::batch_size)->first_slot;
  return [slot, text = std::to_string(size)](PrintedPlan& plan) { plan.slots[slot].text = text; };
}

}  // namespace

InferOptions with_setting_of(const Plan& plan, InferOptions options) {
  const Setting& setting = plan.setting;
  const auto add = [&](const char* key, std::string_view value) {
    options.overrides.push_back({key, "", std::string(value)});
  };
  add("release", name(setting.rules->release));
  add("compute_device", name(setting.device));
  add("pipeline_type", name(setting.pipeline));
  add("count_ephemeral_storage_cost", setting.ephemeral ? "true" : "false");
  return options;
}

namespace {

// The batch size that the memory cells ask for instead of the printed one. Asks for no perf. Memory is linear in the
// batch size: a plan with twice the batch shows how much of each cell goes with it. If most cells ask for the same
// other size, that is the right one.
std::optional<std::int64_t> asked_batch_size(const PrintedPlan& printed, const Plan& plan,
                                             const InferOptions& options) {
  const auto batch = parse_integer(printed.slot(LineId::batch_size).text, kLargestBatch);
  if (!batch || !plan.sized || input_agrees(printed, plan)) return std::nullopt;
  PrintedPlan doubled = printed;
  const auto set_double = with_batch_size(printed, 2 * *batch);  // owns the text that the plan shows
  set_double(doubled);
  InferOptions same_setting = with_setting_of(plan, options);
  same_setting.perf = false;
  const auto size = static_cast<double>(*batch);
  return most_asked(batch_sizes(printed, plan, infer(doubled, same_setting), size), size);
}

}  // namespace

bool may_have_wrong_batch_size(const PrintedPlan& printed, const Plan& plan, const InferOptions& options) {
  return !all_columns_agree(printed, plan) && asked_batch_size(printed, plan, options).has_value();
}

void add_batch_size(const Disputed& disputed, Corrections& corrections) {
  if (count(disputed.report.findings).error < kManyErrors) return;
  if (const auto right = asked_batch_size(disputed.printed, disputed.plan, disputed.options))
    corrections.add(disputed.printed.slot(LineId::batch_size), "should be " + std::to_string(*right),
                    with_batch_size(disputed.printed, *right));
}

}  // namespace shardstats::analysis
