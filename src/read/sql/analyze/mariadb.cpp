#include "read/sql/analyze/mariadb.h"

#include <utility>

#include "model/sql/leading_number.h"

namespace txscope::sql {
namespace {

constexpr Type kNumber{TypeName::Numeric, 0, 0};

Expr node_of(Op op, Type type, std::vector<Expr> args, Span at) {
  Expr e;
  e.op = op;
  e.type = type;
  e.args = std::move(args);
  e.at = at;
  return e;
}

Expr number(std::int64_t value, Span at) {
  return constant(Value::numeric(value, 0), kNumber, at);
}

std::optional<std::int64_t> integer_of(const Expr& e) {
  if (e.op != Op::Constant) return std::nullopt;
  if (e.value.kind() == Kind::Integer || e.value.kind() == Kind::Bool)
    return e.value.integer();
  if (e.value.kind() != Kind::Text) return std::nullopt;
  const Value value = leading_number(e.value.text());
  if (value.scale() != 0) return std::nullopt;
  return static_cast<std::int64_t>(value.digits());
}

}  // namespace

Expr mariadb_number(Expr e) {
  const Span at = e.at;
  if (is_number(e.type.name)) return e;
  if (e.op == Op::Constant && e.value.is_null())
    return constant({}, kNumber, at);
  if (e.op == Op::Constant && e.value.kind() == Kind::Text)
    return constant(leading_number(e.value.text()), kNumber, at);
  if (e.type.name == TypeName::Boolean)
    return node_of(Op::Cast, kInteger, {std::move(e)}, at);
  Expr cast = node_of(Op::Cast, kNumber, {std::move(e)}, at);
  cast.index = kLeadingNumber;
  return cast;
}

Expr mariadb_assigned(const Source& source, Expr e, Type to) {
  if (assigns(e.type, to) && e.type.name != TypeName::Unknown)
    return assign(source, std::move(e), to);
  const bool is_literal =
      e.op == Op::Constant &&
      (e.value.is_null() || e.type.name == TypeName::Unknown);
  if (is_literal && !is_number(to.name))
    return assign(source, std::move(e), to);
  if (is_number(to.name)) return cast(source, mariadb_number(std::move(e)), to);
  if (is_text(to.name) && e.type.name == TypeName::Boolean)
    e = mariadb_number(std::move(e));
  return assign(source, std::move(e), to);
}

Expr mariadb_condition(Expr e) {
  if (e.type.name == TypeName::Boolean) return e;
  const Span at = e.at;
  Expr value = mariadb_number(std::move(e));
  Expr zero = value.type.name == TypeName::Numeric
                  ? number(0, at)
                  : constant(Value::integer(0), value.type, at);
  return node_of(Op::NotEqual, kBoolean, {std::move(value), std::move(zero)},
                 at);
}

std::optional<Expr> mariadb_bits(std::string_view op, const Expr& a,
                                 const Expr& b) {
  if (op != "&" && op != "|" && op != "^") return std::nullopt;
  const auto x = integer_of(a);
  const auto y = integer_of(b);
  if (!x || !y) return std::nullopt;
  const std::int64_t value = op == "&"   ? *x & *y
                             : op == "|" ? *x | *y
                                         : *x ^ *y;
  return constant(Value::integer(value), {TypeName::BigInt, 0, 0}, a.at);
}

Expr mariadb_unsigned(Expr e) {
  const Span at = e.at;
  Expr value = mariadb_number(std::move(e));
  if (value.type.name != TypeName::Numeric)
    value = node_of(Op::Cast, kNumber, {std::move(value)}, at);
  const Int128 modulus = Int128{1} << 64;
  Expr wrapped =
      node_of(Op::Add, kNumber,
              {value, constant(Value::numeric(modulus, 0), kNumber, at)}, at);
  Expr is_negative = node_of(Op::Less, kBoolean, {value, number(0, at)}, at);
  return node_of(Op::Case, kNumber,
                 {std::move(is_negative), std::move(wrapped), std::move(value)},
                 at);
}

}  // namespace txscope::sql
