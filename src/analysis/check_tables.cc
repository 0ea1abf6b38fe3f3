// Checks of the parameter table's rows (log-format.md section 3.4).
#include <algorithm>
#include <unordered_map>

#include "analysis/checks.h"
#include "analysis/spelling.h"
#include "analysis/statistics.h"
#include "shardstats/analysis/table_names.h"
#include "shardstats/limits.h"
#include "shardstats/log/same_text.h"

namespace shardstats::analysis {
namespace {

std::string of_table(std::string_view what, const PrintedTable& row) {
  std::string text(what);
  return text.append(" of ").append(row.fqn.text);
}

// For a contradicted cell.
void add_storage(Checks& checks, std::size_t i, RuleId rule, std::string_view what, const Cell& cell,
                 const Expectation& expectation) {
  if (!cell || !expectation.known) return;
  set_expected(checks.add_table(rule, cell, i), of_table(what, checks.printed.tables.rows[i]),
               expected_bytes(expectation.bytes, checks.printed.format_of(RoundedNumbers::table_storage), kGiB));
}

// Another table of the same name: tables of one name share their constraints (section 7, Q27), so the lists of
// pooling factors may be longer than this table has features.
class Names {
 public:
  explicit Names(const std::vector<PrintedTable>& rows) : rows_(rows) {}
  bool shares_name(const PrintedTable& row) {
    if (tables_.empty())
      for (const PrintedTable& other : rows_) ++tables_[last_part(other.fqn.text)];
    return tables_[last_part(row.fqn.text)] > 1;
  }

 private:
  const std::vector<PrintedTable>& rows_;
  std::unordered_map<std::string_view, int> tables_;  // by bare name; made when first asked for
};

// Most rows.
bool is_pooled_once(const PrintedTable& row) {
  return same_text(row.num_poolings.text, "1.0") && same_text(row.num_indices.text, row.pooling_factor.text);
}

void check_num_indices(Checks& checks, std::size_t i, const PrintedTable& row, Names& names) {
  const auto factor = values_printed_as(row.pooling_factor.text, Format::r3);
  const auto poolings = values_printed_as(row.num_poolings.text, Format::r3);
  const auto indices = values_printed_as(row.num_indices.text, Format::r3);
  if (!factor || !poolings || !indices || factor->low < 0 || poolings->low < 0) return;
  RealInterval product = *factor * *poolings;
  if (indices->overlaps(product)) return;
  const bool single = row.features.text == "1";
  if (indices->high < product.low && (!single || names.shares_name(row))) return;
  if (!single) product.low = 0;
  Finding& finding = checks.add_table(RuleId::table_num_indices, row.num_indices, i);
  const std::string low = format(product.low, Format::r3), high = format(product.high, Format::r3);
  set_expected(finding, of_table("Num Indices", row), {product, "count", low == high ? low : low + ".." + high});
  finding.suspects.push_back({row.pooling_factor, "a factor of Num Indices"});
  finding.suspects.push_back({row.num_poolings, "a factor of Num Indices"});
}

// From v0.5.0 on column-wise tables print their CW Dim and others do not; GS does from v1.1.0 on.
void check_sharding(Checks& checks, std::size_t i, const PrintedTable& row, std::optional<Sharding> sharding) {
  const Release oldest = checks.printed.releases.front(), newest = checks.printed.releases.back();
  if (oldest < Release::v0_5_0 || !sharding || !row.emb_dim) return;
  const bool by_columns = *sharding == Sharding::cw || *sharding == Sharding::twcw, grid = *sharding == Sharding::gs;
  const bool may = by_columns || (grid && newest >= Release::v1_1_0);
  const bool must = by_columns || (grid && oldest >= Release::v1_1_0);
  if (row.cw_dim ? may : !must) return;
  Finding& finding = checks.add_table(RuleId::table_cw_dim, row.sharding, i);
  finding.message = of_table("Sharding", row) + " is " + std::string(row.sharding.text) +
                    (row.cw_dim ? ", which has no CW Dim, but one is printed" : ", but its Emb Dim has no CW Dim");
  finding.suspects.push_back({row.emb_dim, "where the CW Dim belongs"});
}

// `shards`: entries of the Ranks list; 0 if there is none.
void check_cw_dim(Checks& checks, std::size_t i, const PrintedTable& row, std::optional<Sharding> sharding,
                  std::int64_t shards) {
  const bool is_whole = same_text(row.cw_dim.text, row.emb_dim.text) && row.cw_dim.text[0] != '0';
  if (is_whole && shards <= 1) return;  // most rows
  const auto dim = parse_integer(row.emb_dim.text, 1 << 30), block = parse_integer(row.cw_dim.text, 1 << 30);
  if (!dim || !block) return;
  const auto add = [&](std::string message) {
    Finding& finding = checks.add_table(RuleId::table_cw_dim, row.cw_dim, i);
    finding.message = std::move(message);
    finding.suspects.push_back({row.emb_dim, "the columns of the whole table"});
    if (row.ranks) finding.suspects.push_back({row.ranks, "one rank a shard"});
    return &finding;
  };
  if (*block == 0 || *dim < *block || *dim % *block != 0) {
    add(of_table("CW Dim", row) + " is " + std::string(row.cw_dim.text) + ", which does not divide Emb Dim " +
        std::string(row.emb_dim.text));
    return;
  }
  if (shards == 0) return;
  const bool grid = !sharding || *sharding == Sharding::gs;  // or its cell is lost
  const std::int64_t blocks = *dim / *block;
  if (grid ? shards % blocks == 0 : shards == blocks) return;
  Finding* finding =
      add(of_table("CW Dim", row) + " is " + std::string(row.cw_dim.text) + " of " + std::string(row.emb_dim.text) +
          ", which makes " + std::to_string(blocks) +
          (grid ? " column blocks on equally many ranks each, but Ranks has " : " shards, but Ranks has ") +
          std::to_string(shards));
  if (!grid && *dim % shards == 0) finding->expected = expected_count(*dim / shards);
}

// Where a row puts its shards.
struct Placement {
  std::optional<Sharding> sharding;
  std::vector<int> ranks;
  bool readable = false;  // the list of ranks is one
  bool is_run = false;    // "0-95"
  bool is_odd = false;    // not as the planner prints it

