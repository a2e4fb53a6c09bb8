#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repair/query_text.h"

namespace txscope::repair {

/// UPDATE table SET .. [WHERE ..] as it is written: numbers of words.
struct UpdateText {
  const sql::Table* table = nullptr;
  std::size_t set = 0;
  std::size_t where = 0;  ///< the end, if there is none
  std::size_t end = 0;    ///< of the condition

  /// `column = value`, parted by commas.
  struct Assignment {
    std::string column;
    Piece value;
    /// `column = column + ..` (or -): the sign; else 0.
    char sign = 0;
    Piece by;  ///< what is added
  };
  std::vector<Assignment> assignments;
};

/// Whether no outer + or - parts it.
[[nodiscard]] bool is_one_term(const std::vector<Token>& words, Piece piece);

/// None: another statement, or one of several tables or of a table with an
/// alias.
[[nodiscard]] std::optional<UpdateText> update_in(
    const Problem& problem, const std::vector<Token>& words);

}  // namespace txscope::repair
