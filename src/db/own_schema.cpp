#include "db/own_schema.h"

#include <utility>

#include "db/dialect.h"
#include "db/keeper.h"

namespace txscope::db {
namespace {

std::string text_literal(const std::string& text, Product product) {
  return literal(sql::Value::text(text), product);
}

/// A query with a row for each thing that is in the way.
std::string conflict_query(Product product, const std::string& name,
                           const std::vector<std::string>& tables) {
  switch (product) {
    case Product::PostgreSql:
      return "SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname = " +
             text_literal(name, product);
    case Product::MariaDb:
      return "SELECT schema_name FROM information_schema.schemata"
             " WHERE schema_name = " +
             text_literal(name, product);
    case Product::Sqlite: break;
  }
  std::string names;
  for (const std::string& table : tables)
    names += (names.empty() ? "" : ", ") + text_literal(table, product);
  return "SELECT name FROM sqlite_master WHERE lower(name) IN (" + names + ")";
}

}  // namespace

std::string OwnSchema::drop_text() const {
  switch (product_) {
    case Product::PostgreSql:
      return "DROP SCHEMA IF EXISTS " + quoted(name_, product_) + " CASCADE";
    case Product::MariaDb:
      return "DROP DATABASE IF EXISTS " + quoted(name_, product_);
    case Product::Sqlite: break;
  }
  std::string text = "PRAGMA foreign_keys = OFF";
  for (const std::string& table : tables_)
    text += "; DROP TABLE IF EXISTS " + quoted(table, product_);
  return text + "; PRAGMA foreign_keys = ON";
}

Result<OwnSchema> OwnSchema::make(Session& control, Product product,
                                  const std::string& name,
                                  std::vector<std::string> tables,
                                  bool may_drop) {
  const Answer found = control.execute(conflict_query(product, name, tables));
  if (!found.is_ok()) return failure(found.message);
  const bool is_sqlite = product == Product::Sqlite;
  if (!found.rows.empty() && !may_drop)
    return failure((is_sqlite ? "the database has a table '"
                              : "the database has a schema '") +
                       found.rows[0][0].value_or("") + "' already",
                   is_sqlite ? "use a new file, or say --drop to lose it"
                             : "choose another with --schema, or say --drop to "
                               "lose what is in it");
  OwnSchema schema(control, product, name, std::move(tables));
  std::vector<std::string> texts = {schema.drop_text()};
  if (!is_sqlite) {
    texts.push_back(
        (product == Product::MariaDb ? "CREATE DATABASE " : "CREATE SCHEMA ") +
        quoted(name, product));
    texts.push_back(schema.enter());
  }
  auto done = execute_all(control, texts);
  if (!done) return done.error();
  return schema;
}

OwnSchema::OwnSchema(OwnSchema&& other) noexcept
    : control_(std::exchange(other.control_, nullptr)),
      product_(other.product_),
      name_(std::move(other.name_)),
      tables_(std::move(other.tables_)) {}

OwnSchema::~OwnSchema() {
  if (control_ != nullptr) control_->execute(drop_text());
}

std::string OwnSchema::enter() const {
  switch (product_) {
    case Product::PostgreSql:
      return "SET search_path TO " + quoted(name_, product_);
    case Product::MariaDb:
      return "SET sql_mode = 'TRADITIONAL,ANSI'; USE " +
             quoted(name_, product_);
    case Product::Sqlite: break;
  }
  return "";
}

Result<Done> execute_all(Session& session,
                         const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const Answer answer = session.execute(text);
    if (!answer.is_ok())
      return failure(answer.message + " (" + answer.code +
                     ") in: " + text.substr(0, 200));
  }
  return Done{};
}

}  // namespace txscope::db
