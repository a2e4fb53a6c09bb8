#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace txscope::sql {

/// INSERT INTO t [(columns)] VALUES (constants), ...; and all statements behind
/// it that begin with the same words, as dumps have them.  PostgreSQL's lexer
/// and parser make many times the text's size of each row, so they see the
/// first row alone.
struct ConstantInserts {
  std::size_t head = 0;       ///< length of INSERT ... VALUES
  std::size_t first_row = 0;  ///< where the first row ends
  std::size_t semicolon = 0;  ///< of the first statement
  std::size_t end = 0;        ///< behind the ';' of the last
};

/// How texts and names are quoted.
enum class Quoting : std::uint8_t {
  Standard,  ///< 'it''s', "name"
  Mysql,     ///< 'it\'s', `name`
};

/// Those that begin at `at`; nothing: they have few rows, or something in them
/// is no constant.
[[nodiscard]] std::optional<ConstantInserts> constant_inserts(
    std::string_view text, std::size_t at, Quoting quoting = Quoting::Standard);

/// INSERT of very many constants: its rows but the first, and statements behind
/// it that begin with the same words.
struct InsertedRows {
  std::uint32_t from = 0;  ///< where the first row ends
  std::uint32_t to = 0;
  std::uint32_t head = 0;  ///< length of INSERT ... VALUES
};

/// Whether nothing but comments (--) and white space stands there.
[[nodiscard]] bool is_only_comments(std::string_view text);

/// Goes over the rows of such statements, behind the first.
class ConstantRows {
 public:
  enum class Next : std::uint8_t { InSame, Statement, End };
  struct Constant {
    std::size_t at = 0;
    std::string_view text;  ///< as it is written: 'it''s', -1.5, NULL
  };

  ConstantRows(std::string_view text, std::size_t from, std::size_t to,
               std::size_t head, Quoting quoting = Quoting::Standard)
      : text_(text), at_(from), to_(to), head_(head), quoting_(quoting) {}

  /// Comes to the next row: of the same statement, or of the next, which begins
  /// at statement().
  Next next();
  [[nodiscard]] std::size_t statement() const { return statement_; }
  /// The next constant of the row; nothing: it ends here.
  std::optional<Constant> constant();
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t to_ = 0;
  std::size_t head_ = 0;
  Quoting quoting_ = Quoting::Standard;
  std::size_t statement_ = 0;
};

}  // namespace txscope::sql
