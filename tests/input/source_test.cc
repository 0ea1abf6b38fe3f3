#include "shardstats/input/source.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>

#include "input/decompress.h"
#include "temporary_folder.h"

namespace shardstats {
namespace {

const std::string kFixtures = std::string(SHARDSTATS_SOURCE_DIR) + "/testdata/compressed/";

// A file's bytes without the code under test.
std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

// A folder of its own per test, removed with it.
class SourceTest : public testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view bytes) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  test::TemporaryFolder temporary_;
  std::string folder_ = temporary_.path();
};

std::string content(const OpenResult& result) {
  const Error* error = std::get_if<Error>(&result);
  EXPECT_EQ(error, nullptr) << (error != nullptr ? error->message : "");
  return error != nullptr ? "" : std::string(std::get<std::unique_ptr<Source>>(result)->bytes());
}

Error error_of(const OpenResult& result) {
  EXPECT_TRUE(std::holds_alternative<Error>(result));
  const Error* error = std::get_if<Error>(&result);
  return error != nullptr ? *error : Error{};
}

// Standard input is `fd` while this lives.
class StandardInput {
 public:
  explicit StandardInput(int fd) : saved_(::dup(STDIN_FILENO)) { ::dup2(fd, STDIN_FILENO); }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

std::string through_pipe(const std::string& bytes) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  std::thread writer([&] {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t wrote = ::write(ends[1], bytes.data() + done, bytes.size() - done);
      if (wrote <= 0) break;
      done += static_cast<std::size_t>(wrote);
    }
    ::close(ends[1]);
  });
  const StandardInput replaced(ends[0]);
  std::string got = content(open_source("-"));
  writer.join();
  ::close(ends[0]);
  return got;
}

TEST_F(SourceTest, GivesTheBytesOfAFile) {
  for (const std::string& bytes :
       {std::string(), std::string("x"), std::string("a\0b\r\n", 5), std::string(200000, '#')})
    EXPECT_EQ(content(open_source(write("a.log", bytes))), bytes);
}

TEST_F(SourceTest, KeepsTheBytesOfAFileThatIsDeleted) {
  const std::string path = write("a.log", "still here");
  const OpenResult opened = open_source(path);
  std::filesystem::remove(path);
  EXPECT_EQ(content(opened), "still here");
}

TEST_F(SourceTest, ReadsAFifo) {
  const std::string path = folder_ + "/fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << "through a fifo"; });
  EXPECT_EQ(content(open_source(path)), "through a fifo");
  writer.join();
}

TEST_F(SourceTest, NamesWhatCannotBeOpened) {
  struct Case {
    std::string path;
    std::string message;
  };
  for (const Case& c : {Case{folder_ + "/none.log", "cannot open it: No such file or directory"},
                        Case{folder_, "cannot read it: Is a directory"},
                        Case{write("a.log", "x") + "/b.log", "cannot open it: Not a directory"},
                        Case{"", "cannot open it: No such file or directory"}}) {
    const Error error = error_of(open_source(c.path));
    EXPECT_EQ(error.path, c.path);
    EXPECT_EQ(error.message, c.message);
    EXPECT_EQ(error.place, Place{});
  }
  EXPECT_FALSE(error_of(open_source(folder_)).hint.empty());
  EXPECT_FALSE(error_of(open_source(folder_ + "/none.log")).hint.empty());
  EXPECT_EQ(error_of(open_source(folder_ + "/*.log")).hint, "`shardstats scan` takes patterns of file names");
}

TEST_F(SourceTest, NamesAFileWithoutPermission) {
  const std::string path = write("a.log", "x");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const uid_t user = ::geteuid();
  constexpr uid_t kNobody = 65534;  // root may read every file
  if (user == 0 && ::seteuid(kNobody) != 0) GTEST_SKIP() << "cannot become a user without permission";
  const Error error = error_of(open_source(path));
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_EQ(error.message, "cannot open it: Permission denied");
  EXPECT_FALSE(error.hint.empty());
}

