// Functions and operators that are others of ours in disguise, and settings.

#include <algorithm>
#include <array>
#include <numbers>

#include "base/ascii.h"
#include "model/sql/value/composite.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

constexpr Type kReal{TypeName::Double};
constexpr Type kJsonbType{TypeName::Jsonb};

/// The name of a setting, if it is a constant.
std::string setting_name(const Expr& e) {
  if (e.op != Op::Constant || e.value.kind() != Kind::Text) return {};
  std::string name = ascii::lower(e.value.text());
  return name;
}

/// Whether a text may call set_config() or current_setting() of this name: a
/// call that does not name another one may.
bool may_call(std::string_view text, std::string_view function,
              std::string_view name) {
  for (std::size_t i = 0; (i = text.find(function, i)) != text.npos;) {
    i = text.find_first_not_of(" \t\r\n", i + function.size());
    if (i == text.npos || text[i] != '(') return true;
    i = text.find_first_not_of(" \t\r\n", i + 1);
    if (i == text.npos || text[i] != '\'') return true;
    const std::size_t end = text.find('\'', i + 1);
    if (end == text.npos || end == i + 1) return true;
    std::string named = ascii::lower(text.substr(i + 1, end - i - 1));
    const std::size_t behind = text.find_first_not_of(" \t\r\n", end + 1);
    const bool is_whole =
        behind != text.npos && (text[behind] == ',' || text[behind] == ')');
    if (!is_whole || named == name) return true;
  }
  return false;
}

/// What a server says that nobody has told anything else.
std::optional<std::string_view> server_setting(std::string_view name) {
  struct Known {
    std::string_view name;
    std::string_view value;
  };
  constexpr std::array<Known, 4> kKnown = {{{"timezone", "UTC"},
                                            {"role", "none"},
                                            {"transaction_read_only", "off"},
                                            {"server_encoding", "UTF8"}}};
  for (const Known& known : kKnown)
    if (known.name == name) return known.value;
  return std::nullopt;
}

/// SIMILAR TO's pattern as a regular expression (similar_escape_internal() of
/// PostgreSQL).
std::string regular_of(std::string_view pattern) {
  std::string all = "^(?:";
  bool in_set = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      all += '\\';
      all += pattern[++i];
    } else if (in_set) {
      in_set = c != ']';
      all += c;
    } else if (c == '[') {
      in_set = true;
      all += c;
    } else if (c == '%') {
      all += ".*";
    } else if (c == '_') {
      all += '.';
    } else if (c == '(') {
      all += "(?:";
    } else {
      if (c == '.' || c == '^' || c == '$') all += '\\';
      all += c;
    }
  }
  return all + ")$";
}

}  // namespace

/// Settings are not kept: a session has those that it was given, and nobody
/// changes one that is read.
std::optional<Expr> Synonyms::setting(const PgQuery__FuncCall& node,
                                      std::string_view name, Span at) {
  const bool is_get =
      name == "current_setting" && node.n_args >= 1 && node.n_args <= 2;
  const bool is_set = name == "set_config" && node.n_args == 3;
  if (!is_get && !is_set) return std::nullopt;
  std::vector<Expr> args = all_.expressions.exprs(list(node.n_args, node.args));
  const std::string which = setting_name(args[0]);
  const bool is_own = which.find('.') != std::string::npos;
  const std::string_view text = source().text();
  if (is_set) {
    const bool is_read = may_call(text, "current_setting", which) ||
                         (which.starts_with("request.jwt") &&
                          text.find("auth.") != std::string_view::npos);
    if (which.empty() || is_read || !is_own) {
      source().unsupported(at, "set_config() of this is",
                           "pass the value as a parameter");
    }
    return convert(source(), std::move(args[1]), kText);
  }
  if (const auto known = server_setting(which))
    return constant(Value::text(std::string(*known)), kText, at);
  const bool may_miss =
      args.size() == 2 && args[1].op == Op::Constant && args[1].value.is_true();
  if (!is_own || !may_miss) {
    source().unsupported(at, "a setting of the session is",
                         "pass the value as a parameter");
  }
  return all_.functions.setting(which, at);
}

