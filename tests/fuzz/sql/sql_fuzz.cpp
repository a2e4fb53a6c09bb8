#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"
#include "support/live_server.h"
#include "support/paths.h"

// Files that were broken at random are read or refused with a place; what is
// read keeps the promises of the model.
namespace txscope {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"/tests/sql", "/examples"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             test::source_dir() + folder)) {
      if (entry.path().extension() == ".sql") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

constexpr std::array<const char*, 96> kPieces = {"(",
                                                 ")",
                                                 ",",
                                                 ";",
                                                 ".",
                                                 "..",
                                                 "*",
                                                 "=",
                                                 ":=",
                                                 "<>",
                                                 "||",
                                                 "%",
                                                 "-",
                                                 "::",
                                                 "'",
                                                 "''",
                                                 "$$",
                                                 "\"",
                                                 "--",
                                                 "--@ ",
                                                 "--@   ",
                                                 "/*",
                                                 "*/",
                                                 "\n",
                                                 "\\",
                                                 "?",
                                                 "$1",
                                                 "[",
                                                 "]",
                                                 "<<a>>",
                                                 " 0 ",
                                                 " -1 ",
                                                 " 1.5 ",
                                                 " 99999999999999999999 ",
                                                 " NULL ",
                                                 " true ",
                                                 " 'x' ",
                                                 " SELECT ",
                                                 " FROM ",
                                                 " WHERE ",
                                                 " INTO ",
                                                 " AND ",
                                                 " NOT ",
                                                 " IN ",
                                                 " EXISTS (SELECT 1 FROM ",
                                                 " GROUP BY ",
                                                 " HAVING ",
                                                 " ORDER BY ",
                                                 " LIMIT 1 ",
                                                 " DISTINCT ",
                                                 " FOR UPDATE ",
                                                 " JOIN ",
                                                 " LEFT JOIN ",
                                                 " ON true ",
                                                 " INSERT INTO ",
                                                 " VALUES (1) ",
                                                 " UPDATE ",
                                                 " SET ",
                                                 " DELETE FROM ",
                                                 " RETURNING ",
                                                 " ON CONFLICT ",
                                                 " BEGIN ",
                                                 " END ",
                                                 " END IF; ",
                                                 " IF ",
                                                 " THEN ",
                                                 " ELSE ",
                                                 " LOOP ",
                                                 " END LOOP; ",
                                                 " WHILE ",
                                                 " EXIT; ",
                                                 " RETURN 1; ",
                                                 " RAISE EXCEPTION 'x'; ",
                                                 " DECLARE ",
                                                 " record ",
                                                 " CURSOR FOR ",
                                                 " FETCH ",
                                                 " OPEN ",
                                                 " PERFORM ",
                                                 " CALL ",
                                                 " count(*) ",
                                                 " sum(",
                                                 " coalesce(",
                                                 " CASE WHEN ",
                                                 " COMMIT; ",
                                                 " integer ",
                                                 " text ",
                                                 " numeric(5,2) ",
                                                 " date ",
                                                 "%TYPE",
                                                 "%ROWTYPE",
                                                 " PRIMARY KEY ",
                                                 " REFERENCES ",
                                                 " CHECK (",
                                                 "\xc3\xa4",
                                                 "\xff"};

class Checker {
 public:
  explicit Checker(const sql::Application& application)
      : application_(application) {}

  void run() {
    for (const sql::Routine& routine : application_.routines) {
      routine_ = &routine;
      ASSERT_GE(routine.variables.size(), 1u + routine.parameters);
      block(routine.body);
    }
    for (const sql::Session& session : application_.sessions) {
      for (const sql::Call& call : session.calls) {
        ASSERT_LT(call.routine.index, application_.routines.size());
        const sql::Routine& callee = application_.at(call.routine);
        EXPECT_EQ(call.arguments.size(), callee.parameters);
      }
    }
  }

