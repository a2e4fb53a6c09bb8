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

/// What settings of frameworks call the parts of an address (Laravel, many of
/// Django, Express and Go), with the prefix of their image or without.
void add_parts(const std::string& prefix, const std::string& host,
               const std::string& port, const std::string& database,
               const std::string& user, Process::Environment& out) {
  out.emplace_back(prefix + "HOST", host);
  out.emplace_back(prefix + "PORT", port);
  for (const char* name : {"DB", "NAME", "DATABASE"})
    out.emplace_back(prefix + name, database);
  if (user.empty()) return;
  for (const char* name : {"USER", "USERNAME"})
    out.emplace_back(prefix + name, user);
}

Process::Environment for_postgresql(const Endpoint& where,
                                    const std::string& database,
                                    const std::string& user) {
  const bool is_directory = !where.host.empty() && where.host.front() == '/';
  Process::Environment result;
  result.emplace_back("PGHOST", where.host);
  result.emplace_back("PGPORT", where.port);
  result.emplace_back("PGDATABASE", database);
  if (!user.empty()) result.emplace_back("PGUSER", user);
  result.emplace_back("PGSSLMODE", "disable");
  result.emplace_back("PGGSSENCMODE", "disable");
  if (!is_directory) add_jdbc("postgresql", where, database, user, result);
  for (const char* prefix : {"POSTGRES_", "DB_"})
    add_parts(prefix, where.host, where.port, database, user, result);
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
  for (const char* prefix : {"MYSQL_", "MARIADB_", "DB_"})
    add_parts(prefix, host, where.port, database, user, result);
  return result;
}

/// What may stand in the value of a variable, and which has it.
constexpr std::pair<const char*, const char*> kPlaces[] = {
    {"{url}", "DATABASE_URL"},     {"{host}", "DB_HOST"}, {"{port}", "DB_PORT"},
    {"{database}", "DB_DATABASE"}, {"{user}", "DB_USER"},
};

const std::string* value_of(const Process::Environment& variables,
                            std::string_view name) {
  for (const auto& [one, value] : variables)
    if (one == name) return &value;
  return nullptr;
}

std::string filled(std::string text, const std::string& place,
                   const std::string& value) {
  for (std::size_t at = text.find(place); at != std::string::npos;
       at = text.find(place, at + value.size()))
    text.replace(at, place.size(), value);
  return text;
}

}  // namespace

Process::Environment client_environment(Product product, const Endpoint& where,
                                        const std::string& database,
                                        const std::string& user) {
  return product == Product::MariaDb ? for_mariadb(where, database, user)
                                     : for_postgresql(where, database, user);
}

Process::Environment environment_of(const Plan& plan, const Endpoint& where,
                                    const std::string& database,
                                    const std::string& user) {
  const Process::Environment of_client =
      client_environment(plan.product, where, database, user);
  Process::Environment result = plan.environment;
  for (auto& [name, value] : result)
    for (const auto& [place, variable] : kPlaces)
      if (const std::string* known = value_of(of_client, variable))
        value = filled(value, place, *known);
  if (!plan.password.empty()) result.emplace_back("PGPASSWORD", plan.password);
  for (const auto& one : of_client)
    if (value_of(result, one.first) == nullptr) result.push_back(one);
  return result;
}

}  // namespace txscope::race
