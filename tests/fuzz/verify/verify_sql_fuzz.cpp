// Random applications in SQL: verify and explore agree at every level, with
// constants and with arguments over a small range.

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "engine/explore_profile.h"
#include "explore/sql/explore_sql.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"
#include "verify/sql/verify_sql.h"

namespace txscope {
namespace {

const std::vector<Base> kSqlLevels(all_bases().begin() + 1, all_bases().end());

std::string one_of(Random& random, std::initializer_list<const char*> all) {
  return *(all.begin() + static_cast<std::ptrdiff_t>(random.below(all.size())));
}

std::string condition(Random& random) {
  return one_of(random, {"p = 1", "v > 0", "v IS NULL", "FOUND", "v <= p",
                         "EXISTS (SELECT * FROM t WHERE a = p)",
                         "(SELECT sum(a) FROM t) > 1"});
}

std::string statement(Random& random, int depth) {
  const std::uint64_t kind = random.below(depth > 0 ? 9 : 7);
  switch (kind) {
    case 0: return "UPDATE t SET a = a + 1 WHERE id = p;\n";
    case 1: return "UPDATE t SET a = v WHERE a > p;\n";
    case 2:
      return "SELECT a INTO v FROM t WHERE id = " +
             one_of(random, {"1", "2", "p"}) + ";\n";
    case 3: return "SELECT count(*) INTO v FROM t WHERE a >= p;\n";
    case 4:
      return "DELETE FROM t WHERE id = " + one_of(random, {"1", "p", "3"}) +
             ";\n";
    case 5:
      return "INSERT INTO t VALUES (" + one_of(random, {"3", "2"}) + ", p)" +
             one_of(random, {"", " ON CONFLICT DO NOTHING",
                             " ON CONFLICT (id) DO UPDATE SET a = "
                             "excluded.a + t.a"}) +
             ";\n";
    case 6: return "v := v + p;\n";
    case 7:
      return "IF " + condition(random) + " THEN\n" +
             statement(random, depth - 1) + "ELSE\n" +
             statement(random, depth - 1) + "END IF;\n";
    default:
      return "IF " + condition(random) + " THEN\nRAISE EXCEPTION 'no';\n" +
             "END IF;\n";
  }
}

struct Application {
  std::string before;
  std::vector<std::string> calls;  // "CALL p0(@);"
  std::string after;