 private:
  void span(Span at) {
    EXPECT_LE(at.offset + at.length, application_.source.size());
  }
  void slots(const std::vector<std::uint32_t>& into, std::size_t types) {
    EXPECT_EQ(into.size(), types);
    for (const std::uint32_t slot : into) {
      EXPECT_LT(slot, routine_->variables.size());
    }
  }
  void statement(const sql::DbStatement& s) {
    span(s.at);
    const std::vector<sql::Value> values(routine_->variables.size());
    for (const auto& mention : s.mentions) {
      ASSERT_LT(mention.index, values.size());
      EXPECT_GE(mention.at.offset, s.at.offset);
      EXPECT_LE(mention.at.offset + mention.at.length,
                s.at.offset + s.at.length);
    }
    EXPECT_FALSE(sql::text_with_values(application_, s, values).empty());
  }
  void expr(const sql::Expr& e) {
    span(e.at);
    // A literal in a row, as in (1, 'z')::pair, is of no type until the cast,
    // and neither is a field that is taken of such a row.
    const bool is_field = e.op == sql::Op::Builtin && !e.args.empty() &&
                          e.args[0].type.name == sql::TypeName::Composite;
    if (e.op != sql::Op::Constant && e.op != sql::Op::Variable && !is_field) {
      EXPECT_NE(e.type.name, sql::TypeName::Unknown) << application_.text(e.at);
    }
    EXPECT_TRUE(e.query == nullptr) << "a local expression looks at tables";
    for (const sql::Expr& arg : e.args) expr(arg);
  }
  void block(const sql::PlBlock& all) {
    for (const sql::PlStatement& s : all) one(s);
  }
  void one(const sql::PlStatement& s) {
    span(s.at);
    if (const auto* a = std::get_if<sql::PlAssign>(&s.what)) {
      EXPECT_LT(a->slot, routine_->variables.size());
      expr(a->value);
    } else if (const auto* e = std::get_if<sql::PlExecute>(&s.what)) {
      statement(e->statement);
      slots(e->into, e->into_types.size());
    } else if (const auto* i = std::get_if<sql::PlIf>(&s.what)) {
      for (const auto& arm : i->arms) {
        block(arm.before);
        expr(arm.condition);
        block(arm.body);
      }
      block(i->otherwise);
    } else if (const auto* l = std::get_if<sql::PlLoop>(&s.what)) {
      EXPECT_LT(l->label.index, routine_->labels);
      block(l->before);
      if (l->condition) expr(*l->condition);
      block(l->body);
    } else if (const auto* f = std::get_if<sql::PlForRange>(&s.what)) {
      expr(f->from);
      expr(f->to);
      block(f->body);
    } else if (const auto* r = std::get_if<sql::PlForRows>(&s.what)) {
      statement(r->query);
      slots(r->into, r->into_types.size());
      block(r->body);
    } else if (const auto* b = std::get_if<sql::PlLabelled>(&s.what)) {
      block(b->body);
    } else if (const auto* c = std::get_if<sql::PlCall>(&s.what)) {
      ASSERT_LT(c->routine.index, application_.routines.size());
      EXPECT_EQ(c->arguments.size(), application_.at(c->routine).parameters);
      for (const sql::Expr& argument : c->arguments) expr(argument);
    } else if (const auto* v = std::get_if<sql::PlReturn>(&s.what)) {
      if (v->value) expr(*v->value);
    } else if (const auto* x = std::get_if<sql::PlRaise>(&s.what)) {
      EXPECT_EQ(x->sqlstate.size(), 5u);
      for (const sql::Expr& argument : x->arguments) expr(argument);
    } else if (const auto* o = std::get_if<sql::PlOpen>(&s.what)) {
      EXPECT_LT(o->cursor.index, routine_->cursors.size());
      statement(o->query);
    }
  }

  const sql::Application& application_;
  const sql::Routine* routine_ = nullptr;
};

bool try_file(const std::string& text) {
  const auto read = sql::read_sql("fuzz.sql", text);
  if (read) {
    Checker(*read).run();
    return true;
  }
  const Error& error = read.error();
  EXPECT_FALSE(error.what.empty());
  EXPECT_TRUE(!error.what.ends_with('.') || error.what.ends_with("..."))
      << error.what;
  const auto lines =
      static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n') + 1);
  EXPECT_GE(error.where.line, 1u) << error.what;
  EXPECT_GE(error.where.column, 1u) << error.what;
  EXPECT_LE(error.where.line, lines) << error.what;
  return false;
}

std::string mutated(std::string text, const std::vector<std::string>& texts,
                    Random& random) {
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length =
        std::min<std::size_t>(1 + random.below(30), text.size() - at);
    switch (random.below(5)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, kPieces[random.below(kPieces.size())]); break;
      case 2:
        text.replace(at, length, kPieces[random.below(kPieces.size())]);
        break;
      case 3:
        text.insert(random.below(text.size() + 1), text.substr(at, length));
        break;
      default: {
        const std::string& other = texts[random.below(texts.size())];
        const std::size_t from = random.below(other.size());
        text.insert(at, other.substr(from, random.below(60)));
      }
    }
  }
  return text;
}

