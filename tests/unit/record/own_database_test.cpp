// `txscope record --workload FILE --db` on databases where somebody else's
// tables are: whatever names the file has, they stay as they are.

#include "db/own_database.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "db/lexeme.h"
#include "db/postgresql.h"
#include "support/live_server.h"
#include "support/run_command.h"

namespace txscope::db {
namespace {

// As pg_dump writes names.
constexpr char kDump[] = R"sql(
SELECT pg_catalog.set_config('search_path', '', false);
DROP TABLE IF EXISTS public.acc;
CREATE TABLE public.acc (id int PRIMARY KEY, balance int);
INSERT INTO public.acc VALUES (1, 100), (2, 100);
UPDATE public.acc SET balance = 5 WHERE id = 2;
CREATE PROCEDURE public.clear(who int) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM public.acc WHERE id = who;
END $$;
--@ session a: CALL clear(1);
)sql";

// The same without what only PostgreSQL has.
constexpr char kPlain[] = R"sql(
CREATE TABLE public.acc (id int PRIMARY KEY, balance int);
INSERT INTO public.acc VALUES (1, 100), (2, 100);
UPDATE public.acc SET balance = 5 WHERE acc.id = 2;
CREATE PROCEDURE clear(who int) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM public.acc WHERE id = who;
END $$;
--@ session a: CALL clear(1);
)sql";

std::string rows_of(const Answer& answer) {
  if (!answer.is_ok()) return answer.message;
  std::string text;
  for (const auto& row : answer.rows)
    for (const Cell& cell : row) text += cell.value_or("NULL") + " ";
  return text;
}

/// Records a file and looks at what was there before.
class OtherPeoplesData : public testing::Test {
 protected:
  void use_postgresql() {
    test::LiveServer& live = test::live_postgresql();
    if (!live.server) GTEST_SKIP() << live.why;
    control_ = live.connect();
    control_->execute("DROP DATABASE IF EXISTS shop");
    ASSERT_TRUE(control_->execute("CREATE DATABASE shop").is_ok());
    control_ = live.connect("shop");
    host_ = endpoint_of(*control_).host;
    ASSERT_TRUE(
        execute_all(*control_, {"CREATE TABLE acc (id int, balance int)",
                                "INSERT INTO acc VALUES (1, 7), (3, 8)"}));
  }
  [[nodiscard]] std::string uri(const std::string& user = "postgres") const {
    return "'postgresql://" + user + "@/shop?host=" + host_ + "'";
  }
  [[nodiscard]] test::Ran record(const std::string& db,
                                 const std::string& more = "") const {
    return test::run_command(
        "txscope record --workload app.sql --db " + db +
            " --transactions 20 --clients 2 -o log.jsonl " + more,
        directory_.path());
  }
  [[nodiscard]] std::string asked(const std::string& sql) const {
    return rows_of(control_->execute(sql));
  }
  [[nodiscard]] std::string databases() const {
    return asked("SELECT datname FROM pg_database ORDER BY 1");
  }

  std::unique_ptr<Session> control_;
  std::string host_;
  test::TemporaryDirectory directory_;
};

TEST_F(OtherPeoplesData, StaysAsItIsWhereAFileHasQualifiedNames) {
  use_postgresql();
  if (IsSkipped()) return;
  directory_.write("app.sql", kDump);
  const std::string before = databases();
  for (const char* how : {"", "--stored"}) {
    const test::Ran ran = record(uri(), how);
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_TRUE(ran.said("20 committed")) << ran.output;
    EXPECT_EQ(asked("SELECT * FROM acc ORDER BY id"), "1 7 3 8 ") << how;
    EXPECT_EQ(databases(), before);
    EXPECT_NE(directory_.read("log.jsonl").find("public.acc"),
              std::string::npos);
  }
  EXPECT_EQ(asked("SELECT count(*) FROM pg_namespace WHERE nspname NOT LIKE "
                  "'pg_%' AND nspname NOT IN ('public', 'information_schema')"),
            "0 ");
}

