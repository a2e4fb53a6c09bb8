#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/sql/dialect.h"

namespace txscope::sql {

/// MySQL's and MariaDB's: one language here but for a few words of each.
[[nodiscard]] constexpr bool is_mysql(Dialect dialect) {
  return dialect == Dialect::Mariadb;
}

/// Words of sql_mode that change what a text means, or what it does.
struct MysqlModes {
  bool has_ansi_quotes = false;     ///< "x" is a name
  bool pipes_concat = false;        ///< || joins texts
  bool has_no_backslashes = false;  ///< '\' is a character
  bool is_strict = true;            ///< what does not fit is an error
};

/// What the reader of one file in MySQL's syntax knows beside the text itself.
struct MysqlState {
  Dialect dialect = Dialect::Mariadb;
  bool is_oracles = false;  ///< MySQL's own server, not MariaDB's
  /// From where on which modes hold; in order.
  std::vector<std::pair<std::uint32_t, MysqlModes>> modes;
  /// Names in lower case, and as CREATE TABLE spells them: MySQL knows columns
  /// in any case, and this reader tables, too.
  std::unordered_map<std::string, std::string> spellings;
  /// Whether a table, as it is known now, has a column.
  std::function<bool(std::string_view table, std::string_view column)>
      has_column;
  /// Some routine has a handler for errors.
  bool catches_errors = false;

  [[nodiscard]] MysqlModes modes_at(std::uint32_t offset) const {
    MysqlModes found;
    for (const auto& [from, all] : modes)
      if (from <= offset) found = all;
    return found;
  }
  /// A name as it is known here.
  [[nodiscard]] std::string name(std::string_view written) const;
};

/// 'ANSI_QUOTES,NO_ZERO_DATE' and the like.
[[nodiscard]] MysqlModes modes_of(std::string_view sql_mode);

}  // namespace txscope::sql
