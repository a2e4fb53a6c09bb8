// What exploration at a profile answers.

#include <gtest/gtest.h>

#include <chrono>

#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"

namespace txscope::engine {
namespace {

const char* const kCounter =
    "CREATE TABLE c (id int PRIMARY KEY, n int NOT NULL);"
    "INSERT INTO c VALUES (1, 10);"
    "CREATE PROCEDURE read_and_write() LANGUAGE plpgsql AS $$"
    " DECLARE v int; BEGIN"
    "  SELECT n INTO v FROM c WHERE id = 1;"
    "  UPDATE c SET n = v - 1 WHERE id = 1; END; $$;"
    "CREATE PROCEDURE lock_and_write() LANGUAGE plpgsql AS $$"
    " DECLARE v int; BEGIN"
    "  SELECT n INTO v FROM c WHERE id = 1 FOR UPDATE;"
    "  UPDATE c SET n = v - 1 WHERE id = 1; END; $$;";

Result<Answer> explore_text(const std::string& text, const std::string& profile,
                            const ProfileOptions& options = {}) {
  // Results point into their application.
  static std::vector<std::unique_ptr<sql::Application>> kept;
  auto read = sql::read_sql("test.sql", text);
  if (!read) return read.error();
  kept.push_back(std::make_unique<sql::Application>(std::move(*read)));
  return explore_profile(*kept.back(), **parse_profile(profile), options,
                         Budget::unlimited());
}

Outcome verdict_of(const std::string& calls, const std::string& profile) {
  const auto result = explore_text(
      std::string(kCounter) + "\n--@ session a: " + calls +
          "\n--@ session b: " + calls +
          "\n--@ invariant both: (SELECT n FROM c WHERE id = 1) = 8\n",
      profile);
  EXPECT_TRUE(result && result->is_complete);
  return result->outcome;
}

TEST(ExploreProfile, AnUpdateInPlaceNeverLosesAnUpdate) {
  const char* const update =
      "BEGIN; UPDATE c SET n = n - 1 WHERE id = 1; COMMIT;";
  EXPECT_EQ(verdict_of(update, "postgresql:read-committed"), Outcome::Holds);
  EXPECT_EQ(verdict_of(update, "mariadb:repeatable-read"), Outcome::Holds);
}

TEST(ExploreProfile, ReadingFirstLosesUpdates) {
  EXPECT_EQ(verdict_of("CALL read_and_write();", "postgresql:read-committed"),
            Outcome::Violated);
  EXPECT_EQ(verdict_of("CALL read_and_write();", "mariadb:repeatable-read"),
            Outcome::Violated);
}

TEST(ExploreProfile, ReadingForUpdateLosesNone) {
  EXPECT_EQ(verdict_of("CALL lock_and_write();", "postgresql:read-committed"),
            Outcome::Holds);
  EXPECT_EQ(verdict_of("CALL lock_and_write();", "mariadb:repeatable-read"),
            Outcome::Holds);
}

std::string pairs_of_accounts(int pairs) {
  std::string text =
      "CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);"
      "CREATE TABLE e (id serial PRIMARY KEY, a int REFERENCES a, n int);"
      "CREATE PROCEDURE add(p int) LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN"
      "  SELECT n INTO v FROM a WHERE id = p;"
      "  UPDATE a SET n = v + 1 WHERE id = p;"
      "  INSERT INTO e (a, n) VALUES (p, 1); END; $$;"
      "INSERT INTO a VALUES (1, 0), (2, 0), (3, 0);\n";
  for (int s = 0; s < 2 * pairs; ++s)
    text += "--@ session s" + std::to_string(s) + ": CALL add(" +
            std::to_string(1 + s / 2) + ");\n";
  return text + "--@ invariant all: (SELECT sum(n) FROM a) = " +
         std::to_string(2 * pairs) + "\n";
}

TEST(ExploreProfile, SessionsThatNeverMeetAreTakenApart) {
  ProfileOptions options;
  options.all = true;
  options.explains = false;
  const char* const level = "postgresql:read-committed";
  const auto one = explore_text(pairs_of_accounts(1), level, options);
  const auto three = explore_text(pairs_of_accounts(3), level, options);
  ASSERT_TRUE(one && three && three->is_complete);
  const std::uint64_t outcomes = one->counts.histories;
  EXPECT_EQ(three->counts.histories, outcomes * outcomes * outcomes);
  // Each pair once for every outcome of those before it.
  EXPECT_LE(three->counts.explored,
            one->counts.explored * (1 + outcomes + outcomes * outcomes));
}

std::string three_sessions(const std::string& more) {
  return std::string(kCounter) +
         "\n--@ session a: CALL read_and_write();"
         "\n--@ session b: CALL read_and_write();"
         "\n--@ session c: CALL lock_and_write(); CALL lock_and_write();"
         "\n--@ invariant all_counted: (SELECT n FROM c WHERE id = 1) <= 6\n" +
         more;
}

TEST(ExploreProfile, AViolationIsToldWithTheFewestCallsThatShowIt) {
  // One call alone also ends with 9, but so it does serially.
  const auto result = explore_text(
      std::string(kCounter) +
          "\n--@ session a: CALL read_and_write();"
          "\n--@ session b: CALL read_and_write(); CALL lock_and_write();"
          "\n--@ invariant none_lost: (SELECT n FROM c WHERE id = 1) <> 9\n",
      "postgresql:read-committed");
  ASSERT_TRUE(result);
  ASSERT_EQ(result->counterexamples.size(), 1u);
  EXPECT_EQ(result->counterexamples[0].all_calls, 3u);
  EXPECT_EQ(result->counterexamples[0].calls,
            (std::vector<CallRef>{{0, 0}, {1, 0}}));
  EXPECT_EQ(result->counterexamples[0].steps.size(), 6u);
  EXPECT_TRUE(result->counterexamples[0].is_avoided_serially);
}

TEST(ExploreProfile, AViolationThatNeedsAllCallsIsToldWithAll) {
  const auto lost =
      explore_text(three_sessions(""), "postgresql:read-committed");
  ASSERT_TRUE(lost);
  ASSERT_EQ(lost->counterexamples.size(), 1u);
  const Counterexample& violation = lost->counterexamples[0];
  EXPECT_EQ(violation.all_calls, 4u);
  EXPECT_EQ(violation.calls.size(), 4u);  // the invariant needs them all
  EXPECT_TRUE(violation.is_avoided_serially);
  EXPECT_FALSE(violation.serial.empty());
  int executed = 0;
  int committed = 0;
  for (const txscope::Step& step : violation.steps) {
    if (step.kind == txscope::Step::Kind::Statement) ++executed;
    if (step.kind == txscope::Step::Kind::Commit) ++committed;
  }
  EXPECT_EQ(executed, 8);
  EXPECT_EQ(committed, 4);
}

TEST(ExploreProfile, AnUnneededSessionIsLeftOut) {
  const auto result = explore_text(
      std::string(kCounter) +
          "CREATE TABLE log (id int PRIMARY KEY);"
          "\n--@ session a: CALL read_and_write();"
          "\n--@ session idle: BEGIN; INSERT INTO log VALUES (1); COMMIT;"
          "\n--@ session b: CALL read_and_write();"
          "\n--@ invariant none_lost: (SELECT n FROM c WHERE id = 1) <> 9\n",
      "postgresql:read-committed");
  ASSERT_TRUE(result);
  ASSERT_EQ(result->counterexamples.size(), 1u);
  EXPECT_EQ(result->counterexamples[0].calls,
            (std::vector<CallRef>{{0, 0}, {2, 0}}));
}

TEST(ExploreProfile, RetriesRunATransactionAgainAfterASerializationFailure) {
  const std::string text =
      std::string(kCounter) +
      "\n--@ session a: CALL read_and_write();"
      "\n--@ session b: CALL read_and_write();"
      "\n--@ invariant both: (SELECT n FROM c WHERE id = 1) = 8\n";
  const auto without = explore_text(text, "postgresql:repeatable-read");
  const auto with = explore_text(text + "--@ retry read_and_write: 1\n",
                                 "postgresql:repeatable-read");
  ASSERT_TRUE(without && with);
  EXPECT_EQ(without->outcome, Outcome::Violated);  // one of them is lost
  EXPECT_EQ(with->outcome, Outcome::Holds);
}

TEST(ExploreProfile, ATransactionMayHaveALevelOfItsOwn) {
  const std::string text =
      std::string(kCounter) +
      "\n--@ session a: CALL read_and_write();"
      "\n--@ session b: CALL read_and_write();"
      "\n--@ invariant both: (SELECT n FROM c WHERE id = 1) = 8\n"
      "--@ level read_and_write: ";
  const auto own = explore_text(text + "postgresql:repeatable-read\n",
                                "postgresql:read-committed");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->counts.aborts.count("40001"), 1u);
  const auto foreign = explore_text(text + "mariadb:repeatable-read\n",
                                    "postgresql:read-committed");
  ASSERT_FALSE(foreign);
  EXPECT_NE(foreign.error().what.find("cannot run together"),
            std::string::npos);
  const auto unknown =
      explore_text(text + "nonsense\n", "postgresql:read-committed");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().source_line, "--@ level read_and_write: nonsense");
  EXPECT_EQ(unknown.error().where.column, 27u);
}

