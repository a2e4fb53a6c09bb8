#include "symbolic/value/term.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "exec/sql/value/cast.h"
#include "exec/sql/value/date.h"
#include "model/sql/value/enumeration.h"

namespace txscope::symbolic {

using smt::Term;

smt::Bounds range_of(sql::TypeName type) {
  switch (type) {
    case sql::TypeName::SmallInt: return {INT16_MIN, INT16_MAX};
    case sql::TypeName::Integer: return {INT32_MIN, INT32_MAX};
    default: return {};
  }
}

unsigned scale_of(const sql::Type& type) {
  return type.name == sql::TypeName::Enum ? type.of : type.scale;
}

std::size_t longest(const sql::Type& type) {
  return type.name == sql::TypeName::Varchar && type.size > 0
             ? type.size
             : std::numeric_limits<std::size_t>::max();
}

SqlTerms::SqlTerms(smt::Terms& terms)
    : t(terms), cut(terms.boolean(false)), path(terms.boolean(true)) {}

namespace {

constexpr smt::Bounds kDays{-100000, 1000000};
constexpr std::int64_t kMicroseconds = 86'400'000'000;  // of a day

/// Values that are no integers and no texts have no terms; NULL needs none.
void check_kind(sql::Kind kind) {
  if (kind == sql::Kind::Float || kind == sql::Kind::Interval ||
      kind == sql::Kind::Array || kind == sql::Kind::Range ||
      kind == sql::Kind::Row) {
    throw Unsupported{
        {}, "a value of a float, interval, array, range or composite type"};
  }
}

}  // namespace

sql::Value label_of(unsigned type, std::int64_t position) {
  const auto of = static_cast<std::uint16_t>(type);
  const auto at = static_cast<std::uint32_t>(position);
  return sql::Value::enumerated(of, at, sql::enumeration(of).labels.at(at));
}

SqlTerm SqlTerms::constant(const sql::Value& value) {
  check_kind(value.kind());
  SqlTerm out;
  out.null = t.boolean(value.is_null());
  out.kind = value.kind();
  switch (value.kind()) {
    case sql::Kind::Null: out.value = t.integer(0); break;
    case sql::Kind::Bool: out.value = t.boolean(value.is_true()); break;
    case sql::Kind::Numeric:
      if (value.digits() > INT64_MAX || value.digits() < INT64_MIN) {
        throw Unsupported{{}, "a numeric with more than 18 digits"};
      }
      out.value = t.integer(static_cast<std::int64_t>(value.digits()));
      out.scale = value.scale();
      break;
    case sql::Kind::Text:
      out.value = t.integer(texts_.number(value));
      out.length = value.text().size();
      break;
    case sql::Kind::Enum:
      out.value = t.integer(value.integer());
      out.scale = value.scale();
      break;
    default: out.value = t.integer(value.integer()); break;
  }
  return out;
}

SqlTerm SqlTerms::null_of(sql::Kind kind) {
  SqlTerm out;
  out.null = t.boolean(true);
  out.kind = kind;
  out.value = kind == sql::Kind::Bool ? t.boolean(false) : t.integer(0);
  return out;
}

SqlTerm SqlTerms::boolean(Term value, Term null) {
  return {null, t.all_of({value, t.negation(null)}), sql::Kind::Bool, 0, 0};
}

SqlTerm SqlTerms::integer(Term value) {
  return {t.boolean(false), value, sql::Kind::Integer, 0, 0};
}

std::optional<sql::Value> SqlTerms::value(const SqlTerm& a) const {
  if (t.is_true(a.null) || a.kind == sql::Kind::Null) return sql::Value();
  if (!t.is_false(a.null)) return std::nullopt;
  const auto known = t.value(a.value);
  if (!known) return std::nullopt;
  switch (a.kind) {
    case sql::Kind::Null: return sql::Value();
    case sql::Kind::Bool: return sql::Value::boolean(*known != 0);
    case sql::Kind::Integer: return sql::Value::integer(*known);
    case sql::Kind::Numeric: return sql::Value::numeric(*known, a.scale);
    case sql::Kind::Date: return sql::Value::date(*known);
    case sql::Kind::Timestamp: return sql::Value::timestamp(*known);
    case sql::Kind::TimestampTz: return sql::Value::timestamptz(*known);
    case sql::Kind::Time: return sql::Value::time(*known);
    case sql::Kind::Text: return texts_.text(*known);
    case sql::Kind::Enum: return label_of(a.scale, *known);
    default: break;  // check_kind() has refused them
  }
  return std::nullopt;
}

Term SqlTerms::is_true(const SqlTerm& a) {
  if (a.kind != sql::Kind::Bool) return t.boolean(false);  // NULL
  return t.all_of({t.negation(a.null), a.value});
}

Term SqlTerms::is_false(const SqlTerm& a) {
  if (a.kind != sql::Kind::Bool) return t.boolean(false);
  return t.all_of({t.negation(a.null), t.negation(a.value)});
}

Term SqlTerms::power(unsigned exponent, Span at) {
  if (exponent > 18) throw Unsupported{at, "a numeric with so many digits"};
  std::int64_t ten = 1;
  for (unsigned i = 0; i < exponent; ++i) ten *= 10;
  return t.integer(ten);
}

/// NULLs take the other's kind, integers become numerics, scales the larger.
void SqlTerms::align(SqlTerm& a, SqlTerm& b) {
  if (a.kind == sql::Kind::Null) a = null_of(b.kind);
  if (b.kind == sql::Kind::Null) b = null_of(a.kind);
  if (a.kind != b.kind) {
    a.kind = a.kind == sql::Kind::Integer ? b.kind : a.kind;
    b.kind = b.kind == sql::Kind::Integer ? a.kind : b.kind;
  }
  assert(a.kind == b.kind && "casts are explicit");
  if (a.kind == sql::Kind::Enum) a.scale = b.scale = std::max(a.scale, b.scale);
  if (a.kind != sql::Kind::Numeric) return;
  const unsigned scale = std::max(a.scale, b.scale);
  for (SqlTerm* x : {&a, &b}) {
    if (x->scale == scale) continue;
    x->value = t.multiply(x->value, power(scale - x->scale, {}));
    x->scale = scale;
  }
}

SqlTerm SqlTerms::choose(Term condition, SqlTerm then, SqlTerm otherwise) {
  if (t.is_true(condition)) return then;
  if (t.is_false(condition)) return otherwise;
  align(then, otherwise);
  return {t.choose(condition, then.null, otherwise.null),
          t.choose(condition, then.value, otherwise.value), then.kind,
          then.scale, std::max(then.length, otherwise.length)};
}

Term SqlTerms::equal(const SqlTerm& a, const SqlTerm& b, Span) {
  SqlTerm x = a;
  SqlTerm y = b;
  align(x, y);
  return t.all_of(
      {t.negation(x.null), t.negation(y.null), t.equal(x.value, y.value)});
}

Term SqlTerms::same(const SqlTerm& a, const SqlTerm& b, Span at) {
  return t.any_of({t.all_of({a.null, b.null}), equal(a, b, at)});
}

Term SqlTerms::less(const SqlTerm& a, const SqlTerm& b, Span) {
  SqlTerm x = a;
  SqlTerm y = b;
  align(x, y);
  const Term less = x.kind == sql::Kind::Bool
                        ? t.all_of({t.negation(x.value), y.value})
                        : t.less(x.value, y.value);
  return t.all_of({t.negation(x.null), t.negation(y.null), less});
}

SqlTerm SqlTerms::compare(sql::Op op, const SqlTerm& a, const SqlTerm& b,
                          Span at) {
  const Term null = t.any_of({a.null, b.null});
  switch (op) {
    case sql::Op::Equal: return boolean(equal(a, b, at), null);
    case sql::Op::NotEqual: return boolean(t.negation(equal(a, b, at)), null);
    case sql::Op::Less: return boolean(less(a, b, at), null);
    case sql::Op::LessEqual: return boolean(t.negation(less(b, a, at)), null);
    case sql::Op::Greater: return boolean(less(b, a, at), null);
    default: return boolean(t.negation(less(a, b, at)), null);
  }
}

void SqlTerms::check_range(const SqlTerm& a, sql::TypeName type) {
  if (t.is_unbounded()) return;
  const smt::Bounds range = range_of(type);
  const auto low = t.integer(static_cast<std::int64_t>(range.low));
  const auto high = t.integer(static_cast<std::int64_t>(range.high));
  fail_if(t.all_of({t.negation(a.null),
                    t.any_of({t.less(a.value, low), t.less(high, a.value)})}),
          "22003");
}

SqlTerm SqlTerms::arithmetic(const sql::Expr& e, const SqlTerm& a,
                             const SqlTerm& b) {
  const sql::Kind kind = kind_of(e.type.name);
  check_kind(kind);
  const bool is_integer = kind == sql::Kind::Integer;
  SqlTerm x = a;
  SqlTerm y = b;
  SqlTerm out = null_of(kind);
  out.null = t.any_of({a.null, b.null});
  if (t.is_true(out.null)) return out;
  if (kind == sql::Kind::Date &&
      (e.op == sql::Op::Add || e.op == sql::Op::Subtract)) {
    out.value = e.op == sql::Op::Add ? t.add(x.value, y.value)
                                     : t.subtract(x.value, y.value);
    const Term first = t.integer(sql::kFirstDay);
    const Term last = t.integer(sql::kLastDay);
    fail_if(
        t.all_of({t.negation(out.null), t.any_of({t.less(out.value, first),
                                                  t.less(last, out.value)})}),
        "22008");
    return out;
  }
  if (!is_integer && kind != sql::Kind::Numeric) {
    throw Unsupported{e.at, "arithmetic on times"};
  }
  if (e.op == sql::Op::Add || e.op == sql::Op::Subtract) {
    align(x, y);
    out.scale = x.scale;
    out.value = e.op == sql::Op::Add ? t.add(x.value, y.value)
                                     : t.subtract(x.value, y.value);
  } else if (e.op == sql::Op::Multiply) {
    out.scale = x.scale + y.scale;
    out.value = t.multiply(x.value, y.value);
  } else {
    if (!is_integer) throw Unsupported{e.at, "division of numerics"};
    fail_if(t.all_of({t.negation(out.null), t.equal(y.value, t.integer(0))}),
            "22012");
    if (t.value(y.value) == 0) return out;
    out.value = e.op == sql::Op::Divide ? t.divide(x.value, y.value)
                                        : t.remainder(x.value, y.value);
  }
  if (is_integer) check_range(out, e.type.name);
  return out;
}

/// Rounds half away from zero.
SqlTerm SqlTerms::rescaled(SqlTerm a, unsigned scale, Span at) {
  if (scale >= a.scale) {
    a.value = t.multiply(a.value, power(scale - a.scale, at));
  } else {
    const Term unit = power(a.scale - scale, at);
    const Term half = t.divide(unit, t.integer(2));
    const Term up = t.choose(t.less(a.value, t.integer(0)),
                             t.subtract(a.value, half), t.add(a.value, half));
    a.value = t.divide(up, unit);
  }
  a.scale = scale;
  return a;
}

SqlTerm SqlTerms::rounded(sql::Op op, const SqlTerm& a, Span at) {
  if (op == sql::Op::Round || a.scale == 0) return rescaled(a, 0, at);
  SqlTerm out = a;
  const Term unit = power(a.scale, at);
  const Term whole = t.divide(a.value, unit);  // towards zero
  const Term rest = t.remainder(a.value, unit);
  const Term zero = t.integer(0);
  const Term one = t.integer(1);
  out.value = op == sql::Op::Floor
                  ? t.choose(t.less(rest, zero), t.subtract(whole, one), whole)
                  : t.choose(t.less(zero, rest), t.add(whole, one), whole);
  out.scale = 0;
  return out;
}

SqlTerm SqlTerms::cast(const SqlTerm& a, const sql::Type& to,
                       bool is_assignment, Span at) {
  const sql::Kind kind = kind_of(to.name);
  if (a.kind == sql::Kind::Null) return null_of(kind);
  check_kind(kind);
  if (a.kind == sql::Kind::Integer && kind == sql::Kind::Integer) {
    check_range(a, to.name);
    return a;
  }
  if (kind == sql::Kind::Numeric &&
      (a.kind == sql::Kind::Integer || a.kind == sql::Kind::Numeric)) {
    SqlTerm out = a;
    out.kind = sql::Kind::Numeric;
    if (to.size == 0) return out;
    out = rescaled(out, to.scale, at);
    const Term most = power(to.size, at);
    fail_if(t.all_of({t.negation(out.null),
                      t.any_of({t.less_equal(most, out.value),
                                t.less_equal(out.value, t.negate(most))})}),
            "22003");
    return out;
  }
  if (a.kind == sql::Kind::Numeric && kind == sql::Kind::Integer) {
    SqlTerm out = rescaled(a, 0, at);
    out.kind = sql::Kind::Integer;
    check_range(out, to.name);
    return out;
  }
  if (a.kind == kind && kind != sql::Kind::Text) return a;
  if (a.kind == sql::Kind::Text && kind == sql::Kind::Text) {
    if (a.length <= longest(to)) return a;
  }
  if (const auto known = value(a)) {
    sql::Halt halt;
    const sql::Value converted =
        sql::cast(*known, to,
                  is_assignment ? sql::CastContext::Assignment
                                : sql::CastContext::Explicit,
                  halt);
    if (!halt.is_error()) return constant(converted);
    if (halt.error().is_ours) throw Unsupported{at, halt.error().message};
    fail_if(t.boolean(true), halt.error().sqlstate);
    return null_of(kind);
  }
  if (const auto time = as_time(a, to)) return *time;
  if (a.kind == sql::Kind::Text && to.name == sql::TypeName::Varchar &&
      is_assignment) {
    SqlTerm out = a;
    out.length = longest(to);
    lengths_.compare_with(out.length);
    const Term most = t.integer(static_cast<std::int64_t>(out.length));
    fail_if(t.all_of({t.negation(a.null),
                      t.less(most, lengths_.of(t, texts_, a.value))}),
            "22001");
    return out;
  }
  throw Unsupported{at, "a cast to " + to_string(to)};
}

SqlTerm SqlTerms::length(const SqlTerm& text) {
  (void)texts_.number(sql::Value::text(""));  // what has no characters
  lengths_.compute();
  SqlTerm out = integer(lengths_.of(t, texts_, text.value));
  out.null = text.null;
  return out;
}

SqlTerm SqlTerms::any_text(const std::string& name) {
  return {t.boolean(false), t.unknown(name, smt::Bounds{}), sql::Kind::Text, 0,
          std::numeric_limits<std::size_t>::max()};
}

SqlTerm SqlTerms::unknown(const std::string& name, const sql::Type& type,
                          Term null, Span at) {
  SqlTerm out;
  out.null = null;
  out.kind = kind_of(type.name);
  switch (out.kind) {
    case sql::Kind::Bool: out.value = t.unknown(name); break;
    case sql::Kind::Integer:
      out.value = t.unknown(
          name, t.is_unbounded() ? smt::Bounds{} : range_of(type.name));
      break;
    case sql::Kind::Numeric: {
      const bool is_known = type.size > 0 && type.size <= 18;
      has_open_numerics |= !is_known;
      out.scale = type.size > 0 ? type.scale : open_scale;
      const unsigned digits = is_known ? type.size : kOpenDigits;
      const auto most = *t.value(power(digits, at)) - 1;
      out.value = t.unknown(name, {-most, most});
      break;
    }
    case sql::Kind::Date: out.value = t.unknown(name, kDays); break;
    case sql::Kind::Timestamp:
    case sql::Kind::TimestampTz:
      out.value = t.unknown(
          name, {kDays.low * kMicroseconds, kDays.high * kMicroseconds});
      break;
    case sql::Kind::Time:
      out.value = t.unknown(name, {0, kMicroseconds});
      break;
    case sql::Kind::Enum:
      out.scale = type.of;
      out.value =
          t.unknown(name, {0, static_cast<std::int64_t>(
                                  sql::enumeration(type.of).labels.size()) -
                                  1});
      break;
    case sql::Kind::Text:  // equal to a constant, or a text of its own
      out.value = t.unknown(name, {-TextOrder::kMost, TextOrder::kMost});
      out.length = longest(type);
      break;
    default: throw Unsupported{at, "an open value of type " + to_string(type)};
  }
  return out;
}

}  // namespace txscope::symbolic
