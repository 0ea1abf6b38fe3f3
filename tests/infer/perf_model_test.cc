// What is printed of perf, by table and by rank.
#include "infer/perf_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "infer/inference.h"
#include "infer/perf_evaluation.h"
#include "infer/read_plan.h"
#include "inferred_log.h"

namespace shardstats::infer_detail {
namespace {

TEST(PrintedPerfCells, SayWhatIsPrintedAndWhatIsNot) {
  PrintedPerfCells cells;
  cells.set(1, RealInterval{2, 3});
  cells.set(2, std::nullopt);
  EXPECT_EQ(cells.all(), 1u << 1);
  EXPECT_EQ(cells[1], (RealInterval{2, 3}));
  EXPECT_FALSE(cells[2]);
  EXPECT_FALSE(cells.has(kPerfTotal));
}

TEST(PrintedPerfCells, OnlyThoseThatAreContradicted) {
  PrintedPerfCells printed;
  printed.set(0, RealInterval{2, 3});
  printed.set(kPerfTotal, RealInterval{7, 8});
  PerfCells cells{};
  cells[0] = {3, 4};
  cells[3] = exactly(5.0);  // not printed
  cells[kPerfTotal] = {8.5, 9};
  EXPECT_EQ(printed.contradicted(cells), 1u << kPerfTotal);
}

TEST(TablePerfs, KeepThoseOfTablesThatHaveOne) {
  TablePerfs tables(3);
  EXPECT_TRUE(tables.add(2, [](TablePerf& perf) { return perf.shards = 2, true; }));
  EXPECT_FALSE(tables.add(0, [](TablePerf& perf) { return perf.shards = 7, false; }));
  tables.set(1, std::nullopt);
  EXPECT_EQ(tables[0], nullptr);
  EXPECT_EQ(tables[1], nullptr);
  ASSERT_NE(tables[2], nullptr);
  EXPECT_EQ(tables[2]->shards, 2);
}

// Of sequences no log before v0.5.0 says whether they are weighted; where a later one does not, it has lost that.
TEST(PerfOptions, OfASequenceThatMayBeWeighted) {
  struct Case {
    const char* file;
    bool may_be_weighted;
  };
  for (const Case& c : {Case{"logs/v0.3.0.log", false},
                        {"planner/v0.7.0-dtypes_and_hosts.log", true},
                        {"planner/v1.7.0-multiplier.log", true}}) {
    const test::InferredLog log(c.file);
    Inference all = run_inference(log.printed, {});
    const PerfHypothesis& h = all.perf_outcomes.front().hypothesis;
    std::size_t sequences = 0;
    for (std::uint32_t t = 0; t < all.perf.tables.size(); ++t) {
      if (!all.inputs.tables[t].sequence || all.inputs.tables[t].kernel == nullptr) continue;
      ++sequences;
      all.perf.tables[t].weighted = std::nullopt;
      all.perf.tables[t].weighted_lost = all.inputs.printed->releases.front() >= Release::v0_5_0;
      const PerfOptions options = perf_options(h, all.inputs, all.perf, t);
      EXPECT_EQ(std::ranges::any_of(options, &PerfOption::weighted), c.may_be_weighted) << c.file;
    }
    EXPECT_GT(sequences, 0u) << c.file;
  }
}

// Storage takes a ratio of 0 for the default one, perf does not: a lost cell may have been either.
TEST(PerfRatio, MayBeZeroWhereItsCellIsLost) {
  const test::InferredLog log("logs/main.log");
  Inference all = run_inference(log.printed, {});
  const PerfHypothesis& h = all.perf_outcomes.front().hypothesis;
  std::size_t cached = 0;
  for (std::size_t t = 0; t < all.inputs.tables.size(); ++t) {
    TableInputs table = all.inputs.tables[t];
    if (table.kernel == nullptr || !table.kernel->cached || !table.printed_ratio) continue;
    ++cached;
    Parts parts = *(*h.outcome->parts)[t].begin();
    EXPECT_GT(perf_ratio(h, table, parts).low, 0);
    table.printed_ratio = std::nullopt;
    table.ratio_printed = false;
    table.ratio_lost = true;
    EXPECT_EQ(perf_ratio(h, table, parts), (RealInterval{0, kDefaultCachingRatio}));
    parts.variant.free_ratio = true;
    parts.variant.ratio = {0.3, 0.4};  // as its storage tells
    EXPECT_EQ(perf_ratio(h, table, parts), (RealInterval{0.3, 0.4}));
  }
  EXPECT_GT(cached, 0u);
}

// Tables of a log, each of which is made a copy of another one but for one input of its own.
class CopiedTables {
 public:
  explicit CopiedTables(const PrintedPlan& printed) : all_(run_inference(printed, {})) {
    for (PerfTable& table : all_.perf.tables) table.printed = {};  // what is printed then chooses no option
    h_ = all_.perf_outcomes.front().hypothesis;
    outcome_ = *h_.outcome;
    parts_ = std::make_shared<std::vector<TableParts>>(*outcome_.parts);
    outcome_.parts = parts_;
    h_.outcome = &outcome_;
    for (std::uint32_t t = 0; t < all_.perf.tables.size() && known_.size() < kMost; ++t)
      if (all_.perf.tables[t].known && all_.inputs.tables[t].kernel != nullptr) known_.push_back(t);
  }

