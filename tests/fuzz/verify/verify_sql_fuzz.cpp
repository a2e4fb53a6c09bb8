// Random applications in SQL: verify and explore agree at every level, with
// constants and with arguments over a small range.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"
#include "sql_union.h"
#include "support/fuzz.h"
#include "verify/sql/verify_sql.h"

namespace txscope {
namespace {

using test::add_explored_sql;
using test::Application;
using test::compare_verified_sql;
using test::EnumeratedSql;
using test::expect_union;
using test::one_of;

std::string condition(Random& random) {
  return one_of(random, {"p = 1", "v > 0", "v IS NULL", "FOUND", "v <= p",
                         "EXISTS (SELECT * FROM t WHERE a = p)",
                         "(SELECT sum(a) FROM t) > 1"});
}

std::string statement(Random& random, int depth) {
  const std::uint64_t kind = random.below(depth > 0 ? 9 : 7);
  switch (kind) {
    case 0: return "UPDATE t SET a = a + 1 WHERE id = p;\n";
    case 1: return "UPDATE t SET a = v WHERE a > p;\n";
    case 2:
      return "SELECT a INTO v FROM t WHERE id = " +
             one_of(random, {"1", "2", "p"}) + ";\n";
    case 3: return "SELECT count(*) INTO v FROM t WHERE a >= p;\n";
    case 4:
      return "DELETE FROM t WHERE id = " + one_of(random, {"1", "p", "3"}) +
             ";\n";
    case 5:
      return "INSERT INTO t VALUES (" +
             one_of(random, {"3", "2", "p", "p + 2"}) + ", p)" +
             one_of(random, {"", " ON CONFLICT DO NOTHING",
                             " ON CONFLICT (id) DO UPDATE SET a = "
                             "excluded.a + t.a",
                             " /*unique*/", " /*unique*/"}) +
             ";\n";
    case 6: return "v := v + p;\n";
    case 7:
      return "IF " + condition(random) + " THEN\n" +
             statement(random, depth - 1) + "ELSE\n" +
             statement(random, depth - 1) + "END IF;\n";
    default:
      return "IF " + condition(random) + " THEN\nRAISE EXCEPTION 'no';\n" +
             "END IF;\n";
  }
}

/// Functions, handlers, keys that move, expressions that fail when planned.
std::string wide_statement(Random& random, int depth) {
  switch (random.below(depth > 0 ? 12 : 8)) {
    case 0: return "v := f(p);\n";
    case 1: return "v := g(p, v);\n";
    case 2: return "UPDATE t SET a = g(a, f(1)) WHERE id = p;\n";
    case 3:
      return "UPDATE t SET id = " + one_of(random, {"p + 2", "3", "2", "id"}) +
             " WHERE id = " + one_of(random, {"1", "p", "2"}) + ";\n";
    case 4: return "UPDATE t SET id = p WHERE a >= p;\n";
    case 5: return "UPDATE t SET a = 2 / p WHERE id = 4;\n";
    case 6: return "SELECT a / p INTO STRICT v FROM t WHERE a = p;\n";
    case 7:
      return "INSERT INTO t VALUES (3, p), (p, v) ON CONFLICT (id) DO UPDATE "
             "SET a = excluded.a;\n";
    case 8:
    case 9:
      return "BEGIN\n" + wide_statement(random, depth - 1) +
             statement(random, depth - 1) + "EXCEPTION WHEN " +
             one_of(random, {"unique_violation", "OTHERS", "division_by_zero",
                             "no_data_found OR check_violation",
                             "integrity_constraint_violation"}) +
             " THEN\n" + statement(random, depth - 1) + "END;\n";
    default: return statement(random, depth);
  }
}

// They name keys that inputs may choose: others are beyond the bound.
const char* const kFunctions = R"(
CREATE FUNCTION f(i int) RETURNS int LANGUAGE sql STABLE
  AS $$ SELECT a FROM t WHERE id = i AND id <> 3 $$;
CREATE FUNCTION g(i int, j int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN IF i > j THEN RETURN i - j; END IF; RETURN 1 / (i + 1); END $$;
)";

/// In the place of each /*unique*/ what only a table with UNIQUE (a) allows.
void put_unique(Random& random, std::string& text, bool is_unique) {
  const std::string mark = " /*unique*/";
  for (std::size_t at; (at = text.find(mark)) != std::string::npos;) {
    text.replace(at, mark.size(),
                 !is_unique ? std::string()
                            : one_of(random, {" ON CONFLICT (a) DO NOTHING",
                                              " ON CONFLICT (a) DO UPDATE SET "
                                              "a = excluded.a + 2"}));
  }
}

Application random_application(Random& random, bool is_wide = false) {
  Application out;
  const std::string kind =
      one_of(random, {"", " NOT NULL", " CHECK (a < 3)", " UNIQUE"});
  out.before = "CREATE TABLE t (id int PRIMARY KEY, a int" + kind + ");\n" +
               "INSERT INTO t VALUES (1, 0), (2, 1);\n" +
               (is_wide ? kFunctions : "");
  for (int i = 0; i < 2; ++i) {
    std::string body;
    const std::uint64_t n = 1 + random.below(3);
    for (std::uint64_t s = 0; s < n; ++s)
      body += is_wide ? wide_statement(random, 1) : statement(random, 1);
    put_unique(random, body, kind == " UNIQUE");
    out.before += "CREATE PROCEDURE p" + std::to_string(i) +
                  "(p int) LANGUAGE plpgsql AS $$ DECLARE v int := 0; BEGIN\n" +
                  body + "END $$;\n";
    out.calls.push_back("CALL p" + std::to_string(i) + "(@);");
  }
  out.after = "--@ invariant i: " +
              one_of(random, {"(SELECT count(*) FROM t) = 2",
                              "NOT EXISTS (SELECT * FROM t WHERE a > 1)",
                              "(SELECT sum(a) FROM t) = 1",
                              "(SELECT max(a) FROM t) >= 0"}) +
              "\n";
  return out;
}

TEST(VerifySqlFuzz, AgreesWithExploreOnConstants) {
  Random random(fuzz_seed(21));
  for (int round = 0; round < fuzz_rounds(150); ++round) {
    const std::string text =
        random_application(random).text({"1", std::to_string(random.below(3))});
    EnumeratedSql all;
    add_explored_sql(text, all);
    compare_verified_sql(text, all);
    if (HasFatalFailure()) return;
  }
}

TEST(VerifySqlFuzz, AgreesWithExploreOnFunctionsHandlersAndKeysThatMove) {
  Random random(fuzz_seed(25));
  for (int round = 0; round < fuzz_rounds(150); ++round) {
    const std::string text = random_application(random, true)
                                 .text({std::to_string(random.below(3)),
                                        one_of(random, {"1", "3"})});
    EnumeratedSql all;
    add_explored_sql(text, all);
    compare_verified_sql(text, all);
    if (HasFatalFailure()) return;
  }
}

/// Over six choices of two arguments.
void expect_union_over_arguments(std::uint64_t seed, int rounds, bool is_wide) {
  Random random(fuzz_seed(seed));
  for (int round = 0; round < fuzz_rounds(rounds); ++round) {
    const Application application = random_application(random, is_wide);
    EnumeratedSql all;
    for (const char* first : {"1", "2", "NULL"}) {
      for (const char* second : {"0", "1"}) {
        add_explored_sql(application.text({first, second}), all);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
    const std::string open =
        application.text({"?", "?"}) +
        "--@ assume small: s0.p0.p IS NULL OR s0.p0.p IN (1, 2)\n"
        "--@ assume also: s1.p1.p IN (0, 1)\n";
    compare_verified_sql(open, all);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(VerifySqlFuzz, IsTheUnionOfExploreOverAllArguments) {
  expect_union_over_arguments(22, 60, false);
}
TEST(VerifySqlFuzz, IsTheUnionOverAllArgumentsOfFunctionsAndHandlers) {
  expect_union_over_arguments(26, 60, true);
}

/// Several arms, some of which never apply; rows that several sources fit.
std::string merge(Random& random) {
  const bool is_self = random.below(3) == 0;  // which must not insert
  std::string text =
      "MERGE INTO t USING " +
      (is_self ? one_of(random, {"(SELECT id + 1 AS k, a AS n FROM t)",
                                 "(SELECT 2 AS k, a AS n FROM t WHERE a >= p)"})
               : one_of(random, {"(SELECT p AS k, v AS n)",
                                 "(SELECT p AS k, 1 AS n)"})) +
      " s ON " +
      one_of(random, {"t.id = s.k", "t.id = s.k", "t.a = s.n",
                      "t.id <= s.k AND t.a >= p"});
  bool is_any = false;
  const auto arm = [&](const std::string& when) {
    is_any = true;
    text += "\nWHEN " + when + " THEN ";
  };
  if (random.below(2) == 0) {
    arm("MATCHED AND t.a > " + one_of(random, {"s.n", "p", "0"}));
    text += one_of(random, {"DELETE", "DO NOTHING", "UPDATE SET a = s.n",
                            "UPDATE SET id = t.id"});
  }
  if (random.below(3) != 0) {
    arm("MATCHED");
    text += one_of(random, {"UPDATE SET a = t.a + 1", "DELETE",
                            "UPDATE SET a = s.n + p", "DO NOTHING"});
  }
  if (!is_self && random.below(3) == 0) {
    arm("NOT MATCHED AND s.n IS NULL");
    text += one_of(random, {"DO NOTHING", "INSERT (id) VALUES (3)"});
  }
  if (random.below(3) != 0 || !is_any) {
    arm("NOT MATCHED");
    text += is_self ? "DO NOTHING"
                    : one_of(random, {"INSERT VALUES (s.k, s.n)",
                                      "INSERT (id, a) VALUES (3, s.n + p)",
                                      "INSERT (id) VALUES (s.k)"});
  }
  return text + ";\n";
}

/// Procedures that merge, and look at what became of it.
Application merging_application(Random& random) {
  Application out = random_application(random);
  for (int i = 0; i < 2; ++i) {
    const std::string name = "m" + std::to_string(i);
    std::string body = random.below(2) == 0 ? statement(random, 0) : "";
    body += merge(random);
    body += one_of(random, {"",
                            "IF NOT FOUND THEN RAISE EXCEPTION 'no'; END "
                            "IF;\n",
                            "GET DIAGNOSTICS v = ROW_COUNT;\nUPDATE t SET a = "
                            "v WHERE id = 1;\n"});
    put_unique(random, body, false);
    out.before += "CREATE PROCEDURE " + name +
                  "(p int) LANGUAGE plpgsql AS $$ DECLARE v int := 0; BEGIN\n" +
                  body + "END $$;\n";
    if (i == 0 || random.below(2) == 0)
      out.calls[static_cast<std::size_t>(i)] = "CALL " + name + "(@);";
  }
  return out;
}

TEST(VerifySqlFuzz, AgreesWithExploreOnMerge) {
  Random random(fuzz_seed(27));
  for (int round = 0; round < fuzz_rounds(120); ++round) {
    const std::string text = merging_application(random).text(
        {one_of(random, {"1", "2", "3"}), std::to_string(random.below(3))});
    EnumeratedSql all;
    add_explored_sql(text, all);
    compare_verified_sql(text, all);
    if (HasFatalFailure()) return;
  }
}

TEST(VerifySqlFuzz, IsTheUnionOverAllArgumentsOfMerge) {
  Random random(fuzz_seed(28));
  for (int round = 0; round < fuzz_rounds(30); ++round) {
    const Application application = merging_application(random);
    EnumeratedSql all;
    for (const char* first : {"1", "2", "NULL"}) {
      for (const char* second : {"0", "1"}) {
        add_explored_sql(application.text({first, second}), all);
        if (HasFatalFailure()) return;
      }
    }
    const auto parameter = [&](std::size_t i) {
      const std::string call = application.calls[i];
      const std::string name = call.substr(5, 2);
      return "s" + std::to_string(i) + "." + name + ".p";
    };
    const std::string open =
        application.text({"?", "?"}) + "--@ assume small: " + parameter(0) +
        " IS NULL OR " + parameter(0) + " IN (1, 2)\n" +
        "--@ assume also: " + parameter(1) + " IN (0, 1)\n";
    compare_verified_sql(open, all);
    if (HasFatalFailure()) return;
  }
}

/// Transactions with savepoints: some statements fail, and a ROLLBACK TO goes
/// on; savepoints inside of others, and set anew.
std::string script(Random& random) {
  std::string text = "BEGIN;";
  std::vector<std::string> open;
  int made = 0;
  const std::uint64_t n = 3 + random.below(5);
  for (std::uint64_t i = 0; i < n; ++i) {
    switch (random.below(open.empty() ? 5 : 8)) {
      case 0:
      case 1:
        text +=
            " UPDATE t SET a = a + 1 WHERE id = " + one_of(random, {"1", "2"}) +
            ";";
        break;
      case 2:
        text += " INSERT INTO t VALUES (" + one_of(random, {"1", "3"}) + ", " +
                one_of(random, {"0", "2"}) + ");";
        break;
      case 3: text += " DELETE FROM t WHERE a > 1;"; break;
      case 4:
        open.push_back("s" + std::to_string(made++));
        text += " SAVEPOINT " + open.back() + ";";
        break;
      case 5: {
        const std::size_t at = random.below(open.size());
        text += " RELEASE SAVEPOINT " + open[at] + ";";
        open.resize(at);
        break;
      }
      default: {
        const std::size_t at = random.below(open.size());
        text += " ROLLBACK TO SAVEPOINT " + open[at] + ";";
        open.resize(at + 1);
      }
    }
  }
  return text + " COMMIT;";
}

TEST(VerifySqlFuzz, AgreesWithExploreOnSavepoints) {
  Random random(fuzz_seed(29));
  for (int round = 0; round < fuzz_rounds(150); ++round) {
    const Application base = random_application(random);
    std::string text = base.before + "--@ session s0: " + script(random) +
                       "\n" + "--@ session s1: " +
                       (random.below(2) == 0 ? script(random) : "CALL p1(1);") +
                       "\n" + base.after;
    EnumeratedSql all;
    add_explored_sql(text, all);
    compare_verified_sql(text, all);
    if (HasFatalFailure()) return;
  }
}

TEST(VerifySql, LabelsOfEnumsAndKeysThatInputsChoose) {
  Application shop;
  shop.before = R"(
CREATE TYPE state AS ENUM ('open', 'paid', 'cancelled');
CREATE TABLE orders (id int PRIMARY KEY, s state NOT NULL DEFAULT 'open');
CREATE TABLE payments (id int PRIMARY KEY REFERENCES orders, s state);
INSERT INTO orders VALUES (1, 'open'), (2, 'paid');
INSERT INTO payments VALUES (2, 'paid');
CREATE PROCEDURE pay(o int) LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT s FROM orders WHERE id = o) >= 'paid' THEN RETURN; END IF;
  INSERT INTO payments SELECT id, s FROM orders WHERE id = o;
  INSERT INTO payments VALUES (o, 'paid') ON CONFLICT (id) DO UPDATE
    SET s = excluded.s;
  UPDATE orders SET s = 'paid' WHERE id = o;
END $$;
CREATE PROCEDURE cancel(o int) LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT 1 FROM payments WHERE id = o) THEN RETURN; END IF;
  UPDATE orders SET s = 'cancelled' WHERE id = o AND s = 'open';
END $$;
)";
  shop.calls = {"CALL pay(@);", "CALL cancel(@);"};
  shop.after =
      "--@ invariant i: NOT EXISTS (SELECT 1 FROM orders o JOIN payments p "
      "ON p.id = o.id WHERE o.s > 'paid')\n";
  expect_union(shop, {"1", "2", "3", "NULL"}, "");
}

// One that is INITIALLY DEFERRED by COMMIT only.
TEST(VerifySql, ForeignKeysAreLookedAtInTheirTurn) {
  const std::vector<std::string> rules = {
      "NOT EXISTS (SELECT 1 FROM books WHERE author = 3)",
      "(SELECT count(*) FROM books) = (SELECT count(*) FROM authors)"};
  for (const std::string when : {"", " DEFERRABLE INITIALLY DEFERRED"}) {
    for (const std::string& rule : rules) {
      Application library;
      library.before =
          "CREATE TABLE authors (id int PRIMARY KEY);\n"
          "CREATE TABLE books (id int PRIMARY KEY, n int NOT "
          "NULL, author int REFERENCES authors" +
          when + R"();
INSERT INTO authors VALUES (1), (2);
INSERT INTO books VALUES (1, 0, 1);
CREATE PROCEDURE add(a int) LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO books VALUES (2, 0, a);
  IF a = 3 THEN INSERT INTO authors VALUES (3); END IF;
END $$;
CREATE PROCEDURE go(a int) LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM authors WHERE id = a;
  UPDATE books SET author = 3, n = n + 1 WHERE author = a;
END $$;
)";
      library.calls = {"CALL add(@);", "CALL go(@);"};
      library.after = "--@ invariant rule: " + rule + "\n";
      expect_union(library, {"1", "2", "3"},
                   "--@ assume one: s0.add.a BETWEEN 1 AND 3\n"
                   "--@ assume two: s1.go.a BETWEEN 1 AND 3\n");
    }
  }
}

// DEFERRABLE ones when the statement is over, deferred ones by COMMIT.
TEST(VerifySql, UniqueKeysAreLookedAtInTheirTurn) {
  const std::vector<std::string> rules = {
      "(SELECT count(*) FROM list WHERE position = 2) = 1",
      "(SELECT sum(position) FROM list) = 6",
      "(SELECT position FROM list WHERE id = 1) = 1"};
  for (const std::string when :
       {"", " DEFERRABLE", " DEFERRABLE INITIALLY DEFERRED"}) {
    for (const std::string& rule : rules) {
      Application ranking;
      ranking.before =
          "CREATE TABLE list (id int PRIMARY KEY, position int UNIQUE" + when +
          R"();
INSERT INTO list VALUES (1, 1), (2, 2), (3, 3);
CREATE PROCEDURE swap(a int) LANGUAGE plpgsql AS $$ DECLARE p int; BEGIN
  SELECT position INTO p FROM list WHERE id = a;
  UPDATE list SET position = p WHERE id = 1;
  IF a > 1 THEN UPDATE list SET position = 1 WHERE id = a; END IF;
END $$;
CREATE PROCEDURE mirror(a int) LANGUAGE plpgsql AS $$ BEGIN
  UPDATE list SET position = 4 - position WHERE position <> a;
END $$;
)";
      ranking.calls = {"CALL swap(@);", "CALL mirror(@);"};
      ranking.after = "--@ invariant rule: " + rule + "\n";
      expect_union(ranking, {"1", "2", "3"},
                   "--@ assume one: s0.swap.a BETWEEN 1 AND 3\n"
                   "--@ assume two: s1.mirror.a BETWEEN 1 AND 3\n");
      if (HasFatalFailure()) return;
    }
  }
}

// BEFORE ones see and change the row, those after it run statements.
TEST(VerifySql, TriggersAreFollowed) {
  const std::vector<std::string> triggers = {
      // Guards and corrects.
      R"(CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.n < 0 THEN RAISE EXCEPTION 'none left'; END IF;
  IF NEW.n > 5 THEN NEW.n := 5; END IF;
  IF TG_OP = 'UPDATE' AND NEW.n = OLD.n THEN RETURN NULL; END IF;
  NEW.version := COALESCE(OLD.version, 0) + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER keep BEFORE INSERT OR UPDATE ON stock FOR EACH ROW
  EXECUTE FUNCTION keep();)",
      // Looks at a table before.
      R"(CREATE FUNCTION limited() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT sum(n) FROM stock) + NEW.n - OLD.n > 4 THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER limited BEFORE UPDATE OF n ON stock FOR EACH ROW
  WHEN (NEW.n > 1) EXECUTE FUNCTION limited();)",
      // Writes afterwards, which sets off another.
      R"(CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE total SET n = n - OLD.n WHERE id = 1; RETURN OLD;
  END IF;
  UPDATE total SET n = (SELECT sum(n) FROM stock) WHERE id = 1;
  RETURN NEW;
END $$;
CREATE FUNCTION spill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM total WHERE id = 14) THEN
    INSERT INTO total VALUES (14, 0);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER log AFTER INSERT OR UPDATE OR DELETE ON stock FOR EACH ROW
  EXECUTE FUNCTION log();