  [[nodiscard]] std::string text(
      const std::vector<std::string>& arguments) const {
    std::string out = before;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      std::string call = calls[i];
      call.replace(call.find('@'), 1, arguments[i]);
      out += "--@ session s" + std::to_string(i) + ": " + call + "\n";
    }
    return out + after;
  }
};

Application random_application(Random& random) {
  Application out;
  out.before = "CREATE TABLE t (id int PRIMARY KEY, a int" +
               one_of(random, {"", " NOT NULL", " CHECK (a < 3)"}) + ");\n" +
               "INSERT INTO t VALUES (1, 0), (2, 1);\n";
  for (int i = 0; i < 2; ++i) {
    std::string body;
    const std::uint64_t n = 1 + random.below(3);
    for (std::uint64_t s = 0; s < n; ++s) body += statement(random, 1);
    out.before += "CREATE PROCEDURE p" + std::to_string(i) +
                  "(p int) LANGUAGE plpgsql AS $$ DECLARE v int := 0; BEGIN\n" +
                  body + "END $$;\n";
    out.calls.push_back("CALL p" + std::to_string(i) + "(@);");
  }
  out.after = "--@ invariant i: " +
              one_of(random, {"(SELECT count(*) FROM t) = 2",
                              "NOT EXISTS (SELECT * FROM t WHERE a > 1)",
                              "(SELECT sum(a) FROM t) = 1",
                              "(SELECT max(a) FROM t) >= 0"}) +
              "\n";
  return out;
}

struct EnumeratedSql {
  std::map<Base, bool> is_violated;
  std::map<Base, bool> has_history;
};

void add_explored_sql(const std::string& text, EnumeratedSql& all) {
  const auto application = read_sql("fuzz.sql", text);
  ASSERT_TRUE(application) << application.error().what << "\n" << text;
  ExploreOptions options;
  options.levels = kSqlLevels;
  options.all = true;
  options.explains = false;
  const auto result =
      sql::explore_sql(*application, options, Budget::unlimited());
  ASSERT_TRUE(result) << text;
  for (const Answer& level : (*result)->answers()) {
    all.is_violated[*level.base] |=
        level.properties[0].verdict == Outcome::Violated;
    all.has_history[*level.base] |= level.counts.histories > 0;
  }
}

void compare(const std::string& text, const EnumeratedSql& all) {
  const auto application = read_open_sql("fuzz.sql", text);
  ASSERT_TRUE(application) << application.error().what << "\n" << text;
  VerifyOptions options;
  options.levels = kSqlLevels;
  const auto result = verify_sql(*application, options, Budget::unlimited());
  ASSERT_TRUE(result) << result.error().what << "\n" << text;
  for (const VerifyRow& row : result->rows) {
    const std::string_view want = all.is_violated.at(*row.base)   ? "violated"
                                  : all.has_history.at(*row.base) ? "holds"
                                                                  : "vacuous";
    ASSERT_EQ(name(row.verdict), want)
        << row.level << " " << row.why << "\n"
        << text;
  }
}

TEST(VerifySqlFuzz, AgreesWithExploreOnConstants) {
  Random random(fuzz_seed(21));
  for (int round = 0; round < fuzz_rounds(150); ++round) {
    const std::string text =
        random_application(random).text({"1", std::to_string(random.below(3))});
    EnumeratedSql all;
    add_explored_sql(text, all);
    compare(text, all);
    if (HasFatalFailure()) return;
  }
}

TEST(VerifySqlFuzz, IsTheUnionOfExploreOverAllArguments) {
  Random random(fuzz_seed(22));
  for (int round = 0; round < fuzz_rounds(60); ++round) {
    const Application application = random_application(random);
    EnumeratedSql all;
    for (const char* first : {"1", "2", "NULL"}) {
      for (const char* second : {"0", "1"}) {
        add_explored_sql(application.text({first, second}), all);
        if (HasFatalFailure()) return;
      }
    }
    const std::string open =
        application.text({"?", "?"}) +
        "--@ assume small: s0.p0.p IS NULL OR s0.p0.p IN (1, 2)\n"
        "--@ assume also: s1.p1.p IN (0, 1)\n";
    compare(open, all);
    if (HasFatalFailure()) return;
  }
}

/// What the engine does with all arguments.
std::map<std::string, bool> explored_at_profiles(
    const Application& application, const std::vector<std::string>& profiles) {
  std::map<std::string, bool> is_violated;
  for (const char* first : {"1", "2", "NULL"}) {
    for (const char* second : {"0", "1"}) {
      const std::string text = application.text({first, second});
      const auto given = read_sql("fuzz.sql", text);
      EXPECT_TRUE(given) << text;
      for (const std::string& name : profiles) {
        engine::ProfileOptions options;
        options.explains = false;
        const auto answer =
            engine::explore_profile(*given, **engine::parse_profile(name),
                                    options, Budget::unlimited());
        EXPECT_TRUE(answer) << text;
        is_violated[name] = is_violated[name] ||
                            answer->properties[0].verdict == Outcome::Violated;
      }
    }
  }
  return is_violated;
}

// There are six inputs, so that none is left undecided.
TEST(VerifySqlFuzz, IsTheUnionOfTheEngineOverAllArguments) {
  const std::vector<std::string> profiles = {
      "postgresql:read-committed", "postgresql:repeatable-read",
      "postgresql:serializable",   "mariadb:read-committed",
      "mariadb:repeatable-read",   "mariadb:repeatable-read+snapshot",
      "mariadb:serializable",      "sqlite"};
  Random random(fuzz_seed(23));
  for (int round = 0; round < fuzz_rounds(25); ++round) {
    const Application application = random_application(random);
    const auto all = explored_at_profiles(application, profiles);
    const std::string open =
        application.text({"?", "?"}) +
        "--@ assume small: s0.p0.p IS NULL OR s0.p0.p IN (1, 2)\n"
        "--@ assume also: s1.p1.p IN (0, 1)\n";
    const auto asked = read_open_sql("fuzz.sql", open);
    ASSERT_TRUE(asked) << open;
    VerifyOptions options;
    for (const std::string& name : profiles) {
      options.profiles.push_back(*engine::parse_profile(name));
    }
    const auto result = verify_sql(*asked, options, Budget::unlimited());
    ASSERT_TRUE(result) << result.error().what << "\n" << open;
    for (const VerifyRow& row : result->rows) {
      ASSERT_EQ(name(row.verdict), all.at(row.level) ? "violated" : "holds")
          << row.level << " " << row.why << "\n"
          << open;
    }
  }
}

}  // namespace
}  // namespace txscope