TEST(ExploreProfile, ASpentBudgetLeavesPropertiesUndecided) {
  auto read = sql::read_sql(
      "test.sql", std::string(kCounter) +
                      "\n--@ session a: CALL lock_and_write();"
                      "\n--@ session b: CALL lock_and_write();"
                      "\n--@ invariant low: (SELECT n FROM c) <= 10\n");
  ASSERT_TRUE(read);
  const Budget budget({std::chrono::milliseconds(0), std::nullopt});
  EXPECT_TRUE(budget.spent_now());
  const auto result = explore_profile(
      *read, **parse_profile("postgresql:read-committed"), {}, budget);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::Undecided);
  EXPECT_FALSE(result->is_complete);
  EXPECT_EQ(result->spent, Spent::Time);
}

// Said before a key is touched for which the product has no index.
TEST(ExploreProfile, KeysThatAProductDoesNotHaveAreUndecidedThere) {
  const std::string tables =
      "CREATE TABLE t (id int PRIMARY KEY, n int, EXCLUDE USING gist (n WITH "
      "=));"
      "CREATE TABLE u (id int PRIMARY KEY, n int, m text);"
      "CREATE UNIQUE INDEX ON u (n) WHERE n > 5;"
      "CREATE UNIQUE INDEX ON u (lower(m));"
      "INSERT INTO u VALUES (1, 1, 'a');";
  for (const char* statement :
       {"INSERT INTO t VALUES (1, 1)", "INSERT INTO u VALUES (2, 2, 'b')",
        "UPDATE u SET id = 3", "UPDATE u SET n = 9"}) {
    for (const char* level :
         {"mariadb:read-committed", "mariadb:serializable"}) {
      const auto result = explore_text(
          tables + "\n--@ session a: " + statement +
              ";\n--@ invariant none: NOT EXISTS (SELECT 1 FROM t WHERE n > 5)",
          level);
      ASSERT_TRUE(result) << statement;
      EXPECT_EQ(result->outcome, Outcome::Undecided) << level << statement;
    }
  }
}

