#include "log/cells.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "log/lists.h"
#include "log/marks.h"
#include "log/text.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::log_detail {
namespace {

// "1,709": the spelling of v0.1.0 for whole numbers.
std::size_t thousands_length(std::string_view text) {
  std::size_t end = skip_digits(text, 0);
  if (end == 0 || end > 3) return end;
  while (end < text.size() && text[end] == ',' && skip_digits(text, end + 1) == end + 4) end += 4;
  return end;
}

Cell cell_in_log(const BoxLine& line, std::string_view text) {
  return {text, line.place_in_log(static_cast<std::size_t>(text.data() - line.text.data()))};
}

// Reads a cell from left to right; every text taken keeps its place.
class TextReader {
 public:
  TextReader(std::string_view text, const BoxLine& line) : text_(text), place_(cell_in_log(line, text).place) {}

  bool literal(std::string_view text) {
    if (!rest().starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  bool done() const { return at_ == text_.size(); }

 protected:
  std::string_view rest() const { return {text_.data() + at_, text_.size() - at_}; }
  bool take(std::size_t length, Cell& into) {
    into = {{text_.data() + at_, length}, {place_.line, place_.column + static_cast<std::uint32_t>(at_)}};
    at_ += length;
    return length > 0;
  }
  std::string_view text_;
  Place place_;  // of its first byte
  std::size_t at_ = 0;
};

// Of any cell.
class CellReader : public TextReader {
 public:
  using TextReader::TextReader;

  bool number(Cell& into) { return take(number_length(rest()), into); }
  bool whole_number(Cell& into) { return take(skip_digits(text_, at_) - at_, into); }
  // A number with separators is that up to the first of them, too.
  bool number_or_thousands(Cell& into) {
    const std::size_t length = number_length(rest());
    const bool is_separated = at_ + length < text_.size() && text_[at_ + length] == ',';
    return take(is_separated ? std::max(length, thousands_length(rest())) : length, into);
  }
};

// Of a cell of fewer than kMarks bytes.
NumberMarks number_marks(std::string_view text, const BoxLine& line) {
  return numbers_of(text, static_cast<std::size_t>(line.text.data() + line.text.size() - text.data()));
}

// Where the numbers of a cell end, all at once: a bit for each byte that is no digit and no point, and one behind the
// cell. 0: not every point stands between the digits of one number, or the cell is too long.
std::uint64_t ends_of_numbers(std::string_view text, const BoxLine& line) {
  if (text.size() >= kMarks) return 0;
  const auto [digits, points] = number_marks(text, line);
  const std::uint64_t between = (digits << 1) & (digits >> 1);
  const std::uint64_t behind_fractions = ((points << 1) + digits) & ~digits;
  if ((points & (~between | behind_fractions)) != 0) return 0;
  const std::uint64_t end = std::uint64_t{1} << text.size();
  return (first_marks(text.size()) & ~(digits | points)) | end;
}

// Of a cell of numbers without signs, exponents and separators, as nearly all are.
class PlainReader : public TextReader {
 public:
  PlainReader(std::string_view text, const BoxLine& line)
      : TextReader(text, line), ends_(ends_of_numbers(text, line)) {}

  bool is_plain() const { return ends_ != 0; }
  bool number(Cell& into) { return take(static_cast<std::size_t>(std::countr_zero(ends_ >> at_)), into); }
  bool number_or_thousands(Cell& into) { return number(into) && !literal(","); }

 private:
  std::uint64_t ends_;
};

// "9.161 (57%)"
template <Cell PrintedRank::*used, Cell PrintedRank::*percent>
bool read_share(std::string_view text, const BoxLine& line, PrintedRank& row) {
  CellReader in(text, line);
  Cell value, share;
  if (!(in.number(value) && in.literal(" (") && in.number(share) && in.literal("%)") && in.done())) return false;
  row.*used = value;
  row.*percent = share;
  return true;
}

// What stands in a cell of perfs, behind the total if there is more than that. In its place, so that the reader stays
// in registers.
template <class Reader>
[[gnu::always_inline]] inline bool read_components(Reader& in, PrintedPerf& perf) {
  if (in.done()) return true;
  if (!in.literal(" (")) return false;
  std::uint8_t count = 0;
  do {
    if (count == perf.components.size() || !in.number(perf.components[count++])) return false;
  } while (in.literal(","));
  perf.count = count;
  return in.literal(")") && in.done() && count >= 4;
}

// "0.061" or "0.061 (0.004,0.02,0.008,0.03,0)"; "1,709" in v0.1.0.
template <class Row>
bool read_perf(std::string_view text, const BoxLine& line, Row& row) {
  const auto read = [&row](auto in) {
    if (in.number_or_thousands(row.perf.total) && read_components(in, row.perf)) return true;
    row.perf = {};
    return false;
  };
  const PlainReader plain(text, line);
  return (plain.is_plain() && read(plain)) || read(CellReader(text, line));
}

template <class Reader>
bool read_storage_with(Reader in, std::string_view unit, PrintedTable& row) {
  Cell hbm, ddr, ssd;
  const auto size = [&](Cell& into) { return in.number(into) && in.literal(unit); };
  if (!(in.literal("(") && size(hbm) && in.literal(", ") && size(ddr))) return false;
  if (in.literal(", ") && !size(ssd)) return false;
  if (!in.literal(")") || !in.done()) return false;
  row.hbm = hbm;
  row.ddr = ddr;
  row.ssd = ssd;
  return true;
}
// "(2.0 GB, 0.0 GB)" or with a third value
bool read_storage(std::string_view text, const BoxLine& line, PrintedTable& row) {
  const PlainReader plain(text, line);
  if (plain.is_plain() && read_storage_with(plain, " GB", row)) return true;
  if (read_storage_with(CellReader(text, line), " GB", row)) return true;
  row.in_gib = read_storage_with(CellReader(text, line), " GiB", row);
  return row.in_gib;
}

// "64" or "256 (128)"
bool read_dim(std::string_view text, const BoxLine& line, PrintedTable& row) {
  CellReader in(text, line);
  Cell dim, block;
  if (!in.whole_number(dim)) return false;
  if (!in.done() && !(in.literal(" (") && in.whole_number(block) && in.literal(")"))) return false;
  if (!in.done()) return false;
  row.emb_dim = dim;
  row.cw_dim = block;
  return true;
}

template <Cell PrintedRank::*field>
bool read_number(std::string_view text, const BoxLine& line, PrintedRank& row) {
  CellReader in(text, line);
  Cell read;
  if (!in.number_or_thousands(read) || !in.done()) return false;
  row.*field = read;
  return true;
}

// As is_number(), and inlined: nearly all rows are asked.
bool is_any_number(std::string_view text) { return !text.empty() && number_length(text) == text.size(); }
// The same by marks: without a loop where the length is a usual one and there is no sign and no exponent.
bool is_whole_number_of(std::string_view text, const BoxLine& line) {
  if (text.empty() || text.size() >= kMarks) return is_whole_number(text);
  return number_marks(text, line).digits == first_marks(text.size());
}
bool is_any_number_of(std::string_view text, const BoxLine& line) {
  if (text.empty() || text.size() >= kMarks) return is_any_number(text);
  const auto [digits, points] = number_marks(text, line);
  const std::uint64_t last = std::uint64_t{1} << (text.size() - 1);
  const bool has_one_point = (points & (points - 1)) == 0 && (points & (last | 1)) == 0;
  return ((digits | points) == first_marks(text.size()) && has_one_point) || is_any_number(text);
}
bool is_word(std::string_view text) { return !text.empty(); }
bool is_factor(std::string_view text) { return text == "None" || is_any_number(text); }
bool is_output(std::string_view text) { return text == "pooled" || text == "sequence"; }
bool is_weighted(std::string_view text) { return text == "weighted" || text == "unweighted"; }
// Never empty: every sharding type gives a table at least one shard.
bool is_placement(std::string_view text) { return text == "None" || is_rank_list(text); }

// `has_shape`: of the text, or of the text and its line.
template <class Row, Cell Row::*field, auto has_shape>
bool read_plain(std::string_view text, const BoxLine& line, Row& row) {
  if constexpr (std::is_invocable_v<decltype(has_shape), std::string_view>) {
    if (!has_shape(text)) return false;
  } else {
    if (!has_shape(text, line)) return false;
  }
  row.*field = cell_in_log(line, text);
  return true;
}

// How a column of the parameter table is read. `field`: the cell that holds its text as it is; null where the text is
// taken apart.
struct TableColumn {
  ColumnId id;
  Cell PrintedTable::*field;
  CellRead<PrintedTable> read;
};
template <Cell PrintedTable::*field, auto has_shape>
constexpr TableColumn plain(ColumnId id) {
  return {id, field, read_plain<PrintedTable, field, has_shape>};
}
constexpr TableColumn kTableColumns[] = {
    {ColumnId::table_perf, nullptr, read_perf<PrintedTable>},
    {ColumnId::storage, nullptr, read_storage},
    {ColumnId::emb_dim, nullptr, read_dim},
    plain<&PrintedTable::fqn, is_word>(ColumnId::fqn),
    plain<&PrintedTable::sharding, is_word>(ColumnId::sharding),
    plain<&PrintedTable::kernel, is_word>(ColumnId::compute_kernel),
    plain<&PrintedTable::cache_load_factor, is_factor>(ColumnId::cache_load_factor),
    plain<&PrintedTable::pooling_factor, is_any_number_of>(ColumnId::pooling_factor),
    plain<&PrintedTable::num_poolings, is_any_number_of>(ColumnId::num_poolings),
    plain<&PrintedTable::num_indices, is_any_number_of>(ColumnId::num_indices),
    plain<&PrintedTable::output, is_output>(ColumnId::output),
    plain<&PrintedTable::weighted, is_weighted>(ColumnId::weighted),
    plain<&PrintedTable::sharder, is_word>(ColumnId::sharder),
    plain<&PrintedTable::features, is_whole_number>(ColumnId::features),
    plain<&PrintedTable::hash_size, is_whole_number_of>(ColumnId::hash_size),
    plain<&PrintedTable::ranks, is_placement>(ColumnId::ranks),
    plain<&PrintedTable::batch_sizes, is_batch_list>(ColumnId::batch_sizes),
};
// By column id; null for those that the table does not have.
constexpr auto kTableColumnOf = [] {
  std::array<const TableColumn*, static_cast<std::size_t>(ColumnId::unknown) + 1> columns{};
  for (const TableColumn& column : kTableColumns) columns[static_cast<std::size_t>(column.id)] = &column;
  return columns;
}();
const TableColumn* table_column(ColumnId id) { return kTableColumnOf[static_cast<std::size_t>(id)]; }

template <class Row>
bool read_nothing(std::string_view, const BoxLine&, Row&) {
  return false;
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

}  // namespace

template <>
CellRead<PrintedRank> cell_read<PrintedRank>(ColumnId column) {
  switch (column) {
    case ColumnId::rank:
      return read_plain<PrintedRank, &PrintedRank::rank, is_whole_number>;
    case ColumnId::hbm:
      return read_share<&PrintedRank::hbm, &PrintedRank::hbm_percent>;
    case ColumnId::ddr:
      return read_share<&PrintedRank::ddr, &PrintedRank::ddr_percent>;
    case ColumnId::perf:
      return read_perf<PrintedRank>;
    case ColumnId::input:
      return read_number<&PrintedRank::input>;
    case ColumnId::output_size:
      return read_number<&PrintedRank::output>;
    case ColumnId::shards:
      return read_plain<PrintedRank, &PrintedRank::shards, is_shard_list>;
    default:
      return read_nothing<PrintedRank>;
  }
}

template <>
CellRead<PrintedTable> cell_read<PrintedTable>(ColumnId column) {
  const TableColumn* known = table_column(column);
  return known == nullptr ? read_nothing<PrintedTable> : known->read;
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
    const std::string_view unit = row.in_gib ? " GiB" : " GB";
    out.append("(").append(row.hbm.text).append(unit).append(", ").append(row.ddr.text).append(unit);
    if (row.ssd) out.append(", ").append(row.ssd.text).append(unit);
    out += ')';
    return;
  }
  if (column == ColumnId::emb_dim) {
    out += row.emb_dim.text;
    if (row.cw_dim) out.append(" (").append(row.cw_dim.text).append(")");
    return;
  }
  if (const TableColumn* known = table_column(column)) out += (row.*(known->field)).text;
}

}  // namespace shardstats::log_detail
