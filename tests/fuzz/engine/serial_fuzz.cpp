// "As if one after the other" against the definition: every outcome of the
// engine is compared with all orders of its committed transactions, run on
// tables in memory.

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"
#include "support/serial_oracle.h"

namespace txscope::engine {
namespace {

std::string one_of(Random& random, std::initializer_list<const char*> all) {
  return *(all.begin() + static_cast<std::ptrdiff_t>(random.below(all.size())));
}

std::string random_statement(Random& random) {
  return one_of(
      random,
      {"UPDATE t SET a = a + 1 WHERE id = 1;",
       "UPDATE t SET a = v WHERE id = 2;",
       "UPDATE t SET a = a + 1 WHERE a > 0;",
       "SELECT a INTO v FROM t WHERE id = 1;",
       "SELECT a INTO v FROM t WHERE id = 2;", "SELECT sum(a) INTO v FROM t;",
       "SELECT a INTO v FROM t WHERE id = 1 FOR UPDATE;",
       "DELETE FROM t WHERE id = 2;",
       "INSERT INTO t VALUES (3, v) ON CONFLICT DO NOTHING;",
       "IF v > 1 THEN UPDATE t SET a = 0 WHERE id = 1; END IF;",
       "IF v = 1 THEN RAISE EXCEPTION 'no'; END IF;"});
}

std::string random_application(Random& random) {
  std::string text =
      "CREATE TABLE t (id int PRIMARY KEY, a int);"
      "INSERT INTO t VALUES (1, 0), (2, 1);\n";
  const std::uint64_t sessions = 2 + random.below(2);
  for (std::uint64_t s = 0; s < sessions; ++s) {
    const std::string name = "p" + std::to_string(s);
    text += "CREATE PROCEDURE " + name +
            "() LANGUAGE plpgsql AS $$ DECLARE v int := 0; BEGIN ";
    const std::uint64_t n = 1 + random.below(sessions == 2 ? 3 : 2);
    for (std::uint64_t i = 0; i < n; ++i) text += random_statement(random);
    text += " END $$;\n";
  }
  for (std::uint64_t s = 0; s < sessions; ++s) {
    const std::string name = "p" + std::to_string(s);
    text += "--@ session s" + std::to_string(s) + ": CALL " + name + "();";
    if (sessions == 2 && random.below(3) == 0) text += " CALL " + name + "();";
    text += "\n";
  }
  return text;
}

TEST(SerialFuzz, AsIfOneAfterTheOtherIsWhatTheDefinitionSays) {
  Random random(fuzz_seed(31));
  std::map<Outcome, int> seen;
  for (int round = 0; round < fuzz_rounds(150); ++round) {
    const std::string text = random_application(random);
    const auto application = sql::read_sql("fuzz.sql", text);
    ASSERT_TRUE(application) << application.error().what << "\n" << text;
    const txscope::test::SerialOracle oracle(*application);
    for (const char* name :
         {"postgresql:read-committed", "postgresql:repeatable-read",
          "postgresql:serializable", "mariadb:repeatable-read", "sqlite"}) {
      bool all_serial = true;
      ProfileOptions options;
      options.all = true;
      options.explains = false;
      options.builtins = SerialSense::Outcome;
      options.on_outcome = [&](const ObservedOutcome& outcome) {
        all_serial = all_serial && oracle.is_serial(outcome);
      };
      const auto answer = explore_profile(*application, **parse_profile(name),
                                          options, Budget::unlimited());
      ASSERT_TRUE(answer) << text;
      ASSERT_EQ(answer->builtins[0].verdict,
                all_serial ? Outcome::Holds : Outcome::Violated)
          << name << "\n"
          << text;
      ++seen[answer->builtins[0].verdict];
    }
  }
  EXPECT_GT(seen[Outcome::Holds], 0);
  EXPECT_GT(seen[Outcome::Violated], 0);
}

}  // namespace
}  // namespace txscope::engine
