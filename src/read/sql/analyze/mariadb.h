#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "read/sql/schema/types.h"

namespace txscope::sql {

// MariaDB's and MySQL's expressions: what model/sql/mysql makes of them, with
// the types that the Analyzer has for all dialects.  Where PostgreSQL means the
// same nothing is made, so that the usual operators stay, which every engine
// follows.  A text is compared as its value says (Value::collated), which its
// type repeats.

[[nodiscard]] bool is_text_literal(const Expr& e);
/// A literal says a value of the type, in a form that all dialects read alike.
[[nodiscard]] bool says_value(const Expr& literal, const Type& type);
/// A text that is compared by that collation.
[[nodiscard]] Expr collated(Expr e, std::uint16_t collation);
/// As typing.h takes it: literals have a type, and decimals their digits.
[[nodiscard]] Expr mariadb_operand(Expr e);
/// What typing.h made, with a type of the Analyzer's.
[[nodiscard]] Expr mariadb_plain(Expr e);

/// A number: of a text the one that it begins with, of a condition 0 or 1.
[[nodiscard]] Expr mariadb_number(Expr e);
/// What a column or a variable gets.
[[nodiscard]] Expr mariadb_assigned(const Source& source, Expr e, Type to);
/// What a strict statement writes, or decides by what it writes: a division by
/// 0 is an error, and so is a text that says no number where one is needed.
[[nodiscard]] Expr mariadb_strict(const Source& source, Expr e);
/// A number as a condition: not 0.
[[nodiscard]] Expr mariadb_condition(Expr e);
/// CAST(e AS to)
[[nodiscard]] Expr mariadb_cast(const Source& source, Expr e, Type to);
/// All of one type, that of CASE, IF and COALESCE.
Type mariadb_match(std::vector<Expr>& all);

/// Two texts of which neither says how they are compared: as the connection
/// does it.
void decide_collation(Expr& a, Expr& b);
/// A comparison of values that PostgreSQL does not compare; nothing: it does.
[[nodiscard]] std::optional<Expr> mariadb_comparison(Op op, Expr& a, Expr& b,
                                                     Span at);
/// + - * / % DIV & | ^ << >>; nothing: another operator.
[[nodiscard]] std::optional<Expr> mariadb_operation(std::string_view op,
                                                    Expr& a, Expr& b, Span at);
/// -e, ~e; nothing: PostgreSQL's means the same.
[[nodiscard]] std::optional<Expr> mariadb_signed(std::string_view op, Expr& e,
                                                 Span at);
/// A function by its name; nothing: there is none.
[[nodiscard]] std::optional<Expr> mariadb_call(std::string_view name,
                                               std::vector<Expr> args, Span at);

}  // namespace txscope::sql
