#pragma once

#include <optional>
#include <string_view>

#include "read/sql/schema/types.h"

namespace txscope::sql {

// MariaDB's conversions, where it makes do with what PostgreSQL refuses: a
// text is the number that it begins with, a condition is any number but 0, and
// a truth value is 0 or 1.

/// The expression as a number.
[[nodiscard]] Expr mariadb_number(Expr e);
/// As what a variable of this type gets.
[[nodiscard]] Expr mariadb_assigned(const Source& source, Expr e, Type to);
/// As a condition.
[[nodiscard]] Expr mariadb_condition(Expr e);
/// `&`, `|` and `^` of constants; nothing: it is none of those.
[[nodiscard]] std::optional<Expr> mariadb_bits(std::string_view op,
                                               const Expr& a, const Expr& b);
/// CAST(e AS UNSIGNED): a negative number is taken modulo 2^64.
[[nodiscard]] Expr mariadb_unsigned(Expr e);

}  // namespace txscope::sql
