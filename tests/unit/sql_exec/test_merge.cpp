// MERGE in memory.  PostgreSQL 15 gave what is expected.

#include <gtest/gtest.h>

#include <string>

#include "ran.h"

namespace txscope::sql {
namespace {

TEST(Merge, SendsEachRowToTheFirstArmForIt) {
  EXPECT_EQ(script("MERGE INTO t USING (VALUES (1, 5), (2, 0), (3, 7)) s (id, "
                   "v) ON t.id = s.id WHEN MATCHED AND s.v = 0 THEN DELETE "
                   "WHEN MATCHED THEN UPDATE SET v = t.v + s.v "
                   "WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v * 2);"),
            "1,15;3,14;");
  EXPECT_EQ(script("MERGE INTO t x USING t s ON x.id = s.id + 1 WHEN MATCHED "
                   "AND s.v > 100 THEN DELETE WHEN NOT MATCHED AND s.id > 1 "
                   "THEN INSERT (id) VALUES (s.id + 1);"),
            "1,10;2,20;3,NULL;");
  EXPECT_EQ(script("MERGE INTO t USING (SELECT 1 AS a) s ON false WHEN NOT "
                   "MATCHED AND s.a = 1 THEN DO NOTHING WHEN NOT MATCHED THEN "
                   "INSERT VALUES (9, 9);"),
            "1,10;2,20;");
}

TEST(Merge, ChangesARowOnce) {
  const std::string twice =
      "MERGE INTO t USING (VALUES (1), (1)) s (id) ON t.id = s.id ";
  EXPECT_EQ(script(twice + "WHEN MATCHED THEN UPDATE SET v = 0;"),
            "21000 1,10;2,20;");
  EXPECT_EQ(script(twice + "WHEN MATCHED THEN DO NOTHING;"), "1,10;2,20;");
  EXPECT_EQ(script("MERGE INTO t USING (VALUES (3), (3)) s (id) ON t.id = "
                   "s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, 0);"),
            "23505 1,10;2,20;");
}

TEST(Merge, CountsWhatItChanged) {
  EXPECT_EQ(body("DECLARE n int; BEGIN MERGE INTO t USING (VALUES (1), (3)) s "
                 "(id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 0 WHEN "
                 "NOT MATCHED THEN INSERT VALUES (s.id, 1); GET DIAGNOSTICS n "
                 "= ROW_COUNT; UPDATE t SET v = n WHERE id = 2; END;"),
            "1,0;2,2;3,1;");
}

TEST(Merge, FiresTheTriggersOfWhatItDoes) {
  const auto told = [](const std::string& merge) {
    return Ran("CREATE TABLE told (n serial, what text);\n"
               "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ "
               "BEGIN INSERT INTO told (what) VALUES (TG_WHEN || TG_OP || "
               "TG_LEVEL); RETURN COALESCE(NEW, OLD); END $$;\n"
               "CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON t FOR "
               "EACH STATEMENT EXECUTE FUNCTION f();\n"
               "CREATE TRIGGER b AFTER INSERT OR UPDATE OR DELETE ON t FOR "
               "EACH STATEMENT EXECUTE FUNCTION f();\n"
               "CREATE TRIGGER c BEFORE UPDATE OF v ON t FOR EACH ROW EXECUTE "
               "FUNCTION f();\n"
               "--@ session a: BEGIN; " +
               merge +
               " DELETE FROM t; INSERT INTO t SELECT n, ascii(what) * 1000 + "
               "length(what) FROM told; COMMIT;\n")
        .text;
  };
  // BEFORE INSERT, UPDATE, DELETE STATEMENT; BEFORE UPDATE ROW; AFTER DELETE,
  // UPDATE, INSERT STATEMENT; and those of the DELETE behind it.
  EXPECT_EQ(told("MERGE INTO t USING (VALUES (1), (3)) s (id) ON t.id = s.id "
                 "WHEN MATCHED AND s.id = 7 THEN DELETE WHEN MATCHED THEN "
                 "UPDATE SET v = 0 WHEN NOT MATCHED THEN INSERT VALUES (s.id, "
                 "1);"),
            "1,66021;2,66021;3,66021;4,66015;5,65020;6,65020;7,65020;"
            "8,66021;9,65020;");
}

}  // namespace
}  // namespace txscope::sql
