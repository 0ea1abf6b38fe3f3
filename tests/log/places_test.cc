// Every number knows where it stands in the file: line and byte column, bare and behind prefixes and CRLF.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "corpus.h"
#include "shardstats/log/printed.h"
#include "shardstats/log/render.h"

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
    const std::size_t compared = is_transcript_ ? 1 : cell.text.size();
    EXPECT_EQ(bytes_.substr(starts_[cell.place.line - 1] + cell.place.column - 1, compared),
              cell.text.substr(0, compared))
        << cell.place.line << ":" << cell.place.column;
  }
  void check(PrintedPlan plan) {
    const auto visit = [this](const Cell& cell) { check(cell); };
    for (const Cell& slot : plan.slots) check(slot);
    for (const PrintedColumn& column : plan.ranks.columns) check(column.header);
    for (const PrintedColumn& column : plan.tables.columns) check(column.header);
    for (PrintedRank& row : plan.ranks.rows) {
      each_cell(row, visit);
      for (const ShardCount& count : shard_counts(row.shards)) {
        check(count.type);
        check(count.count);
      }
    }
    for (PrintedTable& row : plan.tables.rows) each_cell(row, visit);
  }
  // Of a transcript only the first byte of a cell is sure to stand where it is said to.
  void check(const Block& block) {
    is_transcript_ = block.transcript != nullptr;
    check(parse(block));
  }
  std::size_t checked() const { return checked_; }

 private:
  std::string_view bytes_;
  std::vector<std::size_t> starts_;
  std::size_t checked_ = 0;
  bool is_transcript_ = false;
};

std::size_t check_log(const std::string& bytes) {
  Places places(bytes);
  for (const Block& block : find_blocks(bytes)) places.check(block);
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
  if (!std::filesystem::exists(corpus / "plans")) GTEST_SKIP() << test::kNoCorpus;
  std::size_t checked = 0;
  for (const char* folder : {"plans/v0.1.0", "plans/v0.5.0", "plans/v1.8.0", "dirty", "public"})
    for (const auto& log : test::logs_below(corpus / folder)) checked += check_log(test::file_text(log));
  EXPECT_GT(checked, 50000u);
}

// Every file of the damaged set from which no value is lost renders to the logs that it was made of.
TEST(DamagedSet, RendersItsSources) {
  const auto corpus = test::shared_folder() / "corpus";
  if (!std::filesystem::exists(corpus / "dirty")) GTEST_SKIP() << test::kNoCorpus;
  const struct {
    const char* dirty;
    std::vector<const char*> sources;
  } cases[] = {
      {"prefix-python-logging.log", {"v1.4.0/small-101.log"}},
      {"prefix-glog-short.log", {"v1.2.0/small-103.log"}},
      {"prefix-glog-classic.log", {"v1.8.0/small-103.log"}},
      {"prefix-rank0.log", {"v0.6.0/small-103.log"}},
      {"prefix-torchrun-stacked.log", {"v1.1.0/small-101.log"}},
      {"prefix-iso-timestamp.log", {"v1.6.0/small-101.log"}},
      {"prefix-kubernetes.log", {"main/small-101.log"}},
      {"docker-json.log", {"v1.4.0/small-101.log"}},
      {"quoted-markdown.log", {"v0.3.2/small-102.log"}},
      {"ansi-colours.log", {"v1.8.0/small-103.log"}},
      {"crlf.log", {"v0.6.0/small-103.log"}},
      {"tabs.log", {"v1.1.0/small-101.log"}},
      {"indented.log", {"v1.2.0/small-103.log"}},
      {"right-border-stripped.log", {"V1.5.0/small-103.log"}},
      {"blanks-squeezed.log", {"main/small-101.log"}},
      {"non-breaking-spaces.log", {"v0.2.0/small-103.log"}},
      {"bom-utf8.log", {"v0.5.0/small-102.log"}},
      {"utf16le.log", {"v0.3.2/small-102.log"}},
      {"latin1.log", {"v0.8.0/small-101.log"}},
      {"nul-bytes.log", {"v1.6.0/small-101.log"}},
      {"interleaved-noise.log", {"v1.8.0/small-103.log"}},
      {"interleaved-noise-bare.log", {"v1.4.0/small-101.log"}},
      {"four-ranks-interleaved.log",
       {"v0.6.0/small-103.log", "v0.6.0/small-103.log", "v0.6.0/small-103.log", "v0.6.0/small-103.log"}},
      {"two-blocks.log", {"v1.4.0/small-101.log", "v1.8.0/small-103.log"}},
      {"block-twice.log", {"v0.3.2/small-102.log", "v0.3.2/small-102.log"}},
      {"glued-lines.log", {"v1.2.0/small-103.log"}},
      {"wrapped-200.log", {"v1.1.0/small-101.log"}},
      {"truncated-before-border.log", {"v1.8.0/small-103.log"}},
      {"no-border.log", {"main/small-101.log"}},
      {"no-frame.log", {"v0.6.0/small-103.log"}},
      {"gzip.log.gz", {"v1.8.0/small-103.log"}},
      {"zstd.log.zst", {"v1.2.0/small-103.log"}},
      {"noise-1mb-before.log", {"v0.3.2/small-102.log"}},
      {"notebook.ipynb", {"v1.1.0/small-101.log"}},
      {"json-string.log", {"v0.2.0/small-103.log"}},
      {"python-list-repr.log", {"v0.5.0/small-102.log"}},
      {"html-pre.html", {"v0.6.0/small-103.log"}},
      {"carriage-return-progress.log", {"main/small-101.log"}},
  };
  for (const auto& c : cases) {
    const auto opened = open_source((corpus / "dirty" / c.dirty).string());
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Source>>(opened)) << c.dirty;
    std::string rendered, wanted;
    for (const Block& block : find_blocks(std::get<std::unique_ptr<Source>>(opened)->bytes()))
      render(parse(block), rendered);
    for (const char* source : c.sources) wanted += test::file_text(corpus / "plans" / source);
    EXPECT_TRUE(rendered == wanted) << c.dirty;
  }
}

}  // namespace
}  // namespace shardstats
