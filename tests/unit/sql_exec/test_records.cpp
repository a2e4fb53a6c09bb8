// Rows as values, and functions that give rows.  Records as a whole:
// PostgreSQL's manual, 43.10.1 and its audit example; PostgreSQL 15 gave what
// is expected of the rest.

#include <gtest/gtest.h>

#include <string>

#include "ran.h"

namespace txscope::sql {
namespace {

std::string on_update(const std::string& statements) {
  return Ran("CREATE TABLE seen (a text);\n"
             "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ "
             "BEGIN " +
             statements +
             " RETURN NEW; END $$;\nCREATE TRIGGER f BEFORE UPDATE ON t FOR "
             "EACH ROW EXECUTE FUNCTION f();\n--@ session a: UPDATE t SET v = "
             "v + 1 WHERE id = 1;\n")
      .text;
}

TEST(Records, AreComparedFieldByField) {
  EXPECT_EQ(on_update("IF NEW IS DISTINCT FROM OLD THEN NEW.v := 50; END IF;"),
            "1,50;2,20;");
  EXPECT_EQ(on_update("IF NEW.* IS NOT DISTINCT FROM OLD.* THEN NEW.v := 50; "
                      "END IF;"),
            "1,11;2,20;");
  EXPECT_EQ(on_update("IF ROW(NEW.id, NULL) IS DISTINCT FROM ROW(OLD.id, NULL) "
                      "THEN NEW.v := 50; END IF;"),
            "1,11;2,20;");
}

TEST(Records, AreWrittenAsRows) {
  EXPECT_EQ(on_update("OLD.id := 7; INSERT INTO t VALUES (OLD.*);"),
            "1,11;2,20;7,10;");
  EXPECT_EQ(on_update("OLD.id := 7; INSERT INTO t SELECT (OLD).*;"),
            "1,11;2,20;7,10;");
}

TEST(Records, AreObjectsOfJson) {
  EXPECT_EQ(on_update("NEW.v := (to_jsonb(OLD) ->> 'v')::int + 3;"),
            "1,13;2,20;");
}

/// The rows of a query over t, inserted with ids from 11 on.
std::string rows(const std::string& query) {
  return script("DELETE FROM t WHERE id = 1; INSERT INTO t " + query + ";");
}

TEST(RowFunctions, MayStandAmongTheColumns) {
  EXPECT_EQ(rows("SELECT unnest(ARRAY[12, 11]), 0"), "2,20;11,0;12,0;");
  EXPECT_EQ(rows("SELECT generate_series(11, 12), v FROM t"),
            "2,20;11,20;12,20;");
  EXPECT_EQ(rows("SELECT unnest('{}'::int[]), v FROM t"), "2,20;");
  EXPECT_EQ(rows("SELECT length(k) + 10, 0 FROM (SELECT "
                 "jsonb_object_keys('{\"b\": 1, \"aa\": 2}') AS k) x"),
            "2,20;11,0;12,0;");
}

TEST(RowFunctions, AreNamedAsTheirOneColumn) {
  EXPECT_EQ(rows("SELECT (e ->> 'id')::int, g FROM jsonb_array_elements("
                 "'[{\"id\": 11}]') e, generate_series(1, 1) g"),
            "2,20;11,1;");
}

TEST(RowFunctions, TakeObjectsOfJsonApart) {
  EXPECT_EQ(rows("SELECT * FROM jsonb_to_recordset('[{\"b\": 3, \"a\": 11}, "
                 "{\"a\": 12}]') AS x (a int, b int)"),
            "2,20;11,3;12,NULL;");
  EXPECT_EQ(rows("SELECT a, length(b::text) FROM json_to_record('{\"a\":11, "
                 "\"b\": [1,2]}') AS x (a int, b json)"),
            "2,20;11,5;");
  EXPECT_EQ(rows("SELECT id, v FROM json_populate_recordset(NULL::t, "
                 "'[{\"id\": 11, \"v\": 4, \"w\": 0}]')"),
            "2,20;11,4;");
}

TEST(RowValues, AreOrderedByTheFirstColumnsThatDiffer) {
  const auto is = [](const std::string& condition) {
    return script("UPDATE t SET v = CASE (" + condition +
                  ") WHEN true THEN 1 WHEN false THEN 0 END WHERE id = 1;");
  };
  EXPECT_EQ(is("(1, 2) < (1, 3)"), "1,1;2,20;");
  EXPECT_EQ(is("(1, NULL) < (2, 1)"), "1,1;2,20;");
  EXPECT_EQ(is("(1, NULL) < (1, 1)"), "1,NULL;2,20;");
  EXPECT_EQ(is("(2, 'a') >= (2, 'a')"), "1,1;2,20;");
  EXPECT_EQ(is("(1, 2, 3) > (1, 2, 3)"), "1,0;2,20;");
}

TEST(RowValues, AreSetFromAQuery) {
  EXPECT_EQ(script("UPDATE t SET (v, id) = (SELECT max(v) + 1, 7 FROM t) WHERE "
                   "id = 1;"),
            "2,20;7,21;");
  EXPECT_EQ(
      script("UPDATE t SET (v, id) = (SELECT v, id FROM t) WHERE id = 1;"),
      "21000 1,10;2,20;");
}

TEST(RowFunctions, RowsOfAQueryAreAnArray) {
  EXPECT_EQ(
      rows("SELECT a[1] + 10, cardinality(a) FROM (SELECT ARRAY(SELECT id "
           "FROM t ORDER BY id DESC) AS a) x"),
      "2,20;12,1;");
  EXPECT_EQ(rows("SELECT 11, cardinality(ARRAY(SELECT id FROM t WHERE false))"),
            "2,20;11,0;");
}

TEST(RowFunctions, ALoopGoesOverWhatAStatementReturns) {
  EXPECT_EQ(body("DECLARE r record; BEGIN FOR r IN UPDATE t SET v = v + 1 "
                 "RETURNING id, v LOOP INSERT INTO t VALUES (r.id + 10, r.v); "
                 "END LOOP; END;"),
            "1,11;2,21;11,11;12,21;");
}

TEST(Periods, OverlapAsPostgresqlSays) {
  const auto is = [](const std::string& condition) {
    return script("UPDATE t SET v = CASE (" + condition +
                  ") WHEN true THEN 1 WHEN false THEN 0 END WHERE id = 1;");
  };
  EXPECT_EQ(is("(date '2024-01-01', date '2024-01-05') OVERLAPS "
               "(date '2024-01-05', date '2024-01-09')"),
            "1,0;2,20;");
  EXPECT_EQ(is("(date '2024-01-06', date '2024-01-01') OVERLAPS "
               "(date '2024-01-05', interval '1 day')"),
            "1,1;2,20;");
  EXPECT_EQ(
      is("(time '09:00', time '10:00') OVERLAPS (time '09:30', NULL::time)"),
      "1,1;2,20;");
  EXPECT_EQ(
      is("(time '09:00', NULL::time) OVERLAPS (time '09:30', time '10:00')"),
      "1,NULL;2,20;");
}

}  // namespace
}  // namespace txscope::sql