/// Words swapped for other words of the same file: most of it still parses.
std::string shuffled_words(std::string text, Random& random) {
  std::vector<std::pair<std::size_t, std::size_t>> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!std::isalnum(static_cast<unsigned char>(text[i])) && text[i] != '_') {
      ++i;
      continue;
    }
    const std::size_t from = i;
    while (
        i < text.size() &&
        (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_')) {
      ++i;
    }
    words.emplace_back(from, i - from);
  }
  if (words.size() < 2) return text;
  const auto [to, length] = words[random.below(words.size())];
  const auto [from, other] = words[random.below(words.size())];
  const std::string word = text.substr(from, other);
  return text.replace(to, length, word);
}

TEST(SqlFuzz, MutatedFilesAreReadOrRefusedWithAPlace) {
  const std::vector<std::string> texts = corpus();
  ASSERT_GE(texts.size(), 10u);
  Random random(fuzz_seed(4));
  const int rounds = fuzz_rounds(1000);
  int read = 0;
  for (int i = 0; i < rounds && !HasFailure(); ++i) {
    const std::string& base = texts[random.below(texts.size())];
    const std::string text = random.chance(0.5) ? mutated(base, texts, random)
                                                : shuffled_words(base, random);
    if (try_file(text)) ++read;
    if (HasFailure()) ADD_FAILURE() << text;
  }
  EXPECT_GT(read, rounds / 50);
}

TEST(SqlFuzz, EveryPrefixOfAFileIsReadOrRefusedWithAPlace) {
  for (const std::string& text : corpus()) {
    const std::size_t step = std::max<std::size_t>(
        1, text.size() / static_cast<std::size_t>(fuzz_rounds(40)));
    for (std::size_t end = 0; end < text.size() && !HasFailure(); end += step) {
      (void)try_file(text.substr(0, end));
    }
  }
}

TEST(SqlFuzz, DeepAndLongTextIsReadOrRefused) {
  const std::string table = "CREATE TABLE t (id int PRIMARY KEY, n int);\n";
  const auto repeat = [](std::string_view piece, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += piece;
    return all;
  };
  const auto session = [&table](const std::string& sql) {
    return table + "--@ session s: " + sql + ";\n";
  };
  const auto body = [&table](const std::string& pl) {
    return table +
           "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ DECLARE v int; "
           "BEGIN " +
           pl + " END $$;\n--@ session s: CALL p();\n";
  };
  for (const int n : {10, 200, 900, fuzz_rounds(5000)}) {
    for (const std::string& sql :
         {"SELECT " + repeat("(", n) + "1" + repeat(")", n),
          "SELECT 1" + repeat(" + 1", n),
          "SELECT " + repeat("- ", n) + "n FROM t",
          "SELECT " + repeat("NOT ", n) + "true",
          "SELECT " + repeat("CASE WHEN true THEN ", n) + "1" +
              repeat(" END", n),
          "SELECT " + repeat("(SELECT ", n) + "1" + repeat(")", n),
          "SELECT 1 FROM t t0" + repeat(" JOIN t ON true", n),
          "SELECT true" + repeat(" AND true", n),
          "SELECT 1 WHERE 1 IN (1" + repeat(", 1", n) + ")",
          "SELECT 1" + repeat(", 1", n), "SELECT 1" + repeat("::int", n),
          "SELECT 1" + repeat(" UNION SELECT 1", n),
          "SELECT 'a'" + repeat(" || 'a'", n),
          "SELECT coalesce(" + repeat("coalesce(", n) + "1" + repeat(")", n) +
              ")",
          "INSERT INTO t VALUES (1, 1)" + repeat(", (1, 1)", n),
          "SELECT 1 FROM t t0" + repeat(", t", n),
          "SELECT n IS NULL" + repeat(" IS NULL", n) + " FROM t",
          "SELECT t" + repeat(".t", n) + " FROM t",
          "SELECT 1 = 1" + repeat(" OR n = 1", n) + " FROM t"}) {
      (void)try_file(session(sql));
      if (n <= 200) continue;
      (void)try_file(body("v := (" + sql + ");"));
    }
    (void)try_file(body(repeat("BEGIN ", n) + repeat("END; ", n)));
    (void)try_file(body(repeat("IF true THEN ", n) + repeat("END IF; ", n)));
    (void)try_file(body(repeat("LOOP ", n) + repeat("END LOOP; ", n)));
    (void)try_file(body(repeat("NULL; ", n)));
    (void)try_file(body(repeat("CASE v WHEN 1 THEN ", n)));
    (void)try_file(table + repeat("--@   x", n));
    (void)try_file(repeat("\n--@ session", n));
  }
}

