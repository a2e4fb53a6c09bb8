#include "race/start/dump.h"

#include <poll.h>

#include "db/keeper.h"
#include "db/postgresql.h"

namespace txscope::race {

Result<std::optional<std::string>> run_tool(
    const std::vector<std::string>& command,
    const Process::Environment& environment, const char* package) {
  auto process = Process::start(command, "", environment);
  if (!process)
    return db::failure(process.error().what,
                       std::string("the package ") + package + " has it");
  while (!process->has_ended()) {
    pollfd end = {process->end_descriptor(), POLLIN, 0};
    ::poll(&end, 1, 100);
    process->advance();
  }
  if (process->status() == 0) return std::optional<std::string>();
  return std::optional(process->complaint());
}

Error no_copy(const std::string& why) {
  return db::failure("the database cannot be copied: " + why,
                     "the copy needs the right to read every table; "
                     "--in-place works on the database itself");
}

namespace {

using Words = std::vector<std::string>;

Result<Words> pg_dump(const db::Address& address, const std::string& file) {
  auto source = address.connect();
  if (!source) return source.error();
  const db::PostgresqlEndpoint from = db::endpoint_of(**source);
  const db::Answer user = (*source)->execute("SELECT session_user");
  if (!user.is_ok()) return db::failure(user.message);
  return Words{
      "pg_dump", "-w",          "-h", from.host,
      "-p",      from.port,     "-U", user.rows.at(0).at(0).value_or(""),
      "-d",      from.database, "-f", file};
}

Words mariadb_dump(const db::MariadbAddress& from, const std::string& file) {
  Words command = {"mariadb-dump", "--single-transaction", "--triggers",
                   "--skip-comments", "--result-file=" + file};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) command.push_back(option + value);
  };
  add("--host=", from.host);
  add("--port=", from.port == 0 ? "" : std::to_string(from.port));
  add("--socket=", from.socket);
  add("--user=", from.user);
  command.push_back(from.database);
  return command;
}

}  // namespace

Result<Done> dump(const db::Address& address, const std::string& file) {
  const bool is_postgresql = address.product() == Product::PostgreSql;
  Result<Words> command = is_postgresql ? pg_dump(address, file)
                                        : mariadb_dump(address.mariadb(), file);
  if (!command) return command.error();
  Process::Environment environment = {{"PGOPTIONS", ""}};
  if (!address.password().empty())
    environment.emplace_back(is_postgresql ? "PGPASSWORD" : "MYSQL_PWD",
                             address.password());
  const auto complaint =
      run_tool(*command, environment,
               is_postgresql ? "postgresql-client" : "mariadb-client");
  if (!complaint) return complaint.error();
  if (*complaint) return no_copy(command->front() + ": " + **complaint);
  return Done{};
}

}  // namespace txscope::race