TEST_F(SourceTest, ReadsStandardInput) {
  EXPECT_EQ(through_pipe(""), "");
  EXPECT_EQ(through_pipe("one line\n"), "one line\n");
  const std::string long_log(3'000'001, 'x');
  EXPECT_EQ(through_pipe(long_log), long_log);
}

TEST_F(SourceTest, ReadsStandardInputFromAFileAtItsPosition) {
  const std::string path = write("a.log", "head\ntail\n");
  const int fd = ::open(path.c_str(), O_RDONLY);
  ASSERT_GE(fd, 0);
  {
    const StandardInput replaced(fd);
    EXPECT_EQ(content(open_source("-")), "head\ntail\n");
    ASSERT_EQ(::lseek(fd, 5, SEEK_SET), 5);
    EXPECT_EQ(content(open_source("-")), "tail\n");
    ASSERT_EQ(::lseek(fd, 10, SEEK_SET), 10);
    EXPECT_EQ(content(open_source("-")), "");
  }
  ::close(fd);
}

TEST_F(SourceTest, NamesStandardInputThatIsADirectory) {
  const int fd = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_GE(fd, 0);
  {
    const StandardInput replaced(fd);
    const Error error = error_of(open_source("-"));
    EXPECT_EQ(error.path, "<stdin>");
    EXPECT_EQ(error.message, "cannot read it: Is a directory");
  }
  ::close(fd);
}

TEST_F(SourceTest, ReadsAProcFile) { EXPECT_FALSE(content(open_source("/proc/self/status")).empty()); }

TEST_F(SourceTest, DecompressesByContent) {
  const std::string plain = slurp(kFixtures + "sample.log");
  ASSERT_EQ(plain.size(), 231u);
  for (const char* name : {"sample.log.gz", "members.log.gz", "sample.log.zst", "sample.log.xz", "sample.log.bz2"}) {
    SCOPED_TRACE(name);
    const std::string compressed = slurp(kFixtures + name);
    EXPECT_EQ(content(open_source(kFixtures + name)), plain);
    EXPECT_EQ(content(open_source(write("no-ending", compressed))), plain);
    EXPECT_EQ(through_pipe(compressed), plain);
  }
}