/// Errors that depend on values or on what ran before, not on what a text
/// means.
bool is_about_values(const std::string& code) {
  for (const char* prefix :
       {"22", "23", "21", "20", "P0", "ZZ", "24", "54", "55", "57014"}) {
    if (code.starts_with(prefix)) return true;
  }
  return false;
}

/// The code of an application in a session is no SQL that a server takes.
bool is_sql(const sql::Routine& script, std::string_view text) {
  if (text.find("PERFORM ") != std::string_view::npos) return false;
  return std::none_of(script.body.begin(), script.body.end(),
                      [](const sql::PlStatement& s) {
                        const auto* sent = std::get_if<sql::PlExecute>(&s.what);
                        if (sent != nullptr && !sent->into.empty()) return true;
                        return std::holds_alternative<sql::PlTry>(s.what) ||
                               std::holds_alternative<sql::PlIf>(s.what) ||
                               std::holds_alternative<sql::PlLoop>(s.what) ||
                               std::holds_alternative<sql::PlForRange>(s.what);
                      });
}

/// What PostgreSQL says against a file that we read; empty: nothing.
std::string objection(db::Session& session, const sql::Application& read) {
  (void)session.execute(
      "ROLLBACK; DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public; "
      "SET statement_timeout = 200");
  std::string objection;
  const auto run = [&](std::string text) {
    for (std::size_t i = 0; (i = text.find("--@", i)) != std::string::npos;) {
      text.replace(i, 3, "   ");
    }
    const db::Answer answer = session.execute(text);
    if (!answer.is_ok() && !is_about_values(answer.code)) {
      objection = answer.code + " " + answer.message + "\n" + text;
    }
    if (!answer.is_ok()) (void)session.execute("ROLLBACK");
    return objection.empty();
  };
  for (const Span span : read.load) {
    if (!run(std::string(read.text(span)))) return objection;
  }
  for (const sql::Session& one : read.sessions) {
    for (const sql::Call& call : one.calls) {
      if (is_sql(read.at(call.routine), read.text(call.at)) &&
          !run(std::string(read.text(call.at)))) {
        return objection;
      }
    }
  }
  for (const sql::Property& property : read.properties) {
    if (!property.variables.empty()) continue;
    if (!run("SELECT " + std::string(read.text(property.at)))) return objection;
  }
  return objection;
}

/// Queries that may or may not mean something.
class QueryWriter {
 public:
  explicit QueryWriter(Random& random) : random_(random) {}

