#include <algorithm>
#include <array>

#include "model/sql/builtin.h"
#include "read/sql/analyze/analyzer.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql {
namespace {

constexpr Type kDouble{TypeName::Double};
constexpr Type kExact{TypeName::Numeric};
constexpr Type kJson{TypeName::Json};
constexpr Type kJsonb{TypeName::Jsonb};

/// A function whose parameters have one type each.  Of its letters: t text,
/// i integer, b bigint, n numeric, d double precision, y bytea, v interval,
/// j jsonb, u uuid; `least` are needed.
struct Plain {
  std::string_view name;
  Builtin function;
  std::string_view parameters;
  std::size_t least;
  Type result;
};

constexpr Type kTexts{TypeName::Array, 0, 0, TypeName::Text, 0};

constexpr std::array<Plain, 71> kPlain = {{
    {"regexp_replace", Builtin::RegexReplace, "tttt", 3, kText},
    {"regexp_match", Builtin::RegexMatch, "ttt", 2, kTexts},
    {"regexp_split_to_array", Builtin::RegexSplit, "ttt", 2, kTexts},
    {"regexp_like", Builtin::Matches, "tt", 2, kBoolean},
    {"get_byte", Builtin::GetByte, "yi", 2, kInteger},
    {"set_byte", Builtin::SetByte, "yii", 3, {TypeName::Bytea}},
    {"convert_to", Builtin::ConvertTo, "tt", 2, {TypeName::Bytea}},
    {"convert_from", Builtin::ConvertFrom, "yt", 2, kText},
    {"int8send", Builtin::NumberBytes, "b", 1, {TypeName::Bytea}},
    {"hmac", Builtin::Hmac, "ttt", 3, {TypeName::Bytea}},
    {"uuid_send", Builtin::UuidBytes, "u", 1, {TypeName::Bytea}},
    {"quote_nullable", Builtin::QuoteNullable, "t", 1, kText},
    {"log", Builtin::Log10, "d", 1, kDouble},
    {"log10", Builtin::Log10, "d", 1, kDouble},
    {"cbrt", Builtin::Cbrt, "d", 1, kDouble},
    {"sin", Builtin::Sin, "d", 1, kDouble},
    {"cos", Builtin::Cos, "d", 1, kDouble},
    {"tan", Builtin::Tan, "d", 1, kDouble},
    {"asin", Builtin::Asin, "d", 1, kDouble},
    {"acos", Builtin::Acos, "d", 1, kDouble},
    {"atan", Builtin::Atan, "d", 1, kDouble},
    {"atan2", Builtin::Atan2, "dd", 2, kDouble},
    {"degrees", Builtin::Degrees, "d", 1, kDouble},
    {"radians", Builtin::Radians, "d", 1, kDouble},
    {"make_time", Builtin::MakeTime, "iid", 3, {TypeName::Time}},
    {"make_timestamp",
     Builtin::MakeTimestamp,
     "iiiiid",
     6,
     {TypeName::Timestamp}},
    {"make_timestamptz",
     Builtin::MakeTimestamp,
     "iiiiid",
     6,
     {TypeName::TimestampTz}},
    {"justify_hours", Builtin::JustifyHours, "v", 1, {TypeName::Interval}},
    {"encode", Builtin::Encode, "yt", 2, kText},
    {"decode", Builtin::Decode, "tt", 2, {TypeName::Bytea}},
    {"jsonb_pretty", Builtin::JsonPretty, "j", 1, kText},
    {"jsonb_strip_nulls", Builtin::JsonStripNulls, "j", 1, kJsonb},
    {"btrim", Builtin::Trim, "tt", 1, kText},
    {"trim", Builtin::Trim, "tt", 1, kText},
    {"ltrim", Builtin::TrimLeft, "tt", 1, kText},
    {"rtrim", Builtin::TrimRight, "tt", 1, kText},
    {"left", Builtin::Left, "ti", 2, kText},
    {"right", Builtin::Right, "ti", 2, kText},
    {"substring", Builtin::Substring, "tii", 2, kText},
    {"substr", Builtin::Substring, "tii", 2, kText},
    {"position", Builtin::Position, "tt", 2, kInteger},
    {"strpos", Builtin::Position, "tt", 2, kInteger},
    {"replace", Builtin::Replace, "ttt", 3, kText},
    {"lpad", Builtin::PadLeft, "tit", 2, kText},
    {"rpad", Builtin::PadRight, "tit", 2, kText},
    {"repeat", Builtin::Repeat, "ti", 2, kText},
    {"reverse", Builtin::Reverse, "t", 1, kText},
    {"initcap", Builtin::InitCap, "t", 1, kText},
    {"split_part", Builtin::SplitPart, "tti", 3, kText},
    {"md5", Builtin::Md5, "t", 1, kText},
    {"starts_with", Builtin::StartsWith, "tt", 2, kBoolean},
    {"ascii", Builtin::Ascii, "t", 1, kInteger},
    {"chr", Builtin::Chr, "i", 1, kText},
    {"octet_length", Builtin::OctetLength, "t", 1, kInteger},
    {"translate", Builtin::Translate, "ttt", 3, kText},
    {"quote_literal", Builtin::QuoteLiteral, "t", 1, kText},
    {"quote_ident", Builtin::QuoteIdent, "t", 1, kText},
    {"hashtext", Builtin::HashText, "t", 1, kInteger},
    {"hashtextextended",
     Builtin::HashTextExtended,
     "tb",
     2,
     {TypeName::BigInt}},
    {"to_hex", Builtin::ToHex, "b", 1, kText},
    {"power", Builtin::Power, "dd", 2, kDouble},
    {"pow", Builtin::Power, "dd", 2, kDouble},
    {"sqrt", Builtin::Sqrt, "d", 1, kDouble},
    {"exp", Builtin::Exp, "d", 1, kDouble},
    {"ln", Builtin::Ln, "d", 1, kDouble},
    {"div", Builtin::Div, "nn", 2, kExact},
    {"make_date", Builtin::MakeDate, "iii", 3, {TypeName::Date}},
    {"to_timestamp", Builtin::ToTimestamp, "d", 1, {TypeName::TimestampTz}},
    {"pg_notify", Builtin::Nothing, "tt", 2, {TypeName::Void}},
    {"pg_sleep", Builtin::Nothing, "d", 1, {TypeName::Void}},
    {"string_to_array", Builtin::StringToArray, "ttt", 2, kTexts},
}};

Type type_of_letter(char letter) {
  switch (letter) {
    case 'i': return kInteger;
    case 'b': return {TypeName::BigInt};
    case 'n': return kExact;
    case 'd': return kDouble;
    case 'y': return {TypeName::Bytea};
    case 'v': return {TypeName::Interval};
    case 'j': return kJsonb;
    case 'u': return {TypeName::Uuid};
    default: return kText;
  }
}

/// Of those with parameters of double precision: PostgreSQL has another one
/// that computes with the digits of a numeric.
bool has_numeric_version(Builtin function) {
  return function == Builtin::Power || function == Builtin::Sqrt ||
         function == Builtin::Exp || function == Builtin::Ln ||
         function == Builtin::Log10;
}

constexpr std::array<std::string_view, 4> kNowFunctions = {
    "now", "transaction_timestamp", "statement_timestamp", "clock_timestamp"};

}  // namespace

