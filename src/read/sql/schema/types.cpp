#include "read/sql/schema/types.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/suggest.h"
#include "model/sql/builtin.h"
#include "model/sql/value/collation.h"
#include "model/sql/value/composite.h"
#include "model/sql/value/enumeration.h"
#include "model/sql/value/parse_value.h"
#include "read/sql/schema/catalog.h"
#include "read/utf8.h"

namespace txscope::sql {
namespace {

constexpr std::array<std::pair<std::string_view, TypeName>, 28> kTypes = {{
    {"bool", TypeName::Boolean},
    {"boolean", TypeName::Boolean},
    {"int2", TypeName::SmallInt},
    {"smallint", TypeName::SmallInt},
    {"int4", TypeName::Integer},
    {"int", TypeName::Integer},
    {"integer", TypeName::Integer},
    {"int8", TypeName::BigInt},
    {"bigint", TypeName::BigInt},
    {"oid", TypeName::BigInt},
    {"numeric", TypeName::Numeric},
    {"decimal", TypeName::Numeric},
    {"float4", TypeName::Real},
    {"float8", TypeName::Double},
    {"text", TypeName::Text},
    {"name", TypeName::Text},
    {"varchar", TypeName::Varchar},
    {"bpchar", TypeName::Char},
    {"date", TypeName::Date},
    {"timestamp", TypeName::Timestamp},
    {"timestamptz", TypeName::TimestampTz},
    {"time", TypeName::Time},
    {"interval", TypeName::Interval},
    {"uuid", TypeName::Uuid},
    {"bytea", TypeName::Bytea},
    {"json", TypeName::Json},
    {"jsonb", TypeName::Jsonb},
    {"void", TypeName::Void},
}};

constexpr std::string_view kKnownTypes =
    "types are those of PostgreSQL's own, and those that this file creates as "
    "ENUM, DOMAIN or composite type";

/// Types whose values are stored and shown, and nothing else.
constexpr std::array<std::string_view, 27> kOpaqueTypes = {
    "inet",     "cidr",      "macaddr", "macaddr8", "money",    "bit",
    "varbit",   "xml",       "point",   "line",     "lseg",     "box",
    "path",     "polygon",   "circle",  "tsvector", "tsquery",  "timetz",
    "citext",   "hstore",    "ltree",   "pg_lsn",   "regclass", "xid",
    "geometry", "geography", "vector"};

std::int32_t modifier(const Tree& tree, const PgQuery__TypeName& type,
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
  return value;
}

/// Whether a value of `from` may have to change, or to be refused, in `to`.
bool needs_cast(Type from, Type to) {
  if (kind_of(from.name) != kind_of(to.name)) return true;
  if (is_integer(to.name)) return from.name > to.name;  // in order of width
  switch (to.name) {
    case TypeName::Text: return false;
    case TypeName::Varchar:
      if (to.size == 0) return false;
      return from.name != TypeName::Varchar || from.size == 0 ||
             from.size > to.size;
    case TypeName::Numeric: return to.size != 0 && from != to;
    default: return from != to;
  }
}

bool fits_in(const Value& value, Type type) {
  if (value.is_null()) return true;
  if (value.kind() == Kind::Integer) return fits(value.integer(), type.name);
  switch (type.name) {
    case TypeName::Varchar:
    case TypeName::Char:
      return type.size == 0 || utf8::length(value.text()) <= type.size;
    case TypeName::Numeric:
    case TypeName::Timestamp:
    case TypeName::TimestampTz:
    case TypeName::Time:
    case TypeName::Interval: return type.size == 0;
    default: return true;
  }
}

bool is_literal(const Expr& e) {
  return e.op == Op::Constant && e.type.name == TypeName::Unknown;
}

/// PostgreSQL's numbers and times that are none of ours.
bool is_beyond_numbers(std::string_view text) {
  std::string word = ascii::lower(text);
  if (word.starts_with('-') || word.starts_with('+')) word.erase(0, 1);
  return word == "nan" || word == "infinity" || word == "inf";
}

/// 'abc' or NULL as a value of the type.
Expr literal(const Source& source, Expr e, Type to) {
  if (!e.value.is_null()) {
    const auto value = parse_value(e.value.text(), bare(to));
    if (!value) {
      std::string hint;
      if (to.name == TypeName::Date) hint = "write dates as 'YYYY-MM-DD'";
      if (to.name == TypeName::Timestamp || to.name == TypeName::TimestampTz) {
        hint = "write timestamps as 'YYYY-MM-DD HH:MM:SS[+00]'";
      }
      if (to.name == TypeName::Enum) {
        hint = hint_among(e.value.text(), enumeration(to.of).labels, "labels");
      }
      const std::string what =
          "'" + e.value.text() + "' is no " + to_string(bare(to));
      if (is_beyond_numbers(e.value.text()))
        source.gap(e.at, what + " that is supported");
      source.fail(e.at, what, hint);
    }
    e.value = *value;
  }
  e.type = bare(to);
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
    const bool is_plain = (is_text(e.type.name) && is_text(to.name)) ||
                          (is_integer(e.type.name) && is_integer(to.name)) ||
                          e.type.name == to.name;
    if ((e.value.is_null() || is_plain) && fits_in(e.value, to) &&
        (to.name != TypeName::Char || e.type.name == TypeName::Char)) {
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
  return is_integer(type) || type == TypeName::Numeric || is_real(type);
}
bool is_real(TypeName type) {
  return type == TypeName::Real || type == TypeName::Double;
}
bool is_text(TypeName type) {
  return type == TypeName::Text || type == TypeName::Varchar ||
         type == TypeName::Char;
}
bool is_time(TypeName type) {
  return type == TypeName::Date || type == TypeName::Timestamp ||
         type == TypeName::TimestampTz;
}

std::optional<Type> range_type(std::string_view name) {
  constexpr std::array<TypeName, 6> kElements = {
      TypeName::Integer, TypeName::BigInt,    TypeName::Numeric,
      TypeName::Date,    TypeName::Timestamp, TypeName::TimestampTz};
  for (const TypeName element : kElements) {
    const Type type{TypeName::Range, 0, 0, element};
    if (to_string(type) == name) return type;
  }
  return std::nullopt;
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

namespace {

/// varchar(n), numeric(p, s), timestamp(p), ...
Type with_modifiers(const Tree& tree, const PgQuery__TypeName& type,
                    Type result) {
  const Source& source = tree.source();
  const Span at = tree.at(type.location);
  switch (result.name) {
    case TypeName::Varchar:
    case TypeName::Char: {
      constexpr int kMost = 60000;  // a text beyond it fits anywhere
      const int size = modifier(tree, type, 0, 10485760);
      if (size == 0)
        source.fail(at, "a " + to_string(result) + " has 1 character or more");
      result.size = static_cast<std::uint16_t>(size > kMost ? 0 : size);
      break;
    }
    case TypeName::Numeric: {
      // Digits beyond what we hold are an error when a value has them.
      result.size = static_cast<std::uint16_t>(
          std::min(modifier(tree, type, 0, 1000), 38));
      if (result.size == 0) source.fail(at, "a numeric has 1 digit or more");
      if (type.n_typmods > 1)
        result.scale = static_cast<std::uint16_t>(modifier(tree, type, 1, 38));
      break;
    }
    case TypeName::Timestamp:
    case TypeName::TimestampTz:
    case TypeName::Time: {
      const std::int32_t digits = modifier(tree, type, 0, 6);
      if (digits < 6) result.size = static_cast<std::uint16_t>(digits + 1);
      break;
    }
    case TypeName::Interval: {
      // INTERVAL '1' DAY and the like say how to read the literal.
      const Node& node = *type.typmods[0];
      const bool is_full =
          node.node_case == PG_QUERY__NODE__NODE_A_CONST &&
          node.a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL &&
          node.a_const->ival->ival == 32767;
      if (!is_full) {
        source.unsupported(at, "an interval with a field is",
                           "write INTERVAL '1 day'");
      }
      break;
    }
    case TypeName::Opaque: break;
    default: source.unsupported(at, "a precision for this type is");
  }
  return result;
}

Type scalar_type(const Tree& tree, const Catalog& catalog,
                 const PgQuery__TypeName& type) {
  const Source& source = tree.source();
  const Span at = tree.at(type.location);
  const std::string_view name = string_of(type.names[type.n_names - 1]);
  if (type.pct_type || type.n_names > 2) {
    source.unsupported(at, "a type of this form is", std::string(kKnownTypes));
  }
  if (const TypeAlias* own = catalog.type(
          catalog.relation(qualified(list(type.n_names, type.names))))) {
    return own->type;
  }
  for (const auto& [known, which] : kTypes) {
    if (name != known) continue;
    const Type result{which};
    return type.n_typmods == 0 ? result : with_modifiers(tree, type, result);
  }
  if (serial_type(type)) {
    source.fail(at, "type '" + std::string(name) + "' is for columns only",
                "use integer");
  }
  if (const auto range = range_type(name)) return *range;
  const bool is_opaque = std::find(kOpaqueTypes.begin(), kOpaqueTypes.end(),
                                   name) != kOpaqueTypes.end();
  if (is_opaque) {
    Type result{TypeName::Opaque};
    result.of = number_of({std::string(name), {}});
    return result;
  }
  const std::string key =
      catalog.relation(qualified(list(type.n_names, type.names)));
  if (const auto table = catalog.table(key))
    return row_type_of(catalog.schema.at(*table));
  std::vector<std::string> names;
  names.reserve(kTypes.size() + catalog.types.size());
  for (const auto& [known, which] : kTypes) names.emplace_back(known);
  for (const auto& [known, alias] : catalog.types) names.push_back(known);
  std::string hint = suggestion(name, names);
  if (hint.empty()) hint = kKnownTypes;
  source.gap(at, "unknown type '" + std::string(name) + "'", hint);
}

}  // namespace

Type read_type(const Tree& tree, const Catalog& catalog,
               const PgQuery__TypeName& type) {
  if (type.setof) {
    tree.source().unsupported(tree.at(type.location),
                              "sets as results (SETOF) are");
  }
  Type scalar = scalar_type(tree, catalog, type);
  // MySQL's texts have a collation (syntax::Types::collate).
  if (tree.mysql() != nullptr && is_text(scalar.name))
    scalar.of = type.type_oid == 0 ? kGeneralCi
                                   : static_cast<std::uint16_t>(type.type_oid);
  return type.n_array_bounds > 0 ? array_of(scalar) : scalar;
}

namespace {

/// Between rows: ROW(...), and what is of that very type.
bool are_fields(const Type& from, const Type& to,
                bool (*test)(const Type&, const Type&)) {
  if (from.of == to.of) return true;
  const Composite& a = composite(from);
  const Composite& b = composite(to);
  if (!a.is_record() && !b.is_record() && a.name != b.name) return false;
  return std::equal(
      a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
      [&](const auto& x, const auto& y) { return test(x.second, y.second); });
}

}  // namespace

bool converts(const Type& from, const Type& to) {
  const TypeName a = from.name;
  const TypeName b = to.name;
  if (a == TypeName::Unknown) return true;
  if (a == TypeName::Array && b == TypeName::Array) {
    return from.element == TypeName::Unknown ||
           converts(element_of(from), element_of(to));
  }
  if (a == TypeName::Range) return from.element == to.element && a == b;
  if (a == TypeName::Composite && a == b) return are_fields(from, to, converts);
  if (a == b) {
    return (a != TypeName::Enum && a != TypeName::Opaque) || from.of == to.of;
  }
  if (is_number(a) && is_number(b)) return a < b;
  if (is_text(a) && is_text(b)) return true;
  if (a == TypeName::Time) return b == TypeName::Interval;
  return is_time(a) && is_time(b) && a < b;
}

bool assigns(const Type& from, const Type& to) {
  if (converts(from, to)) return true;
  const TypeName a = from.name;
  const TypeName b = to.name;
  if (is_number(a) && is_number(b)) return true;
  if (is_text(b)) return a != TypeName::Void;
  if (a == TypeName::Composite && a == b) return are_fields(from, to, assigns);
  if (is_time(a) && (is_time(b) || b == TypeName::Time)) {
    return a != TypeName::Date || b != TypeName::Time;
  }
  if (a == TypeName::Interval && b == TypeName::Time) return true;
  if (a == TypeName::Array && b == TypeName::Array) {
    return assigns(element_of(from), element_of(to));
  }
  return (a == TypeName::Json && b == TypeName::Jsonb) ||
         (a == TypeName::Jsonb && b == TypeName::Json);
}

bool casts(const Type& from, const Type& to) {
  if (assigns(from, to)) return true;
  const TypeName a = from.name;
  const TypeName b = to.name;
  if (is_text(a)) return b != TypeName::Void;
  if (a == TypeName::Composite && a == b) return are_fields(from, to, casts);
  if (a == TypeName::Array && b == TypeName::Array) {
    return casts(element_of(from), element_of(to));
  }
  if (a == TypeName::Jsonb && (is_number(b) || b == TypeName::Boolean)) {
    return true;
  }
  return (a == TypeName::Integer && b == TypeName::Boolean) ||
         (a == TypeName::Boolean && b == TypeName::Integer);
}

std::optional<Type> combined_type(const Type& so_far, const Type& next) {
  const TypeName a = so_far.name;
  const TypeName b = next.name;
  if (b == TypeName::Unknown || bare(next) == bare(so_far)) return so_far;
  if (a == TypeName::Unknown) return next;
  const bool is_same_category = (is_number(a) && is_number(b)) ||
                                (is_text(a) && is_text(b)) ||
                                (is_time(a) && is_time(b)) ||
                                (a == TypeName::Array && b == TypeName::Array);
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

Type row_type_of(const Table& table) {
  Composite made;
  made.name = table.name;
  for (const Column& column : table.columns)
    made.fields.emplace_back(column.name, column.type);
  return composite_type(std::move(made));
}

Expr make_row(std::vector<Expr> fields, Type type, Span at) {
  Expr e;
  e.op = Op::Builtin;
  e.index = static_cast<std::uint32_t>(Builtin::MakeRow);
  e.type = type;
  e.args = std::move(fields);
  e.at = at;
  return e;
}

Expr field_of(Expr row, std::size_t field) {
  const bool is_made =
      row.op == Op::Builtin &&
      row.index == static_cast<std::uint32_t>(Builtin::MakeRow);
  if (is_made) return std::move(row.args[field]);
  Expr e;
  e.op = Op::Builtin;
  e.index = static_cast<std::uint32_t>(Builtin::RowField);
  e.type = bare(composite(row.type).fields[field].second);
  e.at = row.at;
  const Span at = row.at;
  e.args.push_back(std::move(row));
  e.args.push_back(
      constant(Value::integer(static_cast<std::int64_t>(field)), kInteger, at));
  return e;
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
