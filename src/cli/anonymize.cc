#include "cli/anonymize.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/examine_all.h"
#include "cli/formats.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/terminal.h"
#include "report/words.h"
#include "shardstats/analysis/anonymize.h"
#include "shardstats/log/render.h"
#include "shardstats/report/names.h"

namespace shardstats::cli {
namespace {

// A block of a log, without what is not needed for printing it.
struct Part {
  Step step;
  std::unique_ptr<PrintedPlan> printed;
};

struct Parts {
  std::vector<Part> blocks;
  bool good = true;  // all logs and options were; what is wrong was said
};

Parts read_logs(const Options& options, const Filter& filter) {
  Parts parts;
  const auto problem = [&](const std::string& text) {
    fail(text);
    parts.good = false;
  };
  const auto wrong = examine_all(options, filter, [&](Work& work) {
    const OpenLog& log = *work.step.log;
    if (work.step.first && log.error) problem(error_text(*log.error));
    if (work.step.last)
      if (const auto why = log.not_read()) problem(error_text(*why));
    if (!work.step.block) return;
    warn_of_errors(options, log.path, work.examined);
    parts.blocks.push_back({std::move(work.step), std::move(work.examined.printed)});
  });
  for (const std::string& text : wrong) problem(text);
  return parts;
}

// Why the names may not be written there.
std::optional<std::string> wrong_map(const Options& options) {
  const std::string what = "--map '" + options.name_map + "'";
  if (options.name_map == "-") return what + ": the names are not written to standard output; name a file";
  for (const std::string& log : options.logs)
    if (is_same_file(log, options.name_map)) return what + ": this is the log";
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
  int why = errno;
  const bool is_closed = file == nullptr || std::fclose(file) == 0;
  if (good && !is_closed) why = errno;
  if (!good || !is_closed) fail(path + ": cannot write: " + std::strerror(why));
  return good && is_closed;
}

// The block without its names; nullopt if it cannot be rendered, which was said.
std::optional<std::string> anonymized(const Part& part, const Replacements& replacements) {
  const AnonymizedPlan result = anonymize(*part.printed, replacements);
  if (result.masked > 0)
    warn(part.step.log->path + ": block " + std::to_string(part.step.index + 1) + ": " +
         plural(static_cast<std::int64_t>(result.masked), "text") + " that no planner prints, the first at line " +
         std::to_string(result.first_masked.line) +
         ": letters were replaced by x; look at the digits before you give the log away");
  std::string text;
  if (render(result.plan, text)) return text;
  fail(error_text(too_large(part.step.log->path, {part.printed->line, 1})));
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
  int status = parts.good ? kClean : kFailed;
  std::vector<const PrintedPlan*> plans;
  for (const Part& part : parts.blocks) plans.push_back(part.printed.get());
  const auto chosen = Replacements::choose(plans, std::get<KeepName>(keep_matching(options.keep)));
  if (const auto* why = std::get_if<std::string>(&chosen)) {
    fail("anonymize: " + *why + "; let some names stay with --keep");
    return kFailed;
  }
  const auto& replacements = std::get<Replacements>(chosen);
  if (!options.name_map.empty() && !write_map(options.name_map, replacements)) return kFailed;
  const auto outputs = open_outputs(options);
  for (const Part& part : parts.blocks) {
    const auto text = anonymized(part, replacements);
    if (!text) status = kFailed;
    for (const auto& output : outputs) output->write(text.value_or(""));
  }
  for (const auto& output : outputs)
    if (!output->finish()) status = kFailed;
  return status;
}

}  // namespace shardstats::cli