void add_plain_names(std::vector<std::string>& names) {
  for (const Plain& plain : kPlain) names.emplace_back(plain.name);
}

namespace analyzer {

std::optional<Expr> Builtins::plain_function(const PgQuery__FuncCall& node,
                                             std::string_view name, Span at) {
  for (const Plain& plain : kPlain) {
    if (plain.name != name) continue;
    if (node.n_args < plain.least || node.n_args > plain.parameters.size()) {
      return std::nullopt;
    }
    std::vector<Expr> args =
        all_.expressions.exprs(list(node.n_args, node.args));
    for (std::size_t i = 0; i < args.size(); ++i) {
      const Type wanted = type_of_letter(plain.parameters[i]);
      const bool is_numeric_version = wanted.name == TypeName::Double &&
                                      args[i].type.name == TypeName::Numeric &&
                                      has_numeric_version(plain.function);
      if (is_numeric_version) {
        source().unsupported(at, std::string(name) + "(numeric) is",
                             "cast to double precision");
      }
      if (!converts(args[i].type, wanted))
        all_.functions.unknown_function(name, args, at);
      args[i] = convert(source(), std::move(args[i]), wanted);
    }
    return make_builtin(plain.function, plain.result, std::move(args), at);
  }
  return std::nullopt;
}

/// The instant of the transaction, which is the same in all of them.
Expr Builtins::now(Type type, Span at) const {
  return cast(source(),
              constant(scope_.catalog.now, {TypeName::TimestampTz}, at), type);
}

Expr Builtins::sql_value(const PgQuery__SQLValueFunction& node) {
  const Span at = scope_.tree.at(node.location);
  switch (node.op) {
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE:
      return now({TypeName::Date}, at);
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP_N:
      return now({TypeName::TimestampTz}, at);
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP_N:
      return now({TypeName::Timestamp}, at);
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME_N:
      return now({TypeName::Time}, at);
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_ROLE:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_USER:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_USER:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_SESSION_USER:
      return constant(Value::text("postgres"), kText, at);
    default:
      source().unsupported(at, "this function of the session is",
                           "pass the value as a parameter");
  }
}

std::optional<Expr> Builtins::time_function(const PgQuery__FuncCall& node,
                                            std::string_view name, Span at) {
  const bool is_now = std::find(kNowFunctions.begin(), kNowFunctions.end(),
                                name) != kNowFunctions.end();
  if (is_now && node.n_args == 0) return now({TypeName::TimestampTz}, at);
  if (name == "make_interval") return make_interval(node, at);
  if (name == "overlaps" && node.n_args == 4) return overlaps(node, at);
  if (name == "age" && node.n_args == 1) {
    // Counted from midnight.
    Expr then = all_.expressions.expr(node.args[0]);
    const bool has_zone = then.type.name != TypeName::Timestamp;
    const Type type{has_zone ? TypeName::TimestampTz : TypeName::Timestamp};
    if (!converts(then.type, type)) return std::nullopt;
    std::vector<Expr> both;
    both.push_back(cast(source(), now({TypeName::Date}, at), type));
    both.push_back(convert(source(), std::move(then), type));
    return make_builtin(Builtin::Age, {TypeName::Interval}, std::move(both),
                        at);
  }
  const bool is_field = name == "extract" || name == "date_part" ||
                        name == "date_trunc" || name == "timezone";
  if ((!is_field && name != "age" && name != "to_char") || node.n_args != 2) {
    return std::nullopt;
  }
  std::vector<Expr> args = all_.expressions.exprs(list(node.n_args, node.args));
  const auto is_timely = [](TypeName t) {
    return is_time(t) || t == TypeName::Time || t == TypeName::Interval;
  };
  Expr& value = args[name == "to_char" || name == "age" ? 0 : 1];
  if (name == "age") {
    Expr both = all_.operators.comparison(Op::Equal, std::move(args[0]),
                                          std::move(args[1]), at, "-");
    args = std::move(both.args);
    if (args[0].type.name == TypeName::Date) {
      for (Expr& arg : args) {
        arg = convert(source(), std::move(arg), {TypeName::TimestampTz});
      }
    }
    if (!is_time(args[0].type.name))
      all_.functions.unknown_function(name, args, at);
    return make_builtin(Builtin::Age, {TypeName::Interval}, std::move(args),
                        at);
  }
  if (!is_timely(value.type.name)) {
    if (name == "to_char" && is_number(value.type.name)) {
      args[1] = convert(source(), std::move(args[1]), kText);
      return make_builtin(Builtin::FormatNumber, kText, std::move(args), at);
    }
    all_.functions.unknown_function(name, args, at);
  }
  Expr& word = args[name == "to_char" ? 1 : 0];
  word = convert(source(), std::move(word), kText);
  Builtin function = Builtin::Extract;
  Type type = kExact;
  if (name == "date_part") {
    function = Builtin::DatePart;
    type = kDouble;
  } else if (name == "to_char") {
    function = Builtin::ToChar;
    type = kText;
    if (value.type.name == TypeName::Interval) {
      source().unsupported(at, "to_char() of an interval is");
    }
  } else if (name == "date_trunc") {
    function = Builtin::DateTrunc;
    if (value.type.name == TypeName::Date) {
      value = convert(source(), std::move(value), {TypeName::TimestampTz});
    }
    type = bare(value.type);
  } else if (name == "timezone") {
    function = Builtin::AtTimeZone;
    if (value.type.name == TypeName::Date) {
      value = convert(source(), std::move(value), {TypeName::TimestampTz});
    }
    type = {value.type.name == TypeName::TimestampTz ? TypeName::Timestamp
                                                     : TypeName::TimestampTz};
  }
  return make_builtin(function, type, std::move(args), at);
}

/// make_interval(years, months, weeks, days, hours, mins, secs), by name, too.
std::optional<Expr> Builtins::make_interval(const PgQuery__FuncCall& node,
                                            Span at) {
  constexpr std::array<std::string_view, 7> kNames = {
      "years", "months", "weeks", "days", "hours", "mins", "secs"};
  std::vector<Expr> args;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const bool is_last = i + 1 == kNames.size();
    args.push_back(is_last ? constant(Value::real(0), kDouble, at)
                           : constant(Value::integer(0), kInteger, at));
  }
  std::size_t next = 0;
  for (const Node* item : list(node.n_args, node.args)) {
    std::size_t i = next++;
    const Node* value = item;
    if (item->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR) {
      const auto found = std::find(kNames.begin(), kNames.end(),
                                   view(item->named_arg_expr->name));
      i = static_cast<std::size_t>(found - kNames.begin());
      value = item->named_arg_expr->arg;
    }
    if (i >= kNames.size()) return std::nullopt;
    const Type wanted = i + 1 == kNames.size() ? kDouble : kInteger;
    Expr e = all_.expressions.expr(value);
    if (!converts(e.type, wanted)) return std::nullopt;
    args[i] = convert(source(), std::move(e), wanted);
  }
  return make_builtin(Builtin::MakeInterval, {TypeName::Interval},
                      std::move(args), at);
}