TEST(ExploreProfile, ALoopThatReachesItsBoundIsCut) {
  ProfileOptions options;
  options.loop_bound = 3;
  const auto result = explore_text(
      "CREATE TABLE c (id int PRIMARY KEY);"
      "CREATE PROCEDURE spin() LANGUAGE plpgsql AS $$ BEGIN"
      " LOOP PERFORM 1; END LOOP; END; $$;"
      "\n--@ session a: CALL spin();"
      "\n--@ invariant none: NOT EXISTS (SELECT 1 FROM c)\n",
      "postgresql:read-committed", options);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::Undecided);
  EXPECT_EQ(result->counts.cut, 1u);
  EXPECT_NE(result->cut_reason.find("3 rounds"), std::string::npos);
}

TEST(ExploreProfile, NullIsAViolation) {
  const auto result = explore_text(
      std::string(kCounter) +
          "\n--@ session a: CALL lock_and_write();"
          "\n--@ invariant unknown: (SELECT n FROM c WHERE id = 7) > 0\n",
      "postgresql:read-committed");
  ASSERT_TRUE(result);
  ASSERT_EQ(result->counterexamples.size(), 1u);
  EXPECT_EQ(result->counterexamples[0].value, "NULL");
}

TEST(ExploreProfile, TheSameInputGivesTheSameAnswer) {
  const auto first =
      explore_text(three_sessions(""), "postgresql:serializable");
  const auto second =
      explore_text(three_sessions(""), "postgresql:serializable");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->counts.explored, second->counts.explored);
  EXPECT_EQ(first->counts.transitions, second->counts.transitions);
  EXPECT_EQ(first->counts.histories, second->counts.histories);
}

TEST(Profiles, AreFoundByTheirNamesAndAliases) {
  for (const Profile& profile : profiles()) {
    const auto found = parse_profile(profile.name);
    ASSERT_TRUE(found) << profile.name;
    EXPECT_EQ(*found, &profile);
    EXPECT_TRUE(is_profile_name(profile.name));
  }
  EXPECT_EQ((*parse_profile("pg:rc"))->name, "postgresql:read-committed");
  EXPECT_EQ((*parse_profile("Postgres:Repeatable_Read"))->name,
            "postgresql:repeatable-read");
  EXPECT_EQ((*parse_profile("mariadb:rr+snapshot"))->name,
            "mariadb:repeatable-read+snapshot");
  EXPECT_EQ((*parse_profile("sqlite3"))->name, "sqlite");
  EXPECT_FALSE(is_profile_name("read-committed"));
}

TEST(Profiles, UnknownNamesGetAHint) {
  const auto typo = parse_profile("postgresql:read-comitted");
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().hint, "did you mean 'postgresql:read-committed'?");
  const auto mssql = parse_profile("mssql:repeatable-read");
  ASSERT_FALSE(mssql);
  EXPECT_NE(mssql.error().hint.find("SQL Server"), std::string::npos);
  const auto none = parse_profile("postgresql:read-uncommitted-and-more");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().hint.find("known profiles:"), std::string::npos);
}

TEST(Profiles, SayWhatWasNotObserved) {
  for (const Profile& profile : profiles()) {
    const bool has_server = profile.product == Product::PostgreSql ||
                            profile.product == Product::MariaDb;
    EXPECT_EQ(profile.is_observed, has_server);
    EXPECT_EQ(profile.source.ends_with("not observed"), !has_server);
  }
}

}  // namespace
}  // namespace txscope::engine
