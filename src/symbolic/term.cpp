#include "symbolic/term.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "exec/sql/value/cast.h"
#include "exec/sql/value/date.h"
#include "model/sql/enumeration.h"

namespace txscope::sql {

using smt::Term;

smt::Bounds range_of(TypeName type) {
  switch (type) {
    case TypeName::SmallInt: return {INT16_MIN, INT16_MAX};
    case TypeName::Integer: return {INT32_MIN, INT32_MAX};
    default: return {};
  }
}

unsigned scale_of(const Type& type) {
  return type.name == TypeName::Enum ? type.of : type.scale;
}

std::size_t longest(const Type& type) {
  return type.name == TypeName::Varchar && type.size > 0
             ? type.size
             : std::numeric_limits<std::size_t>::max();
}

SqlTerms::SqlTerms(smt::Terms& terms)
    : t(terms), cut(terms.boolean(false)), path(terms.boolean(true)) {}

namespace {

constexpr smt::Bounds kDays{-100000, 1000000};
constexpr std::int64_t kMicroseconds = 86'400'000'000;  // of a day

/// Values that are no integers and no texts have no terms; NULL needs none.
void check_kind(Kind kind) {
  if (kind == Kind::Float || kind == Kind::Interval || kind == Kind::Array ||
      kind == Kind::Range || kind == Kind::Row) {
    throw Unsupported{
        {}, "a value of a float, interval, array, range or composite type"};
  }
}

}  // namespace

Value label_of(unsigned type, std::int64_t position) {
  const auto of = static_cast<std::uint16_t>(type);
  const auto at = static_cast<std::uint32_t>(position);
  return Value::enumerated(of, at, enumeration(of).labels.at(at));
}

SqlTerm SqlTerms::constant(const Value& value) {
  check_kind(value.kind());
  SqlTerm out;
  out.null = t.boolean(value.is_null());
  out.kind = value.kind();
  switch (value.kind()) {
    case Kind::Null: out.value = t.integer(0); break;
    case Kind::Bool: out.value = t.boolean(value.is_true()); break;
    case Kind::Numeric:
      if (value.digits() > INT64_MAX || value.digits() < INT64_MIN) {
        throw Unsupported{{}, "a numeric with more than 18 digits"};
      }
      out.value = t.integer(static_cast<std::int64_t>(value.digits()));
      out.scale = value.scale();
      break;
    case Kind::Text:
      out.value = t.integer(texts_.number(value));
      out.length = value.text().size();
      break;
    case Kind::Enum:
      out.value = t.integer(value.integer());
      out.scale = value.scale();
      break;
    default: out.value = t.integer(value.integer()); break;
  }
  return out;
}

SqlTerm SqlTerms::null_of(Kind kind) {
  SqlTerm out;
  out.null = t.boolean(true);
  out.kind = kind;
  out.value = kind == Kind::Bool ? t.boolean(false) : t.integer(0);
  return out;
}

SqlTerm SqlTerms::boolean(Term value, Term null) {
  return {null, t.all_of({value, t.negation(null)}), Kind::Bool, 0, 0};
}

SqlTerm SqlTerms::integer(Term value) {
  return {t.boolean(false), value, Kind::Integer, 0, 0};
}

std::optional<Value> SqlTerms::value(const SqlTerm& a) const {
  if (t.is_true(a.null) || a.kind == Kind::Null) return Value();
  if (!t.is_false(a.null)) return std::nullopt;
  const auto known = t.value(a.value);
  if (!known) return std::nullopt;
  switch (a.kind) {
    case Kind::Null: return Value();
    case Kind::Bool: return Value::boolean(*known != 0);
    case Kind::Integer: return Value::integer(*known);
    case Kind::Numeric: return Value::numeric(*known, a.scale);
    case Kind::Date: return Value::date(*known);
    case Kind::Timestamp: return Value::timestamp(*known);
    case Kind::TimestampTz: return Value::timestamptz(*known);
    case Kind::Time: return Value::time(*known);
    case Kind::Text: return texts_.text(*known);
    case Kind::Enum: return label_of(a.scale, *known);
    default: break;  // check_kind() has refused them
  }
  return std::nullopt;
}

Term SqlTerms::is_true(const SqlTerm& a) {
  if (a.kind != Kind::Bool) return t.boolean(false);  // NULL
  return t.all_of({t.negation(a.null), a.value});
}

Term SqlTerms::is_false(const SqlTerm& a) {
  if (a.kind != Kind::Bool) return t.boolean(false);
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
  if (a.kind == Kind::Null) a = null_of(b.kind);
  if (b.kind == Kind::Null) b = null_of(a.kind);
  if (a.kind != b.kind) {
    a.kind = a.kind == Kind::Integer ? b.kind : a.kind;
    b.kind = b.kind == Kind::Integer ? a.kind : b.kind;
  }
  assert(a.kind == b.kind && "casts are explicit");
  if (a.kind == Kind::Enum) a.scale = b.scale = std::max(a.scale, b.scale);
  if (a.kind != Kind::Numeric) return;
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
  const Term less = x.kind == Kind::Bool
                        ? t.all_of({t.negation(x.value), y.value})
                        : t.less(x.value, y.value);
  return t.all_of({t.negation(x.null), t.negation(y.null), less});
}

SqlTerm SqlTerms::compare(Op op, const SqlTerm& a, const SqlTerm& b, Span at) {
  const Term null = t.any_of({a.null, b.null});
  switch (op) {
    case Op::Equal: return boolean(equal(a, b, at), null);
    case Op::NotEqual: return boolean(t.negation(equal(a, b, at)), null);
    case Op::Less: return boolean(less(a, b, at), null);
    case Op::LessEqual: return boolean(t.negation(less(b, a, at)), null);
    case Op::Greater: return boolean(less(b, a, at), null);
    default: return boolean(t.negation(less(a, b, at)), null);
  }
}

void SqlTerms::check_range(const SqlTerm& a, TypeName type) {
  if (t.is_unbounded()) return;
  const smt::Bounds range = range_of(type);
  const auto low = t.integer(static_cast<std::int64_t>(range.low));
  const auto high = t.integer(static_cast<std::int64_t>(range.high));
  fail_if(t.all_of({t.negation(a.null),
                    t.any_of({t.less(a.value, low), t.less(high, a.value)})}),
          "22003");
}

SqlTerm SqlTerms::arithmetic(const Expr& e, const SqlTerm& a,
                             const SqlTerm& b) {
  const Kind kind = kind_of(e.type.name);
  check_kind(kind);
  const bool is_integer = kind == Kind::Integer;
  SqlTerm x = a;
  SqlTerm y = b;
  SqlTerm out = null_of(kind);
  out.null = t.any_of({a.null, b.null});
  if (t.is_true(out.null)) return out;
  if (kind == Kind::Date && (e.op == Op::Add || e.op == Op::Subtract)) {
    out.value = e.op == Op::Add ? t.add(x.value, y.value)
                                : t.subtract(x.value, y.value);
    const Term first = t.integer(kFirstDay);
    const Term last = t.integer(kLastDay);
    fail_if(
        t.all_of({t.negation(out.null), t.any_of({t.less(out.value, first),
                                                  t.less(last, out.value)})}),
        "22008");
    return out;
  }
  if (!is_integer && kind != Kind::Numeric) {
    throw Unsupported{e.at, "arithmetic on times"};
  }
  if (e.op == Op::Add || e.op == Op::Subtract) {
    align(x, y);
    out.scale = x.scale;
    out.value = e.op == Op::Add ? t.add(x.value, y.value)
                                : t.subtract(x.value, y.value);
  } else if (e.op == Op::Multiply) {
    out.scale = x.scale + y.scale;
    out.value = t.multiply(x.value, y.value);
  } else {
    if (!is_integer) throw Unsupported{e.at, "division of numerics"};
    fail_if(t.all_of({t.negation(out.null), t.equal(y.value, t.integer(0))}),
            "22012");
    if (t.value(y.value) == 0) return out;
    out.value = e.op == Op::Divide ? t.divide(x.value, y.value)
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

SqlTerm SqlTerms::rounded(Op op, const SqlTerm& a, Span at) {
  if (op == Op::Round || a.scale == 0) return rescaled(a, 0, at);
  SqlTerm out = a;
  const Term unit = power(a.scale, at);
  const Term whole = t.divide(a.value, unit);  // towards zero
  const Term rest = t.remainder(a.value, unit);
  const Term zero = t.integer(0);
  const Term one = t.integer(1);
  out.value = op == Op::Floor
                  ? t.choose(t.less(rest, zero), t.subtract(whole, one), whole)
                  : t.choose(t.less(zero, rest), t.add(whole, one), whole);
  out.scale = 0;
  return out;
}

SqlTerm SqlTerms::cast(const SqlTerm& a, const Type& to, bool is_assignment,
                       Span at) {
  const Kind kind = kind_of(to.name);
  if (a.kind == Kind::Null) return null_of(kind);
  check_kind(kind);
  if (a.kind == Kind::Integer && kind == Kind::Integer) {
    check_range(a, to.name);
    return a;
  }
  if (kind == Kind::Numeric &&
      (a.kind == Kind::Integer || a.kind == Kind::Numeric)) {
    SqlTerm out = a;
    out.kind = Kind::Numeric;
    if (to.size == 0) return out;
    out = rescaled(out, to.scale, at);
    const Term most = power(to.size, at);
    fail_if(t.all_of({t.negation(out.null),
                      t.any_of({t.less_equal(most, out.value),
                                t.less_equal(out.value, t.negate(most))})}),
            "22003");
    return out;
  }
  if (a.kind == Kind::Numeric && kind == Kind::Integer) {
    SqlTerm out = rescaled(a, 0, at);
    out.kind = Kind::Integer;
    check_range(out, to.name);
    return out;
  }
  if (a.kind == kind && kind != Kind::Text) return a;
  if (a.kind == Kind::Text && kind == Kind::Text) {
    if (a.length <= longest(to)) return a;
  }
  if (const auto known = value(a)) {
    Halt halt;
    const Value converted = sql::cast(
        *known, to,
        is_assignment ? CastContext::Assignment : CastContext::Explicit, halt);
    if (!halt.is_error()) return constant(converted);
    if (halt.error().is_ours) throw Unsupported{at, halt.error().message};
    fail_if(t.boolean(true), halt.error().sqlstate);
    return null_of(kind);
  }
  if (const auto time = as_time(a, to)) return *time;
  if (a.kind == Kind::Text && to.name == TypeName::Varchar && is_assignment) {
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
  (void)texts_.number(Value::text(""));  // what has no characters
  lengths_.compute();
  SqlTerm out = integer(lengths_.of(t, texts_, text.value));
  out.null = text.null;
  return out;
}

SqlTerm SqlTerms::any_text(const std::string& name) {
  return {t.boolean(false), t.unknown(name, smt::Bounds{}), Kind::Text, 0,
          std::numeric_limits<std::size_t>::max()};
}

SqlTerm SqlTerms::unknown(const std::string& name, const Type& type, Term null,
                          Span at) {
  SqlTerm out;
  out.null = null;
  out.kind = kind_of(type.name);
  switch (out.kind) {
    case Kind::Bool: out.value = t.unknown(name); break;
    case Kind::Integer:
      out.value = t.unknown(
          name, t.is_unbounded() ? smt::Bounds{} : range_of(type.name));
      break;
    case Kind::Numeric: {
      const bool is_known = type.size > 0 && type.size <= 18;
      has_open_numerics |= !is_known;
      out.scale = type.size > 0 ? type.scale : open_scale;
      const unsigned digits = is_known ? type.size : kOpenDigits;
      const auto most = *t.value(power(digits, at)) - 1;
      out.value = t.unknown(name, {-most, most});
      break;
    }
    case Kind::Date: out.value = t.unknown(name, kDays); break;
    case Kind::Timestamp:
    case Kind::TimestampTz:
      out.value = t.unknown(
          name, {kDays.low * kMicroseconds, kDays.high * kMicroseconds});
      break;
    case Kind::Time: out.value = t.unknown(name, {0, kMicroseconds}); break;
    case Kind::Enum:
      out.scale = type.of;
      out.value = t.unknown(
          name,
          {0,
           static_cast<std::int64_t>(enumeration(type.of).labels.size()) - 1});
      break;
    case Kind::Text:  // equal to a constant, or a text of its own
      out.value = t.unknown(name, {-TextOrder::kMost, TextOrder::kMost});
      out.length = longest(type);
      break;
    default: throw Unsupported{at, "an open value of type " + to_string(type)};
  }
  return out;
}

}  // namespace txscope::sql
