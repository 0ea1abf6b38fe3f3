#include "infer/read_plan.h"

#include <algorithm>
#include <unordered_map>

#include "infer/tower_orders.h"
#include "shardstats/limits.h"
#include "shardstats/log/same_text.h"

namespace shardstats::infer_detail {
namespace {

void read_ranks(const PrintedPlan& printed, PlanInputs& plan) {
  const Format memory = printed.format_of(RoundedNumbers::rank_memory);
  const Format input = printed.format_of(RoundedNumbers::rank_input);
  const Format output = printed.format_of(RoundedNumbers::rank_output);
  const bool in_bytes = printed.releases.front() >= Release::v0_1_1;  // v0.1.0 prints sums of factors instead
  plan.ranks.reserve(printed.ranks.rows.size());
  for (const PrintedRank& row : printed.ranks.rows) {
    PrintedSums& rank = plan.ranks.emplace_back();
    rank[at(Quantity::hbm)] = printed_bytes(row.hbm, memory, kGiB);
    rank[at(Quantity::ddr)] = printed_bytes(row.ddr, memory, kGiB);
    if (!in_bytes) continue;
    rank[at(Quantity::input)] = printed_bytes(row.input, input, kMiB);
    rank[at(Quantity::output)] = printed_bytes(row.output, output, kMiB);
  }
}

// The kernels of a plan by their names.
class Kernels {
 public:
  explicit Kernels(std::vector<KernelInputs>& all) : all_(all) {}

  KernelInputs& named(std::string_view name) {
    // Most rows have the kernel of the one above.
    if (last_ < all_.size() && same_text(all_[last_].name, name)) return all_[last_];
    const auto [found, is_new] = index_.try_emplace(name, all_.size());
    if (is_new) all_.emplace_back().name = name;
    last_ = found->second;
    return all_[last_];
  }

