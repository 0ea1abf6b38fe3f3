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
  DiagnosticKind kind;
};
constexpr std::array kMendingNotes = {
    MendingNote{Mending::prefix, DiagnosticKind::prefix},
    MendingNote{Mending::suffix, DiagnosticKind::suffix},
    MendingNote{Mending::encoding, DiagnosticKind::utf16},
    MendingNote{Mending::line_ends, DiagnosticKind::line_ends},
    MendingNote{Mending::mark, DiagnosticKind::byte_order_mark},
    MendingNote{Mending::colours, DiagnosticKind::colours},
    MendingNote{Mending::blanks, DiagnosticKind::blanks},
    MendingNote{Mending::escapes, DiagnosticKind::escapes},
    MendingNote{Mending::beside, DiagnosticKind::beside_strings},
    MendingNote{Mending::wrapped, DiagnosticKind::wrapped},
    MendingNote{Mending::glued, DiagnosticKind::glued},
    MendingNote{Mending::interleaved, DiagnosticKind::interleaved},
    MendingNote{Mending::doubled, DiagnosticKind::doubled},
    MendingNote{Mending::reversed, DiagnosticKind::reversed},
    MendingNote{Mending::merged, DiagnosticKind::merged},
    MendingNote{Mending::foreign, DiagnosticKind::foreign},
    MendingNote{Mending::frame, DiagnosticKind::no_frame},
};

// What is wrong with the compressed log, as it is reported.
struct FaultNote {
  ContentFault fault;
  DiagnosticKind kind;
};
constexpr std::array kFaultNotes = {
    FaultNote{ContentFault::ends_early, DiagnosticKind::ends_early},
    FaultNote{ContentFault::broken, DiagnosticKind::broken},
    FaultNote{ContentFault::checksum, DiagnosticKind::wrong_checksum},
    FaultNote{ContentFault::trailing, DiagnosticKind::trailing},
};

// At the last line that was decompressed, or at the whole block where nothing is sure.
void report_fault(const Block& block, DraftPlan& plan) {
  const bool is_everywhere = block.fault == ContentFault::checksum;
  const BoxLine& line = is_everywhere ? block.lines.front() : block.lines.back();
  for (const FaultNote& note : kFaultNotes)
    if (note.fault == block.fault) plan.report(note.kind, start_of(line));
}

void report_lost_lines(const Block& block, DraftPlan& plan) {
  if (block.foreign.empty()) return;  // nearly always, so that the lines of the block are not looked at
  const auto lost = std::ranges::find_if(block.foreign, LostLines(block));
  if (lost != block.foreign.end()) plan.report(DiagnosticKind::other_box, cell_at(*lost, lost->text));
}

void report_mendings(const Block& block, DraftPlan& plan) {
  report_lost_lines(block, plan);
  const BoxLine& first = block.lines.front();
  for (const MendingNote& note : kMendingNotes)
    for (const Mended& mended : block.mended)
      if (mended.what == note.what) plan.report(note.kind, {first.text.substr(0, 1), mended.first});
  if (block.twin) plan.report(block.twin->same ? DiagnosticKind::twin : DiagnosticKind::other_twin, start_of(first));
}

}  // namespace

void report_damage(const Block& block, DraftPlan& plan) {
  if (block.lines.empty()) return;
  report_fault(block, plan);
  report_mendings(block, plan);
}

}  // namespace shardstats::log_detail
