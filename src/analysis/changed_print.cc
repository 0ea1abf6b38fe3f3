#include "shardstats/analysis/changed_print.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/byte_columns.h"
#include "analysis/lines.h"
#include "analysis/points.h"
#include "analysis/predict.h"
#include "shardstats/log/render.h"

namespace shardstats {
namespace {

using namespace analysis;

// The lists whose lines are taken or left as a whole.
struct List {
  LineId heading, line;
};
constexpr List kLists[] = {{LineId::top_hbm, LineId::tier},
                           {LineId::top_perf_heading, LineId::top_perf_table},
                           {LineId::top_hbm_heading, LineId::top_hbm_table}};

// What tells a line from others of its form: the imbalance section that it is in, and what it is of.
using LineKey = std::tuple<LineId, LineId, std::string_view>;

bool begins_with_name(LineId id) { return names_kernel(id) || lists_table(id) || id == LineId::tier; }

bool is_imbalance_heading(LineId id) {
  return LineId::perf_imbalance_heading <= id && id <= LineId::ddr_imbalance_heading;
}

std::map<LineKey, std::span<const Cell>> lines_by_key(const PrintedPlan& print) {
  std::map<LineKey, std::span<const Cell>> lines;
  LineId heading = LineId::border;
  for (const PrintedLine& line : print.lines) {
    if (is_imbalance_heading(line.id)) heading = line.id;
    const bool in_section = LineId::total_variation <= line.id && line.id <= LineId::kl_divergence;
    const auto slots = print.slots_of(line);
    const std::string_view name = begins_with_name(line.id) ? slots.front().text : std::string_view{};
    lines.try_emplace({in_section ? heading : LineId::border, line.id, name}, slots);
  }
  return lines;
}

// What is predicted with all digits, for the plan of the log and for the changed one.
struct Unrounded {
  PrintedPlan before, after;
};

// Where the changed plan has the value of the base, the log's own text stays.
void keep(Cell& changed, const Cell& after, const Cell& before, const Cell& printed) {
  if (printed && after.text == before.text) changed.text = printed.text;
}

template <class Row>
void keep_row(Row& changed, Row after, Row before, Row printed) {
  const auto cells_of = [](Row& row) {
    std::vector<Cell*> cells;
    each_cell(row, [&](Cell& cell) { cells.push_back(&cell); });
    return cells;
  };
  const auto now = cells_of(changed), exact = cells_of(after), then = cells_of(before), log = cells_of(printed);
  for (std::size_t i = 0; i < now.size(); ++i) keep(*now[i], *exact[i], *then[i], *log[i]);
}

template <class Row>
void keep_rows(const Unrounded& unrounded, const PrintedPlan& printed, ColumnTable<Row> PrintedPlan::*table,
               Cell Row::*name, PrintedPlan& changed) {
  std::unordered_map<std::string_view, std::size_t> rows;
  const auto& log = (printed.*table).rows;
  for (std::size_t r = 0; r < log.size(); ++r) rows.try_emplace((log[r].*name).text, r);
  auto& now = (changed.*table).rows;
  for (std::size_t r = 0; r < now.size(); ++r)
    if (const auto found = rows.find((now[r].*name).text); found != rows.end())
      keep_row(now[r], (unrounded.after.*table).rows[r], (unrounded.before.*table).rows[found->second],
               log[found->second]);
}

void keep_lines(const Unrounded& unrounded, const PrintedPlan& printed, PrintedPlan& changed) {
  const auto then = lines_by_key(unrounded.before), log = lines_by_key(printed);
  // Lists that the middles of bounds make longer or shorter than the log has them: their lines are others.
  const auto is_of_other_list = [&](LineId id) {
    return std::ranges::find(kLists, id, &List::line) != std::end(kLists) &&
           lines_of(unrounded.before, id).size() != lines_of(printed, id).size();
  };
  for (const auto& [key, slots] : lines_by_key(changed)) {
    if (is_of_other_list(std::get<1>(key))) continue;
    const auto was = then.find(key), in_log = log.find(key);
    if (was == then.end() || in_log == log.end() || was->second.size() != slots.size() ||
        in_log->second.size() != slots.size())
      continue;
    const auto first = static_cast<std::size_t>(slots.data() - changed.slots.data());
    for (std::size_t i = 0; i < slots.size(); ++i)
      keep(changed.slots[first + i], unrounded.after.slots[first + i], was->second[i], in_log->second[i]);
  }
}

// Where the comms keep a text that is not the middle of their bounds, their sum with compute rests on that text, too.
void keep_comms_in_sum(const Unrounded& unrounded, const PrintedPlan& printed, PrintedPlan& changed, Texts& texts) {
  const auto values = [](const PrintedPlan& print, LineId id) {
    return values_printed_as(print.slot(id).text, print.format_of(RoundedNumbers::lines));
  };
  const PrintedLine* sum = changed.find(LineId::critical_path_sum);
  const auto comms = values(changed, LineId::critical_path_comms);
  const auto compute = values(changed, LineId::critical_path_compute);
  const auto middle_of_bounds = parse_real(unrounded.after.slot(LineId::critical_path_comms).text);
  if (sum == nullptr || !comms || !compute || !middle_of_bounds || comms->contains(*middle_of_bounds)) return;
  const bool changes =
      changed.slot(LineId::critical_path_compute).text != printed.slot(LineId::critical_path_compute).text;
  if (changes)
    changed.slots[sum->first_slot].text =
        texts.add(format(middle(*comms) + middle(*compute), changed.format_of(RoundedNumbers::lines)));
}

std::vector<std::string_view> texts_of(const PrintedPlan& print, LineId id) {
  std::vector<std::string_view> texts;
  for (const auto slots : lines_of(print, id))
    for (const Cell& slot : slots) texts.push_back(slot.text);
  return texts;
}

void replace_list(PrintedPlan& changed, const List& list, const PrintedPlan& printed) {
  std::erase_if(changed.lines, [&](const PrintedLine& line) { return line.id == list.line; });
  const auto heading = std::ranges::find(changed.lines, list.heading, &PrintedLine::id);
  if (heading == changed.lines.end()) return;
  std::vector<PrintedLine> lines;
  for (PrintedLine line : printed.lines) {
    if (line.id != list.line) continue;
    const auto slots = printed.slots_of(line);
    line.first_slot = static_cast<std::uint32_t>(changed.slots.size());
    changed.slots.insert(changed.slots.end(), slots.begin(), slots.end());
    lines.push_back(line);
  }
  changed.lines.insert(heading + 1, lines.begin(), lines.end());
}

// A release that spells the lines otherwise has the lists anew.
void keep_lists(const Unrounded& unrounded, const PrintedPlan& printed, PrintedPlan& changed) {
  for (const List& list : kLists) {
    const auto form = form_in(changed.releases.front(), list.line);
    const bool same_form = form == form_in(printed.releases.front(), list.line);
    if (same_form && texts_of(unrounded.after, list.line) == texts_of(unrounded.before, list.line))
      replace_list(changed, list, printed);
  }
}

// The log without the cells of ranks that the other release prints in another format: memory with more digits or fewer,
// the perf of no shards as an integer or a float.
PrintedPlan with_formats_of(Release release, PrintedPlan printed) {
  const Release from = printed.releases.front();
  if (release == from) return printed;
  for (PrintedRank& row : printed.ranks.rows) {
    if (rank_memory_format(release) != rank_memory_format(from)) row.hbm = row.ddr = {};
    if (row.perf.total.text == "0") row.perf.total = {};
  }
  return printed;
}

// A section that the log leaves out, though the middle of its bounds asks for it, is left out again.
void drop_sections(PrintedPlan& changed, const PrintedPlan& before, const PrintedPlan& printed) {
  for (auto line = changed.lines.begin(); line != changed.lines.end();) {
    const bool unlogged =
        is_imbalance_heading(line->id) && before.find(line->id) != nullptr && printed.find(line->id) == nullptr;
    if (!unlogged) {
      ++line;
      continue;
    }
    auto end = std::find_if(line, changed.lines.end(), [](const PrintedLine& l) { return l.id == LineId::blank; });
    if (end != changed.lines.end()) ++end;
    line = changed.lines.erase(line, end);
  }
}

// A box is as wide as its tables need, or as an earlier box of the same planner was.
std::size_t width_of(const PrintedPlan& changed, const PrintedPlan& base) {
  const std::size_t earlier = base.width > needed_width(base) ? base.width : 0;
  return std::max(needed_width(changed), earlier);
}

// ---- capacity ------------------------------------------------------------------------------------------------------

// HBM of each device changes and the reserved fraction stays (log-format.md section 6.1).
void set_capacity(PrintedPlan& skeleton, SharedMemory& memory, std::int64_t capacity, Texts& texts) {
  const auto fraction = reserved_fraction(skeleton);
  if (!fraction) return;
  const auto all = static_cast<double>(capacity);
  const auto set = [&](LineId id, double bytes) {
    const PrintedLine* line = skeleton.find(id);
    if (line != nullptr)
      skeleton.slots[line->first_slot].text =
          texts.add(format(std::trunc(bytes) / static_cast<double>(kGiB), skeleton.format_of(RoundedNumbers::lines)));
  };
  set(LineId::reserved_hbm, *fraction * all);
  set(LineId::planning_memory, (1 - *fraction) * all);
  for (double& of_rank : memory.hbm)
    if (of_rank > 0) of_rank = (1 - *fraction) * all;
}

// Another number of devices is one of equal ones.
void set_devices(SharedMemory& memory, std::size_t devices) {
  for (std::vector<double>* of : {&memory.hbm, &memory.ddr})
    if (!of->empty() && of->size() != devices) *of = std::vector<double>(devices, of->front());
}

// Lines of the perf of all ranks.
bool is_of_perf(LineId id) {
  return (LineId::max_total_perf <= id && id <= LineId::max_prefetch_compute) ||
         (LineId::critical_path_comms <= id && id <= LineId::critical_path_sum) || id == LineId::top_perf_table;
}

void forget(PrintedPerf& cells) {
  cells.total.text = kUnknownText;
  for (std::size_t p = 0; p < cells.count; ++p) cells.components[p].text = kUnknownText;
}

// What is not known of the changed plan's perf, which the log's own does not tell.
void forget_unknown_perf(const Plan& changed, PrintedPlan& print) {
  for (std::size_t r = 0; r < changed.ranks.size(); ++r)
    if (!changed.ranks[r].knows_perf(kPerfParts)) forget(print.ranks.rows[r].perf);
  for (const PlanTable& table : changed.tables)
    if (!table.perf.known) forget(print.tables.rows[table.row].perf);
  if (changed.perf.known) return;
  LineId heading = LineId::border;
  for (const PrintedLine& line : print.lines) {
    if (is_imbalance_heading(line.id) || line.id == LineId::blank) heading = line.id;
    if (!is_of_perf(line.id) && heading != LineId::perf_imbalance_heading) continue;
    for (std::size_t i = 0; i < line.slot_count; ++i) print.slots[line.first_slot + i].text = kUnknownText;
  }
}

// Lines whose numbers are inputs, or follow from them alone.
bool is_of_inputs(LineId id) {
  return id <= LineId::world_size || (LineId::reserved_heading <= id && id <= LineId::dense_storage);
}

}  // namespace

PrintedPlan without_changed(PrintedPlan print, const Plan& before, const Plan& after, const PrintedPlan& log,
                            const Texts& texts) {
  const auto forget = [&](Cell& cell, bool changes = false) {
    if (changes || texts.has(cell.text)) cell.text = kUnknownText;
  };
  const auto forget_perf = [&](PrintedPerf& cells, const PlanPerf& old, const PlanPerf& now) {
    forget(cells.total, old.total != now.total);
    for (std::size_t p = 0; p < kPerfParts; ++p) forget(cells.components[p], old.parts[p] != now.parts[p]);
  };
  for (std::size_t r = 0; r < print.ranks.rows.size() && r < after.ranks.size(); ++r) {
    PrintedRank& row = print.ranks.rows[r];
    const PlanRank &now = after.ranks[r], &old = r < before.ranks.size() ? before.ranks[r] : now;
    for (const ByteColumn& column : kByteColumns) forget(row.*column.cell, old.*column.bytes != now.*column.bytes);
    forget_perf(row.perf, old.perf, now.perf);
  }
  std::unordered_map<std::string_view, const PlanTable*> tables;  // of the log, by FQN
  for (const PlanTable& table : before.tables) tables.try_emplace(log.tables.rows[table.row].fqn.text, &table);
  for (const PlanTable& now : after.tables) {
    PrintedTable& row = print.tables.rows[now.row];
    const auto found = tables.find(row.fqn.text);
    const PlanTable& old = found != tables.end() ? *found->second : now;
    forget(row.hbm, old.hbm.bytes != now.hbm.bytes);
    forget(row.ddr, old.ddr.bytes != now.ddr.bytes);
    forget(row.ssd, old.ssd.bytes != now.ssd.bytes);
    forget(row.num_indices);
    forget_perf(row.perf, old.perf.expected, now.perf.expected);
  }
  for (const PrintedLine& line : print.lines) {
    if (is_of_inputs(line.id)) continue;
    for (std::size_t i = begins_with_name(line.id) ? 1 : 0; i < line.slot_count; ++i)
      forget(print.slots[line.first_slot + i]);
  }
  return print;
}

bool is_printable(const Plan& plan) {
  const auto rebuilt = [](const PlanTable& table) { return table.sized; };
  return plan.sized && !plan.empty && !plan.missing && !plan.ranks.empty() && std::ranges::all_of(plan.tables, rebuilt);
}

PrintedPlan changed_print(const PrintedPlan& base_printed, const Plan& base, const PrintedPlan& skeleton,
                          const Plan& changed, Texts& texts, std::optional<std::int64_t> capacity) {
  const SharedMemory memory = shared_memory(base_printed, base);
  const RankValues values = printed_values(base_printed, base), after_change = changed_values(changed, base, values);
  const NameReadings names = readings_that_fit(base_printed, base);
  PrintedPlan inputs = skeleton;
  SharedMemory changed_memory = memory;
  set_devices(changed_memory, changed.ranks.size());
  if (capacity) set_capacity(inputs, changed_memory, *capacity, texts);
  const Unrounded unrounded = {predicted(base_printed, base, values, memory, names, texts, Digits::all),
                               predicted(inputs, changed, after_change, changed_memory, names, texts, Digits::all)};
  PrintedPlan after = predicted(inputs, changed, after_change, changed_memory, names, texts);
  const PrintedPlan printed = with_formats_of(skeleton.releases.front(), base_printed);
  keep_rows(unrounded, printed, &PrintedPlan::ranks, &PrintedRank::rank, after);
  keep_rows(unrounded, printed, &PrintedPlan::tables, &PrintedTable::fqn, after);
  keep_lines(unrounded, printed, after);
  keep_comms_in_sum(unrounded, printed, after, texts);
  if (skeleton.releases.front() == printed.releases.front()) drop_sections(after, unrounded.before, printed);
  keep_lists(unrounded, printed, after);
  forget_unknown_perf(changed, after);
  after.width = width_of(after, base_printed);
  return after;
}

}  // namespace shardstats