 private:
  std::vector<KernelInputs>& all_;
  std::size_t last_ = 0;  // index of the last one named
  std::unordered_map<std::string_view, std::size_t> index_;
};

// Slots of the line that hold bytes: their quantity, after the kernel's name.
void read_kernel_lines(const PrintedPlan& printed, Kernels& kernels) {
  const Format form = printed.format_of(RoundedNumbers::lines);
  for (const PrintedLine& line : printed.lines) {
    const auto slots = printed.slots_of(line);
    const auto read = [&](std::size_t slot, Quantity quantity) {
      if (slot >= slots.size()) return;
      KernelInputs& kernel = kernels.named(slots[0].text);
      kernel.printed[at(quantity)] = printed_bytes(slots[slot], form, kGiB);
    };
    if (line.id == LineId::kernel_storage) {
      read(1, Quantity::hbm);
      read(2, Quantity::ddr);
      read(3, Quantity::ssd);
    } else if (line.id == LineId::kernel_weights) {
      read(1, Quantity::weights);
    } else if (line.id == LineId::kernel_optimizer) {
      read(1, Quantity::optimizer_state);
    }
  }
}

void read_kernels(const PrintedPlan& printed, PlanInputs& plan) {
  Kernels kernels(plan.kernels);
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t)
    kernels.named(printed.tables.rows[t].kernel.text).tables.push_back(t);
  read_kernel_lines(printed, kernels);
  std::sort(plan.kernels.begin(), plan.kernels.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

// All that the lines of the kernels count.
std::int64_t tables_of_kernels(const PrintedPlan& printed) {
  std::int64_t tables = 0;
  for (const PrintedLine& line : printed.lines)
    if (line.id == LineId::kernel_count)
      tables += parse_integer(printed.slots_of(line)[1].text, kMostTables).value_or(0);
  return tables;
}

// Are some of its lines missing, or may all be, since what the release prints in front of them or behind is lost?
bool lacks_reservation(const PrintedPlan& printed) {
  const auto is_printed = [&](LineId id) { return printed.find(id) != nullptr; };
  constexpr LineId kLines[] = {LineId::dense_heading, LineId::dense_storage, LineId::kjt_heading, LineId::kjt_storage};
  const auto lines = std::ranges::count_if(kLines, is_printed);
  if (lines > 0) return lines < std::ssize(kLines);
  // One whose heading is lost.
  const auto is_orphan = [&](const PrintedLine& line) {
    return is_unknown(line.id) && line.slot_count > 0 && printed.slots_of(line).front().text.starts_with("HBM: ");
  };
  if (std::ranges::any_of(printed.lines, is_orphan)) return true;
  const auto is_lost = [&](LineId id) { return form_in(printed.releases.front(), id) && !is_printed(id); };
  const bool has_lists = printed.ranks.printed && form_in(printed.releases.front(), LineId::top_perf_heading);
  const bool is_end_lost =
      has_lists ? !is_printed(LineId::top_perf_heading) : printed.is_reported(DiagnosticKind::no_closing_border);
  return printed.tables.printed && (is_lost(LineId::planning_percent) || is_end_lost);
}

// A number in a form that the planner does not print ("1.50") says its size all the same where it is as round as those.
std::optional<ByteInterval> reserved_bytes(const PrintedPlan& printed, LineId id, std::size_t slot) {
  if (const auto bytes = printed.bytes_in(id, slot)) return bytes;
  const auto value = parse_real(printed.slot(id, slot).text);
  const Format form = printed.format_of(RoundedNumbers::lines);
  const std::string text = value && *value >= 0 ? format(*value, form) : std::string();
  return parse_real(text) == value ? bytes_printed_as(text, form, kGiB) : std::nullopt;
}

// A number of its lines that says no size: it may be any.
bool has_unread_reservation(const PrintedPlan& printed) {
  const auto is_unread = [&](LineId id) {
    return printed.find(id) != nullptr && (!reserved_bytes(printed, id, 0) || !reserved_bytes(printed, id, 1));
  };
  return is_unread(LineId::dense_storage) || is_unread(LineId::kjt_storage);
}

void read_reservation(const PrintedPlan& printed, PlanInputs& plan) {
  const auto read = [&](LineId id, std::size_t slot) {
    return reserved_bytes(printed, id, slot).value_or(ByteInterval{});
  };
  plan.reservation_lost = lacks_reservation(printed) || has_unread_reservation(printed);
  plan.reservation_printed = !plan.reservation_lost && printed.find(LineId::kjt_storage) != nullptr;
  if (!plan.reservation_printed) return;
  plan.dense_hbm = read(LineId::dense_storage, 0);
  plan.dense_ddr = read(LineId::dense_storage, 1);
  plan.kjt_hbm = read(LineId::kjt_storage, 0);
  plan.kjt_ddr = read(LineId::kjt_storage, 1);
}

void read_sparse_gap(const PrintedPlan& printed, PlanInputs& plan) {
  const auto all = printed.bytes_in(LineId::max_hbm), sparse = printed.bytes_in(LineId::sparse_max_hbm);
  if (all && sparse) plan.sparse_gap = at_least_zero(real(*all - *sparse));
}

}  // namespace

PlanInputs read_plan(const PrintedPlan& printed) {
  PlanInputs plan;
  plan.printed = &printed;
  plan.empty_plan = printed.is_empty();
  const auto world = parse_integer(printed.slot(LineId::world_size).text, kMostRanks);
  plan.world_size = plan.empty_plan ? world.value_or(0) : static_cast<std::int64_t>(printed.ranks.rows.size());
  plan.batch_size =
      static_cast<double>(parse_integer(printed.slot(LineId::batch_size).text, kLargestBatch).value_or(0));
  plan.tables = read_tables(printed, plan.world_size, plan.batch_size);
  const bool has_sizes = printed.releases.back() >= Release::v0_3_0 && plan.batch_size > 0 && plan.world_size > 0;
  if (!has_sizes)
    for (TableInputs& table : plan.tables) table.sized = false;
  plan.sized = std::any_of(plan.tables.begin(), plan.tables.end(), [](const auto& t) { return t.sized; });
  plan.missing = missing_tables(printed);
  plan.lacks_rows = plan.missing || tables_of_kernels(printed) > std::ssize(printed.tables.rows);
  leave_orders_open(plan);
  read_ranks(printed, plan);
  read_kernels(printed, plan);
  read_reservation(printed, plan);
  read_sparse_gap(printed, plan);
  return plan;
}

}  // namespace shardstats::infer_detail
