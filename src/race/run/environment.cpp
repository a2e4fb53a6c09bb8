#include "race/run/environment.h"

namespace txscope::race {
namespace {

/// Java's drivers read no variables, but Spring Boot takes its settings from
/// these, and others look for the first.
void add_jdbc(const std::string& scheme, const Endpoint& where,
              const std::string& database, const std::string& user,
              Process::Environment& out) {
  const std::string url =
      "jdbc:" + scheme + "://" + where.host + ":" + where.port + "/" + database;
  out.emplace_back("JDBC_DATABASE_URL",
                   url + (user.empty() ? "" : "?user=" + user));
  out.emplace_back("SPRING_DATASOURCE_URL", url);
  if (!user.empty()) out.emplace_back("SPRING_DATASOURCE_USERNAME", user);
}

Process::Environment for_postgresql(const Endpoint& where,
                                    const std::string& database,
                                    const std::string& user) {
  const bool is_directory = !where.host.empty() && where.host.front() == '/';
  Process::Environment result;
  result.emplace_back("PGHOST", where.host);
  if (!is_directory) result.emplace_back("PGHOSTADDR", where.host);
  result.emplace_back("PGPORT", where.port);
  result.emplace_back("PGDATABASE", database);
  if (!user.empty()) result.emplace_back("PGUSER", user);
  result.emplace_back("PGSSLMODE", "disable");
  result.emplace_back("PGGSSENCMODE", "disable");
  if (!is_directory) add_jdbc("postgresql", where, database, user, result);
  result.emplace_back("DATABASE_URL",
                      is_directory
                          ? "postgresql://" + user + "@/" + database +
                                "?host=" + where.host + "&port=" + where.port
                          : "postgresql://" + user + "@" + where.host + ":" +
                                where.port + "/" + database);
  return result;
}

Process::Environment for_mariadb(const Endpoint& where,
                                 const std::string& database,
                                 const std::string& user) {
  const bool is_directory = !where.host.empty() && where.host.front() == '/';
  const std::string host = is_directory ? "localhost" : where.host;
  Process::Environment result;
  if (is_directory) {
    const std::string socket = where.host + "/" + where.file;
    result.emplace_back("MYSQL_UNIX_PORT", socket);
    result.emplace_back("DATABASE_URL", "mysql://" + user + "@localhost/" +
                                            database +
                                            "?unix_socket=" + socket);
  } else {
    add_jdbc("mariadb", where, database, user, result);
    result.emplace_back("MYSQL_TCP_PORT", where.port);
    result.emplace_back("DATABASE_URL", "mysql://" + user + "@" + host + ":" +
                                            where.port + "/" + database);
  }
  for (const char* prefix : {"MYSQL_", "MARIADB_"}) {
    const std::string name = prefix;
    result.emplace_back(name + "HOST", host);
    result.emplace_back(name + "PORT", where.port);
    result.emplace_back(name + "DATABASE", database);
    result.emplace_back(name + "USER", user);
  }
  return result;
}

}  // namespace

Process::Environment client_environment(Product product, const Endpoint& where,
                                        const std::string& database,
                                        const std::string& user) {
  return product == Product::MariaDb ? for_mariadb(where, database, user)
                                     : for_postgresql(where, database, user);
}

}  // namespace txscope::race
