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
                     "INSERT INTO c VALUES (1, 0);\n"
                     "CREATE PROCEDURE look(k int) LANGUAGE plpgsql AS $$\n"
                     "  BEGIN PERFORM 1 FROM c WHERE id = 1 AND n = k; END $$;\n"
                     "--@ session a: CALL up(?);\n"
                     "--@ session b: CALL look(?);\n");
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
    EXPECT_TRUE(ran.said("no session and no procedure")) << ran.output;
  }
}

// At serializable, too, it may do what no order explains.
TEST_F(RobustCommand, NoAllocationHelpsWhoCatchesFailures) {
  const auto text = [](const std::string& handler) {
    return "CREATE TABLE t (id int PRIMARY KEY, n int);\n"
           "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN\n"
           "  BEGIN UPDATE t SET n = n + 1 WHERE id = 1;\n"
           "  EXCEPTION WHEN " +
           handler + "; END; END $$;\n";
  };
  directory_.write("all.sql", text("OTHERS THEN NULL"));
  directory_.write("again.sql", text("OTHERS THEN RAISE"));
  directory_.write("unique.sql", text("unique_violation THEN NULL"));
  const Ran all = robust("all.sql --allocate");
  EXPECT_EQ(all.status, 3);
  EXPECT_NE(all.output.find("p continues after a serialization failure"),
            std::string::npos)
      << all.output;
  directory_.write("back.sql",
                   "CREATE TABLE t (id int PRIMARY KEY, n int);\n"
                   "--@ session a: BEGIN; SAVEPOINT p; SELECT n INTO v FROM t "
                   "WHERE id = 1 FOR UPDATE; ROLLBACK TO p; UPDATE t SET n = v "
                   "WHERE id = 2; COMMIT;\n");
  EXPECT_EQ(robust("back.sql --allocate").status, 3);
  EXPECT_EQ(robust("again.sql --allocate").status, 0);
  EXPECT_EQ(robust("unique.sql --allocate").status, 0);
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
  directory_.write("odd.sql", file +
                                  "--@ session a: CALL good(1);\n"
                                  "--@ session b: CALL good(1);\n");
  const Ran searched = robust("odd.sql");
  EXPECT_EQ(searched.status, 0) << searched.output;
  EXPECT_NE(searched.output.find("method search"), std::string::npos)
      << searched.output;
}

// The proof is about any arguments; the search is given inputs, and says which.
TEST_F(RobustCommand, OpenInputsAreProvedOrChosen) {
  EXPECT_EQ(robust("counter.sql").status, 0);
  for (const std::string more : {"", " --against postgresql:repeatable-read"}) {
    const Ran ran = robust("open.sql --method search --format json" + more);
    EXPECT_EQ(ran.status, 1) << ran.output;
    const auto inputs =
        nlohmann::json::parse(ran.output)["results"][0]["inputs"];
    EXPECT_NE(inputs["a.leave.me"], inputs["b.leave.me"]) << ran.output;
  }
}

// Robust is said only of all inputs: here there are two, of which one is a
// cycle, and with the assumption none.
TEST_F(RobustCommand, AnAssumptionMayLeaveNoInputThatBreaksIt) {
  const std::string open = std::string(kOnCall) +
                           "--@ session a: CALL leave(1);\n"
                           "--@ session b: CALL leave(?);\n";
  directory_.write("two.sql", open + "--@ assume few: b.leave.me IN (1, 2)\n");
  EXPECT_EQ(robust("two.sql --method search").status, 1);
  directory_.write("one.sql", open + "--@ assume few: b.leave.me = 1\n");
  const Ran one = robust("one.sql --method search");
  EXPECT_EQ(one.status, 0) << one.output;
  EXPECT_NE(one.output.find("all inputs, with a solver"), std::string::npos)
      << one.output;
  directory_.write("none.sql", open +
                                   "--@ assume no: b.leave.me < 1\n"
                                   "--@ assume yes: b.leave.me > 1\n");
  EXPECT_EQ(robust("none.sql --method search").status, 2);
}

