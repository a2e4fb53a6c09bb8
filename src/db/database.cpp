#include "db/database.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "db/keeper.h"
#include "db/postgresql.h"
#include "db/sqlite.h"

namespace txscope::db {
namespace {

std::string first_cell(Session& session, const std::string& sql) {
  const Answer answer = session.execute(sql);
  if (answer.rows.empty() || answer.rows[0].empty()) return "";
  return answer.rows[0][0].value_or("");
}

Result<std::string> private_directory() {
  const char* place = std::getenv("TMPDIR");
  std::string path = place != nullptr && *place != '\0' ? place : "/tmp";
  path += "/txscope-sqlite-" + std::string(6, 'X');
  if (::mkdtemp(path.data()) == nullptr)
    return failure("cannot create the directory " + path);
  return path;
}

}  // namespace

Database Database::of(Address address) {
  Database database;
  database.product_ = address.product();
  database.address_ = std::move(address);
  return database;
}

Result<Database> Database::start_private(Product product) {
  Database database;
  database.product_ = product;
  if (product == Product::Sqlite) {
    auto directory = private_directory();
    if (!directory) return directory.error();
    database.directory_ = *std::move(directory);
    return database;
  }
  auto server =
      product == Product::MariaDb ? start_mariadb() : start_postgresql();
  if (!server) return server.error();
  // Our servers do not look for deadlocks by themselves.
  if (product == Product::PostgreSql)
    if (auto session = (*server)->connect(""); session)
      (*session)->execute("ALTER ROLE ALL SET deadlock_timeout = '20ms'");
  database.server_ = *std::move(server);
  return database;
}

Database::Database(Database&& other) noexcept
    : product_(other.product_),
      address_(std::move(other.address_)),
      server_(std::move(other.server_)),
      directory_(std::exchange(other.directory_, "")) {}

Database::~Database() {
  if (directory_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string Database::shown() const {
  if (address_) return address_->shown();
  const bool is_file = product_ == Product::Sqlite;
  return "a private " + std::string(title(product_)) + (is_file ? " file" : "");
}

std::string Database::path() const {
  return address_ ? address_->path() : directory_ + "/database";
}

Result<std::unique_ptr<Session>> Database::connect(
    const std::string& database) const {
  if (address_) return address_->connect(database);
  if (product_ == Product::Sqlite) {
    auto session = connect_sqlite(path());
    // Readers and a writer side by side, as servers have them.
    if (session)
      (*session)->execute(
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
    return session;
  }
  return server_->connect(database);
}

std::string version_of(Session& session, Product product) {
  switch (product) {
    case Product::PostgreSql: {
      const std::string text = first_cell(session, "SHOW server_version");
      return "PostgreSQL " + text.substr(0, text.find(' '));
    }
    case Product::MariaDb: {
      const std::string text = first_cell(session, "SELECT version()");
      return (text.find("MariaDB") == std::string::npos ? "MySQL "
                                                        : "MariaDB ") +
             text.substr(0, text.find('-'));
    }
    case Product::Sqlite:
      return "SQLite " + first_cell(session, "SELECT sqlite_version()");
    case Product::Oracle: break;
  }
  return "";
}

std::string clock_of(Session& postgresql) {
  return first_cell(postgresql,
                    "SELECT to_char(clock_timestamp(), "
                    "'YYYY-MM-DD HH24:MI:SS.USOF')");
}

bool has_commit_times(Session& session) {
  return first_cell(session, "SHOW track_commit_timestamp") == "on" &&
         std::atoi(first_cell(session, "SHOW server_version_num").c_str()) >=
             130000;
}

}  // namespace txscope::db
