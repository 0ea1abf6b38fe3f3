// Every number knows where it stands in the file: line and byte column, bare and behind prefixes and CRLF.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "corpus.h"
#include "shardstats/log/printed.h"

namespace shardstats {
namespace {

class Places {
 public:
  explicit Places(std::string_view bytes) : bytes_(bytes), starts_{0} {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] == '\n') starts_.push_back(i + 1);
  }
  void check(const Cell& cell) {
    if (!cell) return;
    ++checked_;
    ASSERT_GE(cell.place.line, 1u) << cell.text;
    ASSERT_LE(cell.place.line, starts_.size()) << cell.text;
    ASSERT_GE(cell.place.column, 1u) << cell.text;
    EXPECT_EQ(bytes_.substr(starts_[cell.place.line - 1] + cell.place.column - 1, cell.text.size()), cell.text)
        << cell.place.line << ":" << cell.place.column;
  }
  void check(const PrintedPerf& perf) {
    check(perf.total);
    for (const Cell& component : perf.components) check(component);
  }
  void check(const PrintedPlan& plan) {
    for (const Cell& slot : plan.slots) check(slot);
    for (const PrintedColumn& column : plan.ranks.columns) check(column.header);
    for (const PrintedColumn& column : plan.tables.columns) check(column.header);
    for (const PrintedRank& row : plan.ranks.rows) {
      check(row.perf);
      for (const Cell* cell :
           {&row.rank, &row.hbm, &row.hbm_percent, &row.ddr, &row.ddr_percent, &row.input, &row.output, &row.shards})
        check(*cell);
      for (const ShardCount& count : shard_counts(row.shards)) {
        check(count.type);
        check(count.count);
      }
    }
    for (const PrintedTable& row : plan.tables.rows) {
      check(row.perf);
      for (const Cell* cell :
           {&row.fqn, &row.sharding, &row.kernel, &row.hbm, &row.ddr, &row.ssd, &row.cache_load_factor,
            &row.pooling_factor, &row.num_poolings, &row.num_indices, &row.output, &row.weighted, &row.sharder,
            &row.features, &row.emb_dim, &row.cw_dim, &row.hash_size, &row.ranks, &row.batch_sizes})
        check(*cell);
    }
  }
  std::size_t checked() const { return checked_; }

 private:
  std::string_view bytes_;
  std::vector<std::size_t> starts_;
  std::size_t checked_ = 0;
};

std::size_t check_log(const std::string& bytes) {
  Places places(bytes);
  for (const Block& block : find_blocks(bytes)) places.check(parse(block));
  return places.checked();
}

TEST(PlacesOfNumbers, Testdata) {
  std::size_t checked = 0;
  for (const auto& log : test::logs_below(test::source_folder() / "testdata" / "logs"))
    checked += check_log(test::file_text(log));
  EXPECT_GT(checked, 1000u);
}

TEST(PlacesOfNumbers, BehindChangingPrefixes) {
  const std::string clean = test::file_text(test::source_folder() / "testdata" / "logs" / "v1.4.0.log");
  std::string prefixed;
  for (std::size_t start = 0, number = 95; start < clean.size(); ++number) {
    const std::size_t end = clean.find('\n', start);
    prefixed += "job #7 [" + std::to_string(number) + "] stats.py:" + std::to_string(number * number) + "] ";
    prefixed += clean.substr(start, end - start) + "\r\n";
    start = end + 1;
  }
  EXPECT_EQ(check_log(prefixed), check_log(clean));
  EXPECT_GT(check_log(clean), 100u);
}

TEST(PlacesOfNumbers, Corpus) {
  const auto corpus = test::shared_folder() / "corpus";
  if (!std::filesystem::exists(corpus / "plans")) GTEST_SKIP() << "no shared corpus beside the project";
  std::size_t checked = 0;
  for (const char* folder : {"plans/v0.1.0", "plans/v0.5.0", "plans/v1.8.0", "dirty", "public"})
    for (const auto& log : test::logs_below(corpus / folder)) checked += check_log(test::file_text(log));
  EXPECT_GT(checked, 50000u);
}

// Prefixes, line ends and lines in between of the damaged set leave every value as it was.
TEST(PlacesOfNumbers, AndValuesOfTheDamagedSetAreThose) {
  const auto corpus = test::shared_folder() / "corpus";
  if (!std::filesystem::exists(corpus / "dirty")) GTEST_SKIP() << "no shared corpus beside the project";
  const struct {
    const char *dirty, *clean;
  } cases[] = {
      {"prefix-python-logging.log", "v1.4.0/small-101.log"},   {"prefix-glog-short.log", "v1.2.0/small-103.log"},
      {"prefix-glog-classic.log", "v1.8.0/small-103.log"},     {"prefix-rank0.log", "v0.6.0/small-103.log"},
      {"prefix-torchrun-stacked.log", "v1.1.0/small-101.log"}, {"prefix-iso-timestamp.log", "v1.6.0/small-101.log"},
      {"prefix-kubernetes.log", "main/small-101.log"},         {"crlf.log", "v0.6.0/small-103.log"},
      {"interleaved-noise.log", "v1.8.0/small-103.log"},       {"interleaved-noise-bare.log", "v1.4.0/small-101.log"},
      {"noise-1mb-before.log", "v0.3.2/small-102.log"},        {"nul-bytes.log", "v1.6.0/small-101.log"},
      {"truncated-before-border.log", "v1.8.0/small-103.log"}, {"no-border.log", "main/small-101.log"}};
  for (const auto& c : cases) {
    const std::string dirty = test::file_text(corpus / "dirty" / c.dirty),
                      clean = test::file_text(corpus / "plans" / c.clean);
    const auto blocks = find_blocks(dirty), wanted = find_blocks(clean);
    ASSERT_EQ(blocks.size(), 1u) << c.dirty;
    const PrintedPlan plan = parse(blocks[0]), expected = parse(wanted[0]);
    ASSERT_EQ(plan.slots.size(), expected.slots.size()) << c.dirty;
    for (std::size_t i = 0; i < plan.slots.size(); ++i)
      EXPECT_EQ(plan.slots[i].text, expected.slots[i].text) << c.dirty;
    EXPECT_EQ(plan.ranks.rows.size(), expected.ranks.rows.size()) << c.dirty;
    EXPECT_EQ(plan.tables.rows.size(), expected.tables.rows.size()) << c.dirty;
    EXPECT_EQ(plan.width, expected.width) << c.dirty;
    EXPECT_EQ(plan.releases, expected.releases) << c.dirty;
  }
}

}  // namespace
}  // namespace shardstats
