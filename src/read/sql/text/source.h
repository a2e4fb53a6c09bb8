#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/program.h"
#include "model/source_map.h"
#include "read/sql/mysql/state.h"

namespace txscope::sql {

/// Thrown inside this folder only; read_sql() turns it into a Result.
struct Failure {
  Error error;
  /// PostgreSQL can do it and this program cannot.
  bool is_gap = false;
  /// What the statement would make is there already, and stays as it is.
  bool is_there_already = false;
  /// The function that nobody knows; empty: something else is wrong.
  std::string unknown_function = {};
};

/// The text of a file and the places in it.  PostgreSQL's parser counts bytes,
/// people count lines and characters.
class Source {
 public:
  /// `text` must outlive this, be UTF-8 without NUL (see check_text).
  Source(std::string file, std::string_view text,
         std::shared_ptr<SourceMap> map = nullptr,
         std::shared_ptr<MysqlState> mysql = nullptr);
  /// The same file with some of its text blanked out; what is appended to one
  /// is appended to both.
  Source(const Source& other, std::string_view text);

  /// Of a text in MySQL's syntax; null: it is in PostgreSQL's.
  [[nodiscard]] MysqlState* mysql() const { return mysql_.get(); }
  [[nodiscard]] Dialect dialect() const {
    return mysql_ == nullptr ? Dialect::Postgresql : mysql_->dialect;
  }

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view text(Span span) const;
  [[nodiscard]] Span span(std::size_t offset, std::size_t length) const;
  /// From the start of one span to the end of another.
  [[nodiscard]] Span span(Span from, Span to) const {
    return span(from.offset, to.offset + to.length - from.offset);
  }
  /// Where a text stands from now on that the file does not have, as EXECUTE
  /// makes it: behind the file's end, and at the place `at` for people.
  [[nodiscard]] std::uint32_t append(std::string text, Span at) const;
  /// What has been appended, to stand behind the file's text; the map says
  /// from now on which file it is for.
  [[nodiscard]] std::string appendix() const;
  [[noreturn]] void fail(Span at, std::string what,
                         std::string hint = {}) const;
  /// The database would refuse to make it a second time.
  [[noreturn]] void there_already(Span at, std::string what,
                                  std::string hint = {}) const;
  /// What PostgreSQL may know and we do not.
  [[noreturn]] void gap(Span at, std::string what, std::string hint = {}) const;
  [[noreturn]] void unsupported(Span at, std::string_view what,
                                std::string hint = {}) const;
  /// `types`: of its arguments, as they are told.
  [[noreturn]] void unknown_function(Span at, std::string_view name,
                                     std::string_view types,
                                     std::string hint) const;

 private:
  struct Piece {
    std::size_t offset = 0;
    std::string text;
    Span at;
  };
  [[nodiscard]] std::size_t characters_before(std::size_t offset) const;
  /// The appended text there; none: it is the file's.
  [[nodiscard]] const Piece* piece_at(std::size_t offset) const;

  /// The same place in the file that it comes from.
  [[nodiscard]] Span in_file(std::size_t offset, std::size_t length) const;

  std::string file_;
  std::string_view text_;
  /// Null: `text_` is that of `file_`.  Else the files it is made of.
  std::shared_ptr<SourceMap> map_;
  std::vector<Source> files_;
  std::vector<std::uint32_t> lines_;        // where each starts
  std::vector<std::uint32_t> checkpoints_;  // characters before byte i * kStep
  // Shared by those that read one file; texts that were handed out stay.
  std::shared_ptr<std::deque<Piece>> appended_;
  std::shared_ptr<MysqlState> mysql_;
};

/// The bytes that the first `count` characters of a text take.
[[nodiscard]] std::size_t skip_characters(std::string_view text,
                                          std::int64_t count);

/// Refuses what is no text in UTF-8, or too large.
void check_text(const std::string& file, std::string_view text);

}  // namespace txscope::sql
