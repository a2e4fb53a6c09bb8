// Functions of MySQL and MariaDB, where they are not PostgreSQL's.

#include <algorithm>
#include <array>

#include "model/sql/mysql/typing.h"
#include "read/sql/analyze/mariadb.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

struct OfText {
  std::string_view name;
  Op op;
};
/// Of texts these are operators, which every engine follows.
constexpr std::array<OfText, 6> kOfTexts = {{
    {"lower", Op::Lower},
    {"lcase", Op::Lower},
    {"upper", Op::Upper},
    {"ucase", Op::Upper},
    {"char_length", Op::Length},
    {"character_length", Op::Length},
}};

struct Renamed {
  std::string_view theirs;
  std::string_view ours;
};
/// Functions that PostgreSQL has, too.
constexpr std::array<Renamed, 5> kRenamed = {{
    {"rand", "random"},
    {"last_insert_id", "lastval"},
    {"group_concat", "string_agg"},
    {"json_arrayagg", "json_agg"},
    {"json_objectagg", "json_object_agg"},
}};

bool is_texty(const Expr& e) {
  return is_text(e.type.name) ||
         (e.type.name == TypeName::Unknown && !e.value.is_null());
}

/// A number for a name, as PostgreSQL's advisory locks have one (FNV-1a).
std::int64_t number_of(std::string_view name) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return static_cast<std::int64_t>(hash);
}

}  // namespace

/// The same call under another name.
Expr Functions::call_as(const PgQuery__FuncCall& node, std::string_view name) {
  PgQuery__FuncCall copy = node;
  Node word = *node.funcname[node.n_funcname - 1];
  PgQuery__String ours = *word.string;
  std::string text(name);
  ours.sval = text.data();
  word.string = &ours;
  Node* words[] = {&word};
  copy.funcname = words;
  copy.n_funcname = 1;
  is_renamed_ = true;
  return func_call(copy);
}

/// Of texts it is ||, which every engine follows.
Expr Functions::mysql_concat(std::vector<Expr> parts, Span at) {
  if (!std::all_of(parts.begin(), parts.end(), is_texty))
    return *mariadb_call("concat", std::move(parts), at);
  Expr all = convert(source(), std::move(parts[0]), kText);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::vector<Expr> both;
    both.push_back(std::move(all));
    both.push_back(convert(source(), std::move(parts[i]), kText));
    all = make(Op::Concat, kText, std::move(both), at);
  }
  return all;
}

/// What a connection knows of itself and of its last statement.
std::optional<Expr> Functions::mysql_session_function(std::string_view name,
                                                      NodeList args, Span at) {
  const auto constant_text = [&](const char* value) {
    return constant(Value::text(value), kText, at);
  };
  const bool counts = name == "row_count" || name == "found_rows";
  if (counts && args.empty()) {
    if (scope_.lifter == nullptr || scope_.levels.size() > 1)
      source().unsupported(at, "ROW_COUNT() and FOUND_ROWS() here are",
                           "assign it to a variable first");
    const std::uint32_t slot = scope_.lifter->lift_row_count(at);
    return scope_.variable({slot, {TypeName::BigInt}}, at);
  }
  if (name == "database" || name == "schema") return constant_text("work");
  if (name == "user" || name == "current_user" || name == "session_user" ||
      name == "system_user")
    return constant_text("root@localhost");
  if (name == "version") return constant_text("10.11");
  if (name == "sleep" && args.size() == 1) {
    (void)all_.expressions.expr(args[0]);
    return constant(Value::integer(0), kInteger, at);
  }
  return std::nullopt;
}

std::optional<Expr> Functions::mysql_function(const PgQuery__FuncCall& node,
                                              std::string_view name, Span at) {
  const NodeList args = list(node.n_args, node.args);
  if (auto e = mysql_session_function(name, args, at)) return e;
  if (auto e = mysql_lock(node, name, at)) return e;
  if (name == "concat" && !args.empty())
    return mysql_concat(all_.expressions.exprs(args), at);
  if (name == "mod" && args.size() == 2) {
    std::vector<Expr> both = all_.expressions.exprs(args);
    return all_.operators.binary("%", std::move(both[0]), std::move(both[1]),
                                 at);
  }
  if (name == "uuid" && args.empty())
    return cast(source(), call_as(node, "gen_random_uuid"), kText);
  for (const Renamed& each : kRenamed) {
    if (each.theirs == name) return call_as(node, each.ours);
  }
  const bool has_unit = name == "date_add" || name == "date_sub";
  const bool is_type = name == "date" || name == "time" || name == "timestamp";
  if (!has_unit && !is_type && !mysql::has_function(name)) return std::nullopt;
  std::vector<Expr> operands = all_.expressions.exprs(args);
  for (const OfText& each : kOfTexts) {
    const bool is_it =
        each.name == name && operands.size() == 1 && is_texty(operands[0]);
    if (!is_it) continue;
    operands[0] = convert(source(), std::move(operands[0]), kText);
    return make(each.op, each.op == Op::Length ? kInteger : kText,
                std::move(operands), at);
  }
  if (auto e = mariadb_call(name, std::move(operands), at)) return e;
  source().fail(at, "incorrect parameter count in the call of '" +
                        std::string(name) + "'");
}

// A wait that is too long is not followed: GET_LOCK gets it in the end.
std::optional<Expr> Functions::mysql_lock(const PgQuery__FuncCall& node,
                                          std::string_view name, Span at) {
  ExplicitLock lock;
  lock.mode = ExplicitLock::Mode::Exclusive;
  lock.is_session = true;
  lock.is_released = name != "get_lock";
  lock.releases_all = name == "release_all_locks";
  const bool is_it = !lock.is_released || name == "release_lock" ||
                     (lock.releases_all && node.n_args == 0);
  if (!is_it) return std::nullopt;
  if (scope_.lifter == nullptr || scope_.levels.size() > 1 ||
      scope_.conditional > 0) {
    source().unsupported(at, "'" + std::string(name) + "' in a query is",
                         "make it a statement of its own");
  }
  const std::size_t mentioned = scope_.mentions.size();
  std::vector<Expr> args = all_.expressions.exprs(list(node.n_args, node.args));
  if (!args.empty()) {
    const Type key{TypeName::BigInt};
    Expr called = mariadb_operand(std::move(args[0]));
    const bool is_known =
        called.op == Op::Constant && called.value.kind() == Kind::Text;
    if (is_known) {
      const std::int64_t number = number_of(called.value.text());
      lock.key.push_back(constant(Value::integer(number), key, at));
    } else {
      std::vector<Expr> hashed;
      hashed.push_back(mariadb_cast(source(), std::move(called), kText));
      hashed.push_back(constant(Value::integer(0), key, at));
      lock.key.push_back(
          make_builtin(Builtin::HashTextExtended, key, std::move(hashed), at));
    }
  }
  lock.gives_up = args.size() == 2 && args[1].op == Op::Constant &&
                  args[1].value.kind() == Kind::Integer &&
                  args[1].value.integer() == 0;
  const bool tells = (lock.gives_up || lock.is_released) && !lock.releases_all;
  Expr told = lifted_lock(std::move(lock), mentioned, node);
  if (tells) return mariadb_number(std::move(told));
  return constant(Value::integer(1), kInteger, at);
}

}  // namespace txscope::sql::analyzer