CREATE TRIGGER spill AFTER UPDATE ON total FOR EACH ROW WHEN (NEW.n > 3)
  EXECUTE FUNCTION spill();)"};
  const std::vector<std::string> rules = {
      "(SELECT sum(n) FROM stock) <= 4",
      "(SELECT n FROM total WHERE id = 1) = (SELECT sum(n) FROM stock)",
      "(SELECT count(*) FROM total) = 1",
      "(SELECT version FROM stock WHERE id = 1) <= 2"};
  for (const std::string& trigger : triggers) {
    for (const std::string& rule : rules) {
      Application shop;
      shop.before = R"(
CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL, version int,
                    twice int GENERATED ALWAYS AS (n * 2) STORED);
CREATE TABLE total (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO stock VALUES (1, 1, 1), (2, 2, 1);
INSERT INTO total VALUES (1, 3);
)" + trigger + R"(
CREATE PROCEDURE sell(q int) LANGUAGE plpgsql AS $$ BEGIN
  UPDATE stock SET n = n - q WHERE id = 1;
  IF NOT FOUND THEN DELETE FROM stock WHERE id = 2; END IF;
END $$;
CREATE PROCEDURE refill(q int) LANGUAGE plpgsql AS $$ DECLARE m int; BEGIN
  SELECT twice INTO m FROM stock WHERE id = 2;
  UPDATE stock SET n = m + q WHERE id = q OR n = q;
  IF q = 3 THEN INSERT INTO stock VALUES (3, m, 1); END IF;
END $$;
)";
      shop.calls = {"CALL sell(@);", "CALL refill(@);"};
      shop.after = "--@ invariant rule: " + rule + "\n";
      expect_union(shop, {"0", "1", "2", "3"},
                   "--@ assume one: s0.sell.q BETWEEN 0 AND 3\n"
                   "--@ assume two: s1.refill.q BETWEEN 0 AND 3\n");
      if (HasFatalFailure()) return;
    }
  }
}