/// The columns of a table, subquery or record that is named as a value.

std::optional<Expr> Builtins::json_function(const PgQuery__FuncCall& node,
                                            std::string_view name, Span at) {
  const bool is_jsonb = name.find("jsonb") != std::string_view::npos;
  const Type type = is_jsonb ? kJsonb : kJson;
  const bool is_object = name.ends_with("_build_object");
  const bool is_array = name.ends_with("_build_array");
  if (is_object || is_array) {
    if (is_object && node.n_args % 2 != 0) {
      source().fail(at, "argument list must have even number of elements");
    }
    std::vector<Expr> args;
    for (const Node* item : list(node.n_args, node.args)) {
      if (auto row = all_.rows.whole_row(*item)) {
        args.push_back(
            all_.rows.whole_row_as_json(*item, std::move(*row), kJson, at));
      } else {
        args.push_back(decided(source(), all_.expressions.expr(item)));
      }
    }
    return make_builtin(is_object ? Builtin::BuildObject : Builtin::BuildArray,
                        type, std::move(args), at);
  }
  if ((name == "row_to_json" || name == "to_json" || name == "to_jsonb") &&
      node.n_args == 1) {
    if (auto row = all_.rows.whole_row(*node.args[0])) {
      return all_.rows.whole_row_as_json(*node.args[0], std::move(*row), type,
                                         at);
    }
    std::vector<Expr> args;
    args.push_back(all_.expressions.expr(node.args[0]));
    if (name == "row_to_json" && args[0].type.name != TypeName::Composite)
      return std::nullopt;
    if (args[0].type.name == TypeName::Unknown) {
      source().fail(at, "could not determine polymorphic type of the argument",
                    "add a cast");
    }
    return make_builtin(Builtin::ToJson, type, std::move(args), at);
  }
  const bool is_length = name.ends_with("_array_length") && node.n_args == 1 &&
                         name.starts_with("json");
  const bool is_typeof = name == "json_typeof" || name == "jsonb_typeof";
  if (is_length || is_typeof) {
    std::vector<Expr> args;
    args.push_back(all_.expressions.expr(node.args[0]));
    if (!converts(args[0].type, type))
      all_.functions.unknown_function(name, args, at);
    args[0] = convert(source(), std::move(args[0]), type);
    return make_builtin(is_length ? Builtin::JsonLength : Builtin::JsonTypeOf,
                        is_length ? kInteger : kText, std::move(args), at);
  }
  if (name == "jsonb_set" && (node.n_args == 3 || node.n_args == 4)) {
    std::vector<Expr> args =
        all_.expressions.exprs(list(node.n_args, node.args));
    const std::array<Type, 4> wanted = {kJsonb, array_of(kText), kJsonb,
                                        kBoolean};
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!converts(args[i].type, wanted[i]))
        all_.functions.unknown_function(name, args, at);
      args[i] = convert(source(), std::move(args[i]), wanted[i]);
    }
    return make_builtin(Builtin::JsonSet, kJsonb, std::move(args), at);
  }
  return std::nullopt;
}

