// `txscope robust` as its users see it: exit statuses, messages, formats.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_command.h"

namespace txscope {
namespace {

using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

// Two that decide on what the other writes.
constexpr char kOnCall[] =
    "CREATE TABLE d (id int PRIMARY KEY, is_on boolean NOT NULL);\n"
    "INSERT INTO d VALUES (1, true), (2, true);\n"
    "CREATE PROCEDURE leave(me int) LANGUAGE plpgsql AS $$ BEGIN\n"
    "  IF (SELECT count(*) FROM d WHERE is_on) > 1 THEN\n"
    "    UPDATE d SET is_on = false WHERE id = me; END IF; END $$;\n";

class RobustCommand : public testing::Test {
 protected:
  RobustCommand() {
    directory_.write("on_call.sql", std::string(kOnCall) +
                                        "--@ session a: CALL leave(1);\n"
                                        "--@ session b: CALL leave(2);\n");
    directory_.write("open.sql", std::string(kOnCall) +
                                     "--@ session a: CALL leave(?);\n"
                                     "--@ session b: CALL leave(?);\n");
    directory_.write("counter.sql",
                     "CREATE TABLE c (id int PRIMARY KEY, n int NOT NULL);\n"
                     "CREATE PROCEDURE up(k int) LANGUAGE plpgsql AS $$ BEGIN\n"
                     "  UPDATE c SET n = n + k WHERE id = 1; END $$;\n"
                     "--@ session a: CALL up(?);\n");
    directory_.write("nothing.sql", "CREATE TABLE t (id int PRIMARY KEY);\n");
    directory_.write("function.sql",
                     "CREATE TABLE t (id int PRIMARY KEY);\n"
                     "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS "
                     "$$ BEGIN RETURN NEW; END $$;\n");
    directory_.write("block.sql",
                     "CREATE TABLE t (id int PRIMARY KEY);\n"
                     "DO $$ BEGIN INSERT INTO t VALUES (1); END $$;\n");
  }
  Ran robust(const std::string& arguments) const {
    return run_command("txscope robust " + arguments, directory_.path());
  }
  TemporaryDirectory directory_;
};

TEST_F(RobustCommand, AFileWithNothingToRunIsRefused) {
  for (const std::string file : {"nothing.sql", "function.sql", "block.sql"}) {
    const Ran ran = robust(file + " 2>&1");
    EXPECT_EQ(ran.status, 2);
    EXPECT_NE(ran.output.find("no session and no procedure"), std::string::npos)
        << ran.output;
  }
}

// What could not be read does anything, not nothing.
TEST_F(RobustCommand, ARoutineThatCannotBeReadIsNotProved) {
  const std::string file =
      "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\n"
      "INSERT INTO t VALUES (1, 0);\n"
      "CREATE PROCEDURE good(k int) LANGUAGE plpgsql AS $$ BEGIN\n"
      "  UPDATE t SET n = n + 1 WHERE id = k; END $$;\n"
      "CREATE PROCEDURE odd(k int) LANGUAGE plpgsql AS $$ BEGIN\n"
      "  CREATE TEMP TABLE x (a int); END $$;\n";
  directory_.write("odd.sql", file);
  const Ran proof = robust("odd.sql");
  EXPECT_EQ(proof.status, 2);
  EXPECT_NE(proof.output.find("odd.sql:5:1: 'odd' could not be read"),
            std::string::npos)
      << proof.output;
  directory_.write("odd.sql", file + "--@ session a: CALL good(1);\n");
  const Ran searched = robust("odd.sql");
  EXPECT_EQ(searched.status, 0) << searched.output;
  EXPECT_NE(searched.output.find("search)"), std::string::npos)
      << searched.output;
}

TEST_F(RobustCommand, OpenInputsAreProvedAndNotSearched) {
  EXPECT_EQ(robust("counter.sql").status, 0);
  const Ran searched = robust("counter.sql --method search 2>&1");
  EXPECT_EQ(searched.status, 2);
  EXPECT_NE(searched.output.find("counter.sql:4:24: open inputs are proved"),
            std::string::npos)
      << searched.output;
  EXPECT_EQ(robust("open.sql").status, 1);
}

TEST_F(RobustCommand, RunningAllOfThemAtSerializableIsARepair) {
  const Ran ran =
      robust("on_call.sql --against postgresql:repeatable-read --format json");
  EXPECT_EQ(ran.status, 1);
  const auto json = nlohmann::json::parse(ran.output);
  bool has_levels = false;
  for (const auto& repair : json["results"][0]["repairs"]) {
    const std::string text = repair.dump();
    has_levels |= text.find("run a.leave at postgresql:serializable") !=
                      std::string::npos &&
                  text.find("run b.leave at postgresql:serializable") !=
                      std::string::npos;
  }
  EXPECT_TRUE(has_levels) << ran.output;
}

// Whether the allocation is still told depends on who looks at the clock first.
TEST_F(RobustCommand, AnAllocationThatWasCutShortIsUndecided) {
  EXPECT_EQ(robust("on_call.sql --allocate --timeout 1ms").status, 3);
}

}  // namespace
}  // namespace txscope
