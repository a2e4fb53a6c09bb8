#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exec/sql/memory/database.h"
#include "read/sql/sql.h"

namespace txscope::sql {

/// Runs the first call of session `a` on t(id, v) with rows (1, 10), (2, 20):
/// the rows afterwards, and the code if it failed.
class Ran {
 public:
  explicit Ran(const std::string& rest) {
    auto read = sql::read_sql("test.sql",
                              "CREATE TABLE t (id int PRIMARY KEY, v int);\n"
                              "INSERT INTO t VALUES (1, 10), (2, 20);\n" +
                                  rest);
    if (!read) {
      text = read.error().what;
      return;
    }
    application_ = std::make_unique<Application>(std::move(*read));
    routines_ = std::make_unique<Routines>(*application_);
    const Budget budget = Budget::unlimited();
    auto database = std::get<MemoryDatabase>(
        MemoryDatabase::after_setup(*routines_, budget));
    const auto ran = database.run(application_->sessions[0].calls[0], budget);
    if (ran.kind == Request::Kind::Failed)
      text = ran.process.error().sqlstate + " ";
    else
      slots.assign(ran.process.slots().begin(), ran.process.slots().end());
    for (const Row& row : database.rows(TableId(0)))
      text += to_string(row[0]) + "," + to_string(row[1]) + ";";
  }
  std::string text;
  std::vector<Value> slots;

 private:
  std::unique_ptr<Application> application_;
  std::unique_ptr<Routines> routines_;
};

inline std::string body(const std::string& statements) {
  return Ran("CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN " + statements +
             " END $$;\n--@ session a: CALL p();\n")
      .text;
}

inline std::string script(const std::string& statements) {
  return Ran("--@ session a: BEGIN; " + statements + " COMMIT;\n").text;
}

}  // namespace txscope::sql
