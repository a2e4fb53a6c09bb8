// Which queries only ask about the server itself, and which statements of a log
// may be left out without a loss.

#include "read/sql/text/catalog_question.h"

#include <gtest/gtest.h>

#include "read/sql/text/harmless.h"

namespace txscope::sql {
namespace {

TEST(CatalogQuestion, IsAQueryOfTheServersTablesOnly) {
  for (const char* sql :
       {"SELECT c.relname FROM pg_catalog.pg_class c",
        "select * from PG_CATALOG.pg_type t join pg_namespace n on true",
        "SELECT table_name FROM information_schema.tables WHERE x = 'acc'",
        "SELECT pg_catalog.version()", "SELECT pg_advisory_xact_lock(7)",
        "SELECT pg_catalog.set_config('search_path', '', false)",
        "WITH a AS (SELECT oid FROM pg_class), b AS (SELECT * FROM a) "
        "SELECT * FROM b UNION SELECT 1 FROM pg_proc",
        "SELECT (SELECT count(*) FROM pg_attribute WHERE attrelid = c.oid), "
        "'acc'::regclass FROM pg_class c ORDER BY lower(relname)"})
    EXPECT_TRUE(is_catalog_question(sql)) << sql;
}

TEST(CatalogQuestion, IsNotWhatOnlyMentionsThem) {
  for (const char* sql :
       {"SELECT 'pg_catalog.pg_class' FROM acc",
        "SELECT v FROM acc -- pg_catalog.pg_class",
        "SELECT v FROM acc /* information_schema.tables */",
        "UPDATE acc SET note = 'see pg_catalog.pg_class'",
        "SELECT \"pg_catalog.\" FROM acc",
        "SELECT pg_v FROM acc",
        "SELECT v FROM shop.pg_class",
        "SELECT v FROM acc JOIN pg_catalog.pg_class c ON true",
        "SELECT relname FROM pg_class WHERE EXISTS (SELECT 1 FROM acc)",
        "WITH a AS (DELETE FROM acc RETURNING v) SELECT * FROM a, pg_class",
        "WITH b AS (SELECT * FROM acc), acc AS (SELECT 1 FROM pg_class) "
        "SELECT * FROM b",
        "SELECT * FROM (WITH acc AS (SELECT 1) SELECT * FROM acc) x, acc, "
        "pg_class",
        "INSERT INTO acc SELECT oid FROM pg_catalog.pg_class",
        "SELECT oid INTO acc FROM pg_catalog.pg_class",
        "SELECT pg_catalog.nextval('s')",
        "SELECT pg_catalog.query_to_xml('SELECT * FROM acc', true, true, '')",
        "SELECT shop.f() FROM pg_class",
        "SELECT FROM WHERE pg_catalog.x",
        "SELECT 1 FROM pg_class; DELETE FROM acc",
        "COMMENT ON TABLE acc IS 'pg_catalog.x'",
        "SELECT 1"})
    EXPECT_FALSE(is_catalog_question(sql)) << sql;
}

TEST(Harmless, AreQuestionsToTheServerAndWhatChangesNoRows) {
  for (const char* sql :
       {"SELECT version()", "select current_schema(), current_database()",
        "SELECT set_config('a', 'b', false)", "SHOW transaction_isolation",
        "DISCARD ALL", "DEALLOCATE x", "LISTEN a", "NOTIFY a, 'b'",
        "EXPLAIN DELETE FROM acc", "VACUUM acc", "LOCK TABLE acc",
        "COMMENT ON TABLE acc IS 'x'", "CREATE INDEX i ON acc (v)",
        "GRANT SELECT ON acc TO bob", "ALTER ROLE bob PASSWORD 'x'"})
    EXPECT_TRUE(is_harmless(sql, Dialect::Postgresql, {})) << sql;
  for (const char* sql :
       {"SHOW VARIABLES LIKE 'x'", "SELECT @@tx_isolation",
        "SELECT @@session.autocommit AS a, VERSION(), DATABASE()",
        "SET NAMES utf8mb4", "USE shop", "SELECT CONNECTION_ID()"})
    EXPECT_TRUE(is_harmless(sql, Dialect::Mariadb, {})) << sql;
  for (const char* sql : {"PRAGMA journal_mode = WAL", "PRAGMA table_info(t)"})
    EXPECT_TRUE(is_harmless(sql, Dialect::Sqlite, {})) << sql;
}

TEST(Harmless, IsNothingThatMayTouchRowsOrRules) {
  for (const char* sql :
       {"TRUNCATE acc", "EXPLAIN ANALYZE DELETE FROM acc",
        "CREATE UNIQUE INDEX i ON acc (v)", "ALTER TABLE acc ADD COLUMN x INT",
        "SELECT version() FROM acc", "SELECT version(), pay()",
        "SELECT version(); DELETE FROM acc", "COPY acc FROM STDIN",
        "DO $$ BEGIN DELETE FROM acc; END $$", "SELECT nextval('s'), version()",
        "SET CONSTRAINTS ALL DEFERRED", "SELECT f()"})
    EXPECT_FALSE(is_harmless(sql, Dialect::Postgresql, {"pay"})) << sql;
  for (const char* sql :
       {"SELECT @@x, (SELECT v FROM acc)", "SET @x = pay(1)",
        "SELECT DATABASE() INTO OUTFILE 'x'", "SHOW TABLES; DELETE FROM acc"})
    EXPECT_FALSE(is_harmless(sql, Dialect::Mariadb, {"pay"})) << sql;
  EXPECT_FALSE(is_harmless("PRAGMA foreign_keys = ON", Dialect::Sqlite, {}));
}

}  // namespace
}  // namespace txscope::sql
