#include "read/sql/sql.h"

#include <algorithm>

#include "model/sql/parts.h"
#include "read/sql/file/reader.h"
#include "read/sql/read_as.h"
#include "read/sql/text/mysql_text.h"

namespace txscope {
namespace {

/// What several sessions need is said once.
void drop_repeated(std::vector<Error>& errors) {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const auto is_again = [&](const Error& e) {
      return e.where == errors[i].where && e.what == errors[i].what;
    };
    errors.erase(
        std::remove_if(errors.begin() + static_cast<std::ptrdiff_t>(i + 1),
                       errors.end(), is_again),
        errors.end());
  }
}

/// Reads it in one syntax.
Result<sql::Application> read_as(std::string file, std::string text,
                                 bool needs_sessions, sql::Dialect syntax,
                                 std::vector<Error>* others) {
  constexpr std::size_t kMostReadings = 8;
  sql::Application application;
  application.file = file;
  application.source = text;
  try {
    sql::check_text(application.file, application.source);
    sql::LeftOut left_out;
    std::vector<Error> errors;
    for (std::size_t reading = 1;; ++reading) {
      sql::FileReader reader(application, sql::Dialect::Postgresql, left_out,
                             syntax);
      reader.read(needs_sessions);
      errors = std::move(reader.errors());
      const sql::LeftOut& more = reader.to_leave_out();
      if (more.empty() || reading == kMostReadings) break;
      left_out.calls.insert(more.calls.begin(), more.calls.end());
      left_out.tables.insert(more.tables.begin(), more.tables.end());
      application = sql::Application();
      application.file = file;
      application.source = text;
    }
    if (errors.empty()) {
      sql::number_parts(application);
      return application;
    }
    drop_repeated(errors);
    if (others != nullptr) others->assign(errors.begin() + 1, errors.end());
    return std::move(errors.front());
  } catch (sql::Failure& failure) {
    return std::move(failure.error);
  }
}

void say_syntax(sql::Application& application, const sql::MysqlSign& sign) {
  application.notes.insert(
      application.notes.begin(),
      {"read in MySQL's syntax (" + sign.what + ")",
       "texts are compared as they are written, in their case, and "
       "ROW_COUNT() counts the rows that an UPDATE finds"});
}

}  // namespace

Result<sql::Application> read_sql(std::string file, std::string text,
                                  bool needs_sessions,
                                  std::vector<Error>* others) {
  auto application =
      read_open_sql(std::move(file), std::move(text), needs_sessions, others);
  if (!application || !application->arbitrary) return application;
  const Span at = *application->arbitrary;
  return Error{application->place(at),
               std::string(application->text(at)) == "?"
                   ? "'?' (any value) cannot be explored"
                   : "'--@ open' (any value) cannot be explored",
               "explore needs concrete values; write a constant",
               std::string(application->line(at))};
}

Result<sql::Application> read_open_sql(std::string file, std::string text,
                                       bool needs_sessions,
                                       std::vector<Error>* others) {
  const auto sign = sql::find_mysql(text);
  const bool is_mysql = sign && sign->is_sure;
  auto read = read_as(
      file, text, needs_sessions,
      is_mysql ? sql::Dialect::Mariadb : sql::Dialect::Postgresql, others);
  if (read || is_mysql || !sign) {
    if (read && is_mysql) say_syntax(*read, *sign);
    return read;
  }
  // Words that PostgreSQL could have as names; it has not.
  read = read_as(std::move(file), std::move(text), needs_sessions,
                 sql::Dialect::Mariadb, others);
  if (read) say_syntax(*read, *sign);
  return read;
}

Result<sql::Application> sql::read_sql_as(std::string file, std::string text,
                                          bool needs_sessions, Dialect dialect,
                                          std::vector<Error>* others) {
  return read_as(std::move(file), std::move(text), needs_sessions, dialect,
                 others);
}

bool sql::looks_like_mysql(std::string_view text) {
  const auto sign = find_mysql(text);
  return sign && sign->is_sure;
}

}  // namespace txscope
