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
    EXPECT_NE(e.type.name, sql::TypeName::Unknown);
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
  const auto read = read_sql("fuzz.sql", text);
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
  const int rounds = fuzz_rounds(2000);
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
  for (const int n : {10, 200, 900, fuzz_rounds(20000)}) {
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
      if (!run(std::string(read.text(call.at)))) return objection;
    }
  }
  for (const sql::Property& property : read.properties) {
    if (!property.variables.empty()) continue;
    if (!run("SELECT " + std::string(read.text(property.at)))) return objection;
  }
  return objection;
}

TEST(SqlFuzz, PostgresqlAcceptsWhatWeAccept) {
  test::LiveServer& live = test::live_postgresql();
  if (!live.server) GTEST_SKIP() << live.why;
  const auto session = live.connect();
  ASSERT_NE(session, nullptr);
  const std::vector<std::string> texts = corpus();
  Random random(fuzz_seed(8));
  int checked = 0;
  const int rounds = fuzz_rounds(300);
  for (int i = 0; i < rounds && !HasFailure(); ++i) {
    const std::string& base = texts[random.below(texts.size())];
    const std::string text = random.chance(0.2) ? mutated(base, texts, random)
                                                : shuffled_words(base, random);
    const auto read = read_sql("fuzz.sql", text);
    if (!read) continue;
    ++checked;
    const std::string said = objection(*session, *read);
    EXPECT_EQ(said, "") << text;
  }
  EXPECT_GT(checked, rounds / 20);
}

}  // namespace
}  // namespace txscope
