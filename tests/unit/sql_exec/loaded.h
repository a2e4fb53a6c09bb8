#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "exec/sql/memory/database.h"
#include "read/sql/sql.h"

namespace txscope::sql {

/// An application with its code; `text` is the file.
class Loaded {
 public:
  explicit Loaded(const std::string& text, std::uint64_t loop_bound = 1000) {
    auto read = sql::read_sql("test.sql", text);
    if (!read) {
      ADD_FAILURE() << read.error().what << "\n" << read.error().source_line;
      return;
    }
    application = std::make_unique<Application>(std::move(*read));
    routines = std::make_unique<Routines>(*application, loop_bound);
    auto after = MemoryDatabase::after_setup(*routines, budget);
    if (const auto* error = std::get_if<SqlError>(&after))
      ADD_FAILURE() << error->message;
    database = std::make_unique<MemoryDatabase>(
        std::get<MemoryDatabase>(std::move(after)));
  }

  const Call& call(std::size_t session, std::size_t i = 0) const {
    return application->sessions[session].calls[i];
  }
  MemoryDatabase::Ran run(std::size_t session, std::size_t i = 0) {
    return database->run(call(session, i), budget);
  }
  /// What a session's first transaction ends with: the rows of its last
  /// statement, or its SQLSTATE.
  std::string said(std::size_t session = 0) {
    const auto ran = run(session);
    if (ran.kind == Request::Kind::Failed) return ran.process.error().sqlstate;
    if (ran.kind == Request::Kind::Cut) return "cut";
    std::string text;
    for (const Row& row : ran.last.rows) text += shown(row) + ";";
    return text;
  }
  static std::string shown(const Row& row) {
    std::string text;
    for (const Value& value : row)
      text += (text.empty() ? "" : ",") + to_string(value);
    return text;
  }
  std::string table(std::size_t t = 0) const {
    std::string text;
    for (const Row& row : database->rows(TableId(t))) text += shown(row) + ";";
    return text;
  }

  Budget budget = Budget::unlimited();
  std::unique_ptr<Application> application;
  std::unique_ptr<Routines> routines;
  std::unique_ptr<MemoryDatabase> database;
};

}  // namespace txscope::sql
