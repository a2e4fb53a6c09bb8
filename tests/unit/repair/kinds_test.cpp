// What each kind of repair makes of a text: the changes are worth trying, no
// more.  Whether they help is asked in tests/unit/analyze and on the servers.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "read/sql/sql.h"
#include "repair/edit.h"
#include "repair/kinds/changes.h"

namespace txscope::repair {
namespace {

constexpr const char* kTables =
    "CREATE TABLE parent (id int PRIMARY KEY, total int NOT NULL);\n"
    "CREATE TABLE child (id serial PRIMARY KEY, parent int NOT NULL,\n"
    "  state text NOT NULL, begins int NOT NULL, ends int NOT NULL);\n"
    "INSERT INTO parent VALUES (1, 3), (2, 3);\n";

std::string procedure(const std::string& body) {
  return std::string(kTables) +
         "CREATE PROCEDURE p(a int, b int) LANGUAGE plpgsql AS $$\n"
         "DECLARE v int; w int;\nBEGIN\n" +
         body + "END $$;\n";
}

using FindChanges = std::vector<Change> (*)(const Problem&);

/// The diffs of all changes of a kind.
std::vector<std::string> diffs(FindChanges kind, const std::string& text,
                               Problem::Kind what = Problem::Kind::Race) {
  const auto application = sql::read_sql("t.sql", text, false);
  EXPECT_TRUE(application) << application.error().what;
  if (!application) return {};
  Problem problem =
      problem_of(*application, *parse_profile("postgresql:read-committed"));
  problem.kind = what;
  std::vector<std::string> all;
  for (const Change& change : kind(problem)) {
    all.push_back(diff_of(text, change.edits));
    EXPECT_TRUE(sql::read_sql("t.sql", edited(text, change.edits), false))
        << all.back();
  }
  return all;
}
using Diffs = std::vector<std::string>;

TEST(RepairKinds, AReadAndAWriteBecomeOneUpdate) {
  EXPECT_EQ(
      diffs(atomic_updates,
            procedure("  SELECT total INTO v FROM parent WHERE id = a;\n"
                      "  UPDATE parent SET total = v + b WHERE id = a;\n")),
      Diffs{"- 8:   SELECT total INTO v FROM parent WHERE id = a;\n"
            "- 9:   UPDATE parent SET total = v + b WHERE id = a;\n"
            "+ 9:   UPDATE parent SET total = total + b\n"
            "+ 10:     WHERE id = a;\n"});
}

TEST(RepairKinds, AGuardAroundTheUpdateBecomesItsCondition) {
  EXPECT_EQ(
      diffs(atomic_updates,
            procedure("  SELECT total INTO v FROM parent WHERE id = a;\n"
                      "  IF v >= b THEN\n"
                      "    UPDATE parent SET total = v - b WHERE id = a;\n"
                      "  END IF;\n")),
      Diffs{"- 8:   SELECT total INTO v FROM parent WHERE id = a;\n"
            "+ 8:   UPDATE parent SET total = total - b\n"
            "+ 9:     WHERE id = a AND total >= b;\n"
            "- 9:   IF v >= b THEN\n"
            "- 10:     UPDATE parent SET total = v - b WHERE id = a;\n"
            "- 11:   END IF;\n"});
}

TEST(RepairKinds, AGuardThatRaisesAsksWhetherTheUpdateFoundTheRow) {
  EXPECT_EQ(
      diffs(atomic_updates,
            procedure("  SELECT total INTO v FROM parent WHERE id = a;\n"
                      "  IF NOT FOUND OR v < b THEN\n"
                      "    RAISE EXCEPTION 'no';\n"
                      "  END IF;\n"
                      "  UPDATE parent SET total = v - b WHERE id = a;\n")),
      Diffs{"- 8:   SELECT total INTO v FROM parent WHERE id = a;\n"
            "+ 8:   UPDATE parent SET total = total - b\n"
            "+ 9:     WHERE id = a AND total >= b;\n"
            "- 9:   IF NOT FOUND OR v < b THEN\n"
            "+ 9:   IF NOT FOUND THEN\n"
            "- 12:   UPDATE parent SET total = v - b WHERE id = a;\n"});
}

// RETURNING sees the new row; what was read is computed back.
TEST(RepairKinds, WhatOthersNeedComesBackWithReturning) {
  const auto found =
      diffs(atomic_updates,
            procedure("  SELECT total INTO v FROM parent WHERE id = a;\n"
                      "  UPDATE parent SET total = v - b WHERE id = a;\n"
                      "  INSERT INTO child (parent, state, begins, ends)\n"
                      "    VALUES (a, 'x', v, v);\n"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("RETURNING total + b INTO v;"), std::string::npos)
      << found[0];
}

// n - a + b is not n - (a + b): what was read cannot be told from the new row.
TEST(RepairKinds, WhatCannotBeComputedBackStaysAsItIs) {
  EXPECT_TRUE(
      diffs(atomic_updates,
            procedure("  SELECT total INTO v FROM parent WHERE id = a;\n"
                      "  UPDATE parent SET total = v - b + 1 WHERE id = a;\n"
                      "  INSERT INTO child (parent, state, begins, ends)\n"
                      "    VALUES (a, 'x', v, v);\n"))
          .empty());
}

// With COMMIT or RETURN between them they are not one step.
TEST(RepairKinds, WhatIsLeftInBetweenIsNotMadeOneUpdate) {
  for (const char* between :
       {"  COMMIT;\n", "  IF b = 1 THEN RETURN; END IF;\n"})
    EXPECT_TRUE(
        diffs(atomic_updates,
              procedure("  SELECT total INTO v FROM parent WHERE id = a;\n" +
                        std::string(between) +
                        "  UPDATE parent SET total = v WHERE id = a;\n"))
            .empty())
        << between;
}

TEST(RepairKinds, OtherRowsAreNotMadeOneUpdate) {
  EXPECT_TRUE(
      diffs(atomic_updates,
            procedure("  SELECT total INTO v FROM parent WHERE total = a;\n"
                      "  UPDATE parent SET total = v WHERE id = a;\n"))
          .empty());
}

TEST(RepairKinds, RowsThatAreCountedAreLockedBefore) {
  EXPECT_EQ(
      diffs(row_locks,
            procedure("  SELECT count(*) INTO v FROM child WHERE parent = a;\n"
                      "  SELECT total INTO w FROM parent WHERE id = a;\n")),
      (Diffs{"+ 8:   PERFORM 1 FROM child WHERE parent = a FOR UPDATE;\n",
             "- 9:   SELECT total INTO w FROM parent WHERE id = a;\n"
             "+ 9:   SELECT total INTO w FROM parent WHERE id = a FOR "
             "UPDATE;\n"}));
}

TEST(RepairKinds, TheRowToWhichRowsBelongIsLocked) {
  EXPECT_EQ(
      diffs(
          parent_locks,
          procedure("  SELECT count(*) INTO v FROM child WHERE parent = a;\n")),
      Diffs{"+ 8:   PERFORM 1 FROM parent WHERE id = a FOR UPDATE;\n"});
}

TEST(RepairKinds, WhatIsLookedForBeforeItIsInsertedIsUnique) {
  const std::string insert =
      "    INSERT INTO child (parent, state, begins, ends)\n"
      "      VALUES (a, 'x', 1, 2);\n  END IF;\n";
  EXPECT_EQ(
      diffs(unique_keys, procedure("  IF NOT EXISTS (SELECT 1 FROM child\n"
                                   "      WHERE parent = a) THEN\n" +
                                   insert)),
      Diffs{"+ 14: ALTER TABLE child ADD UNIQUE (parent);\n"});
  // As many as a number says are no key; nor is what only overlaps.
  EXPECT_TRUE(
      diffs(unique_keys,
            procedure("  SELECT count(*) INTO v FROM child WHERE parent = a;\n"
                      "  IF v < b THEN\n" +
                      insert))
          .empty());
  EXPECT_TRUE(diffs(unique_keys,
                    procedure("  IF NOT EXISTS (SELECT 1 FROM child\n"
                              "      WHERE parent = a AND begins < b) THEN\n" +
                              insert))
                  .empty());
}

TEST(RepairKinds, OneRowOfAStateIsAPartialIndex) {
  EXPECT_EQ(diffs(unique_keys,
                  procedure("  SELECT count(*) INTO v FROM child\n"
                            "    WHERE parent = a AND state = 'on';\n"
                            "  IF v < 1 THEN\n"
                            "    UPDATE child SET state = 'on' WHERE id = b;\n"
                            "  END IF;\n")),
            Diffs{"+ 14: CREATE UNIQUE INDEX ON child (parent) WHERE state = "
                  "'on';\n"});
}

TEST(RepairKinds, WhatOverlapsIsExcluded) {
  EXPECT_EQ(
      diffs(exclusions,
            procedure("  SELECT id INTO v FROM child WHERE parent = a AND\n"
                      "    begins < b AND ends > b LIMIT 1;\n")),
      Diffs{"+ 11: CREATE EXTENSION IF NOT EXISTS btree_gist;\n"
            "+ 12: ALTER TABLE child ADD EXCLUDE USING gist (parent WITH =, "
            "int4range(begins, ends) WITH &&);\n"});
}

TEST(RepairKinds, NumbersThatGrowAndShrinkStayInTheirLimits) {
  EXPECT_EQ(
      diffs(checks,
            procedure("  SELECT ends - begins INTO v FROM child WHERE id = a;\n"
                      "  UPDATE child SET begins = begins + 1 WHERE id = a;\n"
                      "  UPDATE parent SET total = total - 1 WHERE id = a;\n")),
      (Diffs{"+ 12: ALTER TABLE child ADD CHECK (begins <= ends);\n",
             "+ 12: ALTER TABLE parent ADD CHECK (total >= 0);\n"}));
}

TEST(RepairKinds, OnlyWhoTakesARowOfAQueueSkipsLockedOnes) {
  const std::string look =
      "  SELECT id INTO v FROM child WHERE state = 'new' ORDER BY id LIMIT "
      "1;\n";
  EXPECT_EQ(
      diffs(skipped_locks,
            procedure(look + "  UPDATE child SET state = 'on' WHERE id = v;\n"))
          .size(),
      1u);
  EXPECT_TRUE(
      diffs(skipped_locks,
            procedure(look + "  UPDATE child SET state = 'on' WHERE id = a;\n"))
          .empty());
}

TEST(RepairKinds, RowsAreLockedInTheOrderOfTheirKeys) {
  EXPECT_EQ(
      diffs(sorted_locks,
            procedure("  UPDATE parent SET total = total - 1 WHERE id = a;\n"
                      "  UPDATE parent SET total = total + 1 WHERE id = b;\n"),
            Problem::Kind::Deadlock),
      Diffs{"+ 8:   PERFORM 1 FROM parent WHERE id IN (a, b) ORDER BY id FOR "
            "UPDATE;\n"});
}

TEST(RepairKinds, ACommitInTheMiddleGoes) {
  EXPECT_EQ(
      diffs(longer_transactions,
            procedure("  SELECT total INTO v FROM parent WHERE id = a\n"
                      "    FOR UPDATE;\n  COMMIT;\n"
                      "  UPDATE parent SET total = v + 1 WHERE id = a;\n")),
      Diffs{"- 10:   COMMIT;\n"});
}

// INTO is at the end there, and FOR UPDATE before it.
TEST(RepairKinds, MysqlLocksBeforeInto) {
  const auto found =
      diffs(row_locks,
            "CREATE TABLE t (id int NOT NULL AUTO_INCREMENT PRIMARY KEY,\n"
            "  n int NOT NULL) ENGINE=InnoDB;\n"
            "DELIMITER //\n"
            "CREATE PROCEDURE take(IN p int)\nBEGIN\n"
            "  DECLARE v int;\n"
            "  SELECT n FROM t WHERE id = p INTO v;\n"
            "  UPDATE t SET n = v - 1 WHERE id = p;\n"
            "END//\nDELIMITER ;\n");
  EXPECT_EQ(found,
            Diffs{"- 7:   SELECT n FROM t WHERE id = p INTO v;\n"
                  "+ 7:   SELECT n FROM t WHERE id = p FOR UPDATE INTO v;\n"});
}

}  // namespace
}  // namespace txscope::repair
