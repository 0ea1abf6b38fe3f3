#include "log/report_damage.h"

#include <algorithm>
#include <array>

#include "log/foreign.h"
#include "log/frame.h"

namespace shardstats::log_detail {
namespace {

// What was undone or left out, as it is reported.
struct MendingNote {
  Mending what;
  std::string_view rule;
  std::string_view message;
  Severity severity = Severity::note;
};
constexpr std::array kMendingNotes = {
    MendingNote{Mending::prefix, "log.prefix", "the lines stand behind the prefix of a logger, which was taken off"},
    MendingNote{Mending::suffix, "log.suffix", "text behind the right border of the lines was taken off"},
    MendingNote{Mending::encoding, "log.encoding", "the log was UTF-16; places are those of its UTF-8 form"},
    MendingNote{Mending::line_ends, "log.encoding", "lines end in a carriage return alone and are counted so"},
    MendingNote{Mending::mark, "log.encoding", "a byte order mark was taken out"},
    MendingNote{Mending::colours, "log.colours", "escape sequences of a terminal were taken out"},
    MendingNote{Mending::blanks, "log.blanks", "tabs, non-breaking blanks or NUL bytes were replaced"},
    MendingNote{Mending::escapes, "log.escapes",
                "the lines were taken out of strings of JSON or Python, or out of HTML"},
    MendingNote{Mending::beside, "log.missing_lines",
                "lines of the block stand beside the strings of this line; they were left out", Severity::error},
    MendingNote{Mending::wrapped, "log.wrapped", "lines were broken, as at the width of a terminal, and joined again"},
    MendingNote{Mending::glued, "log.glued", "several lines stand on one and were cut apart"},
    MendingNote{Mending::interleaved, "log.interleaved", "the lines of several processes are mixed and were sorted"},
    MendingNote{
        Mending::doubled, "log.repeated_lines",
        "each line stands twice, as from two handlers of a logger or in two fields of a record, and was read once"},
    MendingNote{Mending::reversed, "log.reversed", "the lines stand in reverse order, and were turned round"},
    MendingNote{
        Mending::merged, "log.merged_lines",
        "Ray shows lines of other workers that differ in digits only as one, from here on; such lines were left "
        "out, and RAY_DEDUP_LOGS=0 keeps all of them",
        Severity::warning},
    MendingNote{Mending::foreign, "log.foreign_lines", "lines that do not belong to the block were left out"},
    MendingNote{Mending::frame, "log.no_frame", "the '#' on both sides is gone; the text was read without it"},
};

// What is wrong with the compressed log, as it is reported.
struct FaultNote {
  ContentFault fault;
  Severity severity;
  std::string_view message;
};
constexpr std::array kFaultNotes = {
    FaultNote{ContentFault::ends_early, Severity::error, "the compressed log ends early: what followed is lost"},
    FaultNote{ContentFault::broken, Severity::error,
              "the compressed log is broken or ends early: what followed could not be decompressed"},
    FaultNote{ContentFault::checksum, Severity::error,
              "the checksum of the compressed log does not match: all of it may be wrong, and what followed is lost"},
    FaultNote{ContentFault::trailing, Severity::note, "what stands behind the compressed log was left out"},
};

// At the last line that was decompressed, or at the whole block where nothing is sure.
void report_fault(const Block& block, DraftPlan& plan) {
  const bool is_everywhere = block.fault == ContentFault::checksum;
  const BoxLine& line = is_everywhere ? block.lines.front() : block.lines.back();
  for (const FaultNote& note : kFaultNotes)
    if (note.fault == block.fault)
      plan.report("log.compression", note.severity, cell_at(line, line.text.substr(0, 1)), note.message);
}

void report_lost_lines(const Block& block, DraftPlan& plan) {
  if (block.foreign.empty()) return;  // nearly always, so that the lines of the block are not looked at
  const auto lost = std::ranges::find_if(block.foreign, LostLines(block));
  if (lost != block.foreign.end()) report_lost(*lost, lost->text, plan);
}

void report_mendings(const Block& block, DraftPlan& plan) {
  report_lost_lines(block, plan);
  const BoxLine& first = block.lines.front();
  for (const MendingNote& note : kMendingNotes)
    for (const Mended& mended : block.mended)
      if (mended.what == note.what)
        plan.report(note.rule, note.severity, {first.text.substr(0, 1), mended.first}, note.message);
  if (block.twin && block.twin->same)
    plan.report("log.twin", Severity::note, cell_at(first, first.text.substr(0, 1)),
                "several processes logged this plan at the same time, line for line");
  else if (block.twin)
    plan.report("log.twin", Severity::warning, cell_at(first, first.text.substr(0, 1)),
                "several processes logged a plan at the same time, and their lines differ");
}

}  // namespace

void report_damage(const Block& block, DraftPlan& plan) {
  if (block.lines.empty()) return;
  report_fault(block, plan);
  report_mendings(block, plan);
}

void report_lost(const BoxLine& line, std::string_view text, DraftPlan& plan) {
  plan.report("log.foreign_lines", Severity::error, cell_at(line, text),
              "this line of a planner block was left out: it does not stand in the same box");
}

}  // namespace shardstats::log_detail
