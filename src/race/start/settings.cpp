#include "race/start/settings.h"

#include "db/keeper.h"

namespace txscope::race {
namespace {

constexpr const char* kOfServer =
    "SELECT name, setting FROM pg_settings WHERE context = 'user'"
    " AND source IN ('configuration file', 'command line')"
    " AND name IN ('default_transaction_isolation',"
    " 'default_transaction_read_only', 'default_transaction_deferrable',"
    " 'search_path', 'TimeZone', 'DateStyle', 'IntervalStyle', 'lock_timeout',"
    " 'statement_timeout', 'idle_in_transaction_session_timeout')";

// Later ones are stronger.  What can be set by the connection itself; names
// with a point are the application's own.
constexpr const char* kOfRoles =
    "SELECT l.rolname, split_part(one, '=', 1),"
    " substr(one, strpos(one, '=') + 1)"
    " FROM pg_roles l JOIN pg_db_role_setting s ON s.setrole IN (0, l.oid)"
    " AND s.setdatabase IN (0, (SELECT oid FROM pg_database"
    " WHERE datname = current_database())), unnest(s.setconfig) one"
    " WHERE l.rolcanlogin AND (one LIKE '%.%=%' OR split_part(one, '=', 1) IN"
    " (SELECT name FROM pg_settings WHERE context = 'user'))"
    " ORDER BY s.setrole <> 0, s.setdatabase <> 0";

constexpr const char* kLogins =
    "SELECT rolname FROM pg_roles WHERE rolcanlogin";

// The private server has its own superuser, and those that are predefined.
constexpr const char* kRoles =
    "SELECT format('CREATE ROLE %I%s%s%s%s%s%s', rolname,"
    " CASE WHEN rolsuper THEN ' SUPERUSER' END,"
    " CASE WHEN rolcanlogin THEN ' LOGIN' END,"
    " CASE WHEN NOT rolinherit THEN ' NOINHERIT' END,"
    " CASE WHEN rolcreaterole THEN ' CREATEROLE' END,"
    " CASE WHEN rolcreatedb THEN ' CREATEDB' END,"
    " CASE WHEN rolbypassrls THEN ' BYPASSRLS' END) FROM pg_roles"
    " WHERE rolname NOT LIKE 'pg\\_%' AND rolname <> 'postgres'";

constexpr const char* kMembers =
    "SELECT format('GRANT %I TO %I%s', r.rolname, m.rolname,"
    " CASE WHEN a.admin_option THEN ' WITH ADMIN OPTION' END),"
    " r.rolname LIKE 'pg\\_%' FROM pg_auth_members a"
    " JOIN pg_roles r ON r.oid = a.roleid JOIN pg_roles m ON m.oid = a.member"
    " WHERE m.rolname NOT LIKE 'pg\\_%' AND m.rolname <> 'postgres'";

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

Result<RoleOptions> options_of_postgresql(db::Session& source) {
  const db::Answer server = source.execute(kOfServer);
  const db::Answer logins = source.execute(kLogins);
  const db::Answer roles = source.execute(kOfRoles);
  for (const db::Answer* answer : {&server, &logins, &roles})
    if (!answer->is_ok())
      return db::failure("cannot read the settings: " + answer->message);
  const auto option = [](const db::Cell& name, const db::Cell& value) {
    return "-c " + escaped_option(name.value_or("")) + "=" +
           escaped_option(value.value_or("")) + " ";
  };
  std::string of_all;
  for (const auto& row : server.rows) of_all += option(row[0], row[1]);
  RoleOptions result;
  for (const auto& row : logins.rows) result[row[0].value_or("")] = of_all;
  for (const auto& row : roles.rows)
    result[row[0].value_or("")] += option(row[1], row[2]);
  return result;
}

Result<Done> copy_roles(db::Session& source, db::Session& target) {
  const db::Answer roles = source.execute(kRoles);
  const db::Answer members = source.execute(kMembers);
  for (const db::Answer* answer : {&roles, &members})
    if (!answer->is_ok())
      return db::failure("cannot read the roles: " + answer->message);
  for (const auto& row : roles.rows)
    if (const auto made = target.execute(row[0].value_or("")); !made.is_ok())
      return db::failure("the copy cannot have the roles: " + made.message);
  for (const auto& row : members.rows) {
    const auto made = target.execute(row[0].value_or(""));
    // Another version may have other predefined roles.
    if (!made.is_ok() && row[1] != "t")
      return db::failure("the copy cannot have the roles: " + made.message);
  }
  return Done{};
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
