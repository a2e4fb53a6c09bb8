#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "model/sql/dialect.h"

namespace txscope::sql {

/// Something that only MySQL's and MariaDB's syntax has.
struct MysqlSign {
  std::size_t offset = 0;
  std::string what;     ///< "AUTO_INCREMENT"
  bool is_sure = true;  ///< it can be nothing of PostgreSQL's
};

/// The dialect of a product whose SQL is read; nothing: of none.
[[nodiscard]] std::optional<Dialect> dialect_named(std::string_view product);

/// `--@ dialect: mysql`, `mariadb` or `postgresql`.
struct SaidDialect {
  std::size_t offset = 0;          ///< of the annotation
  std::optional<Dialect> dialect;  ///< nothing: another word
};
/// The first line that says so.
[[nodiscard]] std::optional<SaidDialect> said_dialect(std::string_view text);

/// What is said, if it is; else the first one outside comments and quotes that
/// is sure; else the first one: such a word may be a name in PostgreSQL's.
[[nodiscard]] std::optional<MysqlSign> find_mysql(std::string_view text);

}  // namespace txscope::sql
