#include "cli/writers.h"
#include "shardstats/report/markdown.h"

namespace shardstats::cli {
namespace {

// verify, scan and check.
class AnswersWriter : public Writer {
 public:
  explicit AnswersWriter(const Options& options) : command_(command_of(options.command).name) {}

  void log_error(const Error& error, std::string&) override { answers_.add(error); }
  void block(const BlockResult& result, std::string&) override {
    if (result.budgets)
      answers_.add(result.path, *result.budgets);
    else
      answers_.add(result.path, result.view, *result.report, result.status == kClean);
  }
  void end(const Totals& totals, int status, std::string& out) override {
    answers_.write(command_, verdict_of(status), totals, out);
  }

 private:
  std::string_view command_;
  MarkdownAnswers answers_;
};

// summary, reconstruct, explain and whatif.
class PartsWriter : public Writer {
 public:
  explicit PartsWriter(const Options& options)
      : largest_first_(options.reconstruct.sort == SortKey::log), top_(options.top) {}

  void log_error(const Error& error, std::string&) override { parts_.add(error); }
  void block(const BlockResult& result, std::string&) override {
    if (result.what_if)  // has a reconstruction as well, which is for JSON
      parts_.add(result.path, result.view, *result.what_if, top_);
    else if (result.reconstruction)
      parts_.add(result.path, result.view, *result.reconstruction, largest_first_);
    if (result.summary) parts_.add(result.path, result.view, *result.summary);
    if (!result.explained) return;
    for (const Explained& one : *result.explained) parts_.add(result.path, one);
  }
  void end(const Totals&, int, std::string& out) override { parts_.write(out); }

 private:
  bool largest_first_;
  std::size_t top_;  // rows of each list of changes; 0: all
  MarkdownParts parts_;
};

}  // namespace

std::unique_ptr<Writer> make_markdown_writer(const Options& options) {
  if (command_of(options.command).finds) return std::make_unique<AnswersWriter>(options);
  return std::make_unique<PartsWriter>(options);
}

}  // namespace shardstats::cli
