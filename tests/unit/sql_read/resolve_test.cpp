#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "read/sql/sql.h"

// Which column, variable, type and cast each name and value turns into.  An
// expression is shown as (op args): r0.2 is column 2 of relation 0, ^1.r0.2 the
// same one query out, $3 a slot.
namespace txscope {
namespace {

const std::string kShopTables =
    "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, name varchar(10), "
    "price numeric(8,2), b bigint, d date);\n"
    "CREATE TABLE u (id int PRIMARY KEY, t int REFERENCES t, s smallint);\n";

sql::Application read(const std::string& text) {
  auto application = sql::read_sql("x.sql", text);
  if (application) return std::move(*application);
  ADD_FAILURE() << to_string(application.error().where) << ": "
                << application.error().what << "\n"
                << text;
  return {};
}

std::string show(const sql::Query& query);

std::string show(const sql::Expr& e) {
  constexpr std::array<const char*, 45> kNames = {
      "",       "",         "",      "agg",    "window",   "and",    "or",
      "not",    "isnull",   "true?", "false?", "distinct", "=",      "<>",
      "<",      "<=",       ">",     ">=",     "+",        "-",      "*",
      "/",      "%",        "neg",   "||",     "like",     "lower",  "upper",
      "length", "abs",      "floor", "ceil",   "round",    "case",   "coalesce",
      "nullif", "greatest", "least", "cast",   "scalar",   "exists", "in-query",
      "in",     "builtin",  "call"};
  switch (e.op) {
    case sql::Op::Constant:
      return e.value.kind() == sql::Kind::Text ? "'" + e.value.text() + "'"
                                               : to_string(e.value);
    case sql::Op::Variable: return "$" + std::to_string(e.index);
    case sql::Op::Column:
      return (e.level > 0 ? "^" + std::to_string(e.level) + "." : "") + "r" +
             std::to_string(e.relation) + "." + std::to_string(e.index);
    default: break;
  }
  std::string text = "(" + std::string(kNames[static_cast<std::size_t>(e.op)]);
  if (e.op == sql::Op::Cast) {
    text += (e.index == 1 ? "! " : " ") + to_string(e.type);
  }
  if (e.op == sql::Op::Function || e.op == sql::Op::Aggregate) {
    text += " #" + std::to_string(e.index);
  }
  for (const sql::Expr& arg : e.args) text += " " + show(arg);
  if (e.query != nullptr) text += " " + show(*e.query);
  return text + ")";
}

std::string show(const sql::Query& query) {
  std::string text = "{";
  for (const sql::Target& target : query.targets) {
    text += (text.size() > 1 ? ", " : "") + show(target.expr);
  }
  for (std::size_t i = 0; i < query.relations.size(); ++i) {
    text += i == 0 ? " from " : " ";
    text += query.relations[i].query != nullptr
                ? show(*query.relations[i].query)
                : query.relations[i].name;
    if (query.joins[i].kind == sql::JoinKind::Left) text += " left";
    if (query.joins[i].on) text += " on " + show(*query.joins[i].on);
  }
  if (query.where) text += " where " + show(*query.where);
  for (const sql::Expr& e : query.group_by) text += " by " + show(e);
  if (query.having) text += " having " + show(*query.having);
  for (const sql::SortKey& key : query.order_by) {
    text += " order " + show(key.expr);
  }
  return text + "}";
}

const sql::DbStatement& only_statement(const sql::Application& application) {
  return std::get<sql::PlExecute>(application.routines.back().body.at(0).what)
      .statement;
}

/// A SELECT of a session as it is understood.
std::string understood(const std::string& select) {
  const sql::Application application =
      read(kShopTables + "--@ session s: " + select + ";");
  if (application.routines.empty()) return "";
  return show(*std::get<sql::Select>(only_statement(application).what));
}

TEST(SqlNames, ColumnsAreFoundFromTheInnermostQueryOutwards) {
  EXPECT_EQ(understood("SELECT n FROM t WHERE EXISTS (SELECT 1 FROM u WHERE "
                       "u.t = t.id AND s = n)"),
            "{r0.1 from t where (exists {1 from u where (and (= r0.1 ^1.r0.0) "
            "(= r0.2 ^1.r0.1))})}");
  // id is u's there, though t has one, too.
  EXPECT_EQ(understood("SELECT (SELECT id FROM u LIMIT 1) FROM t"),
            "{(scalar {r0.0 from u}) from t}");
}

TEST(SqlNames, ASubqueryInFromCountsAsALevelButSeesNothingOfIt) {
  EXPECT_EQ(understood("SELECT n FROM t WHERE n = (SELECT max(x) FROM (SELECT "
                       "s + t.n AS x FROM u) v)"),
            "{r0.1 from t where (= r0.1 (scalar {(agg #0) from {(+ r0.2 "
            "^2.r0.1) from u}}))}");
}

TEST(SqlNames, StarsAreExpandedInTheOrderOfFrom) {
  EXPECT_EQ(understood("SELECT u.*, t.id FROM t, u"),
            "{r1.0, r1.1, r1.2, r0.0 from t u}");
  // b RIGHT JOIN a is a LEFT JOIN b; * still shows b's columns first.
  EXPECT_EQ(understood("SELECT * FROM u RIGHT JOIN (SELECT id FROM t) x ON "
                       "u.id = x.id"),
            "{r1.0, r1.1, r1.2, r0.0 from {r0.0 from t} u left on (= r1.0 "
            "r0.0)}");
}

TEST(SqlNames, GroupByPrefersColumnsAndOrderByPrefersTheOutput) {
  EXPECT_EQ(understood("SELECT n + 1 AS id, count(*) FROM t GROUP BY n, id "
                       "ORDER BY id, 2"),
            "{(+ r0.1 1), (agg #0) from t by r0.1 by r0.0 order (+ r0.1 1) "
            "order (agg #0)}");
  EXPECT_EQ(understood("SELECT n + 1 AS x FROM t GROUP BY x"),
            "{(+ r0.1 1) from t by (+ r0.1 1)}");
}

TEST(SqlTypes, LiteralsTakeTheTypeOfTheOtherSide) {
  EXPECT_EQ(understood("SELECT 1 FROM t WHERE d > '2024-01-31' AND n = '7' AND "
                       "name = 'x' AND price < '1.5'"),
            "{1 from t where (and (> r0.5 2024-01-31) (= r0.1 7) (= r0.2 'x') "
            "(< r0.3 1.5))}");
}

TEST(SqlTypes, OnlyCastsThatChangeAValueAreThere) {
  EXPECT_EQ(understood("SELECT n + b, price + n, n = 1.5, b = s, price * 2 "
                       "FROM t, u"),
            "{(+ r0.1 r0.4), (+ r0.3 (cast numeric r0.1)), (= (cast numeric "
            "r0.1) 1.5), (= r0.4 r1.2), (* r0.3 2) from t u}");
  EXPECT_EQ(understood("SELECT coalesce(n, b), coalesce(price, n, 0), n::bigint"
                       " FROM t"),
            "{(coalesce r0.1 r0.4), (coalesce r0.3 (cast numeric r0.1) 0), "
            "(cast bigint r0.1) from t}");
}

TEST(SqlTypes, AssignmentsCastWhereAValueMayNotFit) {
  const sql::Application application =
      read(kShopTables +
           "--@ session s: UPDATE t SET n = b, name = 'ok', price = n, b = n;");
  const auto& update = std::get<sql::Update>(only_statement(application).what);
  ASSERT_EQ(update.set.size(), 4u);
  EXPECT_EQ(show(*update.set[0].value), "(cast! integer r0.4)");
  EXPECT_EQ(show(*update.set[1].value), "'ok'");
  EXPECT_EQ(show(*update.set[2].value), "(cast! numeric(8,2) r0.1)");
  EXPECT_EQ(show(*update.set[3].value), "r0.1");
}

TEST(SqlTypes, AggregatesWidenAsInPostgresql) {
  const sql::Application application =
      read(kShopTables +
           "--@ session s: SELECT sum(s), sum(n), sum(b), sum(price), "
           "avg(n), count(*), min(name), max(d) FROM t, u;");
  const auto& query = *std::get<sql::Select>(only_statement(application).what);
  std::string types;
  for (const sql::Aggregate& a : query.aggregates) {
    types += to_string(a.type) + " ";
  }
  EXPECT_EQ(types, "bigint bigint numeric numeric numeric bigint text date ");
}

TEST(SqlRoutines, VariablesAreCutOutAndFilledIn) {
  const sql::Application application =
      read(kShopTables +
           "CREATE PROCEDURE p(a int, w text) LANGUAGE plpgsql AS $$\n"
           "DECLARE v int; r record;\nBEGIN\n"
           "  SELECT n + a INTO STRICT v FROM t WHERE id = a AND name <> p.w;\n"
           "  UPDATE t SET n = v WHERE id = $1 RETURNING id, n INTO r;\n"
           "  PERFORM r.n FROM t WHERE n > r.id;\n"
           "END $$;\n--@ session s: CALL p(1, 'x');");
  const sql::Routine& p = application.routines[0];
  std::vector<sql::Value> slots;
  for (std::size_t i = 0; i < p.variables.size(); ++i) {
    slots.push_back(sql::Value::integer(static_cast<int>(i) * 10));
  }
  slots[2] = sql::Value::text("it's");
  const auto text = [&](std::size_t i) {
    return text_with_values(
        application, std::get<sql::PlExecute>(p.body[i].what).statement, slots);
  };
  EXPECT_EQ(text(0), "SELECT n + 10  FROM t WHERE id = 10 AND name <> 'it''s'");
  EXPECT_EQ(text(1), "UPDATE t SET n = 30 WHERE id = 10 RETURNING id, n ");
  EXPECT_EQ(text(2), "SELECT 50 FROM t WHERE n > 40");
  EXPECT_EQ(p.variables[4].name, "r.id");
  EXPECT_TRUE(std::get<sql::PlExecute>(p.body[0].what).is_strict);
}

TEST(SqlRoutines, ExpressionsThatLookAtTablesBecomeStatements) {
  const sql::Application application =
      read(kShopTables +
           "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN\n"
           "  v := (SELECT max(n) FROM t) + 1;\n"
           "  WHILE v < (SELECT count(*) FROM u) LOOP v := v + 1; END LOOP;\n"
           "END $$;\n--@ session s: CALL p();");
  const sql::Routine& p = application.routines[0];
  ASSERT_EQ(p.body.size(), 3u);
  const auto& first = std::get<sql::PlExecute>(p.body[0].what);
  EXPECT_TRUE(first.is_expression);
  EXPECT_EQ(application.text(first.statement.at), "(SELECT max(n) FROM t) + 1");
  EXPECT_EQ(first.into, std::vector<std::uint32_t>{2});
  EXPECT_EQ(show(std::get<sql::PlAssign>(p.body[1].what).value), "$2");
  const auto& loop = std::get<sql::PlLoop>(p.body[2].what);
  EXPECT_EQ(loop.before.size(), 1u);  // again in every round
  EXPECT_EQ(show(*loop.condition), "$3");
}

TEST(SqlRoutines, CallsOfFunctionsWithStatementsAreTakenOut) {
  const sql::Application application = read(
      kShopTables +
      "CREATE FUNCTION f(x int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN "
      "UPDATE t SET n = x; RETURN x; END $$;\n"
      "CREATE FUNCTION g(x int) RETURNS int LANGUAGE sql AS $$ SELECT x + 1 "
      "$$;\n"
      "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN\n"
      "  v := f(f(1)) + g(2);\n  PERFORM f(3);\n  SELECT f(4) INTO v;\n"
      "  INSERT INTO u VALUES (f(v), 1);\n"
      "END $$;\n--@ session s: CALL p(); SELECT f(5);");
  const sql::Routine& p = application.routines[2];
  ASSERT_EQ(p.body.size(), 8u);
  EXPECT_EQ(show(std::get<sql::PlCall>(p.body[0].what).arguments[0]), "1");
  EXPECT_EQ(show(std::get<sql::PlCall>(p.body[1].what).arguments[0]), "$2");
  EXPECT_EQ(show(std::get<sql::PlAssign>(p.body[2].what).value),
            "(+ $3 (call #1 2))");
  EXPECT_TRUE(std::get<sql::PlCall>(p.body[3].what).sets_found);
  EXPECT_TRUE(std::get<sql::PlCall>(p.body[3].what).into.empty());
  EXPECT_TRUE(std::get<sql::PlCall>(p.body[4].what).sets_found);
  EXPECT_EQ(show(std::get<sql::PlAssign>(p.body[5].what).value), "$5");
  // INSERT INTO u VALUES (f(v), 1): the call's value stands for its text.
  const auto& insert = std::get<sql::PlExecute>(p.body[7].what);
  std::vector<sql::Value> slots(p.variables.size(), sql::Value::integer(9));
  EXPECT_EQ(text_with_values(application, insert.statement, slots),
            "INSERT INTO u VALUES (9, 1)");
  const sql::Call& script = application.sessions[0].calls[1];
  EXPECT_EQ(script.label, "t2");
  const sql::Routine& alone = application.at(script.routine);
  ASSERT_EQ(alone.body.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<sql::PlCall>(alone.body[0].what));
}

TEST(SqlRoutines, InLanguageSqlColumnsHideParameters) {
  const sql::Application application = read(
      kShopTables +
      "CREATE FUNCTION f(id int, x int) RETURNS int LANGUAGE sql STABLE AS $$ "
      "SELECT n FROM t WHERE t.id = f.id AND n = x AND id > 0 $$;\n"
      "--@ session s: SELECT f(1, 2);");
  const auto& execute =
      std::get<sql::PlExecute>(application.routines[0].body[0].what);
  EXPECT_EQ(show(*std::get<sql::Select>(execute.statement.what)),
            "{r0.1 from t where (and (= r0.0 $1) (= r0.1 $2) (> r0.0 0))}");
}

TEST(SqlAnnotations, SessionsHaveLabelsRetriesAndLevels) {
  const sql::Application application = read(
      kShopTables +
      "CREATE PROCEDURE p(a int, b text DEFAULT 'z') LANGUAGE plpgsql AS $$ "
      "DECLARE v int; BEGIN v := a; END $$;\n"
      "--@ session alice: CALL p(-5); BEGIN; DELETE FROM u; COMMIT;\n"
      "--@   CALL p(NULL, 'it''s');\n"
      "--@ session bob: CALL p('7'); BEGIN; DELETE FROM u; ROLLBACK;\n"
      "--@ retry p: 3\n--@ retry alice.p#2: 1\n"
      "--@ level bob.t2: postgresql:serializable\n"
      "--@ assert same: alice.p.v = bob.p.v AND alice.p#2.a IS NULL\n");
  ASSERT_EQ(application.sessions.size(), 2u);
  const auto& alice = application.sessions[0].calls;
  ASSERT_EQ(alice.size(), 3u);
  EXPECT_EQ(alice[0].label, "p");
  EXPECT_EQ(alice[1].label, "t2");
  EXPECT_EQ(alice[2].label, "p#2");
  EXPECT_EQ(alice[0].arguments,
            (std::vector<sql::Value>{sql::Value::integer(-5),
                                     sql::Value::text("z")}));
  EXPECT_EQ(alice[2].arguments,
            (std::vector<sql::Value>{{}, sql::Value::text("it's")}));
  EXPECT_EQ(alice[0].retries, 3u);
  EXPECT_EQ(alice[1].retries, 0u);
  EXPECT_EQ(alice[2].retries, 1u);
  const auto& bob = application.sessions[1].calls;
  EXPECT_EQ(bob[0].arguments[0], sql::Value::integer(7));
  EXPECT_EQ(bob[1].level->profile->name, "postgresql:serializable");
  EXPECT_EQ(std::get<sql::PlRaise>(application.at(bob[1].routine).body[1].what)
                .sqlstate,
            "00000");
  const sql::Property& same = application.properties.at(0);
  ASSERT_EQ(same.variables.size(), 3u);
  EXPECT_EQ(same.variables[1].session, 1u);
  EXPECT_EQ(same.variables[2].call, 2u);
  const std::vector<sql::Value> values = {
      sql::Value::integer(1), sql::Value::integer(2), {}};
  EXPECT_EQ(text_with_values(application, same.condition, values),
            "SELECT 1 = 2 AND NULL IS NULL");
}

TEST(SqlAnnotations, MayGoOnInTheNextLine) {
  const sql::Application application =
      read(kShopTables +
           "--@ session s: DELETE FROM u;\r\n"
           "--@ invariant i: EXISTS (SELECT 1\r\n"
           "--@    FROM t) -- as ever\r\n"
           "--@   OR true\r\n");
  const sql::Property& i = application.properties.at(0);
  EXPECT_EQ(text_with_values(application, i.condition, {}),
            "SELECT EXISTS (SELECT 1\r\n       FROM t) -- as ever\r\n      OR "
            "true");
}

TEST(SqlSchema, ConstraintsHaveTheNamesOfPostgresql) {
  const sql::Application application = read(
      "CREATE TABLE p (a int, b int, PRIMARY KEY (a, b));\n"
      "CREATE TABLE x (id serial PRIMARY KEY, a int UNIQUE, b int CHECK (b > "
      "0) CHECK (b < 9), c int NOT NULL, UNIQUE (b, c), CHECK (a < b), "
      "CONSTRAINT named CHECK (c > 0), FOREIGN KEY (a, b) REFERENCES p ON "
      "DELETE CASCADE, up int REFERENCES x ON DELETE SET NULL);\n"
      "CREATE UNIQUE INDEX ON x (c);\n--@ session s: DELETE FROM x;");
  const sql::Table& x = application.schema.tables[1];
  std::string names;
  for (const auto& u : x.unique) names += u.name + " ";
  for (const auto& c : x.checks) names += c.name + " ";
  for (const auto& f : x.foreign) names += f.name + " ";
  EXPECT_EQ(names,
            "x_pkey x_a_key x_b_c_key x_c_idx x_b_check x_b_check1 x_check "
            "named x_a_b_fkey x_up_fkey ");
  EXPECT_TRUE(x.has_primary_key);
  EXPECT_FALSE(x.columns[0].is_nullable);
  EXPECT_EQ(application.schema.sequences[*x.columns[0].sequence].name,
            "x_id_seq");
  EXPECT_EQ(x.foreign[0].on_delete, sql::OnDelete::Cascade);
  EXPECT_EQ(x.foreign[1].parent, TableId(1));
}

TEST(SqlPlaces, CountCharactersAndNotBytes) {
  const auto bad = sql::read_sql(
      "x.sql", kShopTables + "--@ session s: SELECT 'äöü€', nn FROM t;");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().where.line, 3u);
  EXPECT_EQ(bad.error().where.column, 31u);
  const auto broken = sql::read_sql(
      "x.sql", kShopTables + "--@ session s: SELECT 'äöü€' FROM FROM t;");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().what, "syntax error at or near 'FROM'");
  EXPECT_EQ(broken.error().where.column, 35u);
}

TEST(SqlPlaces, TextThatIsNoUtf8IsRefused) {
  const auto bad = sql::read_sql("x.sql", "-- fine\n-- not \xff");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().what, "invalid UTF-8");
  EXPECT_EQ(bad.error().where.line, 2u);
  EXPECT_EQ(bad.error().where.column, 8u);
  const auto nul = sql::read_sql("x.sql", std::string("SELECT\0 1;", 10));
  ASSERT_FALSE(nul);
  EXPECT_EQ(nul.error().what, "a NUL byte");
}

TEST(SqlPlaces, AByteOrderMarkIsPassed) {
  EXPECT_EQ(read("\xef\xbb\xbf" + kShopTables + "--@ session s: DELETE FROM u;")
                .schema.tables.size(),
            2u);
}

}  // namespace
}  // namespace txscope