  // Most rows have the sharding type of the row above, and one rank.
  void read(const PrintedTable& row) {
    if (!same_text(row.sharding.text, word_))
      sharding = parse_name<Sharding>(word_ = row.sharding.text, kShardingNames);
    const std::string_view text = row.ranks.text;
    if (const auto only = parse_integer(text, kMostRanks - 1); only && is_usual<kDigits>(text)) {
      ranks.assign(1, static_cast<int>(*only));
      readable = true;
      is_run = is_odd = false;
      return;
    }
    ranks.clear();
    readable = parse_ranks(text, ranks);
    is_run = ranks.size() > 1 && text.find('-') != std::string_view::npos;
    is_odd = readable && !ranks.empty() && is_odd_list(text, ranks, true);
  }

  bool are_neighbours() const {
    const auto is_gap = [](int a, int b) { return b != a + 1; };
    return is_run || std::ranges::adjacent_find(ranks, is_gap) == ranks.end();
  }
  bool are_below(std::int64_t world_size) const {
    const auto is_below = [=](int rank) { return rank < world_size; };
    return is_run ? is_below(ranks.back()) : std::ranges::all_of(ranks, is_below);
  }

 private:
  std::string_view word_;
};

// Most tables have one shard, which may lie on any rank of the world if they are not on all of them.
bool has_free_shard(const Placement& placement, std::int64_t world_size) {
  const auto type = placement.sharding;
  return placement.ranks.size() == 1 && placement.ranks.front() < world_size && type != Sharding::dp &&
         type != Sharding::rw;
}

// What the sharding type demands of the list; empty: it is as it should be. Before v0.3.0 user sharders
// are no different, since these are rules of the enumerator (storage-model.md section 3.5).
std::string_view broken_demand(const Placement& placement, const PrintedTable& row, std::int64_t world_size) {
  const std::vector<int>& ranks = placement.ranks;
  switch (*placement.sharding) {
    case Sharding::dp:
    case Sharding::rw:
      return placement.are_neighbours() && ranks.front() == 0 && static_cast<std::int64_t>(ranks.size()) == world_size
                 ? ""
                 : "has one shard on every rank";
    case Sharding::tw:
      return ranks.size() == 1 ? "" : "has one shard";
    case Sharding::twrw:
      return placement.are_neighbours() ? "" : "has one shard on every rank of a group of neighbours";
    case Sharding::cw:
    case Sharding::twcw:  // a CW Dim is held against the list by itself
      return row.cw_dim || std::ssize(ranks) <= parse_integer(row.emb_dim.text).value_or(INT64_MAX)
                 ? ""
                 : "has no more shards than columns";
    case Sharding::gs:
      break;
  }
  return "";
}

void check_ranks_list(Checks& checks, std::size_t i, const PrintedTable& row, const Placement& placement) {
  const std::int64_t world_size = checks.plan.setting.world_size;
  const bool inside = placement.are_below(world_size);
  const std::string_view demand = placement.sharding && inside ? broken_demand(placement, row, world_size) : "";
  if (inside && demand.empty()) return;
  Finding& finding = checks.add_table(RuleId::table_ranks, row.ranks, i);
  finding.message = of_table("Ranks", row) + " are " + std::string(row.ranks.text);
  const std::string last = std::to_string(world_size - 1);
  if (!inside)
    finding.message += ", but the last rank is " + last;
  else
    finding.message += ", but " + std::string(row.sharding.text) + " " + std::string(demand);
  if (inside && (placement.sharding == Sharding::dp || placement.sharding == Sharding::rw))
    finding.expected = Expected{{}, "ranks", world_size == 1 ? "0" : "0-" + last};
  finding.suspects.push_back({row.sharding, "what decides the shards"});
  if (placement.sharding == Sharding::cw || placement.sharding == Sharding::twcw)
    finding.suspects.push_back({row.emb_dim, "the columns of the whole table"});
}

// Tables whose Ranks are None, which only those of a plan that was not found have.
void check_unplaced(Checks& checks, const std::vector<std::size_t>& unplaced) {
  if (unplaced.empty() || checks.printed.is_empty()) return;
  const auto& rows = checks.printed.tables.rows;
  if (is_changed_format(checks.printed, unplaced.size(), rows.size())) {
    checks.add_log("log.unknown_format", rows[unplaced.front()].ranks,
                   "known releases print None only where no plan was found; the shards of " +
                       std::to_string(unplaced.size()) + " tables were not rebuilt");
    return;
  }
  for (const std::size_t i : unplaced)
    checks.of_table(
        checks.add_log(
            "log.malformed_cell", rows[i].ranks,
            "the planner prints None only where it found no plan; the shards of this table were not rebuilt"),
        i);
}

void check_batch_sizes(Checks& checks, std::size_t i, const PrintedTable& row, Names& names) {
  if (same_text(row.features.text, "1") && parse_integer(row.batch_sizes.text)) return;  // one size: most rows
  const auto features = parse_integer(row.features.text, kMostFeatures);
  const auto sizes = features ? summarize_batch_sizes(row.batch_sizes.text, *features) : std::nullopt;
  if (!sizes || sizes->count == 0 || sizes->count == *features || names.shares_name(row)) return;
  Finding& finding = checks.add_table(RuleId::table_batch_sizes, row.batch_sizes, i);
  finding.expected = expected_count(*features);
  finding.message = of_table("Batch Sizes", row) + " are " + std::to_string(sizes->count) + ", but it has " +
                    std::string(row.features.text) + (*features == 1 ? " feature" : " features");
  finding.suspects.push_back({row.features, "one batch size a feature"});
}

// Shards on every rank. A run of ranks is counted where it begins and ends.
class ShardCounts {
 public:
  explicit ShardCounts(std::int64_t ranks) : ranks_(static_cast<std::size_t>(ranks)), changes_(ranks_ + 1) {}