  std::string query(int depth) {
    const auto outer = names_;
    const std::string tables = random_.chance(0.95) ? from(depth) : "";
    std::string text = "SELECT ";
    if (random_.chance(0.1)) text += "DISTINCT ";
    const std::uint64_t targets = 1 + random_.below(3);
    for (std::uint64_t i = 0; i < targets; ++i) {
      if (i > 0) text += ", ";
      text += random_.chance(0.1) ? pick({"*", "t.*", "x.*"}) : expr(depth);
      if (random_.chance(0.3)) text += " AS " + pick({"n", "q", "id"});
    }
    if (!tables.empty()) text += " FROM " + tables;
    if (random_.chance(0.5)) text += " WHERE " + condition(depth);
    if (random_.chance(0.35)) {
      text += " GROUP BY " + grouping(depth);
      if (random_.chance(0.3)) text += ", " + grouping(depth);
    }
    if (random_.chance(0.15)) text += " HAVING " + condition(depth);
    if (random_.chance(0.3)) text += " ORDER BY " + grouping(depth);
    if (random_.chance(0.1)) text += " LIMIT " + pick({"1", "n", "2 + 1"});
    if (random_.chance(0.05)) text += " FOR UPDATE" + pick({"", " OF t"});
    names_ = outer;
    return text;
  }

 private:
  std::string pick(std::initializer_list<const char*> words) {
    return words.begin()[random_.below(words.size())];
  }
  std::string from(int depth) {
    const auto outer = names_;
    // Names that mean something there, most of them.
    const auto in = [&](std::initializer_list<const char*> names,
                        std::string text) {
      names_.assign(names.begin(), names.end());
      if (random_.chance(0.3)) {
        names_.insert(names_.end(), outer.begin(), outer.end());
      }
      return text;
    };
    const std::string on = "t.id = u.t AND t.n > s";
    switch (random_.below(depth > 0 ? 9 : 7)) {
      case 0:
      case 1:
        return in({"id", "n", "name", "price", "b", "d", "t.id", "t.n"}, "t");
      case 2: return in({"n", "name", "t.id", "u.id", "s", "u.t"}, "t, u");
      case 3:
        return in({"n", "d", "t.id", "u.id", "s", "b"}, "t JOIN u ON " + on);
      case 4:
        return in({"n", "price", "x.id", "u.id", "s", "x.n"},
                  "t x LEFT JOIN u ON x.id = u.t");
      case 5:
        return in({"id", "t.id", "x.id", "t.n", "x.n", "x.name"},
                  "t JOIN t x USING (" + pick({"id", "n, id", "s"}) + ")");
      case 6:
        return in({"t.id", "u.id", "x.n", "x.d", "s"},
                  "u RIGHT JOIN t ON u.t = t.id, t x");
      default: {
        const std::string inner = query(depth - 1);
        return in({"n", "q", "x.id", "x.n", "x.q", "id"}, "(" + inner + ") x");
      }
    }
  }
  std::string name() {
    if (!names_.empty() && random_.chance(0.97)) {
      return names_[random_.below(names_.size())];
    }
    return pick({"id", "n", "name", "s", "t.n", "u.id", "x.id", "q", "t.t"});
  }
  std::string grouping(int depth) {
    return random_.chance(0.6)   ? name()
           : random_.chance(0.3) ? pick({"1", "2", "3"})
                                 : expr(depth - 1);
  }
  std::string expr(int depth) {
    if (depth <= 0 || random_.chance(0.35)) {
      return random_.chance(0.75)
                 ? name()
                 : pick({"1", "1.5", "'a'", "'1'", "NULL", "true", "-2",
                         "3000000000", "'2024-01-31'"});
    }
    const auto e = [&] { return expr(depth - 1); };
    switch (random_.below(14)) {
      case 0:
      case 1:
        return e() + " " + pick({"+", "-", "*", "/", "%", "||"}) + " " + e();
      case 2: return "(" + condition(depth - 1) + ")";
      case 3:
      case 4:
        return pick({"count", "sum", "min", "max", "avg"}) + "(" +
               pick({"", "DISTINCT "}) + e() + ")";
      case 5: return "count(*)";
      case 6: return "coalesce(" + e() + ", " + e() + ")";
      case 7:
        return "CASE WHEN " + condition(depth - 1) + " THEN " + e() + " ELSE " +
               e() + " END";
      case 8: return "(" + query(depth - 1) + ")";
      case 9:
        return "(" + e() + ")::" +
               pick({"int", "text", "numeric", "bigint", "date", "varchar(3)"});
      case 10:
        return pick({"lower", "length", "abs", "upper"}) + "(" + e() + ")";
      case 11: return "nullif(" + e() + ", " + e() + ")";
      case 12: return "greatest(" + e() + ", " + e() + ")";
      default: return "- " + e();
    }
  }
  std::string condition(int depth) {
    const auto e = [&] { return expr(depth - 1); };
    switch (random_.below(depth > 0 ? 10 : 3)) {
      case 0: return e() + " IS NOT NULL";
      case 1:
      case 2: return e() + " " + pick({"=", "<>", "<", ">="}) + " " + e();
      case 3: return condition(depth - 1) + " AND " + condition(depth - 1);
      case 4: return "NOT " + condition(depth - 1);
      case 5: return "EXISTS (" + query(depth - 1) + ")";
      case 6:
        return e() + pick({" IN (", " NOT IN ("}) + query(depth - 1) + ")";
      case 7: return e() + " IN (" + e() + ", " + e() + ")";
      case 8: return e() + " LIKE " + e();
      default: return e() + " BETWEEN " + e() + " AND " + e();
    }
  }

