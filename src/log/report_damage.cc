#include "log/report_damage.h"

#include <algorithm>
#include <utility>

#include "log/foreign.h"
#include "log/frame.h"

namespace shardstats::log_detail {
namespace {

// What was undone or left out, as it is reported.
constexpr std::pair<Mending, DiagnosticKind> kMendingNotes[] = {
    {Mending::prefix, DiagnosticKind::prefix},         {Mending::suffix, DiagnosticKind::suffix},
    {Mending::encoding, DiagnosticKind::utf16},        {Mending::line_ends, DiagnosticKind::line_ends},
    {Mending::mark, DiagnosticKind::byte_order_mark},  {Mending::colours, DiagnosticKind::colours},
    {Mending::blanks, DiagnosticKind::blanks},         {Mending::escapes, DiagnosticKind::escapes},
    {Mending::beside, DiagnosticKind::beside_strings}, {Mending::wrapped, DiagnosticKind::wrapped},
    {Mending::glued, DiagnosticKind::glued},           {Mending::interleaved, DiagnosticKind::interleaved},
    {Mending::doubled, DiagnosticKind::doubled},       {Mending::reversed, DiagnosticKind::reversed},
    {Mending::merged, DiagnosticKind::merged},         {Mending::foreign, DiagnosticKind::foreign},
    {Mending::frame, DiagnosticKind::no_frame},
};

// What is wrong with the compressed log, as it is reported.
constexpr std::pair<ContentFault, DiagnosticKind> kFaultNotes[] = {
    {ContentFault::ends_early, DiagnosticKind::ends_early},
    {ContentFault::broken, DiagnosticKind::broken},
    {ContentFault::checksum, DiagnosticKind::wrong_checksum},
    {ContentFault::trailing, DiagnosticKind::trailing},
};

// At the last line that was decompressed, or at the whole block where nothing is sure.
void report_fault(const Block& block, DraftPlan& plan) {
  const bool is_everywhere = block.fault == ContentFault::checksum;
  const BoxLine& line = is_everywhere ? block.lines.front() : block.lines.back();
  for (const auto& [fault, kind] : kFaultNotes)
    if (fault == block.fault) plan.report(kind, start_of(line));
}

}  // namespace

void report_damage(const Block& block, DraftPlan& plan) {
  report_fault(block, plan);
  if (const BoxLine* lost = lost_line(block)) plan.report(DiagnosticKind::other_box, cell_at(*lost, lost->text));
  const BoxLine& first = block.lines.front();
  for (const auto& [what, kind] : kMendingNotes)
    for (const Mended& mended : block.mended)
      if (mended.what == what) plan.report(kind, {first.text.substr(0, 1), mended.first});
  if (block.twin) plan.report(block.twin->same ? DiagnosticKind::twin : DiagnosticKind::other_twin, start_of(first));
}

}  // namespace shardstats::log_detail
