#include <algorithm>

#include "shardstats/input/blocks.h"

namespace shardstats {

void Transcript::append(std::string_view text, Place place) {
  if (text.empty()) return;
  if (pieces_.empty() || place_of(text_.size()) != place) pieces_.push_back({text_.size(), place});
  text_ += text;
}

void Transcript::append(const Transcript& from, std::size_t start, std::size_t end) {
  auto piece = std::ranges::upper_bound(from.pieces_, start, {}, &Piece::offset);
  for (std::size_t at = start; at < end; ++piece) {
    const std::size_t stop = piece == from.pieces_.end() ? end : std::min(end, piece->offset);
    append(from.text().substr(at, stop - at), from.place_of(at));
    at = stop;
    if (piece == from.pieces_.end()) break;
  }
}

Place Transcript::place_of(std::size_t offset) const {
  const auto behind = std::ranges::upper_bound(pieces_, offset, {}, &Piece::offset);
  if (behind == pieces_.begin()) return {};
  const Piece& piece = *std::prev(behind);
  return {piece.place.line, piece.place.column + static_cast<std::uint32_t>(offset - piece.offset)};
}

Place BoxLine::place_in_transcript(std::size_t offset) const {
  return transcript->place_of(static_cast<std::size_t>(text.data() - transcript->text().data()) + offset);
}

}  // namespace shardstats