  Random& random_;
  std::vector<std::string> names_;  // of the query that is being written
};

TEST(SqlFuzz, RandomQueriesMeanToUsWhatTheyMeanToPostgresql) {
  test::LiveServer& live = test::live_postgresql();
  if (!live.server) GTEST_SKIP() << live.why;
  const auto session = live.connect();
  ASSERT_NE(session, nullptr);
  const std::string tables =
      "CREATE TABLE t (id int PRIMARY KEY, n int, name varchar(10), price "
      "numeric(8,2), b bigint, d date);\n"
      "CREATE TABLE u (id int PRIMARY KEY, t int, s smallint);\n";
  ASSERT_TRUE(
      session
          ->execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public; " +
                    tables)
          .is_ok());
  Random random(fuzz_seed(16));
  QueryWriter writer(random);
  const int rounds = fuzz_rounds(2000);
  int accepted = 0;
  for (int i = 0; i < rounds && !HasFailure(); ++i) {
    const std::string text = writer.query(static_cast<int>(random.below(4)));
    const auto read =
        sql::read_sql("fuzz.sql", tables + "--@ session s: " + text + ";");
    const db::Answer answer = session->execute(text);
    const bool they_accept = answer.is_ok() || is_about_values(answer.code);
    if (!read) {
      const bool is_ours =
          read.error().what.find("not supported") != std::string::npos ||
          read.error().what.find("too deeply") != std::string::npos;
      EXPECT_TRUE(!answer.is_ok() || is_ours)
          << text << "\nwe say " << read.error().what;
      continue;
    }
    ASSERT_TRUE(they_accept) << text << "\n" << answer.message;
    if (!answer.is_ok()) continue;
    ++accepted;
    const auto& execute =
        std::get<sql::PlExecute>(read->routines.back().body[0].what);
    const auto& targets =
        std::get<sql::Select>(execute.statement.what)->targets;
    ASSERT_EQ(answer.columns.size(), targets.size()) << text;
    for (std::size_t c = 0; c < targets.size(); ++c) {
      EXPECT_EQ(answer.columns[c].name, targets[c].name) << text;
      EXPECT_EQ(answer.columns[c].kind, sql::kind_of(targets[c].expr.type.name))
          << text << "\ncolumn " << c;
    }
  }
  EXPECT_GT(accepted, rounds / 50);
}

TEST(SqlFuzz, PostgresqlAcceptsWhatWeAccept) {
  test::LiveServer& live = test::live_postgresql();
  if (!live.server) GTEST_SKIP() << live.why;
  const auto session = live.connect();
  ASSERT_NE(session, nullptr);
  const std::vector<std::string> texts = corpus();
  Random random(fuzz_seed(8));
  int checked = 0;
  const int rounds = fuzz_rounds(150);
  for (int i = 0; i < rounds && !HasFailure(); ++i) {
    const std::string& base = texts[random.below(texts.size())];
    const std::string text = random.chance(0.2) ? mutated(base, texts, random)
                                                : shuffled_words(base, random);
    const auto read = sql::read_sql("fuzz.sql", text);
    // What no session needs may be anything, and is noted.
    if (!read || !read->notes.empty()) continue;
    ++checked;
    const std::string said = objection(*session, *read);
    EXPECT_EQ(said, "") << text;
  }
  EXPECT_GT(checked, rounds / 60);
}

}  // namespace
}  // namespace txscope
