#include "read/sql/types.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/suggest.h"
#include "model/sql/parse_value.h"
#include "read/utf8.h"

namespace txscope::sql {
namespace {

constexpr std::array<std::pair<std::string_view, TypeName>, 14> kTypes = {{
    {"bool", TypeName::Boolean},
    {"boolean", TypeName::Boolean},
    {"int2", TypeName::SmallInt},
    {"smallint", TypeName::SmallInt},
    {"int4", TypeName::Integer},
    {"int", TypeName::Integer},
    {"integer", TypeName::Integer},
    {"int8", TypeName::BigInt},
    {"bigint", TypeName::BigInt},
    {"numeric", TypeName::Numeric},
    {"text", TypeName::Text},
    {"varchar", TypeName::Varchar},
    {"date", TypeName::Date},
    {"timestamp", TypeName::Timestamp},
}};

constexpr std::string_view kKnownTypes =
    "txscope knows smallint, integer, bigint, numeric, boolean, text, varchar, "
    "date, timestamp, and serial or identity columns";

/// Types that PostgreSQL has, by its internal names, as users call them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18>
    kForeignTypes = {{
        {"bpchar", "character(n)"},
        {"float4", "real"},
        {"float8", "double precision"},
        {"timestamptz", "timestamp with time zone"},
        {"time", "time"},
        {"timetz", "time with time zone"},
        {"interval", "interval"},
        {"json", "json"},
        {"jsonb", "jsonb"},
        {"uuid", "uuid"},
        {"bytea", "bytea"},
        {"money", "money"},
        {"bit", "bit"},
        {"varbit", "bit varying"},
        {"name", "name"},
        {"oid", "oid"},
        {"xml", "xml"},
        {"record", "record"},
    }};

std::string hint_for(std::string_view name) {
  if (name == "float4" || name == "float8") {
    return "use numeric, which is exact";
  }
  if (name == "bpchar") return "use varchar(n) or text";
  if (name == "timestamptz") return "use timestamp without time zone";
  if (name == "money") return "use numeric(12,2)";
  return std::string(kKnownTypes);
}

std::uint16_t modifier(const Tree& tree, const PgQuery__TypeName& type,
                       std::size_t i, std::int32_t most) {
  const Node& node = *type.typmods[i];
  const bool is_integer_constant =
      node.node_case == PG_QUERY__NODE__NODE_A_CONST &&
      node.a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL;
  const std::int32_t value =
      is_integer_constant ? node.a_const->ival->ival : -1;
  if (value < 0 || value > most) {
    tree.source().fail(tree.at(type.location),
                       "the size of this type is out of range",
                       "at most " + std::to_string(most));
  }
  return static_cast<std::uint16_t>(value);
}

/// Whether a value of `from` may have to change, or to be refused, in `to`.
bool needs_cast(Type from, Type to) {
  if (kind_of(from.name) != kind_of(to.name)) return true;
  if (is_integer(to.name)) return from.name > to.name;  // in order of width
  if (to.size == 0) return false;
  if (to.name == TypeName::Varchar) {
    return from.name != TypeName::Varchar || from.size == 0 ||
           from.size > to.size;
  }
  return to.name == TypeName::Numeric && from != to;
}

bool fits_in(const Value& value, Type type) {
  if (value.is_null()) return true;
  if (value.kind() == Kind::Integer) return fits(value.integer(), type.name);
  if (type.name == TypeName::Varchar && type.size != 0) {
    return utf8::length(value.text()) <= type.size;
  }
  return type.name != TypeName::Numeric || type.size == 0;
}

bool is_literal(const Expr& e) {
  return e.op == Op::Constant && e.type.name == TypeName::Unknown;
}

/// 'abc' or NULL as a value of the type.
Expr literal(const Source& source, Expr e, Type to) {
  if (!e.value.is_null()) {
    const auto value = parse_value(e.value.text(), to.name);
    if (!value) {
      std::string hint;
      if (to.name == TypeName::Date) hint = "write dates as 'YYYY-MM-DD'";
      if (to.name == TypeName::Timestamp) {
        hint = "write timestamps as 'YYYY-MM-DD HH:MM:SS'";
      }
      source.fail(
          e.at,
          "'" + e.value.text() + "' is no " + to_string(Type{to.name, 0, 0}),
          hint);
    }
    e.value = *value;
  }
  e.type = {to.name, 0, 0};
  return e;
}

Expr make_cast(Expr e, Type to, bool is_assignment) {
  Expr all;
  all.op = Op::Cast;
  all.type = to;
  all.index = is_assignment ? 1 : 0;
  all.at = e.at;
  all.args.push_back(std::move(e));
  return all;
}

Expr changed(const Source& source, Expr e, Type to, bool is_assignment) {
  if (is_literal(e)) e = literal(source, std::move(e), to);
  if (e.op == Op::Constant) {
    if (e.value.kind() == Kind::Integer && to.name == TypeName::Numeric &&
        to.size == 0) {
      e.value = Value::numeric(e.value.integer(), 0);
      e.type = to;
      return e;
    }
    const bool is_same_kind =
        e.value.is_null() || e.value.kind() == kind_of(to.name);
    if (is_same_kind && fits_in(e.value, to)) {
      e.type = to;
      return e;
    }
  }
  // A parameter has whatever value it is given.
  const bool is_open = e.op == Op::Variable && e.type.name == TypeName::Unknown;
  if (!is_open && !needs_cast(e.type, to)) return e;
  return make_cast(std::move(e), to, is_assignment);
}

}  // namespace

bool is_integer(TypeName type) {
  return type == TypeName::SmallInt || type == TypeName::Integer ||
         type == TypeName::BigInt;
}
bool is_number(TypeName type) {
  return is_integer(type) || type == TypeName::Numeric;
}
bool is_text(TypeName type) {
  return type == TypeName::Text || type == TypeName::Varchar;
}
bool is_time(TypeName type) {
  return type == TypeName::Date || type == TypeName::Timestamp;
}

std::optional<TypeName> serial_type(const PgQuery__TypeName& type) {
  if (type.n_names != 1 || type.pct_type || type.n_array_bounds > 0) {
    return std::nullopt;
  }
  const std::string_view name = string_of(type.names[0]);
  if (name == "serial" || name == "serial4") return TypeName::Integer;
  if (name == "bigserial" || name == "serial8") return TypeName::BigInt;
  if (name == "smallserial" || name == "serial2") return TypeName::SmallInt;
  return std::nullopt;
}

Type read_type(const Tree& tree, const PgQuery__TypeName& type) {
  const Source& source = tree.source();
  const Span at = tree.at(type.location);
  if (type.n_array_bounds > 0) {
    source.unsupported(at, "arrays are", std::string(kKnownTypes));
  }
  if (type.setof) source.unsupported(at, "sets as results (SETOF) are");
  const std::string_view name = string_of(type.names[type.n_names - 1]);
  const bool is_qualified =
      type.n_names > 1 && string_of(type.names[0]) != "pg_catalog";
  if (type.pct_type || is_qualified || type.n_names > 2) {
    source.unsupported(at, "a type of this form is", std::string(kKnownTypes));
  }
  for (const auto& [known, which] : kTypes) {
    if (name != known) continue;
    Type result{which, 0, 0};
    if (type.n_typmods == 0) return result;
    if (which == TypeName::Varchar) {
      result.size = modifier(tree, type, 0, 60000);
      if (result.size == 0)
        source.fail(at, "a varchar has 1 character or more");
    } else if (which == TypeName::Numeric) {
      result.size = modifier(tree, type, 0, 38);
      if (result.size == 0) source.fail(at, "a numeric has 1 digit or more");
      if (type.n_typmods > 1) result.scale = modifier(tree, type, 1, 38);
    } else {
      source.unsupported(at, "a precision for this type is");
    }
    return result;
  }
  if (name == "void") return {TypeName::Void, 0, 0};
  if (serial_type(type)) {
    source.fail(at, "type '" + std::string(name) + "' is for columns only",
                "use integer");
  }
  for (const auto& [known, shown] : kForeignTypes) {
    if (name == known) {
      source.unsupported(at, "the type " + std::string(shown) + " is",
                         hint_for(name));
    }
  }
  std::vector<std::string> names;
  for (const auto& [known, which] : kTypes) names.emplace_back(known);
  std::string hint = suggestion(name, names);
  if (hint.empty()) hint = kKnownTypes;
  source.fail(at, "unknown type '" + std::string(name) + "'", hint);
}

bool converts(TypeName from, TypeName to) {
  if (from == to || from == TypeName::Unknown) return true;
  if (is_number(from) && is_number(to)) return from < to;
  if (is_text(from) && is_text(to)) return true;
  return from == TypeName::Date && to == TypeName::Timestamp;
}

bool assigns(TypeName from, TypeName to) {
  if (converts(from, to)) return true;
  if (is_number(from) && is_number(to)) return true;
  if (is_text(to)) return from != TypeName::Void;
  return from == TypeName::Timestamp && to == TypeName::Date;
}

bool casts(TypeName from, TypeName to) {
  if (assigns(from, to)) return true;
  if (is_text(from)) return to != TypeName::Void;
  return (from == TypeName::Integer && to == TypeName::Boolean) ||
         (from == TypeName::Boolean && to == TypeName::Integer);
}

std::optional<TypeName> combined_type(TypeName so_far, TypeName next) {
  if (next == TypeName::Unknown || next == so_far) return so_far;
  if (so_far == TypeName::Unknown) return next;
  const bool is_same_category = (is_number(so_far) && is_number(next)) ||
                                (is_text(so_far) && is_text(next)) ||
                                (is_time(so_far) && is_time(next));
  if (!is_same_category) return std::nullopt;
  // The first stays unless it converts to the next and not the other way
  // round.
  return converts(so_far, next) && !converts(next, so_far) ? next : so_far;
}

Expr convert(const Source& source, Expr e, Type to) {
  return changed(source, std::move(e), to, false);
}

Expr cast(const Source& source, Expr e, Type to) {
  Expr result = changed(source, std::move(e), to, false);
  // Even if no value changes: what is computed with it has another type.
  if (result.type == to) return result;
  return make_cast(std::move(result), to, false);
}

Expr assign(const Source& source, Expr e, Type to) {
  return changed(source, std::move(e), to, true);
}

Expr decided(const Source& source, Expr e) {
  if (e.type.name != TypeName::Unknown) return e;
  // A parameter stays what it is given as.
  if (e.op == Op::Variable) return e;
  return convert(source, std::move(e), {TypeName::Text, 0, 0});
}

Expr constant(Value value, Type type, Span at) {
  Expr e;
  e.op = Op::Constant;
  e.type = type;
  e.value = value;
  e.at = at;
  return e;
}

}  // namespace txscope::sql
