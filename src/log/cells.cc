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
  if (in.number(row.*used) && in.literal(" (") && in.number(row.*percent) && in.literal("%)") && in.done()) return true;
  row.*used = row.*percent = {};
  return false;
}

template <Cell PrintedRank::*used, Cell PrintedRank::*percent>
void write_share(const PrintedRank& row, std::string& out) {
  out.append((row.*used).text).append(" (").append((row.*percent).text).append("%)");
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
template <class Row>
void write_perf(const Row& row, std::string& out) {
  out += row.perf.total.text;
  for (std::size_t i = 0; i < row.perf.count; ++i) out.append(i == 0 ? " (" : ",").append(row.perf.components[i].text);
  if (row.perf.count > 0) out += ')';
}

template <class Reader>
bool read_storage_with(Reader in, std::string_view unit, PrintedTable& row) {
  const auto size = [&](Cell& into) { return in.number(into) && in.literal(unit); };
  if (in.literal("(") && size(row.hbm) && in.literal(", ") && size(row.ddr) && (!in.literal(", ") || size(row.ssd)) &&
      in.literal(")") && in.done())
    return true;
  row.hbm = row.ddr = row.ssd = {};
  return false;
}
// "(2.0 GB, 0.0 GB)" or with a third value
bool read_storage(std::string_view text, const BoxLine& line, PrintedTable& row) {
  const PlainReader plain(text, line);
  if (plain.is_plain() && read_storage_with(plain, " GB", row)) return true;
  if (read_storage_with(CellReader(text, line), " GB", row)) return true;
  row.in_gib = read_storage_with(CellReader(text, line), " GiB", row);
  return row.in_gib;
}
void write_storage(const PrintedTable& row, std::string& out) {
  const std::string_view unit = row.in_gib ? " GiB" : " GB";
  out.append("(").append(row.hbm.text).append(unit).append(", ").append(row.ddr.text).append(unit);
  if (row.ssd) out.append(", ").append(row.ssd.text).append(unit);
  out += ')';
}

// "64" or "256 (128)"
bool read_dim(std::string_view text, const BoxLine& line, PrintedTable& row) {
  CellReader in(text, line);
  const auto block = [&] { return in.literal(" (") && in.whole_number(row.cw_dim) && in.literal(")") && in.done(); };
  if (in.whole_number(row.emb_dim) && (in.done() || block())) return true;
  row.emb_dim = row.cw_dim = {};
  return false;
}
void write_dim(const PrintedTable& row, std::string& out) {
  out += row.emb_dim.text;
  if (row.cw_dim) out.append(" (").append(row.cw_dim.text).append(")");
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

template <class Row, Cell Row::*field>
void write_plain(const Row& row, std::string& out) {
  out += (row.*field).text;
}

template <class Row, std::size_t N>
constexpr auto by_id(const ColumnCells<Row> (&columns)[N]) {
  std::array<ColumnCells<Row>, static_cast<std::size_t>(ColumnId::unknown) + 1> all;
  for (const ColumnCells<Row>& column : columns) all[static_cast<std::size_t>(column.id)] = column;
  return all;
}

template <Cell PrintedRank::*field, auto read = read_number<field>>
constexpr ColumnCells<PrintedRank> of_rank(ColumnId id) {
  return {id, read, write_plain<PrintedRank, field>};
}
template <Cell PrintedRank::*used, Cell PrintedRank::*percent>
constexpr ColumnCells<PrintedRank> share(ColumnId id) {
  return {id, read_share<used, percent>, write_share<used, percent>};
}
constexpr auto kRankColumns = by_id<PrintedRank>({
    of_rank<&PrintedRank::rank, read_plain<PrintedRank, &PrintedRank::rank, is_whole_number>>(ColumnId::rank),
    share<&PrintedRank::hbm, &PrintedRank::hbm_percent>(ColumnId::hbm),
    share<&PrintedRank::ddr, &PrintedRank::ddr_percent>(ColumnId::ddr),
    {ColumnId::perf, read_perf<PrintedRank>, write_perf<PrintedRank>},
    of_rank<&PrintedRank::input>(ColumnId::input),
    of_rank<&PrintedRank::output>(ColumnId::output_size),
    of_rank<&PrintedRank::shards, read_plain<PrintedRank, &PrintedRank::shards, is_shard_list>>(ColumnId::shards),
});

template <Cell PrintedTable::*field, auto has_shape>
constexpr ColumnCells<PrintedTable> plain(ColumnId id) {
  return {id, read_plain<PrintedTable, field, has_shape>, write_plain<PrintedTable, field>};
}
constexpr auto kTableColumns = by_id<PrintedTable>({
    {ColumnId::table_perf, read_perf<PrintedTable>, write_perf<PrintedTable>},
    {ColumnId::storage, read_storage, write_storage},
    {ColumnId::emb_dim, read_dim, write_dim},
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
});

}  // namespace

template <>
const ColumnCells<PrintedRank>& cells_of(ColumnId column) {
  return kRankColumns[static_cast<std::size_t>(column)];
}
template <>
const ColumnCells<PrintedTable>& cells_of(ColumnId column) {
  return kTableColumns[static_cast<std::size_t>(column)];
}

}  // namespace shardstats::log_detail
