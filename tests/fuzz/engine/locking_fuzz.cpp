// Rows that are named by their keys: statements that only lock, and reads of
// rows that nobody else writes, are taken in one order.  Such a search tells
// the outcomes, with their rows, that one tells that leaves nothing out.

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "base/random.h"
#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"

namespace txscope::engine {
namespace {

std::string random_statement(Random& random, std::size_t row) {
  static const std::array<std::string, 11> kStatements = {
      "SELECT n INTO m FROM item WHERE id = K; ",
      "SELECT n INTO m FROM item WHERE id = i; ",
      "SELECT sum(n) INTO m FROM item; ",
      "SELECT n INTO m FROM item WHERE id = K FOR UPDATE; ",
      "SELECT n INTO m FROM item WHERE id = K AND n > 1 FOR SHARE; ",
      "UPDATE item SET n = m - 1 WHERE id = K; ",
      "UPDATE item SET n = n - 1 WHERE id = K AND n > 1; ",
      "UPDATE item SET n = n + 2 WHERE id = i; ",
      "UPDATE item SET n = n * 2 WHERE id = K RETURNING n INTO m; ",
      "IF m < 1 THEN RAISE EXCEPTION 'out'; END IF; ",
      "IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF; ",
  };
  std::string text = kStatements[random.below(kStatements.size())];
  if (const auto at = text.find('K'); at != std::string::npos)
    text.replace(at, 1, std::to_string(row));
  return text;
}

// Mostly in the order of the rows, so that there are no deadlocks.
std::string random_rows(Random& random) {
  std::string text =
      "CREATE TABLE item (id integer PRIMARY KEY, n integer NOT NULL CHECK (n "
      "> -2));\n"
      "INSERT INTO item VALUES (1, 2), (2, 1), (3, 3);\n";
  const bool has_order = random.chance(0.8);
  const std::size_t sessions = 2 + random.below(2);
  for (std::size_t s = 0; s < sessions; ++s) {
    const std::string name = "p" + std::to_string(s);
    text += "CREATE PROCEDURE " + name +
            "(i integer) LANGUAGE plpgsql AS $$ DECLARE m integer := 1; BEGIN ";
    const std::size_t count = 2 + random.below(sessions == 2 ? 4 : 2);
    std::size_t row = 1;
    for (std::size_t n = 0; n < count; ++n) {
      if (!has_order)
        row = 1 + random.below(3);
      else if (row < 3 && random.chance(0.4))
        ++row;
      text += random_statement(random, row);
    }
    text += "END $$;\n";
  }
  for (std::size_t s = 0; s < sessions; ++s)
    text += "--@ session s" + std::to_string(s) + ": CALL p" +
            std::to_string(s) + "(" + std::to_string(1 + random.below(3)) +
            ");\n";
  return text + "--@ invariant left: (SELECT min(n) FROM item) > 0\n";
}

struct Told {
  std::set<std::string> outcomes;
  std::uint64_t explored = 0;
  Outcome between = Outcome::Holds;
};

std::string text_of(const ObservedOutcome& outcome) {
  std::vector<std::string> told(outcome.ends.size());
  for (const TraceStep& step : outcome.schedule) {
    std::string& text = told[step.session];
    if (step.kind == TraceStep::Kind::Executed) {
      text += " #" + std::to_string(step.count);
      for (const sql::Row& row : step.rows)
        for (const sql::Value& value : row) text += "," + to_string(value);
    }
    if (step.kind == TraceStep::Kind::Failed) text += " " + step.code;
    if (step.kind == TraceStep::Kind::Committed) text += " committed";
  }
  std::string text;
  for (const std::string& one : told) text += one + ";";
  for (const auto& table : outcome.final)
    for (const sql::Row& row : table)
      for (const sql::Value& value : row) text += " " + to_string(value);
  return text;
}

Told told(const sql::Application& application, const Profile& profile,
          bool reduces) {
  Told told;
  ProfileOptions options;
  options.all = true;
  options.explains = false;
  options.judges_every_commit = true;
  options.reduces = reduces;
  options.on_outcome = [&](const ObservedOutcome& outcome) {
    told.outcomes.insert(text_of(outcome));
  };
  const auto answer =
      explore_profile(application, profile, options, Budget::unlimited());
  EXPECT_TRUE(answer && answer->is_complete);
  told.explored = answer->counts.explored;
  told.between = answer->properties[0].at_every_commit;
  return told;
}

TEST(LockingFuzz, TellsTheOutcomesOfASearchThatLeavesNothingOut) {
  Random random(fuzz_seed(41));
  const int rounds = fuzz_rounds(150);
  std::uint64_t reduced = 0;
  std::uint64_t plain = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = random_rows(random);
    const auto application = sql::read_sql("random.sql", text);
    ASSERT_TRUE(application) << application.error().what << "\n" << text;
    for (const char* const level :
         {"postgresql:read-committed", "postgresql:repeatable-read"}) {
      const Profile& profile = **parse_profile(level);
      const Told one = told(*application, profile, true);
      const Told all = told(*application, profile, false);
      ASSERT_EQ(one.outcomes, all.outcomes) << level << "\n" << text;
      ASSERT_EQ(one.between, all.between) << level << "\n" << text;
      reduced += one.explored;
      plain += all.explored;
    }
  }
  // The comparison means something.
  EXPECT_LT(reduced * 5, plain * 4);
}

std::string with_many_rows(std::string text) {
  std::string more = "INSERT INTO item VALUES (1000, 0)";
  for (int id = 1001; id < 1100; ++id)
    more += ", (" + std::to_string(id) + ", 0)";
  return text.insert(text.find("CREATE PROCEDURE"), more + ";\n");
}

// They are at rest in all states, whatever is done with others.
TEST(LockingFuzz, RowsThatNobodyChangesMakeNoOtherStates) {
  Random random(fuzz_seed(43));
  for (int round = 0; round < fuzz_rounds(60); ++round) {
    const std::string text = random_rows(random);
    const auto few = sql::read_sql("random.sql", text);
    const auto many = sql::read_sql("random.sql", with_many_rows(text));
    ASSERT_TRUE(few && many) << text;
    for (const char* const level :
         {"postgresql:read-committed", "postgresql:repeatable-read",
          "postgresql:serializable", "mariadb:read-committed",
          "mariadb:repeatable-read", "sqlite"}) {
      ProfileOptions options;
      options.all = true;
      options.explains = false;
      options.builtins = SerialSense::Outcome;
      const Profile& profile = **parse_profile(level);
      const auto a =
          explore_profile(*few, profile, options, Budget::unlimited());
      const auto b =
          explore_profile(*many, profile, options, Budget::unlimited());
      ASSERT_TRUE(a && b) << level << "\n" << text;
      ASSERT_EQ(a->counts.histories, b->counts.histories) << level << "\n"
                                                          << text;
      ASSERT_EQ(a->counts.final_states, b->counts.final_states) << level << "\n"
                                                                << text;
      ASSERT_EQ(a->counts.explored, b->counts.explored) << level << "\n"
                                                        << text;
      ASSERT_EQ(a->counts.errors, b->counts.errors) << level << "\n" << text;
      for (std::size_t i = 0; i < a->builtins.size(); ++i)
        ASSERT_EQ(a->builtins[i].verdict, b->builtins[i].verdict)
            << level << "\n"
            << text;
    }
  }
}

}  // namespace
}  // namespace txscope::engine
