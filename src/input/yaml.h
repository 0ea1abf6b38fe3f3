// Joins the scalars of YAML that were folded at 80 columns, as `gcloud logging read` shows records. Private to
// src/input.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "input/physical_lines.h"
#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

class FoldedScalars {
 public:
  // For the lines from `start` on.
  FoldedScalars(std::string_view bytes, std::size_t start);

  // The line of a log that the scalar holds which the line that was just read begins or goes on with, without its key
  // and quotes of 'single' ones; `lines` is then at its end. nullopt: it holds none, or was not folded.
  std::optional<Transcript> read(PhysicalLines& lines);

 private:
  struct Scalar {
    char quote = 0;
    std::size_t indent = 0;  // of the line that it begins in
  };

  static std::optional<Scalar> scalar_above(std::string_view bytes, Line line, std::size_t indent);
  std::optional<std::size_t> start_of_content(const PhysicalLines& lines, std::string_view before);
  std::optional<std::size_t> start_in_quotes(const PhysicalLines& lines, std::string_view before, std::size_t value);
  Transcript join(PhysicalLines& lines, std::size_t start);
  bool goes_on(std::string_view next) const;
  bool is_folded_in_front_of(std::string_view text, std::string_view next) const;

  std::optional<Scalar> open_;
  std::string_view before_;  // the line before the one that was just read
  bool have_any_ = false;    // was any folded?
};

}  // namespace shardstats::input_detail
