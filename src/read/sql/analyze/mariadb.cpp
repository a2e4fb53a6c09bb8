#include "read/sql/analyze/mariadb.h"

#include <algorithm>
#include <utility>

#include "model/sql/mysql/node.h"
#include "model/sql/mysql/typing.h"
#include "model/sql/value/leading_number.h"
#include "model/sql/value/parse_value.h"
#include "read/sql/mysql/state.h"

namespace txscope::sql {
namespace {

constexpr Type kNumber{TypeName::Numeric, 0, 0};

bool is_null_constant(const Expr& e) {
  return e.op == Op::Constant && e.value.is_null();
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

bool is_strict_at(const Source& source, Span at) {
  const MysqlState* state = source.mysql();
  return state == nullptr || state->modes_at(at.offset).is_strict;
}

/// In what a strict statement writes it is an error to divide by 0, and to take
/// a text for a number that is none.
void compute_or_fail(Expr& e) {
  for (Expr& arg : e.args) {
    // The constants of a list are converted beforehand.
    if (e.op != Op::InList || &arg == e.args.data()) compute_or_fail(arg);
  }
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
    case Function::Convert:
    case Function::Compared:
      if (is_number(e.type.name) &&
          mysql::sort_of(e.args[0].type) == mysql::Sort::Text)
        e.index = static_cast<std::uint32_t>(Function::ConvertOrFail);
      break;
    default: break;
  }
}

}  // namespace

bool is_text_literal(const Expr& e) {
  return e.op == Op::Constant && e.type.name == TypeName::Unknown &&
         e.value.kind() == Kind::Text;
}

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
  const bool is_open = e.type.name == TypeName::Unknown &&
                       (e.op == Op::Variable || is_text_literal(e));
  if (is_open) {
    e.type = mysql::text_type();
    return collated(std::move(e), kGeneralCi);
  }
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
  if (!needs_type && is_number(e.type.name)) e.type.of = 0;
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

Expr collated(Expr e, std::uint16_t collation) {
  if (e.op == Op::Constant && e.value.kind() == Kind::Text)
    e.value = e.value.collated(collation);
  e.type.of = collation;
  return e;
}

namespace {

/// A text as a column or a variable of that type has it: compared as all
/// others there.
Expr in_collation_of(Expr e, const Type& to, Type from) {
  if (!is_text(to.name) || to.of == kNoCollation || !is_text(e.type.name))
    return e;
  const bool is_so = is_text(from.name) && from.of == to.of;
  if (e.op == Op::Constant || is_so || e.op == Op::Cast)
    return collated(std::move(e), to.of);
  const Span at = e.at;
  return mysql::node(Op::Cast, to, {std::move(e)}, at);
}

}  // namespace

Expr mariadb_assigned(const Source& source, Expr e, Type to) {
  const Span at = e.at;
  if (e.type.name == TypeName::Boolean && !is_null_constant(e))
    e = mariadb_number(std::move(e));
  if (!is_strict_at(source, at) && !is_null_constant(e) && e.type != to)
    return mysql::assigned(mariadb_operand(std::move(e)), to, {false}, at);
  const bool is_said = is_null_constant(e) || e.op == Op::Variable;
  if (e.type.name == TypeName::Unknown ? is_said || says_value(e, to)
                                       : assigns(e.type, to)) {
    const Type from = e.type;
    return in_collation_of(assign(source, std::move(e), to), to, from);
  }
  if (is_null_constant(e)) return constant({}, to, at);
  return mysql::assigned(mariadb_operand(std::move(e)), to, {}, at);
}

Expr mariadb_strict(const Source& source, Expr e) {
  if (is_strict_at(source, e.at)) compute_or_fail(e);
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
  if (is_plain && !is_text(to.name)) return cast(source, std::move(e), to);
  if (is_plain && to.size == 0 && e.op == Op::Constant)
    return collated(cast(source, std::move(e), to), to.of);
  return mysql::cast(mariadb_operand(std::move(e)), to, at);
}

Type mariadb_match(std::vector<Expr>& all) {
  std::vector<Type> types;
  for (Expr& e : all) {
    e = mariadb_operand(std::move(e));
    types.push_back(e.type);
  }
  Type common = mysql::common_type(types);
  if (common.name == TypeName::Unknown) common = mysql::text_type();
  for (Expr& e : all) e = mariadb_plain(mysql::converted(std::move(e), common));
  if (is_number(common.name)) common.of = 0;
  return common;
}

}  // namespace txscope::sql
