#include <algorithm>

#include "shardstats/input/blocks.h"

namespace shardstats {

void Transcript::add(std::string_view text, Place place, bool filled) {
  if (text.empty()) return;
  const bool goes_on =
      !pieces_.empty() && pieces_.back().filled == filled && place_in(pieces_.back(), text_.size()) == place;
  if (!goes_on) pieces_.push_back({text_.size(), place, filled});
  text_ += text;
}

void Transcript::append(const Transcript& from, std::size_t start, std::size_t end) {
  end = std::min(end, from.text_.size());
  auto next = std::ranges::upper_bound(from.pieces_, start, {}, &Piece::offset);
  for (std::size_t at = start; at < end; ++next) {
    const bool last = next == from.pieces_.end();
    const std::size_t stop = last ? end : std::min(end, next->offset);
    const Piece& piece = *std::prev(next);
    add(from.text().substr(at, stop - at), place_in(piece, at), piece.filled);
    at = stop;
    if (last) break;
  }
}

Place Transcript::place_in(const Piece& piece, std::size_t offset) {
  if (piece.filled) return piece.place;
  return {piece.place.line, piece.place.column + static_cast<std::uint32_t>(offset - piece.offset)};
}

Place Transcript::place_of(std::size_t offset) const {
  const auto behind = std::ranges::upper_bound(pieces_, offset, {}, &Piece::offset);
  return behind == pieces_.begin() ? Place{} : place_in(*std::prev(behind), offset);
}

Place BoxLine::place_in_transcript(std::size_t offset) const {
  return transcript->place_of(static_cast<std::size_t>(text.data() - transcript->text().data()) + offset);
}

}  // namespace shardstats