  void add(Sharding type, const Placement& placement) {
    const std::vector<int>& ranks = placement.ranks;
    if (placement.is_run)
      add_run(type, ranks.front(), ranks.back());
    else
      for (const int rank : ranks) add_run(type, rank, rank);
  }

  std::vector<ShardsByType> by_rank() && {
    for (std::size_t rank = 1; rank < ranks_; ++rank)
      for (std::size_t type = 0; type < changes_[rank].size(); ++type) changes_[rank][type] += changes_[rank - 1][type];
    changes_.resize(ranks_);
    return std::move(changes_);
  }

 private:
  void add_run(Sharding type, int first, int last) {
    change_at(first)[static_cast<std::size_t>(type)] += 1;
    change_at(last + 1)[static_cast<std::size_t>(type)] -= 1;
  }
  // Ranks that the world does not have are not counted.
  ShardsByType& change_at(int rank) { return changes_[std::min(static_cast<std::size_t>(rank), ranks_)]; }

  std::size_t ranks_;
  std::vector<ShardsByType> changes_;  // from the rank before
};

void count_shards(Checks& checks, const Placement& placement, ShardCounts& counts) {
  if (!checks.shards_counted) return;
  checks.shards_counted = placement.sharding && placement.readable;
  if (checks.shards_counted) counts.add(*placement.sharding, placement);
}

// "1 of kernel fused, 2 of kernel dense; CW shards on ranks 0-3"; "any of kernel fused" where its line is lost.
std::string description(const MissingTables& missing) {
  std::string text, shards;
  for (const auto& [kernel, count] : missing.kernels)
    text +=
        (text.empty() ? "" : ", ") + (count == 0 ? "any" : std::to_string(count)) + " of kernel " + std::string(kernel);
  for (const auto& [type, ranks] : missing.types)
    shards += (shards.empty() ? "; " : ", ") + std::string(type) + " shards on " +
              (ranks.size() == 1 ? "rank " : "ranks ") + ranks_in(ranks);
  return text + shards;
}

void check_missing(Checks& checks) {
  if (!checks.plan.missing) return;
  const MissingTables& missing = *checks.plan.missing;
  const bool one = missing.count == 1 && !missing.at_least;
  const std::string count = (missing.at_least ? "at least " : "") + std::to_string(missing.count);
  std::string what = one ? "the row of a table is missing"
                         : "the rows of " + count + (missing.count == 1 ? " table" : " tables") + " are missing";
  if (missing.before)
    what += std::string(one ? " before" : ", one of them before") + " this one, by the numbers of its neighbours (" +
            missing.numbered_name + "?)";
  if (!missing.before) what += " below this line";
  if (!missing.listed_name.empty()) what += ", by the Top 5 lists " + std::string(missing.listed_name);
  const auto& tables = checks.printed.tables;
  const Place place = missing.before ? tables.rows[*missing.before].fqn.place : tables.place;
  checks.add_log("log.table_rows", Cell{{}, place}, what + ": " + description(missing));
}

// Goes over the rows once, for all that is asked of them.
class RowChecks {
 public:
  explicit RowChecks(Checks& checks)
      : checks_(checks),
        rows_(checks.printed.tables.rows),
        names_(rows_),
        world_size_(checks.plan.setting.world_size),
        counts_(world_size_),
        odd_(checks.printed) {}