TEST_F(SourceTest, DecompressesEmptyContent) {
  for (const char* name : {"empty.gz", "empty.zst", "empty.xz", "empty.bz2"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(content(open_source(kFixtures + name)), "");
  }
}

// What is wrong with the compressed form of a log that was opened; an Error if nothing came out of it.
std::optional<ContentFault> fault_of(const OpenResult& result) {
  if (std::holds_alternative<Error>(result)) return std::nullopt;
  const ContentDamage* damage = std::get<std::unique_ptr<Source>>(result)->damage();
  return damage != nullptr ? damage->fault : ContentFault::none;
}

TEST_F(SourceTest, TruncatedContentIsReadAsFarAsItGoes) {
  const std::string plain = slurp(kFixtures + "sample.log");
  for (const char* name : {"sample.log.gz", "sample.log.zst", "sample.log.xz", "sample.log.bz2"}) {
    const std::string compressed = slurp(kFixtures + name);
    for (std::size_t size = 10; size < compressed.size(); ++size) {
      SCOPED_TRACE(std::string(name) + " cut to " + std::to_string(size));
      const OpenResult result = open_source(write("cut", compressed.substr(0, size)));
      if (const auto* error = std::get_if<Error>(&result)) {
        EXPECT_TRUE(error->message.starts_with("cannot decompress the ")) << error->message;
        EXPECT_FALSE(error->hint.empty());
        continue;
      }
      EXPECT_NE(fault_of(result), ContentFault::none);
      EXPECT_TRUE(plain.starts_with(content(result)));
    }
  }
}

TEST_F(SourceTest, FaultsOfGzip) {
  const std::string whole = slurp(kFixtures + "sample.log.gz"), plain = slurp(kFixtures + "sample.log");
  const auto changed = [&](std::size_t from_end) {
    std::string bytes = whole;
    bytes[bytes.size() - from_end] = static_cast<char>(bytes[bytes.size() - from_end] ^ 1);
    return bytes;
  };
  struct Case {
    const char* what;
    std::string bytes;
    ContentFault fault;
    std::string content;
  };
  for (const Case& c : {Case{"whole", whole, ContentFault::none, plain},
                        {"no checksum", whole.substr(0, whole.size() - 8), ContentFault::ends_early, plain},
                        {"half a checksum", whole.substr(0, whole.size() - 6), ContentFault::ends_early, plain},
                        {"wrong checksum", changed(8), ContentFault::checksum, plain},
                        {"wrong length", changed(4), ContentFault::checksum, plain},
                        {"garbage behind it", whole + "garbage", ContentFault::trailing, plain},
                        {"padding behind it", whole + std::string(512, '\0'), ContentFault::none, plain},
                        {"two members", whole + whole, ContentFault::none, plain + plain},
                        {"second member without its checksum", whole + whole.substr(0, whole.size() - 8),
                         ContentFault::ends_early, plain + plain},
                        {"second member broken", whole + "\x1f\x8b\x08\xff broken", ContentFault::broken, plain}}) {
    const OpenResult result = open_source(write("damaged.gz", c.bytes));
    EXPECT_EQ(fault_of(result), c.fault) << c.what;
    EXPECT_EQ(content(result), c.content) << c.what;
  }
}

// A changed byte is an error, or it lies where the format lets it change nothing (a time stamp, a system id).
TEST_F(SourceTest, DamagedContentIsNeverTakenForGood) {
  const std::string plain = slurp(kFixtures + "sample.log");
  for (const char* name : {"sample.log.gz", "sample.log.zst", "sample.log.xz", "sample.log.bz2"}) {
    const std::string compressed = slurp(kFixtures + name);
    for (std::size_t i = 10; i < compressed.size(); ++i) {
      SCOPED_TRACE(std::string(name) + " at " + std::to_string(i));
      std::string damaged = compressed;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
      const OpenResult result = open_source(write("damaged", damaged));
      if (fault_of(result) == ContentFault::none) {
        EXPECT_EQ(content(result), plain);
      }
    }
  }
}

TEST(Decompress, RecognisesMagicBytesOnly) {
  using namespace std::string_view_literals;
  struct Case {
    std::string_view bytes, format;  // empty: it is a text
  };
  for (const Case& c : {Case{"", ""},
                        {"\x1f\x8b"sv, ""},
                        {"\x1f\x8b\x08"sv, "gzip"},
                        {"\x28\xb5\x2f\xfd"sv, "zstd"},
                        {"\xfd"
                         "7zXZ\0"sv,
                         "xz"},
                        {"BZh9 is how this text begins", ""},
                        {"BZh91AY&SY", "bzip2"},
                        {"BZh01AY&SY", ""},
                        {"# --- Planner Statistics --- #", ""}}) {
    const std::optional<Decompressed> content = decompress(c.bytes);
    ASSERT_EQ(content.has_value(), !c.format.empty()) << c.bytes;
    if (!content) continue;
    EXPECT_THAT(content->problem, testing::StartsWith("cannot decompress the " + std::string(c.format) + " content: "));
  }
}

TEST(Decompress, TellsWhatFollowsTheLastStream) {
  const std::string whole = slurp(kFixtures + "sample.log"), compressed = slurp(kFixtures + "sample.log.bz2");
  const Decompressed followed = *decompress(compressed + "more");
  EXPECT_EQ(followed.fault, ContentFault::trailing);
  EXPECT_EQ(followed.problem, "cannot decompress the bzip2 content: other bytes follow it");
  EXPECT_EQ(followed.bytes, whole);
  EXPECT_EQ(decompress(compressed + std::string(512, '\0'))->problem, "");  // padding
  EXPECT_EQ(decompress(compressed + compressed)->bytes, whole + whole);
}

TEST(Decompress, StopsAtTheExpansionLimit) {
  const std::string compressed = slurp(kFixtures + "sample.log.gz");
  EXPECT_EQ(decompress(compressed, 231)->problem, "");
  EXPECT_EQ(decompress(compressed, 230)->problem,
            "cannot decompress the gzip content: it decompresses to more than 230 bytes");
}

// As the handler of SIGBUS does where a page cannot be read.
TEST_F(SourceTest, ALostPageReadsAsZeros) {
  const std::string path = write("a.log", std::string(10'000, 'x'));
  const OpenResult result = open_source(path);
  const Source& source = *std::get<std::unique_ptr<Source>>(result);
  EXPECT_EQ(source.loss(), "");
  char* const end = const_cast<char*>(source.bytes().data()) + source.bytes().size();
  EXPECT_TRUE(replace_lost_page(end - 1));
  EXPECT_EQ(source.bytes().front(), 'x');
  EXPECT_EQ(source.bytes().back(), '\0');
  EXPECT_EQ(source.loss(), "a part of it was gone or could not be read");
  std::filesystem::resize_file(path, 9'000);
  EXPECT_EQ(source.loss(), "it became shorter while it was read");
  int here = 0;
  EXPECT_FALSE(replace_lost_page(&here));
}

TEST_F(SourceTest, APageOfALogThatWasClosed) {
  const char* bytes = nullptr;
  {
    const OpenResult result = open_source(write("a.log", "text"));
    bytes = std::get<std::unique_ptr<Source>>(result)->bytes().data();
  }
  EXPECT_FALSE(replace_lost_page(const_cast<char*>(bytes)));
}

TEST(SourceFrom, HoldsItsBytes) { EXPECT_EQ(source_from("abc")->bytes(), "abc"); }

std::string utf16(std::u16string_view text, bool little) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    bytes += little ? std::string{low, high} : std::string{high, low};
  }
  return bytes;
}

TEST_F(SourceTest, Utf16BecomesUtf8) {
  const std::u16string text = u"# HBM \u00e9\u20ac\U0001F600 and enough to be sure without a mark\r\n";
  const std::string wanted = "# HBM \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 and enough to be sure without a mark\r\n";
  for (const bool little : {true, false}) {
    const OpenResult marked = open_source(write("marked", utf16(u"\ufeff" + text, little)));
    EXPECT_EQ(content(marked), wanted);
    EXPECT_TRUE(std::get<std::unique_ptr<Source>>(marked)->is_recoded());
    const std::u16string ascii = u"plain text, long enough to be told by its NUL bytes\n";
    EXPECT_EQ(content(open_source(write("bare", utf16(ascii, little)))),
              "plain text, long enough to be told by its NUL bytes\n");
  }
  EXPECT_EQ(content(open_source(write("half", std::string("\xff\xfe\x00\xd8", 4)))), "\xef\xbf\xbd");
  const OpenResult plain = open_source(write("plain", std::string(70, '\0')));
  EXPECT_FALSE(std::get<std::unique_ptr<Source>>(plain)->is_recoded());
}

// Only where no line ends otherwise, but for the last one: a progress bar goes back to the start of its line.
TEST_F(SourceTest, CarriageReturnsBecomeLineFeeds) {
  struct Case {
    const char* what;
    std::string bytes, read;
    bool is_changed = true;
  };
  for (const Case& c : {Case{"lines", "a\rb\r", "a\nb\n"},
                        {"no end of the last line", "a\rb", "a\nb"},
                        {"empty lines", "a\r\rb\r", "a\n\nb\n"},
                        {"a line feed at the end", "a\rb\r\n", "a\nb\n\n"},
                        {"UTF-16",
                         utf16(u"\ufeff"
                               u"a\rb\r",
                               true),
                         "a\nb\n"},
                        {"one line", "a\r\n", "a\r\n", false},
                        {"one line without a line feed", "a\r", "a\r", false},
                        {"both", "a\r\nb\r\n", "a\r\nb\r\n", false},
                        {"a bar", "1%\r2%\nb\n", "1%\r2%\nb\n", false},
                        {"none", "a", "a", false},
                        {"nothing", "", "", false}}) {
    const OpenResult opened = open_source(write("returns", c.bytes));
    EXPECT_EQ(content(opened), c.read) << c.what;
    EXPECT_EQ(std::get<std::unique_ptr<Source>>(opened)->has_new_line_ends(), c.is_changed) << c.what;
  }
}

}  // namespace
}  // namespace shardstats
