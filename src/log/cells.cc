#include "log/cells.h"

namespace shardstats::log_detail {
namespace {

// Reads a cell from left to right; every text taken keeps its place.
class CellReader {
 public:
  explicit CellReader(Cell cell) : cell_(cell) {}

  bool literal(std::string_view text) {
    if (!cell_.text.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  // A number: digits, point, sign, exponent; also nan and inf, and thousands separators where wanted.
  bool number(Cell& into, bool thousands = false) {
    const std::size_t start = at_;
    if (const auto rest = cell_.text.substr(at_); rest.starts_with("nan") || rest.starts_with("inf")) at_ += 3;
    while (at_ < cell_.text.size() && is_part(cell_.text[at_], thousands)) ++at_;
    into = {cell_.text.substr(start, at_ - start),
            {cell_.place.line, cell_.place.column + static_cast<std::uint32_t>(start)}};
    return at_ > start;
  }
  bool done() const { return at_ == cell_.text.size(); }

 private:
  static bool is_part(char c, bool thousands) {
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == 'e' || c == '+' || (thousands && c == ',');
  }
  Cell cell_;
  std::size_t at_ = 0;
};

// "9.161 (57%)"
bool read_share(Cell cell, Cell& used, Cell& percent) {
  CellReader in(cell);
  return in.number(used) && in.literal(" (") && in.number(percent) && in.literal("%)") && in.done();
}

// "0.061" or "0.061 (0.004,0.02,0.008,0.03,0)"; "1,709" in v0.1.0
bool read_perf(Cell cell, PrintedPerf& perf) {
  CellReader in(cell);
  PrintedPerf read;
  if (!in.number(read.total, true)) return false;
  if (!in.done()) {
    if (!in.literal(" (")) return false;
    do {
      if (read.count == read.components.size() || !in.number(read.components[read.count++])) return false;
    } while (in.literal(","));
    if (!in.literal(")")) return false;
  }
  perf = read;
  return in.done();
}

// "(2.0 GB, 0.0 GB)" or with a third value
bool read_storage(Cell cell, PrintedTable& row) {
  CellReader in(cell);
  Cell hbm, ddr, ssd;
  if (!(in.literal("(") && in.number(hbm) && in.literal(" GB, ") && in.number(ddr) && in.literal(" GB"))) return false;
  if (in.literal(", ") && !(in.number(ssd) && in.literal(" GB"))) return false;
  if (!in.literal(")") || !in.done()) return false;
  row.hbm = hbm;
  row.ddr = ddr;
  row.ssd = ssd;
  return true;
}

// "64" or "256 (128)"
bool read_dim(Cell cell, PrintedTable& row) {
  CellReader in(cell);
  Cell dim, block;
  if (!in.number(dim)) return false;
  if (!in.done() && !(in.literal(" (") && in.number(block) && in.literal(")"))) return false;
  if (!in.done()) return false;
  row.emb_dim = dim;
  row.cw_dim = block;
  return true;
}

bool read_number(Cell cell, Cell& into, bool thousands = false) {
  CellReader in(cell);
  Cell read;
  if (!in.number(read, thousands) || !in.done()) return false;
  into = read;
  return true;
}

bool read_text(Cell cell, Cell& into) {
  into = cell;
  return !cell.text.empty();
}

bool read_shards(Cell cell, Cell& into) {
  into = cell;
  return cell.text.empty() || !shard_counts(cell).empty();
}

bool read_ranks(Cell cell, Cell& into) {
  std::vector<int> ranks;
  if (cell.text != "None" && !cell.text.empty() && !parse_ranks(cell.text, ranks)) return false;
  into = cell;
  return true;
}

void write_perf(const PrintedPerf& perf, std::string& out) {
  out += perf.total.text;
  for (std::size_t i = 0; i < perf.count; ++i) {
    out += i == 0 ? " (" : ",";
    out += perf.components[i].text;
  }
  if (perf.count > 0) out += ')';
}

void write_share(const Cell& used, const Cell& percent, std::string& out) {
  out.append(used.text).append(" (").append(percent.text).append("%)");
}

// The columns of the parameter table that hold one text or number as it is.
const Cell* plain_field(ColumnId column, const PrintedTable& row) {
  switch (column) {
    case ColumnId::fqn:
      return &row.fqn;
    case ColumnId::sharding:
      return &row.sharding;
    case ColumnId::compute_kernel:
      return &row.kernel;
    case ColumnId::cache_load_factor:
      return &row.cache_load_factor;
    case ColumnId::pooling_factor:
      return &row.pooling_factor;
    case ColumnId::num_poolings:
      return &row.num_poolings;
    case ColumnId::num_indices:
      return &row.num_indices;
    case ColumnId::output:
      return &row.output;
    case ColumnId::weighted:
      return &row.weighted;
    case ColumnId::sharder:
      return &row.sharder;
    case ColumnId::features:
      return &row.features;
    case ColumnId::hash_size:
      return &row.hash_size;
    case ColumnId::ranks:
      return &row.ranks;
    case ColumnId::batch_sizes:
      return &row.batch_sizes;
    default:
      return nullptr;
  }
}

bool is_numeric(ColumnId column) {
  return column == ColumnId::pooling_factor || column == ColumnId::num_poolings || column == ColumnId::num_indices ||
         column == ColumnId::features || column == ColumnId::hash_size;
}

}  // namespace

bool read_cell(ColumnId column, Cell cell, PrintedRank& row) {
  switch (column) {
    case ColumnId::rank:
      return read_number(cell, row.rank);
    case ColumnId::hbm:
      return read_share(cell, row.hbm, row.hbm_percent);
    case ColumnId::ddr:
      return read_share(cell, row.ddr, row.ddr_percent);
    case ColumnId::perf:
      return read_perf(cell, row.perf);
    case ColumnId::input:
      return read_number(cell, row.input, true);
    case ColumnId::output_size:
      return read_number(cell, row.output, true);
    case ColumnId::shards:
      return read_shards(cell, row.shards);
    default:
      return false;
  }
}

bool read_cell(ColumnId column, Cell cell, PrintedTable& row) {
  if (column == ColumnId::table_perf) return read_perf(cell, row.perf);
  if (column == ColumnId::storage) return read_storage(cell, row);
  if (column == ColumnId::emb_dim) return read_dim(cell, row);
  auto* field = const_cast<Cell*>(plain_field(column, row));  // one list of fields for reading and writing
  if (field == nullptr) return false;
  if (is_numeric(column)) return read_number(cell, *field);
  return column == ColumnId::ranks ? read_ranks(cell, *field) : read_text(cell, *field);
}

void write_cell(ColumnId column, const PrintedRank& row, std::string& out) {
  switch (column) {
    case ColumnId::rank:
      out += row.rank.text;
      return;
    case ColumnId::hbm:
      return write_share(row.hbm, row.hbm_percent, out);
    case ColumnId::ddr:
      return write_share(row.ddr, row.ddr_percent, out);
    case ColumnId::perf:
      return write_perf(row.perf, out);
    case ColumnId::input:
      out += row.input.text;
      return;
    case ColumnId::output_size:
      out += row.output.text;
      return;
    default:
      out += row.shards.text;
  }
}

void write_cell(ColumnId column, const PrintedTable& row, std::string& out) {
  if (column == ColumnId::table_perf) return write_perf(row.perf, out);
  if (column == ColumnId::storage) {
    out.append("(").append(row.hbm.text).append(" GB, ").append(row.ddr.text).append(" GB");
    if (row.ssd) out.append(", ").append(row.ssd.text).append(" GB");
    out += ')';
    return;
  }
  if (column == ColumnId::emb_dim) {
    out += row.emb_dim.text;
    if (row.cw_dim) out.append(" (").append(row.cw_dim.text).append(")");
    return;
  }
  if (const Cell* field = plain_field(column, row)) out += field->text;
}

}  // namespace shardstats::log_detail
