#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "db/postgresql.h"
#include "exec/sql/compare.h"
#include "exec/sql/memory_database.h"
#include "fuzz/sql_exec/generator.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"
#include "support/paths.h"

namespace txscope::test {
namespace {

using sql::Value;

/// A file: DDL and setup, routines, and statements that run one after the
/// other, each a transaction.
struct Case {
  Draft all;  ///< parts: load, routines, statements
  static Draft make(std::vector<Draft> load, std::vector<Draft> routines,
                    std::vector<Draft> statements) {
    return Draft("",
                 {Draft("", std::move(load)), Draft("", std::move(routines)),
                  Draft("", std::move(statements))});
  }
};

std::vector<std::string> texts(const Draft& list) {
  std::vector<std::string> all;
  for (const Draft& part : list.parts)
    if (std::string text = part.str(); !text.empty())
      all.push_back(std::move(text));
  return all;
}

std::string file_of(const std::vector<std::string>& load,
                    const std::vector<std::string>& statements) {
  std::string file;
  for (const std::string& text : load) file += text + ";\n";
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const bool is_call = statements[i].starts_with("CALL ");
    file += "--@ session s" + std::to_string(i) + ": " +
            (is_call ? statements[i] + ";"
                     : "BEGIN; " + statements[i] + "; COMMIT;") +
            "\n";
  }
  return file;
}

/// What one side says to one statement.
struct Said {
  std::string code;
  std::uint64_t count = 0;
  std::vector<std::string> rows;       ///< as psql prints them
  std::vector<std::string> canonical;  ///< without zeros at the end of numbers
};

std::string printed(const std::vector<Value>& row, bool is_canonical) {
  std::string text;
  for (const Value& value : row)
    text += to_string(is_canonical ? canonical(value) : value) + "|";
  return text;
}

void add_row(Said& said, const std::vector<Value>& row) {
  said.rows.push_back(printed(row, false));
  said.canonical.push_back(printed(row, true));
}

Said from_server(const db::Answer& answer) {
  Said said;
  said.code = answer.code;
  said.count = answer.count;
  for (const auto& cells : answer.rows) {
    std::vector<Value> row;
    for (std::size_t c = 0; c < cells.size(); ++c)
      row.push_back(db::to_value(cells[c], answer.columns[c].kind));
    add_row(said, row);
  }
  return said;
}

/// Runs a call as its own transaction; the result of its last statement, or of
/// a CALL its OUT parameters.
Said from_us(sql::MemoryDatabase& database, const sql::Application& application,
             const sql::Call& call, const Budget& budget) {
  Said said;
  const sql::Routine& routine = application.at(call.routine);
  const sql::MemoryDatabase::Ran ran = database.run(call, budget);
  if (ran.kind == sql::Request::Kind::Failed) {
    said.code =
        ran.process.error().is_ours ? "ours" : ran.process.error().sqlstate;
    return said;
  }
  if (ran.kind != sql::Request::Kind::Returned) {
    said.code = "ours";
    return said;
  }
  if (!routine.out_slots.empty()) {
    std::vector<Value> row;
    for (const std::uint32_t slot : routine.out_slots)
      row.push_back(ran.process.slots()[slot]);
    add_row(said, row);
    said.count = 1;
    return said;
  }
  said.count = ran.last.count;
  for (const sql::Row& row : ran.last.rows) add_row(said, row);
  return said;
}

std::string shown(const Said& said) {
  std::string text = said.code.empty() ? std::to_string(said.count) + " rows"
                                       : "error " + said.code;
  for (const std::string& row : said.rows) text += "\n    " + row;
  return text;
}

/// Whether both mean the same.  Rows without ORDER BY have no order; which of
/// several errors comes first is not defined where rows are many.
bool agree(const std::string& statement, Said a, Said b) {
  if (a.code == "ours" || b.code == "ours") return true;
  if (a.code != b.code)
    return !a.code.empty() && !b.code.empty() &&
           !statement.starts_with("CALL") &&
           statement.find("WHERE id = ") == std::string::npos;
  if (!a.code.empty()) return true;
  if (a.count != b.count && !statement.starts_with("CALL")) return false;
  const std::size_t order = statement.rfind(" ORDER BY ");
  const std::size_t inner = statement.rfind(')');
  const bool is_ordered = order != std::string::npos &&
                          (inner == std::string::npos || inner < order) &&
                          !statement.starts_with("INSERT");
  if (!is_ordered) {
    for (auto* rows : {&a.rows, &b.rows, &a.canonical, &b.canonical})
      std::sort(rows->begin(), rows->end());
  }
  if (a.rows == b.rows) return true;
  // Of 1.0 and 1.00 either may stand for both.
  const auto has = [&statement](const char* word) {
    return statement.find(word) != std::string::npos;
  };
  return a.canonical == b.canonical &&
         (has("DISTINCT") || has("GROUP BY") || has("min(") || has("max(") ||
          has(" ORDER BY "));
}

struct Totals {
  int statements = 0;
  int refused = 0;
  int errors = 0;
  int ours = 0;
};

class Comparison {
 public:
  Comparison(db::Session& session, Totals& totals)
      : session_(session), totals_(totals) {}

