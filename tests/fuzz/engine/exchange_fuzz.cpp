// Sessions that do the same may change places, statements that commute are
// taken in one order, waits that change nothing are left out: such a search
// counts what one counts that looks at all.

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "base/random.h"
#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"

namespace txscope::engine {
namespace {

constexpr const char* kShop =
    "CREATE TABLE item (id integer PRIMARY KEY, n integer NOT NULL);\n"
    "CREATE TABLE sale (id serial PRIMARY KEY, item integer REFERENCES item, "
    "n integer NOT NULL, who varchar(8), note text);\n"
    "CREATE TABLE line (id serial PRIMARY KEY, sale integer REFERENCES sale, "
    "who text);\n"
    "INSERT INTO item VALUES (1, 2), (2, 5);\n"
    "INSERT INTO sale (item, n, who) VALUES (2, 1, 'zoe');\n";

std::string random_body(Random& random) {
  constexpr std::array kStatements = {
      "SELECT n INTO m FROM item WHERE id = 1; ",
      "SELECT count(*) INTO m FROM sale WHERE item = 1; ",
      "SELECT max(id) INTO v FROM sale; ",
      "SELECT id INTO v FROM sale WHERE item = 1 ORDER BY n LIMIT 1; ",
      "SELECT s.id INTO v FROM sale s WHERE s.n = 3; ",
      "SELECT n INTO m FROM item WHERE id = 1 FOR UPDATE; ",
      "UPDATE item SET n = m - 1 WHERE id = 1; ",
      "UPDATE item SET n = n - 1 WHERE id = 1 AND n > 0; ",
      "UPDATE item SET n = n + 1 WHERE id = i; ",
      "IF m < 1 THEN RAISE EXCEPTION 'out'; END IF; ",
      "INSERT INTO sale (item, n, who) VALUES (1, m, p) RETURNING id INTO v; ",
      "INSERT INTO sale (item, n, who) VALUES (i, 3, p); ",
      "INSERT INTO sale (item, n, note) VALUES (1, 4, 'of ' || v); ",
      "INSERT INTO line (sale, who) VALUES (v, p); ",
      "UPDATE sale SET n = n + 1 WHERE id = v; ",
      "DELETE FROM line WHERE sale = v; ",
      "DELETE FROM sale WHERE item = 2; ",
      "SELECT who INTO w FROM sale WHERE item = 1 LIMIT 1; ",
      "IF w = p THEN m := m + 1; END IF; ",
      "UPDATE sale SET who = p WHERE n = 1; ",
  };
  std::string text;
  const std::size_t count = 2 + random.below(3);
  for (std::size_t s = 0; s < count; ++s)
    text += kStatements[random.below(kStatements.size())];
  return text;
}

std::string random_shop(Random& random) {
  std::string text = kShop;
  const std::array<std::string, 2> names = {"one", "two"};
  for (const std::string& name : names)
    text += "CREATE PROCEDURE " + name +
            "(i integer, p varchar) LANGUAGE plpgsql AS $$ DECLARE m integer "
            ":= 1; v integer := 1; w text; BEGIN " +
            random_body(random) + "END $$;\n";
  const std::size_t sessions = 2 + random.below(2);
  const bool has_names = random.chance(0.5);
  const std::size_t item = 1 + random.below(2);
  for (std::size_t s = 0; s < sessions; ++s) {
    const std::string who =
        has_names ? std::string("'n") + std::to_string(s) + "'" : "'me'";
    const bool is_other = random.chance(0.3);
    text += "--@ session s" + std::to_string(s) + ": CALL " +
            (is_other ? names[1] : names[0]) + "(" + std::to_string(item) +
            ", " + who + ");\n";
  }
  return text +
         "--@ invariant few: (SELECT count(*) FROM sale) <= 3\n"
         "--@ invariant left: (SELECT n FROM item WHERE id = 1) >= 0\n";
}

Answer counted(const sql::Application& application, const Profile& profile,
               bool exchanges, bool judges) {
  ProfileOptions options;
  options.all = true;
  options.explains = false;
  options.exchanges = exchanges;
  options.reduces = exchanges;
  options.judges_every_commit = judges;
  options.builtins = SerialSense::Outcome;
  auto answer =
      explore_profile(application, profile, options, Budget::unlimited());
  EXPECT_TRUE(answer);
  return std::move(*answer);
}

TEST(ExchangeFuzz, CountsWhatASearchCountsThatTellsSessionsApart) {
  Random random(fuzz_seed(11));
  const int rounds = fuzz_rounds(60);
  int fewer = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = random_shop(random);
    const auto application = sql::read_sql("random.sql", text);
    ASSERT_TRUE(application) << application.error().what << "\n" << text;
    for (const char* const level :
         {"postgresql:read-committed", "postgresql:repeatable-read"}) {
      const Profile& profile = **parse_profile(level);
      const bool judges = random.chance(0.5);
      const Answer one = counted(*application, profile, true, judges);
      const Answer all = counted(*application, profile, false, judges);
      const std::string where = std::string(level) + "\n" + text;
      ASSERT_TRUE(one.is_complete && all.is_complete) << where;
      ASSERT_EQ(one.counts.histories, all.counts.histories) << where;
      ASSERT_EQ(one.counts.final_states, all.counts.final_states) << where;
      ASSERT_EQ(one.counts.errors, all.counts.errors) << where;
      for (std::size_t p = 0; p < all.properties.size(); ++p) {
        ASSERT_EQ(one.properties[p].verdict, all.properties[p].verdict)
            << where;
        ASSERT_EQ(one.properties[p].violating, all.properties[p].violating)
            << where;
        ASSERT_EQ(one.properties[p].at_every_commit,
                  all.properties[p].at_every_commit)
            << where;
      }
      for (std::size_t b = 0; b < all.builtins.size(); ++b)
        ASSERT_EQ(one.builtins[b].verdict, all.builtins[b].verdict) << where;
      fewer += one.counts.explored < all.counts.explored ? 1 : 0;
    }
  }
  // The comparison means something.
  EXPECT_GT(fewer, rounds);
}

}  // namespace
}  // namespace txscope::engine