// However many there are: the solver says that none shows anything, also at an
// engine's level.  What it cannot encode is said, and inputs are chosen.
TEST_F(RobustCommand, OpenInputsOfApplicationsAreDecidedForAll) {
  for (const std::string more :
       {"", " --notion outcome", " --against causal --notion history",
        " --against postgresql:repeatable-read",
        " --against postgresql:read-committed"}) {
    const Ran many = robust("counter.sql --method search" + more);
    EXPECT_EQ(many.status, 0) << many.output;
    EXPECT_NE(many.output.find("all inputs, with a solver"), std::string::npos)
        << many.output;
  }
  const std::string insert =
      "CREATE TABLE t (id int PRIMARY KEY, n int);\n"
      "CREATE PROCEDURE put(k int) LANGUAGE plpgsql AS $$ BEGIN\n"
      "  INSERT INTO t VALUES (k, 0); END $$;\n";
  directory_.write("put.sql", insert +
                                  "--@ session a: CALL put(?);\n"
                                  "--@ session b: CALL put(?);\n");
  const Ran put = robust("put.sql --method search --format json");
  EXPECT_EQ(put.status, 0) << put.output;
  const auto bounds = nlohmann::json::parse(put.output)["results"][0]["bounds"];
  EXPECT_EQ(bounds["sessions"], 2);
  EXPECT_EQ(bounds["inputs"], 2);
  EXPECT_EQ(bounds["keys"][0], "t 1, 2");

  directory_.write("commit.sql",
                   insert +
                       "CREATE PROCEDURE change(k int) LANGUAGE plpgsql AS $$ "
                       "DECLARE c CURSOR FOR SELECT n FROM t; v int; BEGIN\n"
                       "  OPEN c; FETCH c INTO v; CLOSE c; END $$;\n"
                       "--@ session a: CALL change(?);\n");
  const Ran cursor = robust("commit.sql --method search");
  EXPECT_EQ(cursor.status, 3) << cursor.output;
  EXPECT_NE(cursor.output.find("cannot encode a cursor"), std::string::npos)
      << cursor.output;
}

// `b` is named by the condition, so columns show the cycle as rows do.
TEST_F(RobustCommand, TheGranularityThatIsNamedIsTheOneThatWasJudged) {
  const std::string text =
      "CREATE TABLE t (id int PRIMARY KEY, a int, b int);\n"
      "INSERT INTO t VALUES (1, 0, 0), (2, 0, 0);\n"
      "CREATE PROCEDURE p(x int, y int) LANGUAGE plpgsql AS $$\n"
      "DECLARE v int; BEGIN\n"
      "  SELECT a INTO v FROM t WHERE id = x AND b * b >= 0;\n"
      "  UPDATE t SET b = @ WHERE id = y; END $$;\n"
      "--@ session s: CALL p(1, 2);\n"
      "--@ session u: CALL p(2, 1);\n";
  const auto with = [&](const std::string& value) {
    std::string out = text;
    return out.replace(out.find('@'), 1, value);
  };
  directory_.write("rows.sql", with("y"));
  const Ran rows = robust("rows.sql --granularity column --no-repairs");
  EXPECT_EQ(rows.status, 1) << rows.output;
  EXPECT_NE(rows.output.find("granularity column"), std::string::npos)
      << rows.output;
  std::string shown = with("v + 1");
  shown.replace(shown.find("SELECT a"), 8, "SELECT b");
  directory_.write("shown.sql", shown);
  const Ran seen =
      robust("shown.sql --granularity column --no-repairs --format json");
  EXPECT_EQ(seen.status, 1) << seen.output;
  const auto first = nlohmann::json::parse(seen.output)["results"][0];
  EXPECT_EQ(first["granularity"], "column") << seen.output;
}

// Two that read both and write one, unless it is the same one: for all inputs
// by the solver, with a repair that was asked about all of them.
TEST_F(RobustCommand, OpenInputsOfProgramsAreDecidedForAll) {
  const std::string program =
      "var a[2] = ?\n"
      "txn take(i) {\n"
      "  assume i >= 0 && i <= 1\n"
      "  x = read a[0]\n"
      "  y = read a[1]\n"
      "  if x + y > 0 { write a[i] = 0 }\n"
      "}\n"
      "session p { take(?) }\n"
      "session q { take(?) }\n"
      "assume a[0] >= 0 && a[0] <= 9 && a[1] >= 0 && a[1] <= 9\n";
  directory_.write("take.txn", program);
  const Ran odd = robust("take.txn --format json");
  EXPECT_EQ(odd.status, 1) << odd.output;
  const auto first = nlohmann::json::parse(odd.output)["results"][0];
  EXPECT_NE(first["inputs"]["p.t1.i"], first["inputs"]["q.t1.i"]);
  EXPECT_EQ(first["confirmed"]["of_level"], true);
  EXPECT_EQ(first["confirmed"]["not_serializable"], true);
  EXPECT_FALSE(first["repairs"].empty()) << odd.output;

  directory_.write("same.txn", program + "assume p.t1.i == q.t1.i\n");
  const Ran same = robust("same.txn");
  EXPECT_EQ(same.status, 0) << same.output;
  EXPECT_NE(same.output.find("all inputs, with a solver"), std::string::npos)
      << same.output;

  directory_.write("none.txn", program + "assume \"odd\" a[0] > 9\n");
  EXPECT_EQ(robust("none.txn 2>&1").status, 2);
  // Without open inputs an assumption must be true, too.
  directory_.write("given.txn",
                   "var x = 1\nassume \"two\" x == 2\n"
                   "session { txn { write x = 1 } }\n");
  const Ran given = robust("given.txn 2>&1");
  EXPECT_EQ(given.status, 2) << given.output;
  EXPECT_NE(given.output.find("'two'"), std::string::npos) << given.output;
}