  /// What differs, if anything does.
  std::string difference(const Draft& draft) {
    std::vector<std::string> load = texts(draft.parts[0]);
    const std::vector<std::string> routines = texts(draft.parts[1]);
    std::vector<std::string> statements = texts(draft.parts[2]);
    load.insert(load.end(), routines.begin(), routines.end());
    std::optional<sql::Application> application = read(load, statements);
    if (!application) return {};
    if (!load_server(load)) return {};
    const sql::Routines code(*application, 100000);
    const Budget budget = Budget::unlimited();
    auto database = sql::MemoryDatabase::after_setup(code, budget);
    if (!std::holds_alternative<sql::MemoryDatabase>(database))
      return "our setup fails: " +
             (std::holds_alternative<sql::SqlError>(database)
                  ? std::get<sql::SqlError>(database).message
                  : std::string());
    return run(*application, std::get<sql::MemoryDatabase>(database),
               statements);
  }

  /// Runs an application's calls one after the other, in a random order.
  std::string serial_difference(const sql::Application& application,
                                Random& random) {
    const Budget budget = Budget::unlimited();
    const sql::Routines code(application);
    auto database = std::get<sql::MemoryDatabase>(
        sql::MemoryDatabase::after_setup(code, budget));
    if (!load_server({application.source})) return "it does not load";
    std::vector<std::size_t> next(application.sessions.size());
    for (;;) {
      std::vector<std::size_t> ready;
      for (std::size_t i = 0; i < next.size(); ++i)
        if (next[i] < application.sessions[i].calls.size()) ready.push_back(i);
      if (ready.empty()) return states(application, database);
      const std::size_t session = ready[random.below(ready.size())];
      const sql::Call& call =
          application.sessions[session].calls[next[session]++];
      const std::string text(application.text(call.at));
      const Said server = from_server(session_.execute(text));
      if (!server.code.empty()) (void)session_.execute("ROLLBACK");
      const Said us = from_us(database, application, call, budget);
      ++totals_.statements;
      totals_.errors += server.code.empty() ? 0 : 1;
      if (server.code != us.code)
        return text + "\n  PostgreSQL: " + shown(server) +
               "\n  txscope: " + shown(us);
    }
  }

 private:
  /// Statements that we refuse by name are left out.
  std::optional<sql::Application> read(std::vector<std::string>& load,
                                       std::vector<std::string>& statements) {
    for (;;) {
      auto application = read_sql("case.sql", file_of(load, statements));
      if (application) return std::move(*application);
      const std::size_t line = application.error().where.line;
      if (std::getenv("TXSCOPE_FUZZ_REFUSED") != nullptr)
        std::fprintf(stderr, "refused: %s\n  %s\n",
                     application.error().what.c_str(),
                     application.error().source_line.c_str());
      ++totals_.refused;
      if (line <= load.size() || line > load.size() + statements.size()) {
        if (line == 0 || line > load.size()) return std::nullopt;
        load.erase(load.begin() + static_cast<std::ptrdiff_t>(line - 1));
      } else {
        statements.erase(statements.begin() +
                         static_cast<std::ptrdiff_t>(line - load.size() - 1));
      }
    }
  }

