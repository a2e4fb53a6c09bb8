#include "read/sql/sql.h"

#include <algorithm>

#include "model/sql/parts.h"
#include "read/sql/file/reader.h"
#include "read/sql/read_as.h"
#include "read/sql/text/mysql_text.h"

namespace txscope::sql {
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
Result<sql::Application> read_as(
    std::string file, std::string text, bool needs_sessions,
    sql::Dialect syntax, std::vector<Error>* others,
    std::vector<Error>* left_out_mistakes = nullptr) {
  const bool goes_on = left_out_mistakes != nullptr;
  const std::size_t kMostReadings = goes_on ? 40 : 8;
  sql::Application application;
  application.file = file;
  application.source = text;
  try {
    sql::check_text(application.file, application.source);
    sql::LeftOut left_out;
    std::vector<Error> errors;
    for (std::size_t reading = 1;; ++reading) {
      sql::FileReader reader(
          application, sql::Dialect::Postgresql, left_out, syntax,
          goes_on ? sql::Mistakes::LeaveOut : sql::Mistakes::Refuse);
      reader.read(needs_sessions);
      errors = std::move(reader.errors());
      if (goes_on) *left_out_mistakes = std::move(reader.mistakes());
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
    // All at once: what would have been left out, too.
    if (goes_on)
      errors.insert(errors.end(), left_out_mistakes->begin(),
                    left_out_mistakes->end());
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
       "a text without COLLATE is compared as utf8mb4_general_ci does it"});
}

/// What nobody can explore: `?` as an argument.
Result<sql::Application> without_any_value(Result<sql::Application> read) {
  if (!read || !read->arbitrary) return read;
  const Span at = *read->arbitrary;
  return Error{read->place(at),
               std::string(read->text(at)) == "?"
                   ? "'?' (any value) cannot be explored"
                   : "'--@ open' (any value) cannot be explored",
               "explore needs concrete values; write a constant",
               std::string(read->line(at))};
}

Result<sql::Application> read_as_mysql(std::string file, std::string text,
                                       bool needs_sessions,
                                       const sql::MysqlSign& sign,
                                       std::vector<Error>* others,
                                       std::vector<Error>* left_out = nullptr) {
  auto read = read_as(std::move(file), std::move(text), needs_sessions,
                      sql::Dialect::Mariadb, others, left_out);
  if (read) say_syntax(*read, sign);
  return read;
}

}  // namespace

Result<sql::Application> read_sql(std::string file, std::string text,
                                  bool needs_sessions,
                                  std::vector<Error>* others) {
  return without_any_value(
      read_open_sql(std::move(file), std::move(text), needs_sessions, others));
}

Result<sql::Application> read_open_sql(std::string file, std::string text,
                                       bool needs_sessions,
                                       std::vector<Error>* others) {
  const auto sign = sql::find_mysql(text);
  if (sign && sign->is_sure)
    return read_as_mysql(std::move(file), std::move(text), needs_sessions,
                         *sign, others);
  auto read =
      read_as(file, text, needs_sessions, sql::Dialect::Postgresql, others);
  if (read) return read;
  // Words that PostgreSQL could have as names; it has not.
  if (sign)
    return read_as_mysql(std::move(file), std::move(text), needs_sessions,
                         *sign, others);
  if (!read.error().what.starts_with("syntax error") ||
      sql::said_dialect(text)) {
    return read;
  }
  std::vector<Error> more;
  auto again = read_as_mysql(std::move(file), std::move(text), needs_sessions,
                             {0, "PostgreSQL cannot read it", false}, &more);
  return again ? std::move(again) : std::move(read);
}

Result<sql::Application> read_sql_scripts(std::string file, std::string text,
                                          std::vector<Error>& left_out,
                                          std::vector<Error>* others) {
  const auto sign = sql::find_mysql(text);
  if (sign && sign->is_sure)
    return without_any_value(read_as_mysql(std::move(file), std::move(text),
                                           false, *sign, others, &left_out));
  auto read =
      read_as(file, text, false, sql::Dialect::Postgresql, others, &left_out);
  drop_repeated(left_out);
  if (!sign || (read && left_out.empty()))
    return without_any_value(std::move(read));
  // Words that PostgreSQL could have as names; it has not.
  std::vector<Error> of_mysql;
  auto mysql = read_as_mysql(std::move(file), std::move(text), false, *sign,
                             others, &of_mysql);
  if (!mysql || (read && of_mysql.size() >= left_out.size()))
    return without_any_value(std::move(read));
  left_out = std::move(of_mysql);
  return without_any_value(std::move(mysql));
}

Result<sql::Application> read_sql_as(std::string file, std::string text,
                                     bool needs_sessions, Dialect dialect,
                                     std::vector<Error>* others) {
  return read_as(std::move(file), std::move(text), needs_sessions, dialect,
                 others);
}

bool looks_like_mysql(std::string_view text) {
  const auto sign = find_mysql(text);
  if (!sign || sign->is_sure) return sign.has_value();
  std::vector<Error> others;
  return !read_as("", std::string(text), false, Dialect::Postgresql, &others);
}

}  // namespace txscope::sql