// What is said of repairs holds for all inputs, too.
TEST_F(RobustCommand, ARepairMayBeProvedWhereInputsAreOpen) {
  directory_.write("take.sql",
                   "CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);\n"
                   "INSERT INTO a VALUES (1, 1), (2, 1);\n"
                   "CREATE PROCEDURE take(i int, j int) LANGUAGE plpgsql AS $$ "
                   "DECLARE v int; BEGIN\n"
                   "  SELECT n INTO v FROM a WHERE id = i;\n"
                   "  UPDATE a SET n = v WHERE id = j; END $$;\n"
                   "--@ session p: CALL take(?, ?);\n"
                   "--@ session q: CALL take(?, ?);\n");
  const Ran ran = robust("take.sql");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(ran.said("write the rows of a that line 4 relies on"))
      << ran.output;
}

// Two guests that look for a free room before they take it.
TEST_F(RobustCommand, AConstraintIsARepair) {
  directory_.write(
      "rooms.sql",
      "CREATE TABLE booking (id int PRIMARY KEY, room int, "
      "day int);\n"
      "CREATE PROCEDURE book(i int, r int, d int) LANGUAGE plpgsql "
      "AS $$ BEGIN\n"
      "  IF EXISTS (SELECT 1 FROM booking WHERE room = r AND "
      "day = d) THEN RETURN; END IF;\n"
      "  INSERT INTO booking VALUES (i, r, d); END $$;\n"
      "--@ session a: CALL book(1, 7, 1);\n"
      "--@ session b: CALL book(2, 7, 1);\n");
  const Ran ran = robust("rooms.sql --against postgresql:repeatable-read");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(ran.said("ALTER TABLE booking ADD UNIQUE (room, day);"))
      << ran.output;
}

TEST_F(RobustCommand, NamesThePairsThatAreSafeTogether) {
  const Ran ran = robust("on_call.sql --method proof --format json");
  const auto result = nlohmann::json::parse(ran.output)["results"][0];
  EXPECT_EQ(result["safe_pairs"].dump(), "[]") << ran.output;
  directory_.write("pairs.sql", std::string(kOnCall) +
                                    "CREATE TABLE e (id int PRIMARY KEY);\n"
                                    "CREATE PROCEDURE add(i int) LANGUAGE "
                                    "plpgsql AS $$ BEGIN\n"
                                    "  INSERT INTO e VALUES (i); END $$;\n");
  const Ran pairs = robust("pairs.sql --format json");
  EXPECT_EQ(
      nlohmann::json::parse(pairs.output)["results"][0]["safe_pairs"].dump(),
      "[[\"add\",\"add\"]]")
      << pairs.output;
}

TEST_F(RobustCommand, ATimeThatIsUpIsSaidAndNothingIsClaimed) {
  const Ran ran = robust("on_call.sql --method proof --timeout 1ms");
  EXPECT_EQ(ran.status, 3) << ran.output;
  EXPECT_FALSE(ran.said("could not be excluded")) << ran.output;
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

// An open uuid is one, or the run that is to show it would fail.
TEST_F(RobustCommand, OpenUuidsAreUuids) {
  directory_.write(
      "uuid.sql",
      "CREATE TABLE t (id uuid PRIMARY KEY, c uuid NOT NULL, n int NOT NULL);\n"
      "CREATE PROCEDURE add(k uuid, o uuid) LANGUAGE plpgsql AS $$\n"
      "DECLARE v int; BEGIN\n"
      "  SELECT count(*) INTO v FROM t WHERE c = o;\n"
      "  INSERT INTO t VALUES (k, o, v); END $$;\n"
      "--@ session a: CALL add(?, ?);\n"
      "--@ session b: CALL add(?, ?);\n");
  const Ran ran = robust("uuid.sql --method search");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(ran.said("00000000-0000-4000-8000-")) << ran.output;
}

}  // namespace
}  // namespace txscope
