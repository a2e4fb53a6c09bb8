// Rules at engines' levels, for all inputs.

#include <gtest/gtest.h>

#include <map>

#include "read/sql/sql.h"
#include "verify/sql/verify_sql.h"

namespace txscope::verify {
namespace {

using Verdicts = std::map<std::pair<std::string, std::string>, std::string>;

Result<VerifyResult> result_of(const std::string& text,
                               const std::vector<std::string>& levels) {
  const auto application = sql::read_open_sql("test.sql", text);
  if (!application) return application.error();
  VerifyOptions options;
  for (const std::string& level : levels) {
    if (is_profile_name(level)) {
      options.profiles.push_back(*parse_profile(level));
    } else {
      options.levels.push_back(parse_level(level)->base);
    }
  }
  return verify_sql(*application, options, Budget::unlimited());
}

Verdicts verdicts(const std::string& text,
                  const std::vector<std::string>& levels) {
  Verdicts out;
  const auto result = result_of(text, levels);
  EXPECT_TRUE(result) << result.error().what;
  if (!result) return out;
  for (const VerifyRow& row : result->rows) {
    out[{row.level, row.property}] = verdict_word(row);
    EXPECT_EQ(row.verdict == Outcome::Violated, row.counterexample != nullptr);
  }
  return out;
}

// The second of two concurrent updates fails with 40001 at repeatable read, and
// waits at read committed; there is a serial failure at serializable, too.
TEST(VerifyEngine, TransactionsThatFailAreMissing) {
  const Verdicts found = verdicts(
      "CREATE TABLE c (id int PRIMARY KEY, v int NOT NULL);"
      "INSERT INTO c VALUES (1, 0);"
      "CREATE PROCEDURE inc(n int) LANGUAGE plpgsql AS $$ BEGIN"
      " UPDATE c SET v = v + n WHERE id = 1; END $$;\n"
      "--@ session a: CALL inc(?);\n"
      "--@ session b: CALL inc(1);\n"
      "--@ assume small: a.inc.n BETWEEN 1 AND 1000000\n"
      "--@ invariant both: (SELECT v FROM c) > 1\n"
      "--@ invariant some: (SELECT v FROM c) >= 1\n",
      {"snapshot-isolation", "postgresql:read-committed",
       "postgresql:repeatable-read", "postgresql:serializable"});
  EXPECT_EQ(found.at({"snapshot-isolation", "both"}), "holds");
  EXPECT_EQ(found.at({"postgresql:read-committed", "both"}), "holds");
  EXPECT_EQ(found.at({"postgresql:repeatable-read", "both"}), "violated");
  EXPECT_EQ(found.at({"postgresql:serializable", "both"}), "violated");
  for (const char* level :
       {"postgresql:read-committed", "postgresql:repeatable-read",
        "postgresql:serializable"}) {
    EXPECT_EQ(found.at({level, "some"}), "holds") << level;
  }
}

// A row that was read FOR UPDATE stays as it is: what was decided on it holds.
TEST(VerifyEngine, LocksProveWhatPlainReadsDoNot) {
  const auto text = [](const std::string& lock) {
    return "CREATE TABLE s (id int PRIMARY KEY, n int NOT NULL);"
           "INSERT INTO s VALUES (1, 5);"
           "CREATE PROCEDURE take(k int) LANGUAGE plpgsql AS $$"
           " DECLARE v int; BEGIN SELECT n INTO v FROM s WHERE id = 1 " +
           lock +
           "; IF v >= k THEN UPDATE s SET n = v - k WHERE id = 1;"
           " INSERT INTO taken VALUES (k); END IF; END $$;\n"
           "--@ session a: CALL take(?);\n"
           "--@ session b: CALL take(?);\n"
           "--@ assume small: a.take.k BETWEEN 1 AND 5 AND b.take.k BETWEEN 1 "
           "AND 5\n"
           "--@ invariant sum: (SELECT n FROM s) + coalesce((SELECT sum(k) "
           "FROM taken), 0) = 5\n";
  };
  const std::string table = "CREATE TABLE taken (k int NOT NULL);";
  const char* const level = "postgresql:read-committed";
  EXPECT_EQ(verdicts(table + text(""), {level}).at({level, "sum"}), "violated");
  EXPECT_EQ(verdicts(table + text("FOR UPDATE"), {level}).at({level, "sum"}),
            "holds");
}

TEST(VerifyEngine, WithoutInputsTheEngineAnswersAlone) {
  const std::string text =
      "CREATE TABLE c (id int PRIMARY KEY, v int NOT NULL);"
      "INSERT INTO c VALUES (1, 0);\n"
      "--@ session a: BEGIN; UPDATE c SET v = v + 1; COMMIT;\n"
      "--@ session b: BEGIN; UPDATE c SET v = v + 1; COMMIT;\n"
      "--@ invariant two: (SELECT v FROM c) = 2\n";
  const Verdicts found = verdicts(
      text, {"postgresql:read-committed", "postgresql:repeatable-read"});
  EXPECT_EQ(found.at({"postgresql:read-committed", "two"}), "holds");
  EXPECT_EQ(found.at({"postgresql:repeatable-read", "two"}), "violated");
}

// Texts are equal to a constant or to none; booleans are what they are.
TEST(VerifyInputs, TextsAndBooleansMayBeOpen) {
  const std::string text =
      "CREATE TABLE n (id int PRIMARY KEY, name text NOT NULL,"
      " ok boolean NOT NULL);"
      "INSERT INTO n VALUES (1, 'ann', true), (2, 'ben', true);"
      "CREATE PROCEDURE rename(p text, b boolean) LANGUAGE plpgsql AS $$ BEGIN"
      " IF p <> 'ben' OR b THEN"
      " UPDATE n SET name = p, ok = b WHERE id = 1; END IF; END $$;\n"
      "--@ session a: CALL rename(?, ?);\n"
      "--@ invariant different: (SELECT count(DISTINCT name) FROM n) = 2\n"
      "--@ invariant fine: (SELECT ok FROM n WHERE id = 1) OR "
      "(SELECT name FROM n WHERE id = 1) <> 'ben'\n";
  const auto result = result_of(text, {"serializable"});
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->bounds.inputs, 2u);
  ASSERT_EQ(result->rows.size(), 2u);
  EXPECT_EQ(result->rows[0].verdict, Outcome::Violated);
  ASSERT_NE(result->rows[0].counterexample, nullptr);
  EXPECT_EQ(result->rows[0].counterexample->inputs[0].text, "ben");
  EXPECT_EQ(result->rows[0].counterexample->inputs[1].text, "t");
  EXPECT_EQ(result->rows[1].verdict, Outcome::Holds) << result->rows[1].why;
}

}  // namespace
}  // namespace txscope::verify