  void check_all() {
    checks_.shards_counted = checks_.rows_complete;
    checks_.tables_known = checks_.perf_known = true;
    const auto before = std::ssize(checks_.findings);
    for (std::size_t i = 0; i < rows_.size(); ++i) check_row(i);
    if (checks_.shards_counted) checks_.shards_by_rank = std::move(counts_).by_rank();
    // An odd number comes before what contradicts it.
    const auto own = std::ssize(checks_.findings);
    odd_.report(checks_);
    check_unplaced(checks_, unplaced_);
    std::rotate(checks_.findings.begin() + before, checks_.findings.begin() + own, checks_.findings.end());
  }

 private:
  void check_row(std::size_t i) {
    const PrintedTable& row = rows_[i];
    const PlanTable* const table = checks_.plan.table_of_row(static_cast<std::uint32_t>(i));
    odd_.look_at(checks_, row);
    count_numbers_of_table(checks_, row, table);
    if (table != nullptr) {
      if (table->hbm.contradicted) add_storage(checks_, i, RuleId::table_storage_hbm, "HBM", row.hbm, table->hbm);
      if (table->ddr.contradicted) add_storage(checks_, i, RuleId::table_storage_ddr, "DDR", row.ddr, table->ddr);
      if (table->ssd.contradicted) add_storage(checks_, i, RuleId::table_storage_ssd, "SSD", row.ssd, table->ssd);
      if (table->perf.contradicted != 0) check_perf_of_table(checks_, i, table->perf);
      checks_.unexplained += !table->explained;
      checks_.tables_known &= table->sized && row.fqn;
      checks_.perf_known &= table->perf.known;
    }
    if (!is_pooled_once(row)) check_num_indices(checks_, i, row, names_);
    check_placement(i, row);
    if (row.batch_sizes && row.batch_sizes.text != "n/a") check_batch_sizes(checks_, i, row, names_);
  }

  // Sharding type, ranks, and columns of a shard.
  void check_placement(std::size_t i, const PrintedTable& row) {
    placement_.read(row);
    count_shards(checks_, placement_, counts_);
    const auto& ranks = placement_.ranks;
    const bool placed = placement_.readable && !ranks.empty();
    if (placement_.is_odd) checks_.of_table(add_odd_list(checks_, row.ranks), i);
    if (!placement_.readable && row.ranks.text == "None") unplaced_.push_back(i);
    check_sharding(checks_, i, row, placement_.sharding);
    if (row.cw_dim)
      check_cw_dim(checks_, i, row, placement_.sharding, placed ? static_cast<std::int64_t>(ranks.size()) : 0);
    if (placed && !checks_.printed.ranks.rows.empty() && !has_free_shard(placement_, world_size_))
      check_ranks_list(checks_, i, row, placement_);
  }

  Checks& checks_;
  const std::vector<PrintedTable>& rows_;
  Placement placement_;  // of the row that is looked at
  Names names_;
  const std::int64_t world_size_;
  ShardCounts counts_;
  OddNumbers odd_;
  std::vector<std::size_t> unplaced_;
};

}  // namespace

void check_tables(Checks& checks) {
  check_missing(checks);
  RowChecks(checks).check_all();
}

}  // namespace shardstats::analysis