// A parameter has none, whatever its declaration says; which numbers were
// looked at is said.
TEST(VerifySql, NumericsWithoutAPrecision) {
  Application bank;
  bank.before = R"(
CREATE TABLE acc (id int PRIMARY KEY, n numeric(6,2) NOT NULL CHECK (n >= 0));
INSERT INTO acc VALUES (1, 1), (2, 1);
CREATE PROCEDURE give(p numeric(6,2)) LANGUAGE plpgsql AS $$ BEGIN
  UPDATE acc SET n = n - p WHERE id = 1;
  UPDATE acc SET n = n + p WHERE id = 2;
END $$;
CREATE PROCEDURE half(p numeric) LANGUAGE plpgsql AS $$ BEGIN
  UPDATE acc SET n = n * 0.5 WHERE n > p;
END $$;
)";
  bank.calls = {"CALL give(@);", "CALL half(@);"};
  const std::string assumptions =
      "--@ assume one: s0.give.p IN (0.25, 1, 2)\n"
      "--@ assume two: s1.half.p IN (0.25, 1, 2)\n";
  for (const char* rule :
       {"(SELECT sum(n) FROM acc) >= 1", "(SELECT max(n) FROM acc) <> 0.38",
        "(SELECT sum(n) FROM acc) < 2.01"}) {
    bank.after = "--@ invariant i: " + std::string(rule) + "\n";
    expect_union(bank, {"0.25", "1", "2"}, assumptions);
    if (HasFatalFailure()) return;
  }
  const auto open = sql::read_open_sql("bank.sql", bank.text({"?", "?"}));
  ASSERT_TRUE(open);
  verify::VerifyOptions options;
  options.levels = {Base::Serializable};
  const auto result = verify::verify_sql(*open, options, Budget::unlimited());
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->bounds.numerics,
            "up to 15 digits, 2 of them after the point");
}

