#include "input/decompress.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <memory>

#include "input/gunzip.h"

namespace shardstats {
namespace {

using namespace std::string_view_literals;

struct Format {
  std::string_view name;
  std::string_view magic;
  std::string_view tester;      // the command that checks such a file
  int (*add_filter)(archive*);  // null: zlib reads it
  int filter_code;              // libarchive's id of the filter, to see that it was taken
};

// As libarchive counts: the decompressor, and the bytes that it reads.
constexpr int kOneFilter = 2;
constexpr std::string_view kNested = "it is compressed more than once";

// A zstd file may start with a skippable frame (0x184D2A50..5F); those that tools write use the first id.
constexpr std::array<Format, 5> kFormats = {{
    {"gzip", "\x1f\x8b\x08"sv, "gzip -t", nullptr, ARCHIVE_FILTER_GZIP},
    {"zstd", "\x28\xb5\x2f\xfd"sv, "zstd -t", archive_read_support_filter_zstd, ARCHIVE_FILTER_ZSTD},
    {"zstd", "\x50\x2a\x4d\x18"sv, "zstd -t", archive_read_support_filter_zstd, ARCHIVE_FILTER_ZSTD},
    {"xz",
     "\xfd"
     "7zXZ\0"sv,
     "xz -t", archive_read_support_filter_xz, ARCHIVE_FILTER_XZ},
    {"bzip2", "BZh"sv, "bzip2 -t", archive_read_support_filter_bzip2, ARCHIVE_FILTER_BZIP2},
}};

// "BZh" alone could begin a text: the block size and the magic of a block or of the stream's end must follow.
bool is_bzip2(std::string_view bytes) {
  if (bytes.size() < 10 || bytes[3] < '1' || bytes[3] > '9') return false;
  const std::string_view mark = bytes.substr(4, 6);
  return mark == "\x31\x41\x59\x26\x53\x59"sv || mark == "\x17\x72\x45\x38\x50\x90"sv;
}

// Null: the bytes are not compressed.
const Format* format_of(std::string_view bytes) {
  const auto* const format =
      std::ranges::find_if(kFormats, [&](const Format& one) { return bytes.starts_with(one.magic); });
  const bool is_text = format == kFormats.end() || (format->name == "bzip2" && !is_bzip2(bytes));
  return is_text ? nullptr : format;
}

struct FreeArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};
using Reader = std::unique_ptr<archive, FreeArchive>;

std::string reason_of(archive* reader) {
  const char* text = archive_error_string(reader);
  return text != nullptr ? text : "the content is damaged";
}

// A reader that stands before the content's first byte; null, and `problem` is not set: there is no content.
Reader open_reader(std::string_view compressed, const Format& format, std::string& problem) {
  Reader reader(archive_read_new());
  archive_entry* entry = nullptr;
  if (reader == nullptr || format.add_filter(reader.get()) != ARCHIVE_OK ||
      archive_read_support_format_raw(reader.get()) != ARCHIVE_OK ||
      archive_read_support_format_empty(reader.get()) != ARCHIVE_OK) {
    problem = "this build cannot decompress it";
    return nullptr;
  }
  int status = archive_read_open_memory(reader.get(), compressed.data(), compressed.size());
  if (status == ARCHIVE_OK) status = archive_read_next_header(reader.get(), &entry);
  if (status != ARCHIVE_OK && status != ARCHIVE_EOF) {
    problem = reason_of(reader.get());
    return nullptr;
  }
  // Without its filter libarchive would hand out the compressed bytes themselves.
  if (archive_filter_code(reader.get(), 0) != format.filter_code) {
    problem = "its header is damaged";
    return nullptr;
  }
  if (status == ARCHIVE_EOF) return nullptr;
  return reader;
}

// By ContentFault.
constexpr std::array<std::string_view, 5> kFaults = {"", "it ends early", "it is broken", "its checksum does not match",
                                                     "other bytes follow it"};

// What is behind the last stream, which libarchive passes over. NUL bytes may be padding.
bool has_more(archive* reader, std::string_view compressed) {
  const la_int64_t read = archive_filter_bytes(reader, -1);
  return read >= 0 && compressed.find_first_not_of('\0', static_cast<std::size_t>(read)) != std::string_view::npos;
}

// As gunzip(). libarchive hands out whole steps of 64 KB or more: what the last one had in front of the fault is lost.
std::optional<ContentFault> read_content(archive* reader, std::string_view compressed, std::size_t limit,
                                         std::string& out) {
  for (;;) {
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(reader, &data, &size, &offset);
    if (status == ARCHIVE_EOF) return has_more(reader, compressed) ? ContentFault::trailing : ContentFault::none;
    if (status != ARCHIVE_OK) return ContentFault::broken;
    if (size > limit - out.size()) return std::nullopt;
    out.append(static_cast<const char*>(data), size);
  }
}

// `fault`: nullopt if the content is larger than `limit`.
void set_fault(std::optional<ContentFault> fault, std::size_t limit, Decompressed& result) {
  result.fault = fault.value_or(ContentFault::none);
  result.problem = fault ? std::string(kFaults[static_cast<std::size_t>(*fault)])
                         : "it decompresses to more than " + std::to_string(limit) + " bytes";
}

Decompressed read_archive(std::string_view compressed, const Format& format, std::size_t limit) {
  Decompressed result;
  const Reader reader = open_reader(compressed, format, result.problem);
  if (reader == nullptr) return result;
  if (archive_filter_count(reader.get()) > kOneFilter) {
    result.problem = kNested;
    return result;
  }
  set_fault(read_content(reader.get(), compressed, limit, result.bytes), limit, result);
  if (result.fault == ContentFault::broken) result.problem = reason_of(reader.get());
  return result;
}

Decompressed read_gzip(std::string_view compressed, std::size_t limit) {
  Decompressed result;
  set_fault(input_detail::gunzip(compressed, limit, result.bytes), limit, result);
  return result;
}

}  // namespace

std::optional<Decompressed> decompress(std::string_view bytes, std::size_t most) {
  const Format* format = format_of(bytes);
  if (format == nullptr) return std::nullopt;
  const std::size_t limit = std::min(most, std::max(kAlwaysExpanded, bytes.size() * kMostExpansion));
  Decompressed result = format->add_filter == nullptr ? read_gzip(bytes, limit) : read_archive(bytes, *format, limit);
  if (format_of(result.bytes) != nullptr) {
    result.fault = ContentFault::none;
    result.problem = kNested;
  }
  if (result.problem.empty()) return result;
  if (result.fault == ContentFault::none) result.bytes = {};
  result.problem = "cannot decompress the " + std::string(format->name) + " content: " + result.problem;
  result.hint = "check it with `" + std::string(format->tester) + "`, or decompress it into a file and pass that";
  return result;
}

}  // namespace shardstats
