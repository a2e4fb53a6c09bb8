#include <algorithm>
#include <string>

#include "read/logs/statements/formats.h"
#include "read/logs/statements/log_builder.h"
#include "read/logs/statements/placeholders.h"

namespace txscope::logs {
namespace {

constexpr std::string_view kEngine = "sqlalchemy.engine.";

/// Without what people's formats put between the logger's name and the message:
/// a line number, the level, dashes and colons.
std::string_view message_in(std::string_view text) {
  constexpr std::string_view kLevels[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
  constexpr std::string_view kDigits = "0123456789";
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    const std::size_t from =
        std::min(text.find_first_not_of(" \t:|-]"), text.size());
    text.remove_prefix(from);
    const std::size_t digits =
        std::min(text.find_first_not_of(kDigits), text.size());
    if (digits > 0 && text.substr(digits).starts_with("]")) {
      text.remove_prefix(digits);
      goes_on = true;
    }
    for (const std::string_view level : kLevels) {
      const bool has_bracket = text.starts_with("[");
      const std::string_view word = text.substr(has_bracket ? 1 : 0);
      if (!word.starts_with(level)) continue;
      const std::string_view rest = word.substr(level.size());
      if (!rest.empty() && rest.find_first_of(" \t:|-]") != 0) continue;
      text = rest;
      goes_on = true;
    }
  }
  return trim(text);
}

/// What stands behind the logger's name; none: another line.
std::optional<std::string_view> engine_text(std::string_view line) {
  const std::size_t at = line.find(kEngine);
  if (at == line.npos) return std::nullopt;
  const std::size_t end = line.find_first_of(" \t:]", at);
  if (end == line.npos) return std::string_view();
  return message_in(line.substr(end));
}

/// `[generated in 0.0001s] (1,)`, `[cached since 2s ago] {..}`, `[raw sql] ()`
std::optional<std::string_view> values_in(std::string_view text) {
  if (!text.starts_with("[generated in ") &&
      !text.starts_with("[cached since ") && !text.starts_with("[raw sql]") &&
      !text.starts_with("[no key ") &&
      !text.starts_with("[caching disabled ") && !text.starts_with("[dialect "))
    return std::nullopt;
  const std::size_t end = text.find("] ");
  return end == text.npos ? std::string_view() : text.substr(end + 2);
}

}  // namespace

bool is_sqlalchemy(std::string_view head) {
  return head.find(kEngine) != head.npos;
}

/// `TIME INFO sqlalchemy.engine.Engine[.NAME] SQL`, more lines of it, then its
/// values.  With a pool's logging_name or a token, NAME tells engines apart,
/// not connections.
StatementLogResult read_sqlalchemy(read::Input input) {
  const std::string_view head = input.head();
  const sql::Dialect dialect = head.find("SELECT DATABASE()") != head.npos ||
                                       head.find('`') != head.npos ||
                                       head.find("@@sql_mode") != head.npos
                                   ? sql::Dialect::Mariadb
                                   : sql::Dialect::Postgresql;
  LogBuilder builder(input.name(), "log of SQLAlchemy's engine", dialect);
  std::string sql;
  std::uint64_t begin = 0;
  std::optional<std::int64_t> time;
  const auto flush = [&](const SentValues& values) {
    if (sql.empty()) return;
    builder.add(begin, "", filled(sql, values)).time = time;
    sql.clear();
  };
  for (std::string_view line; input.next_line(line);) {
    const auto text = engine_text(line);
    if (!text) {
      if (!sql.empty())
        sql += "\n" + std::string(line);
      else if (!trim(line).empty())
        builder.skip(input.line());
      continue;
    }
    if (const auto values = values_in(*text)) {
      flush(python_values(*values));
      continue;
    }
    flush({});
    begin = input.line();
    time = log_time(line);
    if (text->starts_with("BEGIN "))
      sql = "BEGIN";
    else if (text->starts_with("COMMIT"))
      sql = "COMMIT";
    else if (text->starts_with("ROLLBACK") && text->find(" TO ") == text->npos)
      sql = "ROLLBACK";
    else
      sql = *text;
    if (sql == "BEGIN" || sql == "COMMIT" || sql == "ROLLBACK") flush({});
  }
  flush({});
  if (input.error()) return *input.error();
  builder.log().has_sessions = false;
  return builder.finish();
}

}  // namespace txscope::logs