  bool load_server(const std::vector<std::string>& load) {
    std::string all =
        "DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public;";
    if (!session_.execute(all).is_ok()) return false;
    all.clear();
    for (const std::string& text : load) all += text + ";";
    const db::Answer answer = session_.execute(all);
    if (!answer.is_ok() && std::getenv("TXSCOPE_FUZZ_REFUSED") != nullptr)
      std::fprintf(stderr, "setup: %s\n", answer.message.c_str());
    return answer.is_ok();
  }

  /// The tables of both, and what they say of the invariants.
  std::string states(const sql::Application& application,
                     const sql::MemoryDatabase& database) {
    for (std::size_t t = 0; t < application.schema.tables.size(); ++t) {
      const std::string& name = application.schema.tables[t].name;
      const Said server =
          from_server(session_.execute("SELECT * FROM " + name));
      Said us;
      for (const sql::Row& row : database.rows(TableId(t))) add_row(us, row);
      us.count = us.rows.size();
      if (!agree("", server, us))
        return "rows of " + name +
               " in the end\n  PostgreSQL: " + shown(server) +
               "\n  txscope: " + shown(us);
    }
    for (const sql::Property& property : application.properties) {
      if (!property.variables.empty()) continue;
      const std::string text(application.text(property.at));
      const Said server =
          from_server(session_.execute("SELECT (" + text + ")"));
      const auto value = database.holds(property, {}, Budget::unlimited());
      Said us;
      us.count = 1;
      if (const auto* error = std::get_if<sql::SqlError>(&value))
        us.code = error->sqlstate;
      else
        add_row(us, {std::get<Value>(value)});
      if (!agree("", server, us))
        return text + "\n  PostgreSQL: " + shown(server) +
               "\n  txscope: " + shown(us);
    }
    return {};
  }

  std::string run(const sql::Application& application,
                  sql::MemoryDatabase& database,
                  const std::vector<std::string>& statements) {
    const Budget budget = Budget::unlimited();
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const db::Answer answer = session_.execute(statements[i]);
      const Said server = from_server(answer);
      const Said us = from_us(database, application,
                              application.sessions[i].calls[0], budget);
      ++totals_.statements;
      totals_.errors += server.code.empty() ? 0 : 1;
      totals_.ours += us.code == "ours" ? 1 : 0;
      if (us.code == "ours") return {};  // the states differ from here on
      if (!agree(statements[i], server, us))
        return statements[i] + "\n  PostgreSQL: " + shown(server) + " " +
               answer.message + "\n  txscope: " + shown(us);
    }
    return states(application, database);
  }

  db::Session& session_;
  Totals& totals_;
};

class SqlExecFuzz : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto server = db::start_postgresql();
    if (!server) {
      missing_ = "no PostgreSQL: " + server.error().what;
      return;
    }
    server_ = std::move(*server);
    auto session = server_->connect();
    ASSERT_TRUE(session) << session.error().what;
    session_ = std::move(*session);
    (void)session_->execute("SET client_min_messages = error");
  }
  static void TearDownTestSuite() {
    session_.reset();
    server_.reset();
  }
  void SetUp() override {
    if (session_ == nullptr) GTEST_SKIP() << missing_;
  }

  /// Runs random cases; the first that differs is shrunk and shown.
  void compare(int rounds, std::uint64_t seed, Draft (*make)(std::uint64_t)) {
    Totals totals;
    Comparison comparison(*session_, totals);
    for (int round = 0; round < rounds; ++round) {
      Draft draft = make(fuzz_seed(seed) + static_cast<std::uint64_t>(round));
      if (comparison.difference(draft).empty()) continue;
      draft = shrunk(
          std::move(draft),
          [&](const Draft& s) { return !comparison.difference(s).empty(); },
          600);
      std::string file;
      for (const Draft& list : draft.parts)
        for (const std::string& text : texts(list)) file += text + ";\n";
      FAIL() << "round " << round << "\n"
             << file << "\n"
             << comparison.difference(draft);
    }
    RecordProperty("statements", totals.statements);
    std::printf(
        "%d statements compared, %d of them errors, %d refused, %d "
        "not decided\n",
        totals.statements, totals.errors, totals.refused, totals.ours);
    EXPECT_GT(totals.statements, rounds);
    EXPECT_GT(totals.errors, 0);
  }

  static inline std::string missing_;
  static inline std::unique_ptr<db::Server> server_;
  static inline std::unique_ptr<db::Session> session_;
};