std::optional<Expr> Synonyms::json_path_function(const PgQuery__FuncCall& node,
                                                 std::string_view name,
                                                 Span at) {
  const bool is_path =
      name == "jsonb_extract_path" || name == "jsonb_extract_path_text" ||
      name == "json_extract_path" || name == "json_extract_path_text";
  if (name == "jsonb_exists" && node.n_args == 2) {
    std::vector<Expr> args =
        all_.expressions.exprs(list(node.n_args, node.args));
    return all_.arrays.container_operator("?", args[0], args[1], at);
  }
  if (name == "array_to_json" && node.n_args == 1) {
    Expr array = all_.expressions.expr(node.args[0]);
    if (array.type.name != TypeName::Array) return std::nullopt;
    return make_builtin(Builtin::ToJson, {TypeName::Json}, {std::move(array)},
                        at);
  }
  if (!is_path || node.n_args < 2) return std::nullopt;
  std::vector<Expr> args = all_.expressions.exprs(list(node.n_args, node.args));
  const Type json =
      name.starts_with("jsonb") ? kJsonbType : Type{TypeName::Json};
  std::vector<Expr> steps;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Type wanted = i == 0 ? json : kText;
    if (!converts(args[i].type, wanted))
      all_.functions.unknown_function(name, args, at);
    args[i] = convert(source(), std::move(args[i]), wanted);
    if (i > 0) steps.push_back(std::move(args[i]));
  }
  const bool as_text = name.ends_with("_text");
  std::vector<Expr> both;
  both.push_back(std::move(args[0]));
  both.push_back(
      make_builtin(Builtin::MakeArray, array_of(kText), std::move(steps), at));
  return make_builtin(as_text ? Builtin::JsonPathText : Builtin::JsonPath,
                      as_text ? kText : json, std::move(both), at);
}

