// Functions of MySQL and MariaDB, where they are not PostgreSQL's.

#include <algorithm>
#include <array>

#include "read/sql/analyze/mariadb.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

struct Renamed {
  std::string_view theirs;
  std::string_view ours;
};
/// Functions that PostgreSQL has by another name.
constexpr std::array<Renamed, 12> kRenamed = {{
    {"ucase", "upper"},
    {"lcase", "lower"},
    {"char_length", "length"},
    {"character_length", "length"},
    {"length", "octet_length"},
    {"octet_length", "octet_length"},
    {"ceiling", "ceil"},
    {"truncate", "trunc"},
    {"pow", "power"},
    {"rand", "random"},
    {"last_insert_id", "lastval"},
    {"std", "stddev"},
}};

}  // namespace

std::optional<Expr> Functions::mysql_function(const PgQuery__FuncCall& node,
                                              std::string_view name, Span at) {
  const NodeList args = list(node.n_args, node.args);
  const auto constant_text = [&](const char* value) {
    return constant(Value::text(value), kText, at);
  };
  if (name == "row_count" && args.empty()) {
    if (scope_.lifter == nullptr || scope_.levels.size() > 1)
      source().unsupported(at, "ROW_COUNT() here is",
                           "assign it to a variable first");
    const std::uint32_t slot = scope_.lifter->lift_row_count(at);
    return scope_.variable({slot, {TypeName::BigInt}},
                           scope_.tree.call(node.location));
  }
  if (name == "concat") {
    std::vector<Expr> parts;
    for (Expr& part : all_.expressions.exprs(args)) {
      part = decided(source(), std::move(part));
      if (part.type.name == TypeName::Boolean) part = mariadb_number(part);
      parts.push_back(cast(source(), std::move(part), kText));
    }
    if (parts.size() == 1) return std::move(parts[0]);
    Expr all = std::move(parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      std::vector<Expr> both;
      both.push_back(std::move(all));
      both.push_back(std::move(parts[i]));
      all = make(Op::Concat, kText, std::move(both), at);
    }
    return all;
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
  if (name == "uuid" && args.empty()) {
    PgQuery__FuncCall copy = node;
    Node word = *node.funcname[0];
    PgQuery__String ours = *word.string;
    std::string text = "gen_random_uuid";
    ours.sval = text.data();
    word.string = &ours;
    Node* words[] = {&word};
    copy.funcname = words;
    copy.n_funcname = 1;
    Expr made = func_call(copy);
    return cast(source(), std::move(made), kText);
  }
  for (const Renamed& each : kRenamed) {
    if (each.theirs != name || each.theirs == each.ours) continue;
    PgQuery__FuncCall copy = node;
    Node word = *node.funcname[0];
    PgQuery__String ours = *word.string;
    std::string text(each.ours);
    ours.sval = text.data();
    word.string = &ours;
    Node* words[] = {&word};
    copy.funcname = words;
    copy.n_funcname = 1;
    is_renamed_ = true;
    Expr made = func_call(copy);
    return made;
  }
  return std::nullopt;
}

}  // namespace txscope::sql::analyzer
