#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/program.h"

namespace txscope::sql {

/// Thrown inside this folder only; read_sql() turns it into a Result.
struct Failure {
  Error error;
  /// PostgreSQL can do it and this program cannot.
  bool is_gap = false;
};

/// The text of a file and the places in it.  PostgreSQL's parser counts bytes,
/// people count lines and characters.
class Source {
 public:
  /// `text` must outlive this, be UTF-8 without NUL (see check_text).
  Source(std::string file, std::string_view text);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view text(Span span) const {
    return text_.substr(span.offset, span.length);
  }
  [[nodiscard]] Span span(std::size_t offset, std::size_t length) const;
  /// From the start of one span to the end of another.
  [[nodiscard]] Span span(Span from, Span to) const {
    return span(from.offset, to.offset + to.length - from.offset);
  }
  [[noreturn]] void fail(Span at, std::string what,
                         std::string hint = {}) const;
  /// What PostgreSQL may know and we do not.
  [[noreturn]] void gap(Span at, std::string what, std::string hint = {}) const;
  [[noreturn]] void unsupported(Span at, std::string_view what,
                                std::string hint = {}) const;

 private:
  [[nodiscard]] std::size_t characters_before(std::size_t offset) const;

  std::string file_;
  std::string_view text_;
  std::vector<std::uint32_t> lines_;        // where each starts
  std::vector<std::uint32_t> checkpoints_;  // characters before byte i * kStep
};

/// The bytes that the first `count` characters of a text take.
[[nodiscard]] std::size_t skip_characters(std::string_view text,
                                          std::int64_t count);

/// Refuses what is no text in UTF-8, or too large.
void check_text(const std::string& file, std::string_view text);

}  // namespace txscope::sql
