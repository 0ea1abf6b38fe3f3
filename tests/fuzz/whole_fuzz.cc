// Any bytes, as `shardstats verify -f json` reads them: decompressed, blocks, parsed, inferred, verified, JSON.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/examine.h"
#include "fuzz/fuzz.h"
#include "shardstats/input/blocks.h"
#include "shardstats/report/json.h"

namespace {

using namespace shardstats;
using fuzz::require;

// Where the lines of a log start.
class Lines {
 public:
  explicit Lines(std::string_view bytes) : size_(bytes.size()) {
    for (std::size_t at = 0; at < bytes.size(); ++at)
      if (bytes[at] == '\n') starts_.push_back(at + 1);
  }
  // Is it a byte of the log, or the end of a line? {} is nowhere.
  bool holds(Place place) const {
    if (place.line == 0 || place.column == 0) return place == Place{};
    if (place.line > starts_.size()) return false;
    const std::size_t end = place.line < starts_.size() ? starts_[place.line] : size_ + 1;
    return starts_[place.line - 1] + place.column <= end;
  }

 private:
  std::size_t size_;
  std::vector<std::size_t> starts_ = {0};
};

std::int64_t digit_runs(std::string_view bytes) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::int64_t runs = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    runs += is_digit(bytes[at]) && (at == 0 || !is_digit(bytes[at - 1]));
  return runs;
}

std::int64_t times(std::string_view bytes, std::string_view word) {
  std::int64_t found = 0;
  for (std::size_t at = bytes.find(word); at != std::string_view::npos; at = bytes.find(word, at + 1)) ++found;
  return found;
}

// Every number that is counted stands in the log.
std::int64_t most_numbers(std::string_view bytes) {
  std::int64_t most = digit_runs(bytes);
  for (const std::string_view word : {"nan", "inf", "None", "n/a"}) most += times(bytes, word);
  return most;
}

void check_coverage(const Coverage& coverage, std::int64_t most) {
  require(coverage.derived >= 0 && coverage.inputs >= 0 && coverage.unchecked >= 0, "counts of numbers");
  require(coverage.numbers() <= most, "no number is counted twice");
}

void check_findings(const Report& report, const Lines& lines) {
  for (const Finding& finding : report.findings) {
    require(finding.rule != nullptr && !finding.message.empty(), "a finding has a rule and a message");
    require(lines.holds(finding.where.place), "a finding points into the log");
    for (const Suspect& suspect : finding.suspects)
      require(lines.holds(suspect.cell.place), "a suspect points into the log");
  }
}

void check_json(const cli::BlockResult& result) {
  Json block = block_json(result.view);
  add_report(*result.report, block);
  const Json again = Json::parse(
      document_text("verify", {{"log", dumped(block), {}}}, {1, 1, count(result.report->findings)}, Verdict::clean));
  require(again["logs"][0]["blocks"][0]["findings"].size() == result.report->findings.size(),
          "the JSON has all findings");
}

// The same block once more, which may start from what the first one found.
void check_same(const Report& first, const Report& again) {
  require(first.findings.size() == again.findings.size(), "the same block has the same findings");
  require(first.coverage.numbers() == again.coverage.numbers(), "the same block has as many numbers");
}

void check_overview(const Summary& summary) {
  Json block;
  add_summary(summary, block);
  for (const ChangeEffect& change : summary.memory.changes)
    require(change.fall.low > 0 && change.largest.low >= 0, "a change helps, and leaves no less than nothing");
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return fuzz::mutate_log(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const OpenResult opened = source_from_file(std::string(fuzz::text_of(data, size)), "log");
  if (const auto* error = std::get_if<Error>(&opened)) {
    require(!error->message.empty(), "an error says what is wrong");
    return 0;
  }
  const Source& source = *std::get<std::unique_ptr<Source>>(opened);
  const Lines lines(source.bytes());
  const std::int64_t most = most_numbers(source.bytes());
  cli::Options options, overview;
  options.command = cli::CommandId::verify;
  overview.command = cli::CommandId::summary;
  BlockFinder finder(source);
  cli::Precedents precedents;
  std::int64_t numbers = 0;
  for (std::size_t index = 0; const auto block = finder.next(); ++index) {
    const auto examine = [&](const cli::Options& of, std::size_t number) {
      cli::Precedents::Turn turn(precedents, number);
      return cli::examine(of, Filter(), *block, {"log", index, 1}, turn);
    };
    const cli::Examined examined = examine(options, 3 * index);
    check_coverage(examined.result.report->coverage, most);
    check_findings(*examined.result.report, lines);
    check_json(examined.result);
    check_same(*examined.result.report, *examine(options, 3 * index + 1).result.report);
    check_overview(*examine(overview, 3 * index + 2).result.summary);
    numbers += examined.result.report->coverage.numbers();
  }
  require(numbers <= most, "blocks do not share numbers");
  return 0;
}