Draft optional_part(Draft part) { return Draft("opt", {std::move(part)}); }

TEST_F(SqlExecFuzz, QueriesGiveTheRowsOfPostgresql) {
  compare(fuzz_rounds(20), 1, [](std::uint64_t seed) {
    Generator generator(seed);
    std::vector<Draft> load = generator.schema();
    std::vector<Draft> statements = generator.rows();
    const std::vector<Draft> functions = generator.functions();
    for (int i = 0; i < 40; ++i)
      statements.push_back(optional_part(generator.query()));
    return Case::make(load, functions, statements);
  });
}

TEST_F(SqlExecFuzz, ExpressionsGiveTheValuesAndErrorsOfPostgresql) {
  compare(fuzz_rounds(15), 1000000, [](std::uint64_t seed) {
    Generator generator(seed);
    std::vector<Draft> load = generator.schema();
    std::vector<Draft> statements = generator.rows();
    for (int i = 0; i < 60; ++i)
      statements.push_back(optional_part(generator.risky()));
    return Case::make(load, {}, statements);
  });
}

TEST_F(SqlExecFuzz, ChangesLeaveTheTablesOfPostgresql) {
  compare(fuzz_rounds(20), 2000000, [](std::uint64_t seed) {
    Generator generator(seed);
    std::vector<Draft> load = generator.schema();
    std::vector<Draft> statements = generator.rows();
    for (int i = 0; i < 25; ++i)
      statements.push_back(optional_part(generator.change()));
    return Case::make(load, {}, statements);
  });
}

TEST_F(SqlExecFuzz, RoutinesDoWhatTheyDoInPostgresql) {
  compare(fuzz_rounds(20), 3000000, [](std::uint64_t seed) {
    Generator generator(seed);
    std::vector<Draft> load = generator.schema();
    std::vector<Draft> routines;
    std::vector<std::string> names;
    std::vector<std::string> functions;
    std::vector<Draft> statements = generator.rows();
    for (int i = 0; i < 4; ++i) {
      const std::string name = "p" + std::to_string(i);
      const std::string function = "g" + std::to_string(i);
      routines.push_back(
          optional_part(generator.function(function, functions)));
      functions.push_back(function);
      routines.push_back(
          optional_part(generator.routine(name, names, functions)));
      names.push_back(name);
      for (int k = 0; k < 4; ++k)
        statements.push_back(
            optional_part("CALL " + name + generator.arguments()));
    }
    return Case::make(load, routines, statements);
  });
}

TEST_F(SqlExecFuzz, ExamplesRunSeriallyAsInPostgresql) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           source_dir() + "/examples"))
    if (entry.path().extension() == ".sql") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_GE(files.size(), 12u);
  Totals totals;
  Comparison comparison(*session_, totals);
  Random random(fuzz_seed(4));
  for (const auto& file : files) {
    std::ifstream in(file);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto application = read_sql(file.string(), text);
    ASSERT_TRUE(application) << application.error().what;
    for (int round = 0; round < std::max(1, fuzz_rounds(4)); ++round)
      EXPECT_EQ(comparison.serial_difference(*application, random), "") << file;
  }
  std::printf("%d calls compared, %d of them errors\n", totals.statements,
              totals.errors);
  EXPECT_GT(totals.errors, 0);
}

}  // namespace
}  // namespace txscope::test
