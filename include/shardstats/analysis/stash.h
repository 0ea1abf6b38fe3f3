// stash: which weights to copy to pinned host memory after the lookup and back before the embedding backward, so that
// the peak of the dense phases falls (docs/stash.md).
//
//   PrintedPlan + Plan --stash_of()--> StashPlan { ranks: tables, bytes, time, peak before and after; hosts; risks }
//
// Ranks are decided one by one. All bytes and times are bounds; the choice holds for each value within them: the upper
// bound of its bytes keeps the window, the lower one is what the peak surely falls by. Tested by
// tests/analysis/stash_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/filter.h"
#include "shardstats/analysis/timeline.h"
#include "shardstats/infer/plan.h"

namespace shardstats {

struct StashOptions {
  double bandwidth = 0;                // between HBM and host memory, each way, bytes/ms
  std::optional<double> window;        // ms that each copy may take; nothing: as the perf model has it
  std::optional<std::int64_t> target;  // bytes that a rank may hold at its peak; nothing: as few as possible
  bool sequence = false;               // also tables whose outputs are not pooled (EmbeddingCollection)
  std::int64_t ranks_per_host = 0;     // 0: as inferred
};

// Why a table cannot be stashed; the first that holds.
enum class NotStashed : std::uint8_t { not_asked_for, kernel, sequence, not_in_hbm };
inline constexpr std::array<std::string_view, 4> kNotStashedNames = {"not_asked_for", "kernel", "sequence",
                                                                     "not_in_hbm"};
constexpr std::string_view name(NotStashed reason) { return name_of(reason, kNotStashedNames); }

struct LeftOut {
  NotStashed reason{};
  std::string_view kernel;  // reason kernel: which, as printed
  std::int64_t tables = 0;
};

// The shards of a table on one rank.
struct StashedTable {
  std::uint32_t table = 0;  // index into Plan::tables
  std::string_view fqn;     // points into the log
  ByteInterval bytes;       // of weights
};

// A table that is not stashed for want of room, though there is some with the lower bounds of all bytes.
struct MayFit {
  StashedTable table;
  std::string_view name;      // the shortest that tells it from the others
  bool element_size = false;  // it is open how many bytes an element has
};

// Does the peak stay below the target?
enum class Fits : std::uint8_t { yes, no, undecided };
inline constexpr std::array<std::string_view, 3> kFitsNames = {"yes", "no", "undecided"};
constexpr std::string_view name(Fits fits) { return name_of(fits, kFitsNames); }

struct RankStash {
  int rank = 0;
  std::int64_t candidates = 0;  // tables that could be stashed
  ByteInterval candidate_bytes;
  std::vector<StashedTable> tables;                        // the largest first
  std::vector<MayFit> may_fit;                             // likewise
  ByteInterval bytes;                                      // of all of them
  RealInterval copy_ms{};                                  // to stash them, and again to restore them
  double window = 0;                                       // ms
  std::optional<RealInterval> output_dist, gradient_dist;  // ms as the perf model has it
  // The search for the best choice came to its end; else its bytes differ from the best by at most `off_by`.
  bool exact = true;
  std::int64_t off_by = 0;
  RankTimeline before, after;
  std::optional<Fits> fits;  // with a target
};

struct HostMemory {
  int host = 0;
  ByteInterval pinned;
  std::optional<ByteInterval> free;  // DDR of its ranks less what the plan puts there; nothing: not told
};

enum class StashRisk : std::uint8_t {
  short_output_dist,
  short_gradient_dist,
  pinned_memory,
  bandwidth,
  modelled_window,
  unknown_hosts
};
inline constexpr std::array<std::string_view, 6> kStashRiskNames = {
    "short_output_dist", "short_gradient_dist", "pinned_memory", "bandwidth", "modelled_window", "unknown_hosts"};
constexpr std::string_view name(StashRisk risk) { return name_of(risk, kStashRiskNames); }

// A risk, with the rank or host where it is greatest.
struct RiskFound {
  StashRisk risk{};
  std::int64_t count = 0;  // ranks or hosts
  int worst = 0;
  RealInterval value{}, limit{};  // ms; bytes of pinned_memory; bytes/ms of bandwidth
};

struct StashPlan {
  std::string unknown;  // why there is none; empty: there is
  StashOptions options;
  std::int64_t activations = 0;  // bytes, as given
  std::vector<LeftOut> left_out;
  ByteInterval peak_before, peak_after;                // the largest of the ranks reported
  std::array<std::int64_t, kFitsNames.size()> fits{};  // ranks of each kind, with a target
  std::vector<RankStash> ranks;                        // in the order of Plan::ranks
  std::vector<HostMemory> hosts;                       // of all ranks; empty: ranks per host not known
  std::optional<std::int64_t> shown_ranks_per_host;    // for certain by the log, where the options say another number
  std::vector<RiskFound> risks;
};

// Can all ranks of the log be on hosts of so many each? One host may have more than the log has. Where rows of ranks
// are lost, nobody knows.
bool may_be_on_hosts(const PrintedPlan& printed, std::int64_t ranks_per_host);

// `plan` was inferred with InferOptions::shard_parts; `filter` chooses the tables that may be stashed and the ranks
// that are reported. Names point into the log.
StashPlan stash_of(const PrintedPlan& printed, const Plan& plan, const Filter& filter, const TimelineOptions& timeline,
                   const StashOptions& options);

// The largest peak afterwards first.
std::vector<const RankStash*> by_peak(const std::vector<RankStash>& ranks);

}  // namespace shardstats
