// Documents of JSON on one line, of which each record names its process.
#include "input/documents.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "printed_block.h"

namespace shardstats {
namespace {

using namespace test;

Texts records_in(const std::string& document) {
  Transcript line;
  line.append(document, {1, 1});
  Texts records;
  for (const Transcript& one : input_detail::records_of_processes(std::move(line))) records.emplace_back(one.text());
  return records;
}

TEST(Documents, AreDividedWhereRecordsNameSeveralProcesses) {
  const Texts parts = {R"({"n": [{"a": 1}], "events": [)", R"({"pod": "a", "m": "# ]}\" #", "x": [1, {}]}, )",
                       R"({"pod": "b", "m": "# #"})", R"(], "pods": [{"pod": "c"}]})"};
  EXPECT_EQ(records_in(parts[0] + parts[1] + parts[2] + parts[3]), parts);
  for (const std::string document : {
           R"({"events": [{"pod": "a", "m": "# #"}, {"pod": "a", "m": "# #"}]})",
           R"({"events": [{"pod": "a", "m": "# #"}, {"pod": "b", "m": ""}]})",
           R"({"events": [{"pod": "a", "m": "# #"}, {"pod": "b", "m": "# #)",
           R"(x [{"pod": "a", "m": "# #"}, {"pod": "b", "m": "# #"}])",
           "[default0]: # a #",
           "",
       })
    EXPECT_EQ(records_in(document), Texts{document});
}

// As in bursts, of which each begins anywhere in the block.
TEST(Documents, LinesOfSeveralProcesses) {
  std::string log = R"({"events": [)";
  for (std::size_t i = 0; i < printed().size(); i += 3)
    for (const std::string batch : {"64", "512"})
      for (std::size_t at = i; at < i + 3; ++at)
        log += R"({"logStreamName": "algo-)" + batch + R"(", "message": ")" + printed(batch)[at] + "\"}, ";
  log.replace(log.size() - 2, 2, "]}");
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(texts_of(blocks[0]), printed("64"));
  EXPECT_EQ(texts_of(blocks[1]), printed("512"));
  EXPECT_TRUE(was(Mending::interleaved, blocks[0]));
}

}  // namespace
}  // namespace shardstats
