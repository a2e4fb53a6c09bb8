#include "race/start/settings.h"

#include "db/keeper.h"

namespace txscope::race {
namespace {

// What can be set by the connection itself; names with a point, which are the
// application's own, are in no list but that of what was set.
constexpr const char* kOfPostgresql =
    "SELECT name, setting FROM pg_settings WHERE context = 'user'"
    " AND (source IN ('database', 'user', 'database user')"
    " OR source IN ('configuration file', 'command line')"
    " AND name IN ('default_transaction_isolation',"
    " 'default_transaction_read_only', 'default_transaction_deferrable',"
    " 'search_path', 'TimeZone', 'DateStyle', 'IntervalStyle', 'lock_timeout',"
    " 'statement_timeout', 'idle_in_transaction_session_timeout'))"
    " UNION SELECT name, current_setting(name, true) FROM"
    " (SELECT split_part(unnest(setconfig), '=', 1) AS name"
    " FROM pg_db_role_setting WHERE setdatabase IN (0, (SELECT oid"
    " FROM pg_database WHERE datname = current_database()))"
    " AND setrole IN (0, (SELECT oid FROM pg_roles"
    " WHERE rolname = session_user))) own"
    " WHERE name LIKE '%.%' ORDER BY name";

constexpr const char* kOfMariadb =
    "SHOW GLOBAL VARIABLES WHERE variable_name IN ('sql_mode', 'tx_isolation',"
    " 'transaction_isolation', 'time_zone', 'innodb_lock_wait_timeout',"
    " 'innodb_snapshot_isolation')";

/// Spaces and backslashes part options.
std::string escaped_option(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == ' ' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

bool is_whole_number(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

Result<std::string> options_of_postgresql(db::Session& source) {
  const db::Answer answer = source.execute(kOfPostgresql);
  if (!answer.is_ok())
    return db::failure("cannot read the settings: " + answer.message);
  std::string options;
  for (const auto& row : answer.rows)
    options += (options.empty() ? "-c " : " -c ") +
               escaped_option(row[0].value_or("")) + "=" +
               escaped_option(row[1].value_or(""));
  return options;
}

Result<std::string> settings_of_mariadb(db::Session& source) {
  const db::Answer answer = source.execute(kOfMariadb);
  if (!answer.is_ok())
    return db::failure("cannot read the settings: " + answer.message);
  std::string statements;
  for (const auto& row : answer.rows) {
    const std::string name = row[0].value_or("");
    const std::string value = row[1].value_or("");
    // The second is MySQL's name for the same.
    statements += "SET GLOBAL " +
                  (name == "transaction_isolation" ? "tx_isolation" : name) +
                  " = " + (is_whole_number(value) ? value : quoted(value)) +
                  ";";
  }
  return statements;
}

}  // namespace txscope::race