std::optional<Expr> Synonyms::more_function(const PgQuery__FuncCall& node,
                                            std::string_view name, Span at) {
  if (auto e = setting(node, name, at)) return e;
  if (auto e = json_path_function(node, name, at)) return e;
  const std::size_t n = node.n_args;
  if (name == "pi" && n == 0)
    return constant(Value::real(std::numbers::pi), kReal, at);
  if (name == "current_schema" && n == 0)
    return constant(Value::text(scope_.catalog.creation_schema("")), kText, at);
  if (name == "current_database" && n == 0)
    return constant(Value::text("postgres"), kText, at);
  if ((name == "txid_current" || name == "pg_current_xact_id" ||
       name == "pg_backend_pid") &&
      n == 0) {
    source().unsupported(
        at, std::string(name) + "(), a number that only the server knows, is");
  }
  if (name == "pg_typeof" && n == 1) {
    const Type type = bare(all_.expressions.expr(node.args[0]).type);
    return constant(Value::text(to_string(type)), kText, at);
  }
  if ((name == "gcd" || name == "lcm") && n == 2) {
    std::vector<Expr> args = all_.expressions.exprs(list(n, node.args));
    if (!is_integer(args[0].type.name) || !is_integer(args[1].type.name))
      all_.functions.unknown_function(name, args, at);
    const Type type = all_.expressions.match(args, name);
    return make_builtin(name == "gcd" ? Builtin::Gcd : Builtin::Lcm, type,
                        std::move(args), at);
  }
  if (name == "overlay" && (n == 3 || n == 4)) {
    // What stands before the place, the new text, and what stands behind.
    std::vector<Expr> args = all_.expressions.exprs(list(n, node.args));
    for (std::size_t i = 0; i < n; ++i) {
      const Type wanted = i < 2 ? kText : kInteger;
      if (!converts(args[i].type, wanted))
        all_.functions.unknown_function(name, args, at);
      args[i] = convert(source(), std::move(args[i]), wanted);
      all_.expressions.refuse_query(args[i], "in overlay()");
    }
    const auto number = [&](std::int64_t v) {
      return constant(Value::integer(v), kInteger, at);
    };
    Expr length = n == 4 ? args[3] : make(Op::Length, kInteger, {args[1]}, at);
    Expr before = make_builtin(
        Builtin::Substring, kText,
        {args[0], number(1),
         all_.operators.arithmetic(Op::Subtract, args[2], number(1), at, "-")},
        at);
    Expr behind = make_builtin(
        Builtin::Substring, kText,
        {args[0], all_.operators.arithmetic(Op::Add, args[2], std::move(length),
                                            at, "+")},
        at);
    return all_.operators.concatenation(
        all_.operators.concatenation(std::move(before), args[1], at),
        std::move(behind), at);
  }
  if (name == "date_bin" && n == 3) {
    std::vector<Expr> args = all_.expressions.exprs(list(n, node.args));
    const bool has_zone = args[1].type.name == TypeName::TimestampTz ||
                          args[2].type.name == TypeName::TimestampTz;
    const Type time{has_zone ? TypeName::TimestampTz : TypeName::Timestamp};
    for (std::size_t i = 0; i < n; ++i) {
      const Type wanted = i == 0 ? Type{TypeName::Interval} : time;
      if (!converts(args[i].type, wanted))
        all_.functions.unknown_function(name, args, at);
      args[i] = convert(source(), std::move(args[i]), wanted);
    }
    return make_builtin(Builtin::DateBin, time, std::move(args), at);
  }
  if ((name == "digest" && n == 2) || (name == "sha256" && n == 1)) {
    std::vector<Expr> args = all_.expressions.exprs(list(n, node.args));
    const bool is_bytes = args[0].type.name == TypeName::Bytea || n == 1;
    const Type wanted = is_bytes ? Type{TypeName::Bytea} : kText;
    if (!converts(args[0].type, wanted))
      all_.functions.unknown_function(name, args, at);
    args[0] = convert(source(), std::move(args[0]), wanted);
    if (n == 1) args.push_back(constant(Value::text("sha256"), kText, at));
    args[1] = convert(source(), std::move(args[1]), kText);
    return make_builtin(Builtin::Digest, {TypeName::Bytea}, std::move(args),
                        at);
  }
  if (name == "array_fill" && n == 2) {
    std::vector<Expr> args = all_.expressions.exprs(list(n, node.args));
    if (args[0].type.name == TypeName::Unknown ||
        !converts(args[1].type, array_of(kInteger)))
      all_.functions.unknown_function(name, args, at);
    const Type type = array_of(bare(args[0].type));
    args[1] = convert(source(), std::move(args[1]), array_of(kInteger));
    return make_builtin(Builtin::ArrayFill, type, std::move(args), at);
  }
  if (name == "num_nonnulls" && n > 0) {
    std::vector<Expr> args;
    for (const Node* item : list(n, node.args))
      args.push_back(decided(source(), all_.expressions.expr(item)));
    const auto count = static_cast<std::int64_t>(n);
    return all_.operators.arithmetic(
        Op::Subtract, constant(Value::integer(count), kInteger, at),
        make_builtin(Builtin::NumNulls, kInteger, std::move(args), at), at,
        "-");
  }
  if (name == "bit_length" && n == 1) {
    Expr text = all_.expressions.expr(node.args[0]);
    if (!converts(text.type, kText)) return std::nullopt;
    text = convert(source(), std::move(text), kText);
    return all_.operators.arithmetic(
        Op::Multiply,
        make_builtin(Builtin::OctetLength, kInteger, {std::move(text)}, at),
        constant(Value::integer(8), kInteger, at), at, "*");
  }
  return std::nullopt;
}

/// a ^ b: of numerics PostgreSQL computes with their digits, else double.
Expr Synonyms::power(Expr a, Expr b, Span at) {
  if (a.type.name == TypeName::Numeric || b.type.name == TypeName::Numeric) {
    source().unsupported(at, "the operator ^ of numeric is",
                         "cast to double precision");
  }
  if (!converts(a.type, kReal) || !converts(b.type, kReal))
    all_.operators.no_operator("^", a, b, at);
  std::vector<Expr> args;
  args.push_back(convert(source(), std::move(a), kReal));
  args.push_back(convert(source(), std::move(b), kReal));
  return make_builtin(Builtin::Power, kReal, std::move(args), at);
}