TEST(VerifySql, DatesAndInstantsAreOneAnother) {
  Application calendar;
  calendar.before = R"(
CREATE TABLE days (id int PRIMARY KEY, d date NOT NULL, n int NOT NULL);
INSERT INTO days VALUES (1, '1999-12-31', 0), (2, '2000-01-02', 0);
CREATE PROCEDURE visit(p timestamp) LANGUAGE plpgsql AS $$ BEGIN
  UPDATE days SET n = n + 1 WHERE d >= p::date;
  IF p::timestamptz > (SELECT max(d) FROM days) THEN
    UPDATE days SET d = p WHERE id = 1;
  END IF;
END $$;
CREATE PROCEDURE move(p date) LANGUAGE plpgsql AS $$ BEGIN
  UPDATE days SET d = p WHERE d::timestamp < p - 1;
END $$;
)";
  calendar.calls = {"CALL visit(@);", "CALL move(@);"};
  const std::vector<std::string> values = {
      "'1999-12-31 23:59:59'", "'2000-01-02 00:00:01'", "'2000-01-03'"};
  for (const char* rule : {"(SELECT sum(n) FROM days) < 2",
                           "(SELECT min(d) FROM days) < "
                           "'2000-01-02'",
                           "(SELECT max(d) FROM days) < '2000-01-03'"}) {
    calendar.after = "--@ invariant i: " + std::string(rule) + "\n";
    expect_union(calendar, values,
                 "--@ assume one: s0.visit.p IN (TIMESTAMP '1999-12-31 "
                 "23:59:59', TIMESTAMP '2000-01-02 00:00:01', TIMESTAMP "
                 "'2000-01-03')\n"
                 "--@ assume two: s1.move.p IN (DATE '1999-12-31', DATE "
                 "'2000-01-02', DATE '2000-01-03')\n");
    if (HasFatalFailure()) return;
  }
}