TEST_F(OtherPeoplesData, StaysAsItIsWhenASetupFails) {
  use_postgresql();
  if (IsSkipped()) return;
  directory_.write("app.sql",
                   "CREATE SCHEMA more;\nDROP TABLE IF EXISTS public.acc;\n"
                   "CREATE TABLE public.acc (id int PRIMARY KEY);\n"
                   "INSERT INTO public.acc VALUES (1);\n"
                   "INSERT INTO public.acc VALUES (1);\n"
                   "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN DELETE "
                   "FROM public.acc; END $$;\n--@ session a: CALL p();\n");
  const std::string before = databases();
  const test::Ran ran = record(uri());
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_TRUE(ran.said("duplicate key")) << ran.output;
  EXPECT_EQ(asked("SELECT * FROM acc ORDER BY id"), "1 7 3 8 ");
  EXPECT_EQ(databases(), before);
  EXPECT_EQ(asked("SELECT count(*) FROM pg_namespace WHERE nspname = 'more'"),
            "0 ");
  EXPECT_FALSE(std::filesystem::exists(directory_.path() + "/log.jsonl"));
}

TEST_F(OtherPeoplesData, NeedsTheRightToCreateADatabase) {
  use_postgresql();
  if (IsSkipped()) return;
  directory_.write("app.sql", kDump);
  control_->execute("DROP ROLE IF EXISTS ann");
  ASSERT_TRUE(execute_all(*control_,
                          {"CREATE ROLE ann LOGIN", "GRANT ALL ON acc TO ann",
                           "GRANT ALL ON SCHEMA public TO ann"}));
  const test::Ran ran = record(uri("ann"));
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_TRUE(ran.said("no right to create a database")) << ran.output;
  EXPECT_TRUE(ran.said("CREATEDB")) << ran.output;
  EXPECT_EQ(asked("SELECT * FROM acc ORDER BY id"), "1 7 3 8 ");
  control_->execute("DROP OWNED BY ann");
  control_->execute("DROP ROLE ann");
}

TEST_F(OtherPeoplesData, IsNotReplacedAlsoWithDrop) {
  use_postgresql();
  if (IsSkipped()) return;
  directory_.write("app.sql", kDump);
  const test::Ran others = record(uri(), "--schema shop --drop");
  EXPECT_EQ(others.status, 2) << others.output;
  EXPECT_TRUE(others.said("txscope did not create it")) << others.output;
  EXPECT_EQ(asked("SELECT * FROM acc ORDER BY id"), "1 7 3 8 ");

  EXPECT_EQ(record(uri(), "--schema kept --keep").status, 0);
  const test::Ran again = record(uri(), "--schema kept");
  EXPECT_EQ(again.status, 2) << again.output;
  EXPECT_TRUE(again.said("left by another run")) << again.output;
  EXPECT_EQ(record(uri(), "--schema kept --drop").status, 0);
  EXPECT_EQ(asked("SELECT count(*) FROM pg_database WHERE datname = 'kept'"),
            "0 ");
}

TEST_F(OtherPeoplesData, NamesAreQuoted) {
  use_postgresql();
  if (IsSkipped()) return;
  directory_.write("app.sql", kDump);
  const test::Ran ran =
      record(uri(), "--schema 'a\"; DROP TABLE acc; -- '\"'\"'x'");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_EQ(asked("SELECT * FROM acc ORDER BY id"), "1 7 3 8 ");
}

