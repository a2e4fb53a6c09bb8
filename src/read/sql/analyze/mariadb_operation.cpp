// Operators and functions of MariaDB and MySQL.

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "model/sql/mysql/node.h"
#include "model/sql/mysql/typing.h"
#include "read/sql/analyze/mariadb.h"

namespace txscope::sql {
namespace {

bool is_of_mysqls_types(const Type& type) {
  return mysql::sort_of(type) != mysql::Sort::Other ||
         type.name == TypeName::Unknown;
}

bool is_undecided(const Expr& e) {
  return e.type.name == TypeName::Unknown &&
         (e.op != Op::Constant || e.value.is_null());
}

/// Both are compared as what they are, and PostgreSQL does it so, too.
bool compare_alike(const Expr& a, const Expr& b) {
  if (is_undecided(a) || is_undecided(b)) return true;
  const TypeName x = a.type.name;
  const TypeName y = b.type.name;
  if (x == TypeName::Unknown && y == TypeName::Unknown) return true;
  if (y == TypeName::Unknown) return says_value(b, a.type);
  if (x == TypeName::Unknown) return says_value(a, b.type);
  if (!is_of_mysqls_types(a.type) || !is_of_mysqls_types(b.type) || x == y)
    return true;
  if (is_number(x) && is_number(y)) return true;
  if (is_text(x) && is_text(y)) return true;
  return is_time(x) && is_time(y);
}

std::optional<mysql::Operator> comparison_of(Op op) {
  switch (op) {
    case Op::Equal: return mysql::Operator::Equal;
    case Op::NotEqual: return mysql::Operator::NotEqual;
    case Op::Less: return mysql::Operator::Less;
    case Op::LessEqual: return mysql::Operator::LessEqual;
    case Op::Greater: return mysql::Operator::Greater;
    case Op::GreaterEqual: return mysql::Operator::GreaterEqual;
    case Op::IsDistinct: return mysql::Operator::Equal;
    default: return std::nullopt;
  }
}

struct NamedOperator {
  std::string_view name;
  mysql::Operator op;
};
constexpr std::array<NamedOperator, 12> kOperations = {{
    {"+", mysql::Operator::Add},
    {"-", mysql::Operator::Subtract},
    {"*", mysql::Operator::Multiply},
    {"/", mysql::Operator::Divide},
    {"%", mysql::Operator::Modulo},
    {"div", mysql::Operator::IntDivide},
    {"&", mysql::Operator::BitAnd},
    {"|", mysql::Operator::BitOr},
    {"#", mysql::Operator::BitXor},
    {"^", mysql::Operator::BitXor},
    {"<<", mysql::Operator::ShiftLeft},
    {">>", mysql::Operator::ShiftRight},
}};

/// a DIV 2 and a % 2 of integers: the operators that all engines know.
std::optional<Expr> by_constant(mysql::Operator op, Expr& a, Expr& b, Span at) {
  const bool is_it =
      op == mysql::Operator::IntDivide || op == mysql::Operator::Modulo;
  const bool divides = b.op == Op::Constant &&
                       b.value.kind() == Kind::Integer && b.value.integer() > 0;
  if (!is_it || !divides || !is_integer(a.type.name)) return std::nullopt;
  return mysql::node(op == mysql::Operator::Modulo ? Op::Modulo : Op::Divide,
                     {TypeName::BigInt}, {std::move(a), std::move(b)}, at);
}

/// DATE(x), TIME(x), TIMESTAMP(x), and functions with a unit of time.
std::optional<Expr> call_of_time(std::string_view name, std::vector<Expr>& args,
                                 Span at) {
  if (args.size() == 1) {
    if (name == "date")
      return mysql::cast(std::move(args[0]), mysql::kDate, at);
    if (name == "time")
      return mysql::cast(std::move(args[0]), mysql::time_type(), at);
    if (name == "timestamp")
      return mysql::cast(std::move(args[0]), mysql::datetime_type(), at);
  }
  const bool adds = name == "date_add";
  if ((adds || name == "date_sub") && args.size() == 3) {
    return mysql::date_add(std::move(args[0]), std::move(args[1]),
                           ascii::upper(args[2].value.text()), !adds, at);
  }
  if (name == "timestampdiff" || name == "extract")
    args[0].value = Value::text(ascii::upper(args[0].value.text()));
  return std::nullopt;
}

}  // namespace

void decide_collation(Expr& a, Expr& b) {
  const auto is_open = [](const Expr& e) {
    return (is_text(e.type.name) && e.type.of == kNoCollation) ||
           is_text_literal(e);
  };
  // A literal is compared as what it is compared with.
  const auto follow = [](Expr& literal, const Expr& other) {
    if (literal.op != Op::Constant || literal.value.kind() != Kind::Text)
      return;
    literal = collated(std::move(literal), other.type.of);
    literal.type = bare(other.type);
  };
  if (!is_open(a) && is_text(a.type.name) && is_open(b)) return follow(b, a);
  if (!is_open(b) && is_text(b.type.name) && is_open(a)) return follow(a, b);
  if (!is_open(a) || !is_open(b)) return;
  const Span at = a.at;
  if (a.op == Op::Constant) {
    a = collated(std::move(a), kGeneralCi);
    a.type = mysql::text_type();
  } else {
    a = mysql::node(Op::Cast, mysql::text_type(), {std::move(a)}, at);
  }
}

std::optional<Expr> mariadb_comparison(Op op, Expr& a, Expr& b, Span at) {
  const auto known = comparison_of(op);
  if (!known) return std::nullopt;
  if (compare_alike(a, b)) {
    decide_collation(a, b);
    return std::nullopt;
  }
  Expr e = mysql::operation(*known, mariadb_operand(std::move(a)),
                            mariadb_operand(std::move(b)), at);
  e.op = op;
  return e;
}

std::optional<Expr> mariadb_operation(std::string_view op, Expr& a, Expr& b,
                                      Span at) {
  const auto* found =
      std::find_if(kOperations.begin(), kOperations.end(),
                   [&](const NamedOperator& each) { return each.name == op; });
  if (found == kOperations.end() || !is_of_mysqls_types(a.type) ||
      !is_of_mysqls_types(b.type))
    return std::nullopt;
  a = mariadb_operand(std::move(a));
  b = mariadb_operand(std::move(b));
  if (auto e = by_constant(found->op, a, b, at)) return e;
  return mariadb_plain(
      mysql::operation(found->op, std::move(a), std::move(b), at));
}

std::optional<Expr> mariadb_signed(std::string_view op, Expr& e, Span at) {
  if (!is_of_mysqls_types(e.type)) return std::nullopt;
  if (op == "~")
    return mariadb_plain(mysql::inverted(mariadb_operand(std::move(e)), at));
  if (op != "-" || is_number(e.type.name)) return std::nullopt;
  return mariadb_plain(mysql::negated(mariadb_operand(std::move(e)), at));
}

std::optional<Expr> mariadb_call(std::string_view name, std::vector<Expr> args,
                                 Span at) {
  for (Expr& arg : args) arg = mariadb_operand(std::move(arg));
  if (auto e = call_of_time(name, args, at))
    return mariadb_plain(*std::move(e));
  auto e = mysql::call(name, std::move(args), at);
  if (!e) return std::nullopt;
  return mariadb_plain(*std::move(e));
}

}  // namespace txscope::sql
