#include "db/own_database.h"

#include <filesystem>
#include <utility>

#include "db/dialect.h"
#include "db/keeper.h"

namespace txscope::db {
namespace {

constexpr const char* kMark = "made by txscope record";
constexpr const char* kFileMark = "1954050915";  // "txrc"

std::string text_literal(const std::string& text, Product product) {
  return literal(sql::Value::text(text), product);
}

/// Nothing, or the mark of the database of that name; an empty one for one
/// that somebody else made.
std::string mark_query(Product product, const std::string& name) {
  const std::string text = text_literal(name, product);
  if (product == Product::PostgreSql)
    return "SELECT coalesce(pg_catalog.shobj_description(oid, 'pg_database'), "
           "'') FROM pg_catalog.pg_database WHERE datname = " +
           text;
  return "SELECT schema_comment FROM information_schema.schemata"
         " WHERE schema_name = " +
         text;
}

std::vector<std::string> create_texts(Product product,
                                      const std::string& name) {
  const std::string own = quoted(name, product);
  const std::string mark = text_literal(kMark, product);
  if (product == Product::MariaDb)
    return {"CREATE DATABASE " + own + " COMMENT = " + mark};
  // template1 may hold what somebody put there, and be in use.
  return {"CREATE DATABASE " + own + " TEMPLATE template0",
          "COMMENT ON DATABASE " + own + " IS " + mark};
}

bool is_denied(const Answer& answer) {
  return answer.sqlstate == "42501" || answer.number == 1044 ||
         answer.number == 1045 || answer.number == 1227;
}

Error cannot_create(const Answer& answer, const Database& where) {
  if (!is_denied(answer))
    return failure("cannot create a separate database on " + where.shown() +
                   ": " + answer.message);
  return failure(
      "no right to create a database on " + where.shown() + ": " +
          answer.message,
      where.product() == Product::PostgreSql
          ? "a workload needs its own database: ALTER ROLE ... "
            "CREATEDB, or leave out --db for a private server"
          : "a workload needs its own database: GRANT ALL ON "
            "`txscope`.* TO ..., or say --db mariadb for a private server");
}

Error is_there(const std::string& what, bool is_ours, const char* other) {
  if (is_ours)
    return failure(what + " was left by another run of txscope",
                   std::string("use --drop to replace it, or ") + other);
  return failure(what + " already exists, and txscope did not create it",
                 other);
}

}  // namespace

Result<OwnDatabase> OwnDatabase::make(const Database& where,
                                      const std::string& name,
                                      bool may_replace) {
  OwnDatabase own(where, name);
  auto done = where.product() == Product::Sqlite
                  ? own.make_file(may_replace)
                  : own.make_on_server(may_replace);
  if (!done) return done.error();
  return own;
}

OwnDatabase::OwnDatabase(OwnDatabase&& other) noexcept
    : where_(other.where_),
      name_(std::move(other.name_)),
      is_made_(std::exchange(other.is_made_, false)),
      is_kept_(other.is_kept_),
      is_new_file_(other.is_new_file_) {}

OwnDatabase::~OwnDatabase() { [[maybe_unused]] const auto done = drop(); }

Result<Done> OwnDatabase::make_on_server(bool may_replace) {
  const Product product = where_->product();
  auto session = where_->connect();
  if (!session) return session.error();
  const Answer found = (*session)->execute(mark_query(product, name_));
  // MySQL has no comments of databases: there nothing is known to be ours.
  const bool is_known = found.is_ok();
  if (is_known && !found.rows.empty()) {
    const bool is_ours = found.rows[0][0] == kMark;
    if (!is_ours || !may_replace)
      return is_there("the database '" + name_ + "'", is_ours,
                      "choose another name with --schema");
    if (auto done = drop_on_server(**session); !done) return done;
  }
  for (const std::string& text : create_texts(product, name_)) {
    Answer answer = (*session)->execute(text);
    if (!answer.is_ok() && !is_known)
      answer = (*session)->execute("CREATE DATABASE " + quoted(name_, product));
    if (!answer.is_ok()) return cannot_create(answer, *where_);
    is_made_ = true;
  }
  return Done{};
}

Result<Done> OwnDatabase::make_file(bool may_replace) {
  std::error_code ignored;
  is_new_file_ = !std::filesystem::exists(where_->path(), ignored);
  auto session = where_->connect();
  if (!session) return session.error();
  const Answer found =
      (*session)->execute("SELECT name FROM sqlite_master LIMIT 1");
  if (!found.is_ok())
    return failure(where_->path() + " is not a SQLite file: " + found.message);
  if (!found.rows.empty()) {
    const Answer mark = (*session)->execute("PRAGMA application_id");
    const bool is_ours = !mark.rows.empty() && mark.rows[0][0] == kFileMark;
    if (!is_ours || !may_replace)
      return is_there("the database " + where_->path(), is_ours,
                      "use a new file");
    is_made_ = true;
    session->reset();
    if (auto done = drop_file(); !done) return done;
    session = where_->connect();
    if (!session) return session.error();
  }
  const Answer marked =
      (*session)->execute(std::string("PRAGMA application_id = ") + kFileMark);
  if (!marked.is_ok())
    return failure("cannot write " + where_->path() + ": " + marked.message);
  is_made_ = true;
  return Done{};
}

Result<Done> OwnDatabase::drop() {
  if (!std::exchange(is_made_, false) || is_kept_) return Done{};
  if (where_->product() == Product::Sqlite) return drop_file();
  auto session = where_->connect();
  if (!session) return session.error();
  return drop_on_server(**session);
}

Result<Done> OwnDatabase::drop_on_server(Session& session) const {
  const Product product = where_->product();
  // Who still waits there would keep it; MariaDB lets nobody keep it.
  if (product == Product::PostgreSql)
    session.execute(
        "SELECT pg_catalog.pg_terminate_backend(pid) FROM "
        "pg_catalog.pg_stat_activity WHERE datname = " +
        text_literal(name_, product) + " AND usename = current_user");
  const Answer answer =
      session.execute("DROP DATABASE " + quoted(name_, product));
  if (answer.is_ok()) return Done{};
  return failure(
      "the database '" + name_ + "' could not be dropped: " + answer.message,
      "drop it by hand, or use --drop next time");
}

Result<Done> OwnDatabase::drop_file() {
  if (is_new_file_) {
    std::error_code ignored;
    for (const char* end : {"", "-wal", "-shm", "-journal"})
      std::filesystem::remove(where_->path() + end, ignored);
    return Done{};
  }
  auto session = where_->connect();
  if (!session) return session.error();
  const Answer tables = (*session)->execute(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE "
      "'sqlite\\_%' ESCAPE '\\'");
  std::string text = "PRAGMA foreign_keys = OFF";
  for (const auto& row : tables.rows)
    text += "; DROP TABLE " + quoted(row[0].value_or(""), Product::Sqlite);
  const Answer answer =
      (*session)->execute(text + "; PRAGMA application_id = 0");
  if (answer.is_ok()) return Done{};
  return failure("cannot empty " + where_->path() + ": " + answer.message);
}

Result<std::unique_ptr<Session>> OwnDatabase::connect() const {
  const Product product = where_->product();
  auto session = product == Product::PostgreSql ? where_->connect(name_)
                                                : where_->connect();
  if (!session || product == Product::Sqlite) return session;
  // The role may have settings of its own; a database that is new has none.
  auto done = execute_all(
      **session, {product == Product::PostgreSql
                      ? std::string("SET search_path TO \"$user\", public")
                      : "SET sql_mode = 'TRADITIONAL,ANSI'; USE " +
                            quoted(name_, product)});
  if (!done) return done.error();
  return session;
}

}  // namespace txscope::db
