// Every run has the same beginning, whatever the one before it did.

#include "race/start/stage.h"

#include <gtest/gtest.h>

namespace txscope::race {
namespace {

/// A database with a parent and a child of the same rows, a sequence, and a
/// function that makes a table.
const char* const kSchema =
    "CREATE TABLE animal (id serial PRIMARY KEY, name text);"
    "CREATE TABLE cat (lives int) INHERITS (animal);"
    "INSERT INTO animal (name) VALUES ('rex');"
    "INSERT INTO cat (name, lives) VALUES ('tom', 9);"
    "CREATE FUNCTION grow() RETURNS void LANGUAGE plpgsql AS"
    " 'BEGIN EXECUTE ''CREATE TABLE extra (id int)''; END'";

class RaceStage : public ::testing::Test {
 protected:
  void SetUp() override {
    auto copies = Copies::from_sql(kSchema, "schema.sql");
    ASSERT_TRUE(copies) << copies.error().what;
    copies_ = *std::move(copies);
    auto stage = Stage::open(plan_, *copies_);
    ASSERT_TRUE(stage) << stage.error().what;
    stage_ = *std::move(stage);
  }
  std::string begin() {
    const auto name = stage_->begin();
    EXPECT_TRUE(name) << name.error().what;
    return name ? *name : "";
  }
  std::string ask(const std::string& sql) {
    auto session = stage_->session();
    EXPECT_TRUE(session);
    const db::Answer answer = (*session)->execute(sql);
    EXPECT_TRUE(answer.is_ok()) << answer.message;
    return answer.rows.empty() ? "" : answer.rows[0][0].value_or("");
  }
  std::string contents() {
    return ask(
        "SELECT (SELECT string_agg(tableoid::regclass || ' ' || id || name,"
        " ', ' ORDER BY id) FROM animal) || '; ' || last_value"
        " FROM animal_id_seq");
  }

  Plan plan_;
  std::unique_ptr<Copies> copies_;
  std::unique_ptr<Stage> stage_;
};

TEST_F(RaceStage, RowsAndNumbersArePutBack) {
  const std::string first = begin();
  const std::string before = contents();
  EXPECT_EQ(before, "animal 1rex, cat 2tom; 2");
  ask("INSERT INTO animal (name) VALUES ('fido'); DELETE FROM cat");
  stage_->note({});
  EXPECT_EQ(begin(), first);
  EXPECT_EQ(contents(), before);
}

TEST_F(RaceStage, WhoIsLeftFromARunThatWasGivenUpIsSentAway) {
  const std::string first = begin();
  auto left = copies_->connect(first);
  ASSERT_TRUE(left);
  ASSERT_TRUE((*left)->execute("BEGIN; LOCK TABLE animal").is_ok());
  EXPECT_EQ(begin(), first);
  EXPECT_TRUE((*left)->execute("SELECT 1").is_lost());
}

TEST_F(RaceStage, ATableThatAFunctionMadeIsNotThereTheNextTime) {
  const std::string first = begin();
  ask("SELECT grow()");
  stage_->note({});
  EXPECT_NE(begin(), first);
  EXPECT_EQ(ask("SELECT to_regclass('extra') IS NULL"), "t");
  EXPECT_EQ(contents(), "animal 1rex, cat 2tom; 2");
}

TEST_F(RaceStage, ATableThatWasNotCommittedNeedsNoOtherCopy) {
  const std::string first = begin();
  ask("BEGIN; CREATE TABLE extra (id int); ROLLBACK");
  stage_->note({});
  EXPECT_EQ(begin(), first);
}

}  // namespace
}  // namespace txscope::race
