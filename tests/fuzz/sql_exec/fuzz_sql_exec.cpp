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
#include "exec/sql/memory/database.h"
#include "exec/sql/value/compare.h"
#include "fuzz/sql_exec/generator.h"
#include "read/sql/read_as.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"
#include "support/one_session.h"
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
struct Printed {
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

void add_row(Printed& said, const std::vector<Value>& row) {
  said.rows.push_back(printed(row, false));
  said.canonical.push_back(printed(row, true));
}

Printed from_server(const db::Answer& answer) {
  Printed said;
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
Printed from_us(sql::MemoryDatabase& database,
                const sql::Application& application, const sql::Call& call,
                const Budget& budget) {
  Printed said;
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

std::string shown(const Printed& said) {
  std::string text = said.code.empty() ? std::to_string(said.count) + " rows"
                                       : "error " + said.code;
  for (const std::string& row : said.rows) text += "\n    " + row;
  return text;
}

/// Whether both mean the same.  Rows without ORDER BY have no order; which of
/// several errors comes first is not defined where rows are many.
bool agree(const std::string& statement, Printed a, Printed b,
           bool is_strict = false) {
  if (a.code == "ours" || b.code == "ours") return true;
  if (a.code != b.code)
    return !a.code.empty() && !b.code.empty() && !is_strict &&
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
  /// `is_strict`: which of several errors comes first counts.
  Comparison(db::Session& session, Totals& totals, bool is_strict = false)
      : session_(session), totals_(totals), is_strict_(is_strict) {}

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
      const Printed server = from_server(session_.execute(text));
      if (!server.code.empty()) (void)session_.execute("ROLLBACK");
      const Printed us = from_us(database, application, call, budget);
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
      auto application = sql::read_sql("case.sql", file_of(load, statements));
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
      const Printed server =
          from_server(session_.execute("SELECT * FROM " + name));
      Printed us;
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
      const Printed server =
          from_server(session_.execute("SELECT (" + text + ")"));
      const auto value = database.holds(property, {}, Budget::unlimited());
      Printed us;
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
    if (auto text = one_session_difference(database.routines(), database);
        !text.empty()) {
      return text;
    }
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const db::Answer answer = session_.execute(statements[i]);
      const Printed server = from_server(answer);
      const Printed us = from_us(database, application,
                                 application.sessions[i].calls[0], budget);
      ++totals_.statements;
      totals_.errors += server.code.empty() ? 0 : 1;
      totals_.ours += us.code == "ours" ? 1 : 0;
      if (us.code == "ours") return {};  // the states differ from here on
      if (!agree(statements[i], server, us, is_strict_))
        return statements[i] + "\n  PostgreSQL: " + shown(server) + " " +
               answer.message + "\n  txscope: " + shown(us);
    }
    return states(application, database);
  }

  db::Session& session_;
  Totals& totals_;
  bool is_strict_;
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
    // Queries seldom fail: only many of them are sure to contain one that does.
    if (totals.statements > 500) {
      EXPECT_GT(totals.errors, 0);
    }
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
    std::vector<Draft> statements = generator.rows(3);
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

TEST_F(SqlExecFuzz, TriggersDoWhatTheyDoInPostgresql) {
  compare(fuzz_rounds(20), 4000000, [](std::uint64_t seed) {
    Generator generator(seed);
    std::vector<Draft> load = generator.schema();
    std::vector<Draft> triggers = generator.triggers();
    std::vector<Draft> statements = generator.rows();
    for (int i = 0; i < 20; ++i)
      statements.push_back(optional_part(generator.change()));
    return Case::make(load, triggers, statements);
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

// What random statements hardly ever come to.
TEST_F(SqlExecFuzz, ChosenStatementsGiveWhatPostgresqlGives) {
  const std::vector<Draft> load = {
      "CREATE TABLE t (id int PRIMARY KEY, s smallint, n numeric, p "
      "numeric(6,2), v varchar(5), x text, d date, b boolean)",
      "CREATE TABLE u (id serial PRIMARY KEY, a int DEFAULT 7, c int UNIQUE)",
      "INSERT INTO t VALUES (1, 10, 1.0, 1.5, 'ab', 'ab', '2024-02-29', true), "
      "(2, -3, 1.00, 2.25, 'AB', 'ab ', '1999-12-31', false), (3, NULL, 0.333, "
      "NULL, '', '\u00e4b', NULL, NULL), (4, 32767, -2.5, 99.99, 'z', 'a%b', "
      "'2000-01-01', true)"};
  const std::vector<Draft> statements = {
      "SELECT 5 / 2, -5 / 2, 5 % -3, -5 % 3, 7 / -2, -7 % -2",
      "SELECT 2147483647 + 1",
      "SELECT (-2147483648)::int / (-1)",
      "SELECT (-2147483648)::int % (-1)",
      "SELECT 32767::smallint + 1::smallint",
      "SELECT s * s FROM t WHERE id = 4",
      "SELECT 9223372036854775807 + 1",
      "SELECT 3000000000 - 1, 2147483648 * 2",
      "SELECT avg(s), sum(s), avg(id), sum(id), avg(n), sum(n), avg(p), sum(p) "
      "FROM t",
      "SELECT count(b), bool_and(b), bool_or(b), min(x), max(v), min(d) FROM t",
      "SELECT 1 / 3.0 * 3, 10.0 / 3, 0.1 * 0.1, 1.0 / 7.0, 100000.0 / 0.007, "
      "1e10 / 3, 0.00001 / 3",
      "SELECT round(0.5), round(-0.5), round(2.345, 2), round(-2.345, 2), "
      "round(12345.678, -2), floor(-0.5), ceil(-0.5), abs(-1.50)",
      "SELECT 7.5 % 2, -7.5 % 2, 7.5 % -2, mod(7, 3)",
      "SELECT CAST(2.5 AS int), CAST(-2.5 AS int), CAST(3.5 AS smallint), "
      "CAST(1.005 AS numeric(5,2)), CAST(7 AS numeric(4,1))",
      "SELECT CAST(12345.6 AS numeric(5,2))",
      "SELECT CAST(' 42 ' AS int), CAST('-7' AS smallint), CAST('1.50' AS "
      "numeric), CAST('yes' AS boolean), CAST(0 AS boolean), CAST(true AS int)",
      "SELECT CAST(x AS int) FROM t WHERE id = 1",
      "SELECT CAST(n AS text), CAST(p AS text), CAST(b AS text), CAST(d AS "
      "text) FROM t ORDER BY id",
      "SELECT id FROM t WHERE v = 'ab' OR x = 'ab' ORDER BY id",
      "SELECT 'a' < 'B', 'a' < 'b', '' < 'a', 'ab' < 'abc', 'a ' = 'a', 'Z' < "
      "'a'",
      "SELECT id, length(x), upper(x), lower(v) FROM t ORDER BY id",
      "SELECT id FROM t WHERE x LIKE 'a_' OR x LIKE '%b' ORDER BY id",
      "SELECT 'a%b' LIKE 'a\\%b', 'axb' LIKE 'a\\%b'",
      "SELECT 'abc' NOT LIKE '%b', 'abc' LIKE '', '' LIKE '%%', '' LIKE ''",
      "SELECT d + 1, d - 1, d - DATE '2024-01-01', d + id FROM t ORDER BY id",
      "SELECT CAST(d AS timestamp), CAST(d AS timestamp) < TIMESTAMP "
      "'2000-01-01 00:00:01' FROM t ORDER BY id",
      "SELECT n, count(*) FROM t GROUP BY n ORDER BY n",
      "SELECT DISTINCT n FROM t ORDER BY n DESC",
      "SELECT id FROM t ORDER BY id LIMIT NULL OFFSET 2",
      "SELECT id FROM t ORDER BY id OFFSET 9",
      "SELECT id FROM t LIMIT 0",
      "SELECT id FROM t LIMIT -1",
      "SELECT COALESCE(NULL, 1.5, 2), NULLIF(1, 1), GREATEST(1, NULL, 2.5), "
      "LEAST(NULL, NULL::int)",
      "SELECT CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END, CASE WHEN NULL THEN "
      "1 ELSE 2 END",
      "SELECT NULL AND false, NULL OR true, NOT NULL::boolean, NULL = NULL, "
      "NULL IS NOT DISTINCT FROM NULL",
      "SELECT 1 IN (NULL, 1), 1 IN (NULL, 2), 1 NOT IN (NULL, 1), NULL IN (1)",
      "SELECT (1, 2) IN (SELECT id, s FROM t), (1, 10) IN (SELECT id, s FROM "
      "t), (3, 5) IN (SELECT id, s FROM t)",
      "SELECT a.id, b.id FROM t a, t b WHERE a.s > b.s ORDER BY 1, 2",
      "SELECT ntile(0) OVER () FROM t",
      "SELECT id, ntile(NULL) OVER () FROM t ORDER BY 1",
      "SELECT nth_value(id, 0) OVER () FROM t",
      "SELECT id, nth_value(id, NULL) OVER (), lag(id, NULL) OVER (ORDER BY "
      "id), lead(id, -1, 9) OVER (ORDER BY id) FROM t ORDER BY 1",
      "SELECT sum(id) OVER (ORDER BY id ROWS -1 PRECEDING) FROM t",
      "SELECT sum(id) OVER (ORDER BY id ROWS NULL PRECEDING) FROM t",
      "SELECT sum(id) OVER (ORDER BY id ROWS -1 PRECEDING) FROM t WHERE false",
      "SELECT sum(id) OVER (ORDER BY s RANGE -1 PRECEDING) FROM t",
      "SELECT sum(id) OVER (ORDER BY d RANGE '-1 day' PRECEDING) FROM t",
      "SELECT id, sum(id) OVER (ORDER BY d DESC RANGE BETWEEN '25 years' "
      "PRECEDING AND '1 day' FOLLOWING) FROM t ORDER BY 1",
      "SELECT id, count(*) OVER (ORDER BY n RANGE BETWEEN 0.5 PRECEDING AND "
      "0.67 FOLLOWING EXCLUDE TIES) FROM t ORDER BY 1",
      "SELECT id, sum(s) OVER (ORDER BY id), sum(p) OVER (ORDER BY id ROWS 1 "
      "PRECEDING), avg(n) OVER w, cume_dist() OVER w, percent_rank() OVER w "
      "FROM t WINDOW w AS (ORDER BY n) ORDER BY 1",
      "SELECT sum(1 / (s - 10)) OVER (ORDER BY id DESC) FROM t ORDER BY id",
      "SELECT DISTINCT ON (b) b, id FROM t ORDER BY b NULLS FIRST, id DESC",
      "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT 6 / (3 - n) FROM r) "
      "SELECT n FROM r",
      "WITH RECURSIVE r AS (SELECT id, x FROM t WHERE id = 1 UNION ALL SELECT "
      "t.id, r.x || t.x FROM r JOIN t ON t.id = r.id + 1) SELECT * FROM r",
      "SELECT a.id, b.id FROM t a FULL JOIN t b ON a.id = b.s ORDER BY 1, 2",
      "SELECT id, a.s, b.s FROM t a FULL JOIN (SELECT id + 2 AS id, s FROM t) "
      "b USING (id) WHERE a.s IS DISTINCT FROM b.s ORDER BY 1",
      "SELECT a.id, b.id FROM t a RIGHT JOIN t b ON a.id = b.id + 1 ORDER BY "
      "2",
      "SELECT q.k, count(*) FROM (SELECT id % 2 AS k, s FROM t) q GROUP BY q.k "
      "HAVING count(*) > 1 ORDER BY q.k",
      "INSERT INTO u DEFAULT VALUES RETURNING *",
      "INSERT INTO u (a, c) VALUES (DEFAULT, 1), (8, 2) RETURNING id, a",
      "INSERT INTO u (c) SELECT c FROM u WHERE c IS NOT NULL",
      "INSERT INTO u (a, c) VALUES (1, 3), (2, 1 / (1 - 1))",
      "INSERT INTO u (c) VALUES (9) RETURNING id",
      "INSERT INTO u (c) VALUES (1), (44)",  // takes one number, not two
      "INSERT INTO u (c) VALUES (10) RETURNING id",
      "UPDATE u SET id = DEFAULT WHERE c = 10 RETURNING id",
      "INSERT INTO u (c) VALUES (1) ON CONFLICT (c) DO UPDATE SET a = u.a + "
      "excluded.a, c = excluded.c + 100 RETURNING *",
      "INSERT INTO u (id, c) VALUES (1, 55) ON CONFLICT DO NOTHING",
      "UPDATE u SET a = c, c = a WHERE id = 3 RETURNING *",
      "UPDATE u SET a = DEFAULT WHERE a > 7 RETURNING id, a",
      "UPDATE t SET v = 'abcdef' WHERE id = 1",
      "UPDATE t SET v = 'abc   ' || '  ' WHERE id = 1 RETURNING v || '|'",
      "UPDATE t SET p = 12345.678 WHERE id = 1",
      "UPDATE t SET p = 1.005, s = 3.5 WHERE id = 1 RETURNING p, s",
      "DELETE FROM u WHERE a = (SELECT max(a) FROM u) RETURNING id",
      "SELECT (SELECT id FROM t)",
      "SELECT id, (SELECT count(*) FROM t b WHERE b.id < a.id) FROM t a WHERE "
      "EXISTS (SELECT 1 FROM t c WHERE c.s = a.s AND c.id <> a.id) IS FALSE "
      "ORDER BY id"};
  Totals totals;
  Comparison comparison(*session_, totals, true);
  EXPECT_EQ(comparison.difference(Case::make(load, {}, statements)), "");
  EXPECT_EQ(totals.refused, 0);
  EXPECT_EQ(totals.statements, static_cast<int>(statements.size()));
}

TEST_F(SqlExecFuzz, ExamplesRunSeriallyAsInPostgresql) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           source_dir() + "/examples"))
    if (entry.path().extension() == ".sql" && !is_race_case(entry.path()))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_GE(files.size(), 12u);
  Totals totals;
  Comparison comparison(*session_, totals);
  Random random(fuzz_seed(4));
  for (const auto& file : files) {
    std::ifstream in(file);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    if (sql::looks_like_mysql(text)) continue;
    const auto application = sql::read_sql(file.string(), text);
    // Those with open values have no one run, and those that only `analyze`
    // takes have none at all.
    if (!application &&
        (application.error().what == "the file has no session" ||
         application.error().what.ends_with("(any value) cannot be explored")))
      continue;
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