TEST_F(OtherPeoplesData, OnMariadbStaysAsItIs) {
  test::LiveServer& live = test::live_mariadb();
  if (!live.server) GTEST_SKIP() << live.why;
  control_ = live.connect();
  ASSERT_TRUE(execute_all(
      *control_, {"DROP DATABASE IF EXISTS public", "CREATE DATABASE public",
                  "CREATE TABLE public.acc (id int, balance int)",
                  "INSERT INTO public.acc VALUES (1, 7), (3, 8)"}));
  const std::string socket =
      control_->execute("SELECT @@socket").rows[0][0].value_or("");
  const std::string before = asked("SHOW DATABASES");
  directory_.write("app.sql", kPlain);
  const std::string db = "'mariadb://root@localhost/public?socket=" + socket;
  const test::Ran ran = record(db + "'");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(ran.said("20 committed")) << ran.output;
  EXPECT_EQ(asked("SELECT * FROM public.acc ORDER BY id"), "1 7 3 8 ");
  EXPECT_EQ(asked("SHOW DATABASES"), before);

  directory_.write("app.sql",
                   "CREATE SCHEMA public; CREATE SCHEMA b;\n"
                   "CREATE TABLE public.acc (id int PRIMARY KEY);\n"
                   "CREATE TABLE b.acc (id int PRIMARY KEY);\n"
                   "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN DELETE "
                   "FROM public.acc; END $$;\n--@ session a: CALL p();\n");
  const test::Ran two = record(db + "'");
  EXPECT_EQ(two.status, 2) << two.output;
  EXPECT_TRUE(two.said("several schemas have a table 'acc'")) << two.output;
  EXPECT_EQ(asked("SHOW DATABASES"), before);

  const test::Ran others = record(db + "' --schema public --drop");
  EXPECT_EQ(others.status, 2) << others.output;
  EXPECT_EQ(asked("SELECT * FROM public.acc ORDER BY id"), "1 7 3 8 ");
  control_->execute("DROP DATABASE public");
}

TEST_F(OtherPeoplesData, InAFileOfSqliteStaysAsItIs) {
  auto address = Address::parse("sqlite:" + directory_.path() + "/a.db", false);
  const Database database = Database::of(*std::move(address));
  {
    auto session = database.connect();
    ASSERT_TRUE(execute_all(**session, {"CREATE TABLE acc (id int, b int)",
                                        "INSERT INTO acc VALUES (1, 7)"}));
  }
  directory_.write("app.sql", kPlain);
  for (const char* how : {"", "--drop"}) {
    const test::Ran ran = record("sqlite:a.db", how);
    EXPECT_EQ(ran.status, 2) << ran.output;
    EXPECT_TRUE(ran.said("txscope did not create it")) << ran.output;
  }
  EXPECT_EQ(rows_of((*database.connect())->execute("SELECT * FROM acc")),
            "1 7 ");
  const test::Ran fresh = record("sqlite:b.db");
  EXPECT_EQ(fresh.status, 0) << fresh.output;
  EXPECT_FALSE(std::filesystem::exists(directory_.path() + "/b.db"));
  EXPECT_EQ(record("sqlite:b.db", "--keep").status, 0);
  EXPECT_TRUE(std::filesystem::exists(directory_.path() + "/b.db"));
  EXPECT_EQ(record("sqlite:b.db").status, 2);
  EXPECT_EQ(record("sqlite:b.db", "--drop").status, 0);
}

TEST(Lexemes, EveryByteIsInSomePiece) {
  const std::string text =
      "SELECT E'a\\'b', $$x'y$$, $t$z$$u$t$, \"n\"\"m\", U&'d' /* a /* b */ c "
      "*/ -- end\n, $1, 'it''s' `q` 'open";
  std::string again;
  for (const Lexeme& lexeme : lexemes(text)) again += lexeme.text;
  EXPECT_EQ(again, text);
  std::vector<std::string> literals;
  for (const Lexeme& lexeme : lexemes(text))
    if (lexeme.is_literal()) literals.push_back(lexeme.content());
  EXPECT_EQ(literals, (std::vector<std::string>{"a'b", "x'y", "z$$u", "d",
                                                "it's", "open"}));
}

}  // namespace
}  // namespace txscope::db
