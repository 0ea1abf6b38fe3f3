#include "cli/anonymize.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/examine.h"
#include "cli/formats.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/steps.h"
#include "cli/terminal.h"
#include "report/words.h"
#include "shardstats/analysis/anonymize.h"
#include "shardstats/log/render.h"
#include "shardstats/report/names.h"

namespace shardstats::cli {
namespace {

// A block of a log that was read, or the log alone if it has none.
struct Part {
  Step step;
  std::unique_ptr<PrintedPlan> printed;
  std::int64_t errors = 0;  // that `verify` reports

  std::string title() const { return step.log->path + ": block " + std::to_string(step.index + 1); }
};
using Parts = std::vector<Part>;

Parts read_logs(const Options& options, const Filter& filter) {
  Steps steps(options);
  Parts parts;
  InOrder<Part>::run(
      options.threads,
      [&]() -> std::optional<Part> {
        std::optional<Step> step = steps.next();
        if (!step) return std::nullopt;
        return Part{std::move(*step), nullptr};
      },
      [&](Part& part) {
        if (!part.step.block) return;
        Examined examined = examine(options, filter, *part.step.block, part.step.index);
        part.printed = std::move(examined.printed);
        part.errors = examined.findings.error;
      },
      [&](Part& part) { parts.push_back(std::move(part)); });
  return parts;
}

// What of the logs was not read. False: something.
bool report_problems(const Options& options, const Parts& parts) {
  bool good = true;
  for (const Part& part : parts) {
    const OpenLog& log = *part.step.log;
    if (part.step.first && log.error) fail(error_text(*log.error));
    if (part.step.last && log.stopped) fail(error_text(*log.stopped));
    good = good && !log.error && !log.stopped;
    if (part.errors > 0 && !options.quiet)
      warn(part.title() + ": `shardstats verify` reports " + std::to_string(part.errors) + " error(s) here");
  }
  return good;
}

// `other` may be "-", standard output.
bool is_same_file(const std::string& path, const std::string& other) {
  struct stat one {
  }, two{};
  const bool exist =
      stat(path.c_str(), &one) == 0 && (other == "-" ? fstat(STDOUT_FILENO, &two) : stat(other.c_str(), &two)) == 0;
  if (exist) return one.st_dev == two.st_dev && one.st_ino == two.st_ino;
  std::error_code none;
  return other != "-" &&
         std::filesystem::weakly_canonical(path, none) == std::filesystem::weakly_canonical(other, none);
}

// Why the names may not be written there.
std::optional<std::string> wrong_map(const Options& options) {
  const std::string what = "--map '" + options.name_map + "'";
  if (options.name_map == "-") return what + ": the names are not written to standard output; name a file";
  for (const std::string& log : options.logs)
    if (log != "-" && is_same_file(options.name_map, log)) return what + ": this is the log";
  std::vector<std::string> outputs = options.outputs;
  if (outputs.empty()) outputs.emplace_back("-");
  for (const std::string& output : outputs)
    if (is_same_file(options.name_map, output)) return what + ": the names would stand in the anonymized log";
  return std::nullopt;
}

// Readable by its owner alone. False: it could not be written, which was said.
bool write_map(const std::string& path, const Replacements& names) {
  const Format* format = format_by_extension(path);
  const bool json = format != nullptr && format->id == OutputFormat::json;
  const std::string text = json ? dumped(names_json(names.all())) + "\n" : names_tsv(names.all());
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  std::FILE* file = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
  struct stat status {};
  bool good = file != nullptr && fstat(descriptor, &status) == 0;
  if (good && S_ISREG(status.st_mode)) good = fchmod(descriptor, S_IRUSR | S_IWUSR) == 0;
  good = good && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) good = std::fclose(file) == 0 && good;
  if (!good) fail(path + ": cannot write: " + std::strerror(errno));
  return good;
}

// The block without its names; nullopt if it cannot be rendered, which was said.
std::optional<std::string> anonymized(const Part& part, const Replacements& replacements) {
  const AnonymizedPlan result = anonymize(*part.printed, replacements);
  if (result.masked > 0)
    warn(part.title() + ": " + plural(static_cast<std::int64_t>(result.masked), "text") +
         " that no planner prints, the first at line " + std::to_string(result.first_masked.line) +
         ": letters were replaced by x; look at the digits before you give the log away");
  std::string text;
  if (render(result.plan, text)) return text;
  fail(error_text({part.step.log->path,
                   {part.printed->line, 1},
                   "this planner block is too large to be printed",
                   "one of its cells is much longer than the others: cut it"}));
  return std::nullopt;
}

}  // namespace

int run_anonymize(const Options& options, const Filter& filter) {
  if (!options.name_map.empty())
    if (const auto wrong = wrong_map(options)) {
      fail(*wrong);
      return kFailed;
    }
  const Parts parts = read_logs(options, filter);
  int status = report_problems(options, parts) ? kClean : kFailed;
  std::vector<const PrintedPlan*> plans;
  for (const Part& part : parts)
    if (part.printed) plans.push_back(part.printed.get());
  const auto chosen = Replacements::choose(plans, std::get<KeepName>(keep_matching(options.keep)));
  if (const auto* why = std::get_if<std::string>(&chosen)) {
    fail("anonymize: " + *why + "; let some names stay with --keep");
    return kFailed;
  }
  const auto& replacements = std::get<Replacements>(chosen);
  if (!options.name_map.empty() && !write_map(options.name_map, replacements)) return kFailed;
  const auto outputs = open_outputs(options);
  for (const Part& part : parts) {
    if (!part.printed) continue;
    const auto text = anonymized(part, replacements);
    if (!text) status = kFailed;
    for (const auto& output : outputs) output->write(text.value_or(""));
  }
  for (const auto& output : outputs)
    if (!output->finish()) status = kFailed;
  return status;
}

}  // namespace shardstats::cli
