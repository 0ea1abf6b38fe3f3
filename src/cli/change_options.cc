#include "cli/change_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/formats.h"
#include "cli/option_kinds.h"
#include "cli/sizes.h"

namespace shardstats::cli {
namespace {

constexpr std::string_view kNoChange =
    "no change given: for example `shardstats whatif --set batch_size=4096 train.log`; `shardstats whatif --help` says "
    "what can be changed";

using Assignments = std::vector<Assignment>;

std::variant<Assignments, std::string> read_set(const std::vector<std::string>& texts) {
  Assignments changes;
  for (const std::string& text : texts) {
    auto parsed = parse_assignment(text);
    if (auto* wrong = std::get_if<std::string>(&parsed)) return "--set " + *wrong;
    changes.push_back(std::get<Assignment>(std::move(parsed)));
  }
  return changes;
}

// Takes out of what the settings say whatever the command line says in another option.
void give_way(Assignments& of_settings, const Assignments& said, const std::optional<std::string>& max) {
  std::erase_if(of_settings, [&](const Assignment& a) {
    return a.key == max || (a.key != "drop" && std::ranges::find(said, a.key, &Assignment::key) != said.end());
  });
}

// The changes of the file and of --set, in this order, but those of the settings in front of others.
std::variant<Assignments, std::string> read_both(const ChangeTexts& texts, const ChangeTexts& said) {
  auto of_file = texts.file.empty() ? Assignments() : read_assignments(texts.file);
  if (auto* wrong = std::get_if<std::string>(&of_file)) return std::move(*wrong);
  auto of_set = read_set(texts.set);
  if (auto* wrong = std::get_if<std::string>(&of_set)) return std::move(*wrong);
  auto &changes = std::get<Assignments>(of_file), &more = std::get<Assignments>(of_set);
  const bool sets_first = !said.file.empty() && said.set.empty();  // what is said last holds
  if (said.file.empty()) give_way(changes, said.set.empty() ? Assignments() : more, said.max);
  if (said.set.empty()) give_way(more, said.file.empty() ? Assignments() : changes, said.max);
  for (Assignment& change : changes) change.of_settings = said.file.empty();
  for (Assignment& change : more) change.of_settings = said.set.empty();
  if (sets_first) std::swap(changes, more);
  std::ranges::move(more, std::back_inserter(changes));
  return std::move(changes);
}

// The command line has no room for the question that the settings ask each time.
bool leaves_no_question(const ChangeTexts& texts, const ChangeTexts& said, const Options& options) {
  if (!texts.max || said.max) return false;
  if (options.render_changed) return true;
  return (!said.set.empty() || !said.file.empty()) && std::ranges::any_of(options.changes, [&](const Assignment& a) {
           return a.key == *texts.max || a.values.size() > 1;
         });
}

// Reads --max: a change of the count in question comes last. `is_said`: on the command line.
std::optional<std::string> read_largest(const ChangeTexts& texts, bool is_said, Options& options) {
  if (!texts.max) return texts.max_hbm ? std::optional<std::string>("--max-hbm needs --max KEY") : std::nullopt;
  const std::string& key = *texts.max;
  if (options.render_changed) return "--max gives no plan to --render; set the value that it found";
  if (key != "batch_size" && !key.ends_with(".rows"))
    return "--max '" + key + "': only batch_size and NAME.rows grow the memory of each rank that they touch";
  auto parsed = parse_assignment(key + "=1");
  if (auto* wrong = std::get_if<std::string>(&parsed)) return "--max " + *wrong;
  auto& count = std::get<Assignment>(parsed);
  LargestQuestion question{key, {}};
  if (texts.max_hbm) {
    question.max_hbm = parse_size(*texts.max_hbm);
    if (!question.max_hbm)
      return "--max-hbm '" + *texts.max_hbm + "' is not " + std::string(kSizes) + near_size(*texts.max_hbm);
  }
  count.is_asked = true;
  count.of_settings = !is_said;
  count.values.front().text = "--max " + key;  // for messages; the answer has values
  options.changes.push_back(std::move(count));
  options.largest = std::move(question);
  return std::nullopt;
}

// Another one than text, on standard output or in a file.
bool wants_format(const Options& options) {
  return options.format != OutputFormat::text || std::ranges::any_of(options.outputs, [](const std::string& path) {
           const Format* format = format_by_extension(path);
           return format != nullptr && format->id != OutputFormat::text;
         });
}

}  // namespace

void add_change_options(CLI::App& app, ChangeTexts& texts) {
  add_repeated(app, "--set", texts.set, "Change the run or a table, e.g. batch_size=4096 or table_7.dtype=fp16",
               "CHANGE");
  app.add_option("--changes", texts.file, "Read changes from FILE, one a line")->type_name("FILE");
}

void add_what_if_options(CLI::App& app, ChangeTexts& texts, Options& options) {
  app.add_option("--max", texts.max, "The largest value that fits, of a count such as batch_size or table_7.rows")
      ->type_name("KEY");
  app.add_option("--max-hbm", texts.max_hbm, "What --max has to fit; default is the planning memory")
      ->type_name("SIZE");
  app.add_flag("--render", options.render_changed, "Print the planner's log of the changed plan");
}

std::optional<std::string> read_changes(const ChangeTexts& texts, const ChangeTexts& said, Options& options) {
  auto read = read_both(texts, said);
  if (auto* wrong = std::get_if<std::string>(&read)) return std::move(*wrong);
  std::vector<Assignment>& changes = options.changes;
  changes = std::get<Assignments>(std::move(read));
  const ChangeTexts& asked = leaves_no_question(texts, said, options) ? said : texts;
  if (auto wrong = read_largest(asked, said.max.has_value(), options)) return wrong;
  if (const auto key = key_set_twice(changes)) return *key + " is set twice; give each attribute one value";
  if (changes.empty() && texts.file.empty() && options.command == CommandId::whatif) return std::string(kNoChange);
  const bool sweeps = std::ranges::any_of(changes, [](const Assignment& a) { return a.values.size() > 1; });
  if (sweeps && options.command == CommandId::explain) return "explain shows one plan, but a change has several values";
  if (sweeps && options.render_changed) return "--render prints one plan, but a change has several values";
  if (options.render_changed && wants_format(options))
    return "--render prints a log: it has no other format, so leave --format and the extensions of files out";
  if (sweeps && options.largest) return "--max looks for one value, but another change has several";
  return std::nullopt;
}

}  // namespace shardstats::cli
