#include "shardstats/analysis/changed_print.h"

#include <gtest/gtest.h>

#include "analysis/points.h"
#include "analysis/predict.h"
#include "corpus.h"
#include "logs.h"
#include "prints.h"
#include "shardstats/infer/what_if.h"
#include "shardstats/log/render.h"

namespace shardstats {
namespace {

using test::compare;
using test::PrintComparison;

struct PrintedLog {
  explicit PrintedLog(std::string bytes)
      : source(source_from(std::move(bytes))),
        blocks(find_blocks(source->bytes())),
        printed(parse(blocks.at(0))),
        plan(infer(printed)) {}

  std::unique_ptr<Source> source;
  std::vector<Block> blocks;
  PrintedPlan printed;
  Plan plan;
};

const char* const kPrintable[] = {"v0.3.0.log", "v0.5.0.log", "v1.4.0.log", "v1.8.0.log"};

// The log with "?" in each cell that follows from others.
PrintedPlan without_derived(PrintedPlan print) {
  const auto forget = [](Cell& cell) {
    if (cell) cell.text = analysis::kUnknownText;
  };
  for (PrintedRank& row : print.ranks.rows) {
    const Cell rank = row.rank;
    each_cell(row, forget);
    row.rank = rank;
  }
  for (PrintedTable& row : print.tables.rows) {
    for (Cell* cell : {&row.hbm, &row.ddr, &row.ssd, &row.num_indices, &row.cw_dim, &row.ranks}) forget(*cell);
    each_cell(row.perf, forget);
  }
  return print;
}

PrintComparison predict_anew(const PrintedLog& log) {
  Texts texts;
  return compare(log.printed, analysis::predicted(without_derived(log.printed), log.plan,
                                                  analysis::printed_values(log.printed, log.plan),
                                                  analysis::shared_memory(log.printed, log.plan), {}, texts));
}

std::string differences(const PrintComparison& comparison) {
  std::string text = comparison.shape;
  for (const auto& d : comparison.differences) text += "\n" + d.where + ": " + d.expected + " / " + d.found;
  return text;
}

std::string print_unchanged(const PrintedLog& log) {
  Texts texts;
  return rendered(changed_print(log.printed, log.plan, log.printed, log.plan, texts));
}

// What a change makes of a log.
struct ChangedLog {
  ChangedLog(const PrintedLog& base, const Change& change) : what_if(base.printed) {
    auto outcome = what_if.with({{change}});
    if (auto* found = std::get_if<ChangedPlan>(&outcome)) {
      plan = std::move(*found);
      print = changed_print(base.printed, what_if.likely_base(), plan->skeleton, plan->likely, *plan->texts,
                            plan->device_hbm);
    }
  }
  WhatIf what_if;
  std::optional<ChangedPlan> plan;  // nullopt: it cannot be changed like that
  PrintedPlan print;
};

// ---- logs of the project -------------------------------------------------------------------------------------------

TEST(ChangedPrint, OfNoChangeIsTheLog) {
  for (const std::string name : kPrintable) {
    const PrintedLog log(log_bytes(name));
    ASSERT_TRUE(is_printable(log.plan)) << name;
    EXPECT_EQ(print_unchanged(log), log_bytes(name)) << name;
  }
}

TEST(ChangedPrint, NeedsARebuiltPlan) {
  for (const std::string name : {"v0.1.0.log", "v0.8.0-empty.log", "v1.8.0-nodebug.log"})
    EXPECT_FALSE(is_printable(PrintedLog(log_bytes(name)).plan)) << name;
}

TEST(ChangedPrint, PredictsWhatTheLogPrints) {
  for (const std::string name : kPrintable) {
    const auto comparison = predict_anew(PrintedLog(log_bytes(name)));
    EXPECT_EQ(comparison.shape, "") << name;
    EXPECT_LE(comparison.differences.size() * 1000, comparison.cells * 30) << name << differences(comparison);
  }
}

// Names with dots may be read in two ways: as in the log, whose critical path shows it.
TEST(ChangedPrint, ReadsNamesAsTheLogDoes) {
  const PrintedLog log(log_bytes("main.log"));
  const analysis::NameReadings names = analysis::readings_that_fit(log.printed, log.plan);
  EXPECT_NE(names.plain, names.dotted);
  const auto values = analysis::rank_values(log.printed, log.plan);
  const auto printed = analysis::printed_bounds(log.printed.slot(LineId::critical_path_comms), Format::r3, "ms");
  const auto any = analysis::critical_path(log.printed, log.plan, values, true).comms,
             own = analysis::critical_path(log.printed, log.plan, values, true, names).comms;
  ASSERT_TRUE(printed && any && own);
  EXPECT_TRUE(own->overlaps(*printed));
  EXPECT_LT(own->high - own->low, 0.6 * (any->high - any->low));
  const analysis::NameReadings other = {names.dotted, names.plain};
  EXPECT_FALSE(analysis::critical_path(log.printed, log.plan, values, true, other).comms->overlaps(*printed));
}

// No name that the log lists has dots, but that of the table that the change makes the largest.
TEST(ChangedPrint, ListsNamesWithDots) {
  const PrintedLog base(log_that_lists_no_dots());
  Change change;
  const auto& rows = base.printed.tables.rows;
  const auto named = [](const PrintedTable& row) { return row.fqn.text.ends_with("ebc.doc.v3"); };
  change.tables = {static_cast<std::uint32_t>(std::ranges::find_if(rows, named) - rows.begin())};
  change.attribute = Attribute::rows;
  change.number = 1e9;
  const ChangedLog changed(base, change);
  ASSERT_TRUE(changed.plan);
  EXPECT_EQ(changed.print.slot(LineId::top_hbm_table).text, "doc.v3");
}

TEST(ChangedPrint, WithAnotherCapacity) {
  const PrintedLog log(log_bytes("v1.8.0.log"));
  Texts texts;
  const PrintedPlan print = changed_print(log.printed, log.plan, log.printed, log.plan, texts, 100 * kGiB);
  EXPECT_EQ(print.slot(LineId::reserved_hbm).text, "40.0");
  EXPECT_EQ(print.slot(LineId::planning_memory).text, "60.0");
  EXPECT_EQ(print.slot(LineId::planning_memory, 1).text, log.printed.slot(LineId::planning_memory, 1).text);
  EXPECT_EQ(print.slot(LineId::reserved_percent).text, "40");
  for (std::size_t r = 0; r < print.ranks.rows.size(); ++r) {
    const double share = middle(real(log.plan.ranks[r].hbm)) / (60.0 * kGiB);
    EXPECT_EQ(print.ranks.rows[r].hbm_percent.text, format(share, Format::p0)) << r;
    EXPECT_EQ(print.ranks.rows[r].hbm.text, log.printed.ranks.rows[r].hbm.text) << r;
  }
}

// Two devices of different capacities become four equal ones.
TEST(ChangedPrint, WithMoreDevices) {
  const PrintedLog base(read_file((test::source_folder() / "testdata" / "planner" / "v0.8.0-hidden_ddr.log").string()));
  const std::vector<double> memory = analysis::shared_memory(base.printed, base.plan).hbm;
  ASSERT_NE(memory[0], memory[1]);
  Change change;
  change.attribute = Attribute::world_size;
  change.number = 4;
  const ChangedLog changed(base, change);
  ASSERT_TRUE(changed.plan);
  ASSERT_EQ(changed.print.ranks.rows.size(), 4u);
  for (const PrintedRank& row : changed.print.ranks.rows) {
    const double used = *parse_real(row.hbm.text) * kGiB;
    EXPECT_EQ(row.hbm_percent.text, format(used / memory[0], Format::p0)) << row.rank.text;
  }
}

// Two logs of a planner whose backward multipliers differ: what diff names makes the one of the other.
TEST(ChangedPrint, WithTheMultiplierThatDiffNames) {
  const auto folder = test::source_folder() / "testdata" / "pairs" / "bwd_compute_multiplier";
  const PrintedLog base(read_file((folder / "base.log").string()));
  Change change;
  change.attribute = Attribute::bwd_compute_multiplier;
  change.number = 2.5;
  const ChangedLog changed(base, change);
  ASSERT_TRUE(changed.plan);
  EXPECT_EQ(rendered(changed.print), read_file((folder / "next.log").string()));
}

// A plan with one table less: sums fall, lists and counts follow.
TEST(ChangedPrint, WithATableLess) {
  const PrintedLog log(log_bytes("v1.8.0.log"));
  PrintedPlan skeleton = log.printed;
  skeleton.tables.rows.pop_back();
  Plan plan = log.plan;
  const PlanTable gone = plan.tables.back();
  for (const PlanShard& shard : plan.shards_of(gone)) {
    PlanRank& rank = plan.ranks[static_cast<std::size_t>(*shard.rank)];
    rank.hbm = rank.hbm - exactly(shard.sizes->hbm.low);
    rank.sparse_hbm = rank.sparse_hbm - exactly(shard.sizes->hbm.low);
  }
  plan.tables.pop_back();
  plan.shards.resize(gone.first_shard);
  Texts texts;
  const PrintedPlan print = changed_print(log.printed, log.plan, skeleton, plan, texts);
  EXPECT_EQ(print.tables.rows.size() + 1, log.printed.tables.rows.size());
  EXPECT_EQ(parse_integer(print.slot(LineId::kernel_constraints, 1).text),
            *parse_integer(log.printed.slot(LineId::kernel_constraints, 1).text) - 1);
  std::int64_t tables = 0;
  for (const PrintedLine& line : print.lines)
    if (line.id == LineId::kernel_count) tables += *parse_integer(print.slots_of(line)[1].text);
  EXPECT_EQ(tables, static_cast<std::int64_t>(print.tables.rows.size()));
  for (std::size_t r = 0; r < print.ranks.rows.size(); ++r) {
    const bool had_it = log.plan.shards_on(gone, static_cast<int>(r)) > 0;
    EXPECT_EQ(print.ranks.rows[r].shards.text != log.printed.ranks.rows[r].shards.text, had_it) << r;
    if (!had_it) {
      EXPECT_EQ(print.ranks.rows[r].hbm.text, log.printed.ranks.rows[r].hbm.text) << r;
    }
  }
}

// What is printed for another release is a block of that release, with a text in each cell.
TEST(Relaid, IsALogOfTheRelease) {
  for (const std::string name : {"v0.5.0.log", "v1.4.0.log", "v1.8.0.log"}) {
    const PrintedLog log(log_bytes(name));
    for (auto to = static_cast<int>(Release::v0_4_0); to <= static_cast<int>(Release::main_branch); ++to) {
      const auto release = static_cast<Release>(to);
      Texts texts;
      const std::string bytes =
          rendered(changed_print(log.printed, log.plan, relaid(log.printed, release, texts), log.plan, texts));
      const auto source = source_from(bytes);
      const auto blocks = find_blocks(source->bytes());
      const PrintedPlan again = parse(blocks.at(0));
      EXPECT_TRUE(again.diagnostics.empty()) << name << " " << kReleaseNames[static_cast<std::size_t>(to)] << bytes;
      EXPECT_NE(std::ranges::find(again.releases, release), again.releases.end())
          << name << " " << kReleaseNames[static_cast<std::size_t>(to)];
      EXPECT_EQ(bytes.find('?'), std::string::npos) << name << " " << kReleaseNames[static_cast<std::size_t>(to)];
    }
  }
}

// The memory of ranks has one decimal up to v0.7.0 and three after: a text with one says something else there.
TEST(Relaid, PrintsTheMemoryOfRanksInTheFormatOfTheRelease) {
  const PrintedLog log(log_bytes("v0.5.0.log"));
  Texts texts;
  const PrintedPlan skeleton = relaid(log.printed, Release::v1_4_0, texts);
  const PrintedPlan print = changed_print(log.printed, log.plan, skeleton, log.plan, texts);
  std::size_t others = 0;
  for (std::size_t r = 0; r < print.ranks.rows.size(); ++r) {
    const std::string_view text = print.ranks.rows[r].hbm.text;
    EXPECT_TRUE(bytes_printed_as(text, Format::r3, kGiB)->overlaps(log.plan.ranks[r].hbm)) << r << ": " << text;
    others += print.ranks.rows[r].hbm.text != log.printed.ranks.rows[r].hbm.text;
  }
  EXPECT_GT(others, 0u);
}

// Bounds that widen around the same middle print the same, and yet say less.
TEST(ChangedPrint, KnowsOnlyWhatKeepsItsBounds) {
  const PrintedLog log(log_bytes("v1.4.0.log"));
  Plan after = log.plan;
  after.ranks[1].input = {after.ranks[1].input.low - 10, after.ranks[1].input.high + 10};
  after.tables[2].perf.expected.total = {0.1, 0.9};
  Texts texts;
  const PrintedPlan print = changed_print(log.printed, log.plan, log.printed, log.plan, texts);
  const PrintedPlan known = without_changed(print, log.plan, after, log.printed, texts);
  for (std::size_t r = 0; r < known.ranks.rows.size(); ++r) {
    const PrintedRank &row = known.ranks.rows[r], &printed = log.printed.ranks.rows[r];
    EXPECT_EQ(row.input.text, r == 1 ? "?" : printed.input.text) << r;
    EXPECT_EQ(row.hbm.text, printed.hbm.text) << r;
  }
  for (const PlanTable& table : log.plan.tables) {
    const PrintedTable &row = known.tables.rows[table.row], &printed = log.printed.tables.rows[table.row];
    const bool changes = &table == &log.plan.tables[2];
    EXPECT_EQ(row.perf.total.text, changes ? "?" : printed.perf.total.text) << row.fqn.text;
    EXPECT_EQ(row.perf.components[0].text, printed.perf.components[0].text) << row.fqn.text;
  }
}

// A caching ratio that one release hides stands in the rows of another that prints it.
TEST(Relaid, PrintsAHiddenCachingRatio) {
  const PrintedLog log(read_file((test::source_folder() / "testdata" / "whatif" / "hidden_ratio.log").string()));
  const WhatIf what_if(log.printed);
  const Plan likely = what_if.likely_base();
  Texts texts;
  for (const auto& [release, text] : {std::pair{Release::v0_6_0, "None"}, {Release::v1_4_0, "0.9"}}) {
    const PrintedPlan skeleton = relaid(log.printed, release, texts);
    const PrintedPlan print = changed_print(log.printed, likely, skeleton, likely, texts);
    const auto cached = [](const PrintedTable& row) { return row.kernel.text == "fused_uvm_caching"; };
    const auto row = std::ranges::find_if(print.tables.rows, cached);
    ASSERT_NE(row, print.tables.rows.end());
    EXPECT_EQ(row->cache_load_factor.text, text);
  }
}

// ---- the shared corpus ---------------------------------------------------------------------------------------------

TEST(ChangedPrint, OfTheCorpus) {
  if (!std::filesystem::exists(test::corpus("plans"))) GTEST_SKIP() << test::kNoCorpus;
  std::size_t cells = 0, different = 0, logs = 0;
  for (const auto& path : test::corpus_logs("plans")) {
    const PrintedLog log(read_file(path.string()));
    if (!is_printable(log.plan)) continue;
    EXPECT_TRUE(print_unchanged(log) == log.source->bytes()) << path;
    const auto comparison = predict_anew(log);
    cells += comparison.cells;
    different += comparison.differences.size();
    ++logs;
  }
  EXPECT_GT(logs, test::sampled(200U));
  EXPECT_LE(different * 1000, cells * 5) << different << " of " << cells;
}

// Each tier takes its ranks out of those that are left.
TEST(ChangedPrint, HasNoMoreRanksInTiersThanThereAre) {
  if (!std::filesystem::exists(test::corpus("plans"))) GTEST_SKIP() << test::kNoCorpus;
  Change change;
  change.attribute = Attribute::batch_size;
  std::size_t logs = 0;
  for (const auto& path : test::corpus_logs("plans")) {
    const PrintedLog base(read_file(path.string()));
    const auto batch = parse_integer(base.printed.slot(LineId::batch_size).text);
    if (!batch || base.printed.find(LineId::tier) == nullptr || !is_printable(base.plan)) continue;
    change.number = 2.0 * static_cast<double>(*batch);
    const ChangedLog changed(base, change);
    if (!changed.plan) continue;
    std::size_t listed = 0;
    for (const PrintedLine& line : changed.print.lines) {
      if (line.id != LineId::tier) continue;
      std::vector<int> ranks;
      ASSERT_TRUE(parse_ranks(changed.print.slots_of(line)[2].text, ranks)) << path;
      listed += ranks.size();
    }
    EXPECT_LE(listed, changed.print.ranks.rows.size()) << path;
    ++logs;
  }
  EXPECT_GT(logs, test::sampled(60U));
}

// The capacity that the change names, if it is one of capacity.
std::optional<std::int64_t> capacity_of(const std::filesystem::path& changes) {
  const std::string text = read_file(changes.string());
  const std::size_t at = text.find("hbm=");
  if (at != 0 && (at == std::string::npos || text[at - 1] != '\n')) return std::nullopt;
  const std::size_t end = text.find_first_not_of("0123456789", at + 4);
  EXPECT_EQ(text.substr(end, 3), "GiB") << changes;
  return parse_integer(text.substr(at + 4, end - at - 4)).value_or(0) * kGiB;
}

// With the plan that the changed log itself says, the log of the base becomes the changed one.
TEST(ChangedPrint, OfTheWhatIfPairs) {
  if (!std::filesystem::exists(test::corpus("whatif"))) GTEST_SKIP() << test::kNoCorpus;
  std::size_t cells = 0, different = 0;
  for (const auto& path : test::logs_below(test::corpus("whatif"))) {
    if (path.filename() != "base.log") continue;
    const auto folder = path.parent_path();
    const PrintedLog base(read_file(path.string())), expected(read_file((folder / "expected.log").string()));
    Texts texts;
    PrintedPlan skeleton = base.printed.releases == expected.printed.releases
                               ? expected.printed
                               : relaid(base.printed, expected.printed.releases.front(), texts);
    const auto comparison =
        compare(expected.printed, changed_print(base.printed, base.plan, without_derived(skeleton), expected.plan,
                                                texts, capacity_of(folder / "changes.txt")));
    EXPECT_EQ(comparison.shape, "") << folder;
    cells += comparison.cells;
    different += comparison.differences.size();
  }
  EXPECT_GT(cells, 30'000U);
  EXPECT_LE(different * 1000, cells * 6) << different << " of " << cells;
}

}  // namespace
}  // namespace shardstats
