// Texts as inputs: verify and explore agree on their order and their lengths.

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "read/sql/sql.h"
#include "sql_union.h"
#include "support/fuzz.h"
#include "symbolic/value/text_order.h"
#include "verify/sql/verify_sql.h"

namespace txscope {
namespace {

using test::Application;
using test::expect_union;
using test::one_of;

TEST(VerifySql, TextsHaveTheirOrder) {
  Application store;
  store.before = R"(
CREATE TABLE kv (k text PRIMARY KEY, v int NOT NULL);
INSERT INTO kv VALUES ('m', 0);
CREATE PROCEDURE put(key text) LANGUAGE plpgsql AS $$ BEGIN
  IF key < (SELECT max(k) FROM kv) THEN
    INSERT INTO kv VALUES (key, 1);
  ELSE
    UPDATE kv SET v = v + 1 WHERE k <= key;
  END IF;
END $$;
)";
  store.calls = {"CALL put(@);", "CALL put(@);"};
  store.after = "--@ invariant i: (SELECT sum(v) FROM kv WHERE k > 'b') < 2\n";
  expect_union(store, {"'a'", "'m'", "'z'"},
               "--@ assume one: s0.put.key IN ('a', 'm', 'z')\n"
               "--@ assume two: s1.put.key IN ('a', 'm', 'z')\n");
}

TEST(VerifySql, NumbersOfTextsAreInTheirOrder) {
  Random random(fuzz_seed(24));
  for (int round = 0; round < fuzz_rounds(50); ++round) {
    symbolic::TextOrder order;
    std::map<std::string, std::int64_t> numbers;
    for (int i = 0; i < 12; ++i) {
      std::string text;
      for (std::uint64_t n = random.below(4); n > 0; --n)
        text += static_cast<char>("Aamz5!"[random.below(6)]);
      numbers[text] = order.number(sql::Value::text(text));
    }
    std::map<std::int64_t, std::string> texts;
    for (const auto& [text, number] : numbers) {
      EXPECT_EQ(order.text(number).text(), text);
      texts[number] = text;
    }
    // In the middle of each gap, and above all, there are texts, too.
    for (auto at = texts.begin(); at != texts.end(); ++at) {
      const auto next = std::next(at);
      const std::int64_t end =
          next == texts.end() ? at->first + 1000 : next->first;
      const std::string a = order.text(at->first + 1).text();
      const std::string b =
          order.text(at->first + (end - at->first) / 2).text();
      EXPECT_LT(at->second, a);
      EXPECT_LE(a, b);
      if (next != texts.end() && !next->second.starts_with(at->second + "!")) {
        EXPECT_LT(b, next->second) << at->second;
        // None is shorter than what is said; with few to choose from longer.
        const std::size_t least =
            symbolic::TextOrder::shortest(at->second, next->second);
        EXPECT_GE(a.size(), least) << at->second << " " << next->second;
      }
    }
    // Below all, and the nearer the larger.
    const auto& [lowest, first] = *texts.begin();
    if (!first.empty() && first[0] > '#') {
      const std::string near = order.text(lowest - 1).text();
      const std::string far = order.text(lowest - 900).text();
      EXPECT_LT(far, near);
      EXPECT_LT(near, first);
      EXPECT_EQ(near.size(), 1u) << first;
    }
  }
}

// Two constants leave room for texts of their own length only where there is.
TEST(VerifySql, TextsAreAsShortAsTheirPlaceAllows) {
  symbolic::TextOrder order;
  EXPECT_EQ(order.text(0).text(), "a");
  EXPECT_EQ(order.text(1).text(), "b");
  EXPECT_LT(order.text(-1).text(), "a");
  const std::int64_t c = order.number(sql::Value::text("c"));
  EXPECT_EQ(order.text(c + 1).text(), "d");
  const std::int64_t d = order.number(sql::Value::text("d"));
  EXPECT_EQ(order.text(c + 1).text(), "ca");
  EXPECT_EQ(order.text(d + 1).text(), "e");
  EXPECT_EQ(order.text(c - 1).text(), "b");
  EXPECT_EQ(symbolic::TextOrder::shortest("c", "d"), 2u);
  EXPECT_EQ(symbolic::TextOrder::shortest("c", "e"), 1u);
  EXPECT_EQ(symbolic::TextOrder::shortest("c", "da"), 1u);
  EXPECT_EQ(symbolic::TextOrder::shortest("abc", "abd"), 4u);
  EXPECT_EQ(symbolic::TextOrder::shortest("ab", "b"), 2u);
}

std::string text_statement(Random& random, int depth) {
  const std::string id = one_of(random, {"1", "2"});
  switch (random.below(depth > 0 ? 7 : 5)) {
    case 0: return "UPDATE t SET short = p WHERE id = " + id + ";\n";
    case 1: return "UPDATE t SET short = long WHERE id = " + id + ";\n";
    case 2: return "UPDATE t SET long = p, n = n + 1 WHERE id = " + id + ";\n";
    case 3: return "UPDATE t SET n = length(p) WHERE id = " + id + ";\n";
    case 4:
      return "SELECT coalesce(short, long) INTO v FROM t WHERE id = " + id +
             ";\nUPDATE t SET long = v WHERE id = 1;\n";
    case 5:
      return "IF " +
             one_of(random, {"length(p) > 2", "length(v) = 1", "p < v",
                             "EXISTS (SELECT 1 FROM t WHERE long = p)"}) +
             " THEN\n" + text_statement(random, depth - 1) + "END IF;\n";
    default:
      return "BEGIN\n" + text_statement(random, depth - 1) +
             "EXCEPTION WHEN string_data_right_truncation THEN\n" +
             text_statement(random, 0) + "END;\n";
  }
}

TEST(VerifySqlFuzz, TextsHaveTheirLengths) {
  Random random(fuzz_seed(27));
  for (int round = 0; round < fuzz_rounds(40); ++round) {
    Application texts;
    texts.before =
        "CREATE TABLE t (id int PRIMARY KEY, short varchar(2), long text, n "
        "int NOT NULL);\n"
        "INSERT INTO t VALUES (1, 'a', 'abc', 0), (2, NULL, 'b', 0);\n";
    for (const char* name : {"p0", "p1"}) {
      std::string body;
      for (std::uint64_t n = 1 + random.below(3); n > 0; --n)
        body += text_statement(random, 1);
      texts.before +=
          "CREATE PROCEDURE " + std::string(name) +
          "(p text) LANGUAGE plpgsql AS $$ DECLARE v text; BEGIN\n" + body +
          "END $$;\n";
      texts.calls.push_back("CALL " + std::string(name) + "(@);");
    }
    texts.after =
        "--@ invariant i: " +
        one_of(random, {"NOT EXISTS (SELECT 1 FROM t WHERE length(long) = 3 "
                        "AND short = 'b')",
                        "(SELECT sum(n) FROM t) < 3",
                        "NOT EXISTS (SELECT 1 FROM t WHERE long < short)"}) +
        "\n";
    expect_union(texts, {"''", "'b'", "'bcd'", "NULL"},
                 "--@ assume one: s0.p0.p IS NULL OR s0.p0.p IN ('', 'b', "
                 "'bcd')\n"
                 "--@ assume two: s1.p1.p IS NULL OR s1.p1.p IN ('', 'b', "
                 "'bcd')\n");
    if (HasFatalFailure()) return;
  }
}

// Not only texts that the file names.
TEST(VerifySql, TextsThatAreTooLongAreFound) {
  const std::string text =
      "CREATE TABLE t (id int PRIMARY KEY, d varchar(10), n int NOT NULL);\n"
      "INSERT INTO t VALUES (1, 'old', 0);\n"
      "CREATE PROCEDURE put(p text) LANGUAGE plpgsql AS $$ BEGIN\n"
      "  BEGIN UPDATE t SET d = p; EXCEPTION WHEN "
      "string_data_right_truncation THEN UPDATE t SET n = n + 1; END;\n"
      "  IF length(p) = 7 THEN UPDATE t SET n = n + 2; END IF; END $$;\n"
      "--@ session a: CALL put(?);\n";
  for (const auto& [rule, verdict] :
       std::map<std::string, std::string>{{"0", "violated"},
                                          {"1", "violated"},
                                          {"2", "violated"},
                                          {"3", "holds"}}) {
    const auto application = sql::read_open_sql(
        "long.sql",
        text + "--@ invariant i: (SELECT n FROM t) <> " + rule + "\n");
    ASSERT_TRUE(application);
    verify::VerifyOptions options;
    options.levels = {Base::Serializable};
    const auto result =
        verify::verify_sql(*application, options, Budget::unlimited());
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_EQ(verify::verdict_word(result->rows.front()), verdict)
        << rule << " " << result->rows.front().why;
  }
}

}  // namespace
}  // namespace txscope