/// What the engine does with all arguments.
std::map<std::string, bool> explored_at_profiles(
    const Application& application, const std::vector<std::string>& profiles) {
  std::map<std::string, bool> is_violated;
  for (const char* first : {"1", "2", "NULL"}) {
    for (const char* second : {"0", "1"}) {
      const std::string text = application.text({first, second});
      const auto given = sql::read_sql("fuzz.sql", text);
      EXPECT_TRUE(given) << text;
      for (const std::string& name : profiles) {
        engine::ProfileOptions options;
        options.explains = false;
        const auto answer = engine::explore_profile(
            *given, **parse_profile(name), options, Budget::unlimited());
        EXPECT_TRUE(answer) << text;
        is_violated[name] = is_violated[name] ||
                            answer->properties[0].verdict == Outcome::Violated;
      }
    }
  }
  return is_violated;
}

// There are six inputs, so that none is left undecided.
TEST(VerifySqlFuzz, IsTheUnionOfTheEngineOverAllArguments) {
  const std::vector<std::string> profiles = {
      "postgresql:read-committed", "postgresql:repeatable-read",
      "postgresql:serializable",   "mariadb:read-committed",
      "mariadb:repeatable-read",   "mariadb:repeatable-read+snapshot",
      "mariadb:serializable",      "sqlite"};
  Random random(fuzz_seed(23));
  for (int round = 0; round < fuzz_rounds(25); ++round) {
    const Application application = random_application(random);
    const auto all = explored_at_profiles(application, profiles);
    const std::string open =
        application.text({"?", "?"}) +
        "--@ assume small: s0.p0.p IS NULL OR s0.p0.p IN (1, 2)\n"
        "--@ assume also: s1.p1.p IN (0, 1)\n";
    const auto asked = sql::read_open_sql("fuzz.sql", open);
    ASSERT_TRUE(asked) << open;
    verify::VerifyOptions options;
    for (const std::string& name : profiles) {
      options.profiles.push_back(*parse_profile(name));
    }
    const auto result =
        verify::verify_sql(*asked, options, Budget::unlimited());
    ASSERT_TRUE(result) << result.error().what << "\n" << open;
    for (const verify::VerifyRow& row : result->rows) {
      ASSERT_EQ(verdict_word(row), all.at(row.level) ? "violated" : "holds")
          << row.level << " " << row.why << "\n"
          << open;
    }
  }
}

}  // namespace
}  // namespace txscope
