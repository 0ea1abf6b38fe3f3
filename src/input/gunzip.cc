#include "input/gunzip.h"

#define ZLIB_CONST  // what is read is const
#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

namespace shardstats::input_detail {
namespace {

constexpr std::size_t kInflatedStep = std::size_t{1} << 16;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr int kGzipWindow = 15 + 16;                       // as zlib.h has it: the largest window, a gzip header
constexpr std::string_view kMember = "\x1f\x8b";

class Inflater {
 public:
  explicit Inflater(std::string_view compressed) : left_(compressed) {
    ready_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  // One member; zlib checks its checksum and its length.
  std::optional<ContentFault> read_member(std::size_t limit, std::string& out) {
    if (!ready_) return ContentFault::broken;
    inflateReset(&stream_);
    for (;;) {
      const int status = step(out);
      if (out.size() > limit) return std::nullopt;
      if (status == Z_STREAM_END) return ContentFault::none;
      if (status == Z_BUF_ERROR) return ContentFault::ends_early;
      if (status != Z_OK) return fault_of(stream_.msg);
    }
  }

  std::string_view left() const { return left_; }

 private:
  int step(std::string& out) {
    const std::size_t given = std::min(left_.size(), kMostAtOnce);
    stream_.next_in = reinterpret_cast<const Bytef*>(left_.data());
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
    stream_.avail_out = static_cast<uInt>(piece_.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    out.append(piece_.data(), piece_.size() - stream_.avail_out);
    left_.remove_prefix(given - stream_.avail_in);
    return status;
  }

  // "incorrect data check" and "incorrect length check" are about the trailer, everything else about what it checks.
  static ContentFault fault_of(const char* message) {
    const std::string_view text = message != nullptr ? message : "";
    const bool in_trailer = text == "incorrect data check" || text == "incorrect length check";
    return in_trailer ? ContentFault::checksum : ContentFault::broken;
  }

  z_stream stream_{};
  std::string_view left_;
  std::array<char, kInflatedStep> piece_;
  bool ready_ = false;
};

// Bytes of the last member, modulo 2^32: mostly it is the only one, and its file ends with their number. What is left
// of a damaged file may end with any.
std::size_t told_size(std::string_view compressed) {
  std::size_t size = 0;
  for (int i = 1; i <= 4 && i <= std::ssize(compressed); ++i)
    size = size << 8 | static_cast<unsigned char>(compressed[compressed.size() - static_cast<std::size_t>(i)]);
  return size;
}

// At once, as growing holds twice as much; where so much is not to be had, which a wrong number may ask for, it grows.
void reserve(std::size_t size, std::string& out) {
  try {
    out.reserve(size);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

std::optional<ContentFault> gunzip(std::string_view compressed, std::size_t limit, std::string& out) {
  if (const std::size_t told = told_size(compressed); told <= limit) reserve(told, out);
  Inflater inflater(compressed);
  do {
    const std::optional<ContentFault> fault = inflater.read_member(limit, out);
    if (fault != ContentFault::none) return fault;
  } while (inflater.left().starts_with(kMember));
  // Tapes and block devices pad a file with NUL bytes; gzip ignores them, too.
  const bool is_padding = inflater.left().find_first_not_of('\0') == std::string_view::npos;
  return is_padding ? ContentFault::none : ContentFault::trailing;
}

}  // namespace shardstats::input_detail