Expr Synonyms::between_symmetric(const PgQuery__AExpr& node) {
  const Span at = scope_.tree.at(node.location);
  const PgQuery__List& bounds = *node.rexpr->list;
  const Expr x = all_.expressions.expr(node.lexpr);
  const Expr low = all_.expressions.expr(bounds.items[0]);
  const Expr high = all_.expressions.expr(bounds.items[1]);
  for (const Expr* e : {&x, &low, &high})
    all_.expressions.refuse_query(*e, "in BETWEEN SYMMETRIC");
  const auto inside = [&](const Expr& from, const Expr& to) {
    std::vector<Expr> both;
    both.push_back(
        all_.operators.comparison(Op::GreaterEqual, x, from, at, ">="));
    both.push_back(all_.operators.comparison(Op::LessEqual, x, to, at, "<="));
    return make(Op::And, kBoolean, std::move(both), at);
  };
  Expr e = make(Op::Or, kBoolean, {inside(low, high), inside(high, low)}, at);
  if (node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM)
    e = make(Op::Not, kBoolean, {std::move(e)}, at);
  return e;
}

Expr Synonyms::similar(const PgQuery__AExpr& node) {
  const Span at = scope_.tree.at(node.location);
  // PostgreSQL's grammar puts the pattern into similar_to_escape().
  const Node* pattern = node.rexpr;
  if (pattern->node_case == PG_QUERY__NODE__NODE_FUNC_CALL) {
    if (pattern->func_call->n_args != 1)
      source().unsupported(at, "SIMILAR TO ... ESCAPE is");
    pattern = pattern->func_call->args[0];
  }
  const Expr given = all_.expressions.expr(pattern);
  if (given.op != Op::Constant || given.value.kind() != Kind::Text)
    source().unsupported(at, "SIMILAR TO with a computed pattern is");
  Expr regular =
      constant(Value::text(regular_of(given.value.text())), kText, at);
  const bool is_negated = string_of(node.name[0]).starts_with("!");
  return all_.operators.regular_expression(is_negated ? "!~" : "~",
                                           all_.expressions.expr(node.lexpr),
                                           std::move(regular), at);
}

Expr Synonyms::any_pattern(const PgQuery__AExpr& node) {
  const Span at = scope_.tree.at(node.location);
  const bool is_all = node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL;
  const std::string_view op = string_of(node.name[0]);
  const bool is_like = op == "~~" || op == "~~*" || op == "!~~" || op == "!~~*";
  const bool is_match = op == "~" || op == "~*" || op == "!~" || op == "!~*";
  if (node.rexpr->node_case != PG_QUERY__NODE__NODE_A_ARRAY_EXPR ||
      (!is_like && !is_match) || node.rexpr->a_array_expr->n_elements == 0) {
    source().unsupported(
        at, std::string(op) + (is_all ? " ALL (array) is" : " ANY (array) is"),
        is_like || is_match ? "list the patterns: ANY (ARRAY['a%', 'b%'])"
                            : "");
  }
  const Expr value = all_.expressions.expr(node.lexpr);
  all_.expressions.refuse_query(value, "before ANY");
  std::vector<Expr> tests;
  const PgQuery__AArrayExpr& items = *node.rexpr->a_array_expr;
  for (const Node* item : list(items.n_elements, items.elements)) {
    if (is_match) {
      tests.push_back(all_.operators.regular_expression(
          op, value, all_.expressions.expr(item), at));
      continue;
    }
    std::vector<Expr> both;
    both.push_back(convert(source(), value, kText));
    both.push_back(convert(source(), all_.expressions.expr(item), kText));
    if (op.ends_with('*'))
      for (Expr& side : both) side = make(Op::Lower, kText, {Expr(side)}, at);
    Expr e = make(Op::Like, kBoolean, std::move(both), at);
    if (op.starts_with('!')) e = make(Op::Not, kBoolean, {std::move(e)}, at);
    tests.push_back(std::move(e));
  }
  if (tests.size() == 1) return std::move(tests[0]);
  return make(is_all ? Op::And : Op::Or, kBoolean, std::move(tests), at);
}

Expr Synonyms::any_row(const PgQuery__SubLink& node) {
  const Span at = scope_.tree.at(node.location);
  const bool is_all =
      node.sub_link_type == PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK;
  const std::string_view op = string_of(node.oper_name[0]);
  if (all_.rows.is_row(node.testexpr)) {
    source().unsupported(at, "a row before " + std::string(op) +
                                 (is_all ? " ALL" : " ANY") +
                                 " (SELECT ...) is");
  }
  Expr value = all_.expressions.expr(node.testexpr);
  return all_.arrays.any_of(std::move(value), all_.arrays.array_of_rows(node),
                            op, is_all, at);
}

}  // namespace txscope::sql::analyzer
