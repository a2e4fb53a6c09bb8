// The exit status of the program, with psql scripts beside a case.json.

#include <gtest/gtest.h>

#include "support/run_command.h"

namespace txscope {
namespace {

/// A case of two scripts, on a table with two rows.
class RaceStatus : public ::testing::Test {
 protected:
  void write(const std::string& first, const std::string& second) {
    place_.write("schema.sql",
                 "CREATE TABLE a (id int PRIMARY KEY, n int);"
                 "INSERT INTO a VALUES (1, 0), (2, 0)");
    place_.write("1.sql", first);
    place_.write("2.sql", second);
    place_.write("case.json",
                 R"({"requests": ["psql -XqAt -v ON_ERROR_STOP=1 -f 1.sql",
                     "psql -XqAt -v ON_ERROR_STOP=1 -f 2.sql"]})");
  }
  [[nodiscard]] test::Ran run(const std::string& options = "") const {
    return test::run_command("txscope race case.json " + options,
                             place_.path());
  }
  test::TemporaryDirectory place_;
};

TEST_F(RaceStatus, AnErrorThatEndsARequestIs1) {
  const std::string one = "UPDATE a SET n = n + 1 WHERE id = 1;\n";
  const std::string two = "UPDATE a SET n = n + 1 WHERE id = 2;\n";
  write("BEGIN;\n" + one + two + "COMMIT;\n",
        "BEGIN;\n" + two + one + "COMMIT;\n");
  const test::Ran ran = run();
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(ran.said("RACE: error 40P01 ends a request")) << ran.output;
  // Who expects that may say so.
  EXPECT_EQ(run("--fail-on rule,serial").status, 0);
}

TEST_F(RaceStatus, NoRaceIs0AndACutOffSearch3) {
  write("UPDATE a SET n = n + 1 WHERE id = 1;\n",
        "UPDATE a SET n = n + 1 WHERE id = 1;\n");
  EXPECT_EQ(run().status, 0);
  EXPECT_EQ(run("--schedules 1").status, 3);
}

TEST_F(RaceStatus, ThePageDrawsWhatWasOverwrittenAndSaysItsName) {
  const std::string add =
      "BEGIN;\nSELECT n FROM a WHERE id = 1 \\gset\n"
      "UPDATE a SET n = :n + 1 WHERE id = 1;\nCOMMIT;\n";
  write(add, add);
  const test::Ran ran = run("--format html");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.said("class=\"arrow overwritten")) << ran.output;
  EXPECT_TRUE(ran.said("lost update"));
  EXPECT_TRUE(ran.said("FOR UPDATE")) << "the repair that was tried";
}

TEST_F(RaceStatus, TheScheduleOfARaceCanBeWrittenDown) {
  const std::string add =
      "BEGIN ISOLATION LEVEL READ COMMITTED;\nSELECT n FROM a WHERE id = 1 "
      "\\gset\nSAVEPOINT s;\nUPDATE a SET n = :n + 1 WHERE id = 1;\nCOMMIT;\n";
  write(add, add);
  ASSERT_EQ(run("--no-repairs --format json -o found.json").status, 1);
  const auto emit = [&](const std::string& form) {
    return test::run_command("txscope replay found.json --emit " + form,
                             place_.path());
  };
  const test::Ran sql = emit("sql");
  EXPECT_TRUE(sql.said("CREATE TABLE a (id int PRIMARY KEY")) << sql.output;
  // Both have read before one of them writes.
  const auto at = [&](const std::string& text, std::size_t from = 0) {
    return sql.output.find(text, from);
  };
  const std::size_t second_read =
      at("SELECT n FROM a", at("SELECT n FROM a") + 1);
  ASSERT_NE(second_read, std::string::npos) << sql.output;
  EXPECT_LT(at("BEGIN ISOLATION LEVEL READ COMMITTED"), at("SELECT n FROM a"));
  EXPECT_LT(second_read, at("UPDATE a SET n = 0 + 1"));
  EXPECT_LT(at("SAVEPOINT s;"), at("UPDATE a"));
  EXPECT_TRUE(emit("psql").said("terminal 2 is request 2"));
  EXPECT_TRUE(emit("isolationtester").said("permutation \"request 11\""));
  place_.write("test_race.py", emit("pytest").output);
  const test::Ran pytest = test::run_command(
      "python3 -m pytest -q -p no:cacheprovider test_race.py", place_.path());
  if (pytest.said("No module named")) GTEST_SKIP() << "there is no pytest";
  EXPECT_EQ(pytest.status, 1) << pytest.output;
  EXPECT_TRUE(pytest.said("1 failed")) << pytest.output;
  // Who locks first has no such schedule any more.
  const std::string repaired =
      "BEGIN;\nSELECT n FROM a WHERE id = 1 FOR UPDATE \\gset\n"
      "UPDATE a SET n = :n + 1 WHERE id = 1;\nCOMMIT;\n";
  write(repaired, repaired);
  const test::Ran again = test::run_command(
      "python3 -m pytest -q -p no:cacheprovider test_race.py", place_.path());
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_EQ(emit("origami").status, 2);
}

TEST_F(RaceStatus, CommentsSayWhichEndpointARequestIs) {
  write(
      "SELECT n FROM a WHERE id = 1 "
      "/*action='create',controller='orders',"
      "source_location='app%2Forder.rb%3A12'*/;\n",
      "UPDATE a SET n = 1 WHERE id = 1;\n");
  const test::Ran ran = run();
  EXPECT_TRUE(ran.said("request 1 is orders#create at app/order.rb:12"))
      << ran.output;
  EXPECT_FALSE(ran.said("request 2 is")) << ran.output;
}

TEST_F(RaceStatus, WhatACaseCannotHaveIs2) {
  write("SELECT 1;\n", "SELECT 1;\n");
  EXPECT_EQ(run("--in-place").status, 2);
  place_.write("case.json", R"({"product": "oracle", "requests": ["true"]})");
  const test::Ran ran = run();
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.said("postgresql or mariadb")) << ran.output;
}

}  // namespace
}  // namespace txscope