  using Change = void (*)(TableInputs& inputs, Parts& parts, TableState& state, const TableInputs& other_inputs,
                          const Parts& other_parts, const TableState& other_state);
  // How often the copy with that input of its own is said to have the same perf; and it has whenever it is said to.
  std::size_t expect_same(Change change) {
    std::size_t same = 0;
    for (const std::uint32_t a : known_) {
      for (const std::uint32_t b : known_) {
        if (a == b) continue;
        const TableInputs inputs = all_.inputs.tables[b];
        const TableParts parts = (*parts_)[b];
        const TableState state = outcome_.tables[b];
        const PerfTable perf = all_.perf.tables[b];
        all_.inputs.tables[b] = all_.inputs.tables[a];
        (*parts_)[b] = (*parts_)[a];
        outcome_.tables[b] = outcome_.tables[a];
        all_.perf.tables[b] = all_.perf.tables[a];
        change(all_.inputs.tables[b], *(*parts_)[b].begin(), outcome_.tables[b], inputs, parts.front(), state);
        same += is_same(a, b);
        all_.inputs.tables[b] = inputs;
        (*parts_)[b] = parts;
        outcome_.tables[b] = state;
        all_.perf.tables[b] = perf;
      }
    }
    return same;
  }
  std::size_t pairs() const { return known_.size() * (known_.size() - 1); }

 private:
  static constexpr std::size_t kMost = 25;

  bool is_same(std::uint32_t a, std::uint32_t b) const {
    if (!have_same_perf(h_, all_.inputs, all_.perf, a, b)) return false;
    TablePerf x, y;
    const bool has_x = find_table_perf(h_, all_.inputs, all_.perf, a, codec_table().front(), x);
    EXPECT_EQ(has_x, find_table_perf(h_, all_.inputs, all_.perf, b, codec_table().front(), y));
    EXPECT_TRUE(!has_x || (x.cells == y.cells && x.shard == y.shard && x.shards == y.shards)) << a << " and " << b;
    return true;
  }

  Inference all_;
  PerfHypothesis h_;
  Outcome outcome_;
  std::shared_ptr<std::vector<TableParts>> parts_;
  std::vector<std::uint32_t> known_;
};

// What is evaluated once for neighbours that are alike must not depend on what they do not have in common.
TEST(HaveSamePerf, OnlyTablesWhosePerfIsTheSame) {
  using I = TableInputs;
  using P = Parts;
  using S = TableState;
  const struct {
    std::string_view input;
    CopiedTables::Change change;
  } cases[] = {
      {"sharding", [](I& i, P&, S&, const I& other, const P&, const S&) { i.sharding = other.sharding; }},
      {"kernel", [](I& i, P&, S&, const I& other, const P&, const S&) { i.kernel = other.kernel; }},
      {"sequence", [](I& i, P&, S&, const I& other, const P&, const S&) { i.sequence = other.sequence; }},
      {"rows", [](I& i, P&, S&, const I& other, const P&, const S&) { i.rows = other.rows; }},
      {"columns", [](I& i, P&, S&, const I& other, const P&, const S&) { i.cols = other.cols; }},
      {"lookups", [](I&, P& p, S&, const I&, const P& other, const S&) { p.lookups = other.lookups; }},
      {"shards", [](I&, P& p, S&, const I&, const P& other, const S&) { p.classes = other.classes; }},
      {"options", [](I&, P&, S& s, const I&, const P&, const S& other) { s.options = other.options; }},
      {"ratio", [](I& i, P&, S&, const I& other, const P&, const S&) { i.printed_ratio = other.printed_ratio; }},
  };
  for (const char* file :
       {"edits/v0.4.0-ranks_of_small_table.log", "planner/v0.6.0-hosts_and_bandwidth.log", "logs/v1.8.0.log"}) {
    const test::InferredLog log(file);
    CopiedTables tables(log.printed);
    ASSERT_GT(tables.pairs(), 0U) << file;
    EXPECT_EQ(tables.expect_same([](I&, P&, S&, const I&, const P&, const S&) {}), tables.pairs()) << file;
    for (const auto& c : cases) {
      SCOPED_TRACE(std::string(file).append(": ").append(c.input));
      tables.expect_same(c.change);
    }
  }
}

TEST(ReadPerf, ListsTheShardsOfEachRankByTable) {
  for (const char* file : {"logs/v1.4.0.log", "logs/v1.8.0.log", "planner/v1.7.0-two_bandwidths.log"}) {
    const test::InferredLog log(file);
    const PlanInputs plan = read_plan(log.printed);
    const PerfInputs perf = read_perf(plan, search(plan, {}, {}));
    for (std::size_t r = 0; r < perf.ranks.size(); ++r) {
      std::vector<ShardsOnRank> expected;
      for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
        const auto here = std::ranges::count(plan.tables[t].ranks, static_cast<int>(r));
        const bool everywhere = std::ranges::count(perf.everywhere, t) > 0;
        if (here > 0 && !everywhere) expected.emplace_back(t, here);
      }
      EXPECT_TRUE(std::ranges::equal(perf.ranks[r].shards, expected)) << file << " rank " << r;
    }
  }
}

}  // namespace
}  // namespace shardstats::infer_detail