Expr Builtins::row_as_json(std::vector<Target> row, Type type, Span at) const {
  std::vector<Expr> args;
  for (Target& target : row) {
    args.push_back(constant(Value::text(target.name), kText, at));
    args.push_back(std::move(target.expr));
  }
  return make_builtin(Builtin::RowToJson, type, std::move(args), at);
}

std::optional<Expr> Builtins::other_function(const PgQuery__FuncCall& node,
                                             std::string_view name, Span at) {
  const auto args_of = [&] {
    std::vector<Expr> args;
    for (const Node* item : list(node.n_args, node.args)) {
      args.push_back(decided(source(), all_.expressions.expr(item)));
    }
    return args;
  };
  if (auto e = all_.synonyms.more_function(node, name, at)) return e;
  if (name == "concat" || name == "num_nulls" || name == "concat_ws" ||
      name == "format") {
    std::vector<Expr> args = args_of();
    const bool has_text = name == "concat_ws" || name == "format";
    if (args.empty() || (has_text && !is_text(args[0].type.name))) {
      all_.functions.unknown_function(name, args, at);
    }
    const Builtin function = name == "concat"      ? Builtin::Concat
                             : name == "num_nulls" ? Builtin::NumNulls
                             : name == "format"    ? Builtin::Format
                                                   : Builtin::ConcatWs;
    return make_builtin(function, name == "num_nulls" ? kInteger : kText,
                        std::move(args), at);
  }
  if (name == "trunc" && (node.n_args == 1 || node.n_args == 2)) {
    std::vector<Expr> args =
        all_.expressions.exprs(list(node.n_args, node.args));
    const bool is_double = is_real(args[0].type.name) && args.size() == 1;
    const Type type = is_double ? kDouble : kExact;
    if (!converts(args[0].type, type))
      all_.functions.unknown_function(name, args, at);
    args[0] = convert(source(), std::move(args[0]), type);
    if (args.size() == 2) {
      if (!converts(args[1].type, kInteger))
        all_.functions.unknown_function(name, args, at);
      args[1] = convert(source(), std::move(args[1]), kInteger);
    }
    return make_builtin(Builtin::Trunc, type, std::move(args), at);
  }
  if (name == "sign" && node.n_args == 1) {
    std::vector<Expr> args =
        all_.expressions.exprs(list(node.n_args, node.args));
    const Type type = args[0].type.name == TypeName::Numeric ? kExact : kDouble;
    if (!converts(args[0].type, type))
      all_.functions.unknown_function(name, args, at);
    args[0] = convert(source(), std::move(args[0]), type);
    return make_builtin(Builtin::Sign, type, std::move(args), at);
  }
  // A type's name as a function is a cast.
  if ((name == "date" || name == "text" || name == "int4" || name == "float8" ||
       name == "int8" || name == "numeric") &&
      node.n_args == 1) {
    Expr e = all_.expressions.expr(node.args[0]);
    const Type to = name == "date"     ? Type{TypeName::Date}
                    : name == "text"   ? kText
                    : name == "int4"   ? kInteger
                    : name == "int8"   ? Type{TypeName::BigInt}
                    : name == "float8" ? kDouble
                                       : kExact;
    if (!casts(e.type, to)) return std::nullopt;
    return cast(source(), std::move(e), to);
  }
  return std::nullopt;
}

std::optional<Expr> Builtins::more_builtin(const PgQuery__FuncCall& node,
                                           std::string_view name, Span at) {
  if (auto e = all_.functions.number_function(node, name, at)) return e;
  if (auto e = plain_function(node, name, at)) return e;
  if (auto e = time_function(node, name, at)) return e;
  if (auto e = json_function(node, name, at)) return e;
  if (auto e = all_.arrays.array_function(node, name, at)) return e;
  return other_function(node, name, at);
}

}  // namespace analyzer
}  // namespace txscope::sql
