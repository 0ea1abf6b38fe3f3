#include "cli/assignments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "temporary_folder.h"

namespace shardstats::cli {
namespace {

using testing::HasSubstr;

Assignment good(std::string_view text) {
  auto parsed = parse_assignment(text);
  if (auto* wrong = std::get_if<std::string>(&parsed)) throw std::runtime_error(*wrong);
  return std::get<Assignment>(std::move(parsed));
}
std::string wrong(std::string_view text) {
  const auto parsed = parse_assignment(text);
  const auto* message = std::get_if<std::string>(&parsed);
  return message != nullptr ? *message : "";
}
std::vector<double> numbers(std::string_view text) {
  std::vector<double> all;
  for (const Change& change : good(text).values) all.push_back(change.number);
  return all;
}

TEST(Assignments, OfTheRun) {
  EXPECT_EQ(numbers("batch_size=4096"), std::vector{4096.0});
  EXPECT_EQ(numbers(" hbm = 80GiB "), std::vector{80.0 * 1024 * 1024 * 1024});
  EXPECT_EQ(numbers("inter_host_bw=50GiB/s"), std::vector{50.0 * 1024 * 1024 * 1024 / 1000});
  EXPECT_EQ(numbers("ssd_mem_bw=1GiB/s"), std::vector{1024.0 * 1024 * 1024 / 1000});
  EXPECT_EQ(numbers("bwd_compute_multiplier=2,2.5"), (std::vector{2.0, 2.5}));
  EXPECT_EQ(numbers("count_ephemeral=true"), std::vector{1.0});
  EXPECT_EQ(good("release=v1.8.0").values.front().word, "v1.8.0");
  EXPECT_EQ(good("release=v1.5.0").values.front().word, "v1.5.0");  // whose tag is V1.5.0
  EXPECT_EQ(good("dtype=fp16").table, "");
  for (const char* dtype : {"fp32", "float32", "half", "2", "uint8"})  // as --assume spells them
    EXPECT_EQ(good("dtype=" + std::string(dtype)).values.front().word, dtype);
}

TEST(Assignments, OfTables) {
  const Assignment rows = good("model.ebc.table_7.rows=5000000");
  EXPECT_EQ(rows.table, "model.ebc.table_7");
  EXPECT_EQ(rows.values.front().attribute, Attribute::rows);
  EXPECT_EQ(rows.values.front().number, 5e6);
  EXPECT_EQ(good("table_7.ranks=9,7,5").values.front().ranks, (std::vector{9, 7, 5}));
  EXPECT_EQ(good("table_7.ranks=9,7,5").values.size(), 1U);
  EXPECT_EQ(good("drop table_7").table, "table_7");
  EXPECT_EQ(good("drop table_7").values.front().attribute, Attribute::drop);
}

TEST(Assignments, Sweeps) {
  EXPECT_EQ(numbers("batch_size=64,96,128"), (std::vector{64.0, 96.0, 128.0}));
  EXPECT_EQ(numbers("batch_size=1024..16384*2"), (std::vector{1024.0, 2048.0, 4096.0, 8192.0, 16384.0}));
  EXPECT_EQ(numbers("batch_size=1000..3500+1000"), (std::vector{1000.0, 2000.0, 3000.0}));
  EXPECT_EQ(good("batch_size=1..4").values.back().text, "batch_size=4");
  EXPECT_EQ(good("pipeline=none,train_sparse_dist").values.size(), 2U);
}

TEST(Assignments, WhatIsWrongWithThem) {
  EXPECT_THAT(wrong("batch_size"), HasSubstr("expected KEY=VALUE"));
  EXPECT_THAT(wrong("batch_siz=3"), HasSubstr("did you mean 'batch_size'?"));
  EXPECT_THAT(wrong("table_7.batch_size=3"), HasSubstr("table_7.batch_size: a table has no such attribute"));
  EXPECT_THAT(wrong("rows=3"), HasSubstr("rows: the run has no such attribute"));
  EXPECT_THAT(wrong("batch=1"), HasSubstr("; did you mean 'batch_size'?"));
  EXPECT_THAT(wrong("foo=1"), HasSubstr("foo: the run has no such attribute; there are batch_size, world_size"));
  EXPECT_THAT(wrong("batch_size=0"), HasSubstr("not a number of samples from 1 to 1,099,511,627,776"));
  EXPECT_THAT(wrong("world_size=1000000000"), HasSubstr("not a number of ranks from 1 to 131,072"));
  EXPECT_THAT(wrong("t.rows=9999999999999"), HasSubstr("not a number of rows from 1 to 1,099,511,627,776"));
  EXPECT_THAT(wrong("batch_size=64,x"), HasSubstr("'x'"));
  EXPECT_THAT(wrong("batch_size=9..3*2"), HasSubstr("not a range"));
  EXPECT_THAT(wrong("batch_size=1..3*1"), HasSubstr("not a range"));
  EXPECT_THAT(wrong("batch_size=1..9999"), HasSubstr("more than 1000 values"));
  EXPECT_THAT(wrong("inter_host_bw=50GiB"), HasSubstr("a bandwidth such as"));
  EXPECT_THAT(wrong("bwd_compute_multiplier=0"), HasSubstr("a multiplier such as"));
  EXPECT_THAT(wrong("table_7.cache_load_factor=2"), HasSubstr("from 0 to 1"));
  EXPECT_THAT(wrong("table_7.sharding=XW"), HasSubstr("one of TW, CW"));
  EXPECT_THAT(wrong("table_7.pooling_factor=nan"), HasSubstr("'nan' is not a number: ids a sample"));
  EXPECT_THAT(wrong(".dtype=fp16"), HasSubstr("the name of a table is missing"));
  EXPECT_THAT(wrong("batch_size=1,024"), HasSubstr("'024' is not a number of samples"));
  EXPECT_THAT(wrong("batch_size=1,024"), HasSubstr("; did you mean '1024'?"));
  EXPECT_THAT(wrong("batch_size=0512"), HasSubstr("; did you mean '512'?"));
  EXPECT_THAT(wrong("t.pooling_factor=1,024"), HasSubstr("; did you mean '1024'?"));
  EXPECT_THAT(wrong("batch_size=512,1,024"), HasSubstr("; did you mean '1024'?"));
  EXPECT_THAT(wrong("batch_size=1,024,2,048"), HasSubstr("; did you mean '1024'?"));
  EXPECT_THAT(wrong("batch_size=1,000,000"), HasSubstr("; did you mean '1000000'?"));
  for (const char* open : {"128,0256", "4096,024", "12,345,067", "1,024,512", "64,08", "064,128"})
    EXPECT_THAT(wrong("batch_size=" + std::string(open)), Not(HasSubstr("did you mean"))) << open;
  for (const char* open : {"0.5,024", "0,024", "1.5,024"})
    EXPECT_THAT(wrong("t.pooling_factor=" + std::string(open)), Not(HasSubstr("did you mean"))) << open;
  EXPECT_THAT(wrong("t.pooling_factor=0.5,00.5"), HasSubstr("'00.5' is not a number"));
  EXPECT_EQ(wrong("hbm=0GiB"), "hbm: '0GiB' is too small; it has to be at least 1MiB");
  EXPECT_EQ(wrong("hbm=80B"), "hbm: '80B' is too small; it has to be at least 1MiB");
  EXPECT_THAT(wrong("hbm=80"), HasSubstr("; did you mean '80GiB'?"));
  EXPECT_THAT(wrong("dtype=int4"), HasSubstr("one of fp32, fp16, bf16, int8"));
  EXPECT_THAT(wrong("drop "), HasSubstr("expected KEY=VALUE"));
}

TEST(Assignments, KeysThatAreSetTwice) {
  const auto twice = [](const std::vector<std::string>& texts) {
    std::vector<Assignment> all;
    for (const std::string& text : texts) all.push_back(good(text));
    return key_set_twice(all).value_or("");
  };
  EXPECT_EQ(twice({"batch_size=512", "dtype=fp16", "batch_size=1024"}), "batch_size");
  EXPECT_EQ(twice({"a.rows=5", "a.rows=5"}), "a.rows");
  EXPECT_EQ(twice({"dtype=fp16", "a*.dtype=fp32", "a.dtype=bf16", "b.dtype=bf16", "a.rows=3"}), "");
  EXPECT_EQ(twice({"drop a", "drop b"}), "");
}

TEST(Assignments, TwoNamesOfOneTable) {
  PrintedPlan printed;
  for (const char* fqn : {"ebc.a", "ebc.b"}) printed.tables.rows.emplace_back().fqn = {fqn, {}};
  const auto message = [&](const std::vector<std::string>& texts) {
    std::vector<Assignment> all;
    for (const std::string& text : texts) all.push_back(good(text));
    const auto resolved = resolve(all, std::vector<std::size_t>(all.size(), 0), printed);
    const auto* wrong = std::get_if<std::string>(&resolved);
    return wrong ? *wrong : "";
  };
  EXPECT_EQ(message({"a.rows=5", "ebc.a.rows=6"}),
            "'a.rows=5' and 'ebc.a.rows=6' set the same attribute of the same table");
  EXPECT_EQ(message({"*a.rows=5", "a.rows=6"}), "");  // the general and the special one
  EXPECT_EQ(message({"a.rows=5", "b.rows=6", "a.dim=4"}), "");
  EXPECT_EQ(message({"sparse.a.rows=5"}), "no table 'sparse.a' in this block; did you mean 'ebc.a'?");
}

TEST(Assignments, SettingsGiveWayToTheCommandLine) {
  PrintedPlan printed;
  for (const char* fqn : {"ebc.a", "ebc.b"}) printed.tables.rows.emplace_back().fqn = {fqn, {}};
  const auto left = [&](const std::string& setting, const std::vector<std::string>& said) {
    std::vector<Assignment> all = {good(setting)};
    all.front().of_settings = true;
    for (const std::string& text : said) all.push_back(good(text));
    std::vector<std::string> keys;
    for (const Assignment& one : without_overruled(all, printed)) keys.push_back(one.key);
    return testing::PrintToString(keys);
  };
  EXPECT_EQ(left("a.rows=5", {"ebc.a.rows=6"}), "{ \"ebc.a.rows\" }");
  EXPECT_EQ(left("drop a", {"ebc.a.rows=6"}), "{ \"ebc.a.rows\" }");
  EXPECT_EQ(left("ebc.a.rows=6", {"drop a"}), "{ \"drop\" }");
  EXPECT_EQ(left("b.rows=5", {"ebc.a.rows=6"}), "{ \"b.rows\", \"ebc.a.rows\" }");
  EXPECT_EQ(left("*a.rows=5", {"a.rows=6"}), "{ \"*a.rows\", \"a.rows\" }");  // the last one holds
  EXPECT_EQ(left("a.rows=5,6", {"ebc.a.rows=6"}), "{ \"a.rows\", \"ebc.a.rows\" }");
  EXPECT_EQ(left("drop *", {"ebc.a.rows=6"}), "{ \"drop\", \"ebc.a.rows\" }");  // b stays dropped, or is told
  EXPECT_EQ(left("drop *", {"a.rows=6", "b.dim=4"}), "{ \"a.rows\", \"b.dim\" }");
}

TEST(Assignments, FromAFile) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / "changes.txt";
  std::ofstream(path) << "# a comment\n\nbatch_size=64 # more\n  drop a.b  \n";
  const auto read = read_assignments(path);
  const auto& all = std::get<std::vector<Assignment>>(read);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].table, "a.b");
  std::ofstream(path) << "\xEF\xBB\xBF"
                         "batch_size=64\n";
  EXPECT_EQ(std::get<std::vector<Assignment>>(read_assignments(path)).size(), 1U);
  std::ofstream(path) << "batch_size=64\nbatch=3\n";
  EXPECT_THAT(std::get<std::string>(read_assignments(path)),
              HasSubstr("changes.txt:2: batch: the run has no such attribute; did you mean 'batch_size'?"));
  EXPECT_THAT(std::get<std::string>(read_assignments("no/such/file")), HasSubstr("cannot be opened"));
}

}  // namespace
}  // namespace shardstats::cli
