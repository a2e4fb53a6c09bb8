#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/sql/expr.h"
#include "model/sql/mysql/function.h"
#include "model/sql/mysql/types.h"

namespace txscope::sql::mysql {

// Expressions as MySQL and MariaDB mean them: every conversion that the server
// makes by itself becomes explicit, so that one evaluator serves all.  Where
// SQL says the same a usual Op is made, which all engines know; else a
// Builtin of function.h.  Nothing is refused: MySQL computes with whatever it
// gets.

enum class Operator : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  IntDivide,  ///< DIV
  Modulo,     ///< %, MOD
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  NullSafeEqual,  ///< <=>
  And,
  Or,
  Xor,
  Like,
  Regexp,
};

/// How sql_mode and the statement judge what does not fit.
struct Strictness {
  bool is_strict = true;  ///< STRICT_TRANS_TABLES, and no IGNORE
  /// ERROR_FOR_DIVISION_BY_ZERO, in an INSERT or UPDATE that is strict.
  bool division_fails = false;
};

[[nodiscard]] Expr literal(std::string_view text, Span at);
[[nodiscard]] Expr literal(std::int64_t number, Span at);
/// 1.50, or an integer of more than 63 bits.
[[nodiscard]] Expr literal(Int128 digits, unsigned scale, Span at);
[[nodiscard]] Expr literal(double number, Span at);
[[nodiscard]] Expr null(Span at);

[[nodiscard]] Expr operation(Operator op, Expr a, Expr b, Span at,
                             Strictness strictness = {});
[[nodiscard]] Expr negated(Expr e, Span at);   ///< -e
[[nodiscard]] Expr inverted(Expr e, Span at);  ///< ~e
[[nodiscard]] Expr logical_not(Expr e, Span at);
[[nodiscard]] Expr is_null(Expr e, Span at);
/// first IN (the others)
[[nodiscard]] Expr in_list(std::vector<Expr> items, Span at);
[[nodiscard]] Expr between(Expr e, Expr low, Expr high, Span at);
/// CASE: when, then, ..., [else]; conditions are conditions already.
[[nodiscard]] Expr choice(std::vector<Expr> items, Span at);
[[nodiscard]] Expr coalesce(std::vector<Expr> items, Span at);  ///< IFNULL
[[nodiscard]] Expr null_if(Expr a, Expr b, Span at);
/// CAST(e AS type), CONVERT(e, type)
[[nodiscard]] Expr cast(Expr e, const Type& type, Span at);
/// text COLLATE ...
[[nodiscard]] Expr collated(Expr text, std::uint16_t collation, Span at);
/// What a text is compared, grouped and sorted by: equal for texts that are
/// equal.  Anything else is that itself.
[[nodiscard]] Expr sort_key(Expr e);
/// A function of function.h; nothing: there is none, or it has not so many
/// operands.  Units (of DATE_ADD, EXTRACT, ...) are texts in upper case.
[[nodiscard]] std::optional<Expr> call(std::string_view name,
                                       std::vector<Expr> operands, Span at);
/// time + INTERVAL amount unit
[[nodiscard]] Expr date_add(Expr time, Expr amount, std::string_view unit,
                            bool is_subtracted, Span at);

/// What a column gets.
[[nodiscard]] Expr assigned(Expr e, const Type& column, Strictness strictness,
                            Span at);
/// As a condition of WHERE, IF, AND: not 0.
[[nodiscard]] Expr condition(Expr e);
/// As what a client sees: a truth value is 0 or 1.
[[nodiscard]] Expr shown(Expr e);
[[nodiscard]] Expr as_number(Expr e);
[[nodiscard]] Expr as_text(Expr e);
/// As a value of another type, if it is not one already.
[[nodiscard]] Expr converted(Expr e, const Type& type);

/// Of sum() and avg(), whose argument is `e`: what they add up, and the type
/// of the sum; avg is average_of() it and its count.
[[nodiscard]] Expr summand(Expr e);
[[nodiscard]] Type sum_type(const Type& summand);
[[nodiscard]] Expr average_of(Expr sum, Expr count, const Type& summand,
                              Span at);

}  // namespace txscope::sql::mysql
