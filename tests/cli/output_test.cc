#include "cli/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "temporary_folder.h"

namespace shardstats::cli {
namespace {

// The descriptor that the next file gets.
int next_descriptor() {
  const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(next);
  return next;
}

// Some file systems take what is written, and say at the close that it does not fit. A descriptor that is closed
// already fails there, too.
TEST(Output, SaysWhatFailsAtTheClose) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / "out.txt";
  testing::internal::CaptureStderr();
  const int descriptor = next_descriptor();
  Output output({path, OutputFormat::text}, {});
  ASSERT_EQ(::close(descriptor), 0);
  EXPECT_FALSE(output.finish());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find(path + ": cannot write: "), std::string::npos) << said;
}

TEST(Output, IsWholeOnceItIsFinished) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / "out.txt";
  Output output({path, OutputFormat::text}, {});
  output.write("4 tables\n");
  EXPECT_TRUE(output.finish());
  EXPECT_EQ(std::filesystem::file_size(path), 9u);
}

}  // namespace
}  // namespace shardstats::cli
