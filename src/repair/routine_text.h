#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "read/sql/text/token.h"
#include "repair/problem.h"

namespace txscope::repair {

/// Columns of a line of SQL that is made.
inline constexpr std::size_t kLineWidth = 80;

/// The body of a routine as it is written, word by word.
class RoutineText {
 public:
  RoutineText(const Problem& problem, const sql::Routine& routine);

  [[nodiscard]] const std::vector<sql::Token>& words() const { return words_; }
  [[nodiscard]] bool empty() const { return words_.empty(); }

  /// The number of the word at an offset; the number of all: there is none.
  [[nodiscard]] std::size_t at(std::size_t offset) const;
  /// Where the statement around an offset begins.
  [[nodiscard]] std::optional<std::size_t> start_of(std::size_t offset) const;
  /// Where the first statement of the body begins.
  [[nodiscard]] std::optional<std::size_t> first_statement() const;
  /// Behind the `;` of the statement that begins with word `first`, which has
  /// no others inside.
  [[nodiscard]] std::optional<std::size_t> end_of(std::size_t first) const;

  /// IF condition THEN .. END IF;  by the offset of IF.
  struct If {
    std::size_t condition = 0;  ///< numbers of words
    std::size_t then = 0;
    std::size_t end = 0;  ///< the offset behind `;`
  };
  [[nodiscard]] std::optional<If> if_at(std::size_t offset) const;

  /// A statement in front of the one around an offset, on a line of its own
  /// where that one begins a line.
  [[nodiscard]] std::optional<Edit> before(std::size_t offset,
                                           const std::string& statement) const;
  [[nodiscard]] std::optional<Edit> at_start(
      const std::string& statement) const;
  /// The text [from, to) without the lines that it fills alone.
  [[nodiscard]] Edit without(std::size_t from, std::size_t to) const;
  /// The white space before an offset, if nothing else is before it on its
  /// line.
  [[nodiscard]] std::optional<std::string> indent(std::size_t offset) const;

  /// A query that is only there to lock: PERFORM in PL/pgSQL, else SELECT.
  [[nodiscard]] std::string locking_query(const std::string& rest) const;

 private:
  [[nodiscard]] Edit in_front(std::size_t start,
                              const std::string& statement) const;

  const Problem& problem_;
  bool is_plpgsql_;
  std::vector<sql::Token> words_;
};

/// A query that locks rows, in front of a statement; `rest` is what stands
/// behind SELECT 1.
[[nodiscard]] std::optional<Edit> lock_before(const Problem& problem,
                                              const sql::DbStatement& statement,
                                              const std::string& rest);

}  // namespace txscope::repair
