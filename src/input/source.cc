#include "shardstats/input/source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "input/decompress.h"
#include "input/utf16.h"
#include "shardstats/limits.h"

namespace shardstats {
namespace {

constexpr std::size_t kReadStep = std::size_t{1} << 16;

// What was done to the text of a log before it is read.
struct Changes {
  bool recoded = false;        // from UTF-16
  bool new_line_ends = false;  // instead of carriage returns
};

class Memory final : public Source {
 public:
  explicit Memory(std::string bytes, std::optional<ContentDamage> damage = {}, Changes changes = {})
      : bytes_(std::move(bytes)), damage_(std::move(damage)), changes_(changes) {}
  std::string_view bytes() const override { return bytes_; }
  bool is_recoded() const override { return changes_.recoded; }
  bool has_new_line_ends() const override { return changes_.new_line_ends; }
  const ContentDamage* damage() const override { return damage_ ? &*damage_ : nullptr; }

 private:
  std::string bytes_;
  std::optional<ContentDamage> damage_;
  Changes changes_;
};

class File {
 public:
  File(int fd, bool owned) : fd_(fd), owned_(owned) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (owned_ && fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
  bool owned_;
};

// Where a log is mapped, for a handler of signals. A log beyond those has none, so that SIGBUS ends the process.
struct MappedRegion {
  std::atomic<std::uintptr_t> start{0};  // 0: free
  std::atomic<std::size_t> size{0};
  std::atomic<bool> lost{false};  // zeros took the place of a page
};
constexpr std::size_t kMostRegions = 1024;
std::array<MappedRegion, kMostRegions> mapped_regions;

// Null: all are taken.
MappedRegion* enter_region(const void* start, std::size_t size) {
  for (MappedRegion& region : mapped_regions) {
    std::uintptr_t free = 0;
    if (!region.start.compare_exchange_strong(free, reinterpret_cast<std::uintptr_t>(start))) continue;
    region.lost = false;
    region.size = size;
    return &region;
  }
  return nullptr;
}

void leave_region(MappedRegion* region) {
  if (region == nullptr) return;
  region->size = 0;
  region->start = 0;
}

// A mapped file: half the cost of reading it into memory. Of a log that is cut short while it is read comes SIGBUS, as
// with every tool that maps.
class Mapping final : public Source {
 public:
  // `fd`: the file that is mapped; another descriptor of it is kept.
  Mapping(void* start, std::size_t size, std::size_t skip, int fd)
      : start_(start),
        size_(size),
        skip_(skip),
        file_(::fcntl(fd, F_DUPFD_CLOEXEC, 0), true),
        region_(enter_region(start, size)) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() override {
    leave_region(region_);
    ::munmap(start_, size_);
  }
  std::string_view bytes() const override { return {static_cast<const char*>(start_) + skip_, size_ - skip_}; }
  std::size_t held() const override { return 0; }
  std::string_view loss() const override {
    struct stat now {};
    const bool is_shorter = ::fstat(file_.fd(), &now) == 0 && static_cast<std::size_t>(now.st_size) < size_;
    if (is_shorter) return "it became shorter while it was read";
    return region_ != nullptr && region_->lost ? "a part of it was gone or could not be read" : std::string_view();
  }
  // Blocks that are still looked at are mapped again, so the last few pieces are released once more.
  void release(std::size_t end) const override {
    const std::size_t stop = (skip_ + end) / kReadStep * kReadStep;
    const std::size_t start = released_ > kStillUsed ? released_ - kStillUsed : 0;
    if (stop > start) ::madvise(static_cast<char*>(start_) + start, stop - start, MADV_DONTNEED);
    released_ = std::max(released_, stop);
  }

 private:
  static constexpr std::size_t kStillUsed = std::size_t{1} << 28;

