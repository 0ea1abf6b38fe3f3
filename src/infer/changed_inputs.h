// The inputs of a plan with changes applied to them: what the log would print of them, and what inference reads.
// Private to src/infer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "infer/inference.h"
#include "infer/requests.h"
#include "shardstats/infer/what_if.h"

namespace shardstats::infer_detail {

struct ChangedInputs {
  RunRequest run;
  std::vector<TableRequest> requests;                // by table of the log
  std::vector<std::optional<std::uint32_t>> now_at;  // by table of the log: its place now; nullopt: dropped
  std::vector<std::uint32_t> base_rows;              // by table left: its row in the log
  std::vector<bool> unplaced;   // by table left: its number of shards has changed and no ranks were given
  std::int64_t group_size = 0;  // ranks of a host as grouped tables are split; 0: none are
  PrintedPlan printed;
  PlanInputs inputs;          // points to `printed`
  RealInterval hidden_kjt{};  // bytes by which a KJT reservation grows that the log does not print

  ChangedInputs() = default;
  ChangedInputs(const ChangedInputs&) = delete;
  ChangedInputs& operator=(const ChangedInputs&) = delete;
};

// Bounds that rule nothing out, in the place of a printed cell.
inline constexpr ByteInterval kAnyBytes{0, std::int64_t{1} << 60};

// nullopt: made; else why not. `local_sizes`: ranks a host may have, as far as the log tells.
std::optional<std::string> change_inputs(const Inference& base, std::span<const Change> changes,
                                         const std::vector<std::int64_t>& local_sizes, Texts& texts,
                                         ChangedInputs& changed);

// Puts a table's shards on ranks, in the log's text as well.
void place(std::vector<int> ranks, std::uint32_t table, Texts& texts, ChangedInputs& changed);

}  // namespace shardstats::infer_detail
