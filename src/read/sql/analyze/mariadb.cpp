#include "read/sql/analyze/mariadb.h"

#include <algorithm>
#include <utility>

#include "model/sql/mysql/node.h"
#include "model/sql/mysql/typing.h"
#include "model/sql/value/leading_number.h"
#include "model/sql/value/parse_value.h"

namespace txscope::sql {
namespace {

constexpr Type kNumber{TypeName::Numeric, 0, 0};

bool is_null_constant(const Expr& e) {
  return e.op == Op::Constant && e.value.is_null();
}
bool is_text_literal(const Expr& e) {
  return e.op == Op::Constant && e.type.name == TypeName::Unknown &&
         e.value.kind() == Kind::Text;
}

/// Digits, with a sign and a point if they may have them.
bool is_digits(std::string_view text, bool may_have_point) {
  if (text.starts_with('-')) text.remove_prefix(1);
  bool has_point = !may_have_point;
  bool has_digit = false;
  for (const char c : text) {
    if (c == '.' && !has_point) {
      has_point = true;
    } else if (c < '0' || c > '9') {
      return false;
    } else {
      has_digit = true;
    }
  }
  return has_digit && text.size() <= 18;
}

/// Digits where the pattern has 0, and its other characters.
bool is_like(std::string_view text, std::string_view pattern) {
  return text.size() == pattern.size() &&
         std::equal(text.begin(), text.end(), pattern.begin(),
                    [](char c, char wanted) {
                      return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
                    });
}

/// Division by 0 is an error in what a strict statement writes.
void divide_or_fail(Expr& e) {
  for (Expr& arg : e.args) divide_or_fail(arg);
  if (e.op != Op::Builtin) return;
  using mysql::Function;
  switch (static_cast<Function>(e.index)) {
    case Function::Divide:
      e.index = static_cast<std::uint32_t>(Function::DivideOrFail);
      break;
    case Function::IntDivide:
      e.index = static_cast<std::uint32_t>(Function::IntDivideOrFail);
      break;
    case Function::Modulo:
      e.index = static_cast<std::uint32_t>(Function::ModuloOrFail);
      break;
    default: break;
  }
}

}  // namespace

bool says_value(const Expr& literal, const Type& type) {
  const std::string_view text = literal.value.text();
  switch (type.name) {
    case TypeName::SmallInt:
    case TypeName::Integer:
    case TypeName::BigInt:
      if (!is_digits(text, false)) return false;
      break;
    case TypeName::Numeric:
    case TypeName::Real:
    case TypeName::Double:
      if (!is_digits(text, true)) return false;
      break;
    case TypeName::Date:
      if (!is_like(text, "0000-00-00")) return false;
      break;
    case TypeName::Timestamp:
      if (!is_like(text, "0000-00-00") &&
          !is_like(text.substr(0, 19), "0000-00-00 00:00:00"))
        return false;
      break;
    case TypeName::Time:
      if (!is_like(text, "00:00:00")) return false;
      break;
    case TypeName::Boolean: return false;
    default: return true;
  }
  return parse_value(text, bare(type)).has_value();
}

Expr mariadb_operand(Expr e) {
  if (is_text_literal(e)) {
    e.type = kText;
    return e;
  }
  if (e.type.name == TypeName::Unknown && e.op == Op::Variable) e.type = kText;
  if (e.type.name != TypeName::Numeric || e.type.size != 0) return e;
  if (e.op == Op::Constant && !e.value.is_null())
    return mysql::literal(e.value.digits(), e.value.scale(), e.at);
  e.type = mysql::decimal_type(38, 10);
  return e;
}

Expr mariadb_plain(Expr e) {
  const auto function = static_cast<mysql::Function>(e.index);
  const bool needs_type =
      e.op == Op::Cast ||
      (e.op == Op::Builtin && function >= mysql::Function::Convert &&
       function <= mysql::Function::FitBig);
  if (!needs_type && (is_number(e.type.name) || is_text(e.type.name)))
    e.type.of = 0;
  return e;
}

Expr mariadb_number(Expr e) {
  const Span at = e.at;
  if (is_number(e.type.name)) return e;
  if (is_null_constant(e)) return constant({}, kNumber, at);
  if (e.op == Op::Constant && e.value.kind() == Kind::Text)
    return constant(leading_number(e.value.text()), kNumber, at);
  if (e.type.name == TypeName::Boolean)
    return mysql::node(Op::Cast, kInteger, {std::move(e)}, at);
  return mariadb_plain(mysql::as_number(mariadb_operand(std::move(e))));
}

Expr mariadb_assigned(const Source& source, Expr e, Type to) {
  const Span at = e.at;
  if (e.type.name == TypeName::Boolean && !is_null_constant(e))
    e = mariadb_number(std::move(e));
  const bool is_said = is_null_constant(e) || e.op == Op::Variable;
  if (e.type.name == TypeName::Unknown ? is_said || says_value(e, to)
                                       : assigns(e.type, to))
    return assign(source, std::move(e), to);
  if (is_null_constant(e)) return constant({}, to, at);
  return mysql::assigned(mariadb_operand(std::move(e)), to, {}, at);
}

Expr mariadb_strict(Expr e) {
  divide_or_fail(e);
  return e;
}

Expr mariadb_condition(Expr e) {
  if (e.type.name == TypeName::Boolean) return e;
  return mysql::condition(mariadb_operand(std::move(e)));
}

Expr mariadb_cast(const Source& source, Expr e, Type to) {
  const Span at = e.at;
  if (is_null_constant(e)) return constant({}, to, at);
  const bool is_plain =
      (is_text(e.type.name) && is_text(to.name)) ||
      (is_integer(e.type.name) && to == Type{TypeName::BigInt}) ||
      (is_text_literal(e) &&
       (is_text(to.name) || (to.size == 0 && says_value(e, to))));
  if (is_plain) return cast(source, std::move(e), to);
  return mysql::cast(mariadb_operand(std::move(e)), to, at);
}

Type mariadb_match(std::vector<Expr>& all) {
  std::vector<Type> types;
  for (Expr& e : all) {
    e = mariadb_operand(std::move(e));
    types.push_back(e.type);
  }
  Type common = mysql::common_type(types);
  if (common.name == TypeName::Unknown) common = kText;
  for (Expr& e : all) e = mariadb_plain(mysql::converted(std::move(e), common));
  if (is_number(common.name) || is_text(common.name)) common.of = 0;
  return common;
}

}  // namespace txscope::sql