  void* start_;
  mutable std::size_t released_ = 0;
  std::size_t size_;
  std::size_t skip_;  // bytes before the file position, which a caller has already taken from standard input
  File file_;
  MappedRegion* region_;
};

std::string text_of(int code) { return std::generic_category().message(code); }

std::string hint_of(const std::string& name, int code) {
  switch (code) {
    case ENOENT:
      return name.find_first_of("*?[") != std::string::npos ? "`shardstats scan` takes patterns of file names"
                                                            : "check the spelling; `-` reads standard input";
    case EACCES:
    case EPERM:
      return "check its permissions, or pipe it in: `sudo cat LOG | shardstats -`";
    case EISDIR:
      return "name the log files in it; `shardstats scan DIR` walks it";
    case EMFILE:
    case ENFILE:
      return "raise `ulimit -n`, or pass fewer logs at once";
    case EFBIG:
      return "write it as UTF-8 to a file of its own and name that: it is not held in memory then";
    default:
      return {};
  }
}

Error failure(const std::string& name, std::string_view doing, int code) {
  return {name, {}, std::string(doing) + ": " + text_of(code), hint_of(name, code)};
}

// Everything up to the end of a pipe, terminal or device; 0, or the errno of what failed: EFBIG if it is too much.
int read_all(int fd, std::string& out) {
  std::array<char, kReadStep> buffer;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got == 0) return 0;
    if (got > 0 && out.size() > kMostInMemory - static_cast<std::size_t>(got)) return EFBIG;
    if (got > 0)
      out.append(buffer.data(), static_cast<std::size_t>(got));
    else if (errno != EINTR)
      return errno;
  }
}

OpenResult read_stream(int fd, const std::string& name) {
  std::string bytes;
  const int code = read_all(fd, bytes);
  if (code != 0) return failure(name, "cannot read it", code);
  return source_from(std::move(bytes));
}

// Null if the file cannot be mapped (some file systems cannot): it is read then.
std::unique_ptr<Source> map(int fd, const struct stat& status) {
  const auto size = static_cast<std::size_t>(status.st_size);
  const off_t position = ::lseek(fd, 0, SEEK_CUR);
  if (position < 0) return nullptr;
  if (position >= status.st_size) return source_from({});
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (start == MAP_FAILED) return nullptr;
  return std::make_unique<Mapping>(start, size, static_cast<std::size_t>(position), fd);
}

OpenResult open_raw(int fd, const std::string& name) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return failure(name, "cannot read it", errno);
  if (S_ISDIR(status.st_mode)) return failure(name, "cannot read it", EISDIR);
  // Files of size 0 are read: those of /proc have content all the same.
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    std::unique_ptr<Source> mapped = map(fd, status);
    if (mapped != nullptr) return mapped;
  }
  return read_stream(fd, name);
}

// Do lines end in a carriage return alone, as on old Macs or where a tool took all line feeds out? The last one may
// have a line feed.
bool ends_lines_in_returns(std::string_view bytes) {
  const std::size_t feed = std::min(bytes.find('\n'), bytes.size());
  if (feed + 1 < bytes.size()) return false;
  const std::size_t first = bytes.find('\r');
  return first != std::string_view::npos && bytes.find_first_not_of("\r\n", first) != std::string_view::npos;
}

OpenResult recoded(std::unique_ptr<Source> raw, const std::string& name) {
  const std::string_view bytes = raw->bytes();
  const bool is_large = bytes.size() > kMostInMemory;
  if (is_large && input_detail::is_utf16(bytes)) return failure(name, "cannot recode it", EFBIG);
  std::optional<std::string> text = input_detail::utf8_from_utf16(bytes);  // if it is not read as it stands there
  Changes changes{.recoded = text.has_value()};
  if (!is_large && ends_lines_in_returns(text ? *text : bytes)) {
    changes.new_line_ends = true;
    if (!text) text = bytes;
    std::ranges::replace(*text, '\r', '\n');
  }
  if (!text) return raw;
  if (auto error = lost_content(*raw, name)) return *std::move(error);
  std::optional<ContentDamage> damage;
  if (raw->damage() != nullptr) damage = *raw->damage();
  return std::make_unique<Memory>(std::move(*text), std::move(damage), changes);
}

OpenResult decompressed(std::unique_ptr<Source> raw, const std::string& name) {
  std::optional<Decompressed> content = decompress(raw->bytes());
  if (!content) return recoded(std::move(raw), name);
  if (auto error = lost_content(*raw, name)) return *std::move(error);
  if (content->problem.empty()) return recoded(source_from(std::move(content->bytes)), name);
  Error error{name, {}, std::move(content->problem), std::move(content->hint)};
  if (content->bytes.empty()) return error;
  return recoded(std::make_unique<Memory>(std::move(content->bytes), ContentDamage{content->fault, std::move(error)}),
                 name);
}

}  // namespace

OpenResult open_source(const std::string& path) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "<stdin>" : path;
  const File file(standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC), !standard_input);
  if (file.fd() < 0) return failure(name, "cannot open it", errno);
  OpenResult raw = open_raw(file.fd(), name);
  if (std::holds_alternative<Error>(raw)) return raw;
  return decompressed(std::move(std::get<std::unique_ptr<Source>>(raw)), name);
}

std::optional<Error> lost_content(const Source& log, const std::string& name) {
  if (log.loss().empty()) return std::nullopt;
  return Error{name, {}, std::string(log.loss()), "pass a copy of it, or its content on standard input"};
}

OpenResult source_from_file(std::string bytes, const std::string& name) {
  return decompressed(source_from(std::move(bytes)), name);
}

bool replace_lost_page(void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (MappedRegion& region : mapped_regions) {
    const std::uintptr_t start = region.start;
    if (start == 0 || at < start || at - start >= region.size) continue;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const first = static_cast<char*>(address) - at % page;
    if (::mmap(first, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) return false;
    region.lost = true;
    return true;
  }
  return false;
}

std::unique_ptr<Source> source_from(std::string bytes) { return std::make_unique<Memory>(std::move(bytes)); }

}  // namespace shardstats
