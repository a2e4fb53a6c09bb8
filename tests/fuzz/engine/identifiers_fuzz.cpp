// Numbers that only identify rows may be any: a search in which every session
// draws its own gives the verdicts of one in which each number is the next.

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <span>
#include <string>

#include "base/random.h"
#include "engine/identity/identifiers.h"
#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"

namespace txscope::engine {
namespace {

constexpr const char* kTables =
    "CREATE TABLE parent (id serial PRIMARY KEY, n integer NOT NULL);\n"
    "CREATE TABLE child (id serial PRIMARY KEY, parent integer REFERENCES "
    "parent, n integer, note text);\n"
    "CREATE SEQUENCE tickets START 50;\n"
    "INSERT INTO parent (n) VALUES (10), (20);\n"
    "INSERT INTO child (parent, n) VALUES (1, 5);\n";

/// What a statement may do beside what it says.
constexpr std::array kMore = {
    "CREATE UNIQUE INDEX few ON child (n) WHERE id > 2;\n",
    "CREATE UNIQUE INDEX own ON child (n) WHERE parent IS NOT NULL;\n",
    "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "IF NEW.id > 3 THEN NEW.n := NEW.n + 30; END IF; RETURN NEW; END $$;\n"
    "CREATE TRIGGER note BEFORE INSERT ON parent FOR EACH ROW "
    "EXECUTE FUNCTION note();\n",
    "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "UPDATE parent SET n = n + 1 WHERE id = NEW.parent; RETURN NULL; END $$;\n"
    "CREATE TRIGGER note AFTER INSERT ON child FOR EACH ROW "
    "EXECUTE FUNCTION note();\n",
};
constexpr const char* kProcedures =
    "CREATE PROCEDURE same(i integer) LANGUAGE plpgsql AS $$ BEGIN EXECUTE "
    "format('UPDATE parent SET n = n + 1 WHERE id = %s', i); END $$;\n"
    "CREATE PROCEDURE above(i integer) LANGUAGE plpgsql AS $$ BEGIN EXECUTE "
    "'UPDATE parent SET n = n + 5 WHERE id > $1' USING i; END $$;\n";

std::string pick(Random& random, std::span<const char* const> from) {
  return from[random.below(from.size())];
}

/// A statement; `looks`: it may also tell numbers apart.
std::string random_statement(Random& random, bool looks, bool nests) {
  constexpr std::array kBlind = {
      "INSERT INTO parent (n) VALUES (7) RETURNING id INTO v; ",
      "INSERT INTO parent (n) VALUES (3); ",
      "INSERT INTO child (parent, n) VALUES (v, 4) RETURNING id INTO w; ",
      "INSERT INTO child (parent, n) VALUES (1, 6); ",
      "INSERT INTO child (parent, n, note) VALUES (2, 6, 'of ' || v); ",
      "UPDATE parent SET n = n + 1 WHERE id = v; ",
      "UPDATE parent SET n = n - 2 WHERE id = 1; ",
      "SELECT n INTO m FROM parent WHERE id = 2; ",
      "SELECT count(*) INTO m FROM parent; ",
      "SELECT count(*) INTO m FROM child WHERE parent = v; ",
      "IF m > 2 THEN INSERT INTO child (parent, n) VALUES (2, m); END IF; ",
      "DELETE FROM child WHERE id = w; ",
      "v := nextval('parent_id_seq'); ",
      "INSERT INTO child (parent, n) SELECT id, n FROM parent WHERE id = v; ",
      "SELECT * FROM parent; ",
  };
  constexpr std::array kLooking = {
      "UPDATE parent SET n = n + 1 WHERE id > 2; ",
      "SELECT max(id) INTO v FROM parent; ",
      "SELECT id INTO v FROM parent ORDER BY id DESC LIMIT 1; ",
      "SELECT id INTO v FROM parent WHERE n < 10; ",
      "UPDATE parent SET n = id WHERE id = v; ",
      "IF v = 4 THEN UPDATE parent SET n = 99 WHERE id = 1; END IF; ",
      "IF v > w THEN UPDATE parent SET n = 77 WHERE id = 2; END IF; ",
      "DELETE FROM child WHERE n > 4; ",
      "m := v + 1; ",
      "INSERT INTO child (parent, n) SELECT id, n FROM parent; ",
      "INSERT INTO parent (id, n) VALUES (4, 1); ",
      "v := nextval('tickets'); ",
      "CALL above(v); ",
      "BEGIN UPDATE parent SET n = 1 / (id - 3) WHERE id = v; "
      "EXCEPTION WHEN division_by_zero THEN m := 9; END; ",
      "PERFORM pg_advisory_xact_lock(v); ",
  };
  // Sub-transactions and statements made of texts.
  constexpr std::array kNested = {
      "CALL same(v); ",
      "SAVEPOINT p; INSERT INTO parent (n) VALUES (9) RETURNING id INTO v; "
      "ROLLBACK TO p; ",
      "SAVEPOINT p; INSERT INTO child (parent, n) VALUES (v, 2); RELEASE p; ",
      "BEGIN INSERT INTO parent (id, n) VALUES (v, 1); "
      "EXCEPTION WHEN unique_violation THEN "
      "INSERT INTO parent (n) VALUES (2) RETURNING id INTO w; END; ",
      "BEGIN INSERT INTO child (parent, n) VALUES (w, 3); "
      "EXCEPTION WHEN OTHERS THEN m := 4; END; ",
  };
  if (nests && random.chance(0.4)) return pick(random, kNested);
  if (looks && random.chance(0.4)) return pick(random, kLooking);
  return pick(random, kBlind);
}

std::string random_program(Random& random) {
  const bool looks = random.chance(0.5);
  std::string text = kTables;
  const bool nests = random.chance(0.3);
  if (random.chance(0.3)) text += kMore[random.below(kMore.size())];
  text += kProcedures;
  const std::size_t sessions = 2 + random.below(2);
  for (std::size_t s = 0; s < sessions; ++s) {
    text += "--@ session s" + std::to_string(s + 1) +
            ": BEGIN; v := 1; w := 1; m := 0; ";
    const std::size_t length = 1 + random.below(sessions == 2 ? 4 : 2);
    for (std::size_t i = 0; i < length; ++i)
      text += random_statement(random, looks, nests);
    text += "COMMIT;\n";
  }
  text +=
      "--@ invariant few: (SELECT count(*) FROM child) <= 2\n"
      "--@ invariant low: (SELECT sum(n) FROM parent) <= 40\n"
      "--@ invariant high: (SELECT sum(n) FROM parent) >= 30\n"
      "--@ invariant apart: NOT EXISTS (SELECT 1 FROM parent p JOIN child c ON "
      "c.parent = p.id WHERE p.n < c.n)\n"
      "--@ invariant double: NOT EXISTS (SELECT parent FROM child GROUP BY "
      "parent HAVING count(*) > 1)\n";
  if (looks) {
    text +=
        "--@ invariant small: NOT EXISTS (SELECT 1 FROM parent WHERE id = 4 "
        "AND "
        "n = 7)\n"
        "--@ invariant order: (SELECT count(*) FROM parent a JOIN parent b ON "
        "a.id < b.id WHERE a.n < b.n) <= 2\n";
  }
  return text;
}

struct Verdicts {
  std::vector<Outcome> properties;
  std::set<std::string> aborts;
  std::uint64_t states = 0;

  friend bool operator==(const Verdicts& a, const Verdicts& b) {
    return a.properties == b.properties && a.aborts == b.aborts;
  }
};

Verdicts verdicts_of(const sql::Application& application,
                     const Profile& profile, bool renames) {
  ProfileOptions options;
  options.all = true;
  options.explains = renames;  // which replays what was found
  options.renames = renames;
  const auto answer =
      explore_profile(application, profile, options, Budget::unlimited());
  EXPECT_TRUE(answer && answer->is_complete);
  Verdicts verdicts;
  for (const PropertyAnswer& property : answer->properties)
    verdicts.properties.push_back(property.verdict);
  for (const auto& [code, count] : answer->counts.aborts)
    verdicts.aborts.insert(code);
  verdicts.states = answer->counts.explored;
  for (const Counterexample& found : answer->counterexamples)
    EXPECT_FALSE(found.replay_problem);
  return verdicts;
}

TEST(EngineIdentifiersFuzz, WhoGotWhichNumberChangesNoVerdict) {
  Random random(fuzz_seed(11));
  const int rounds = fuzz_rounds(150);
  std::uint64_t renamed = 0;
  std::uint64_t plain = 0;
  int owning = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = random_program(random);
    const auto application = sql::read_sql("random.sql", text);
    ASSERT_TRUE(application) << application.error().what << "\n" << text;
    const sql::Routines routines(*application);
    const auto database =
        sql::MemoryDatabase::after_setup(routines, Budget::unlimited());
    const auto own = identifying_sequences(
        *application, std::get<sql::MemoryDatabase>(database));
    for (const bool is_own : own) owning += is_own ? 1 : 0;
    for (const char* name :
         {"postgresql:read-committed", "postgresql:repeatable-read",
          "postgresql:serializable"}) {
      const Profile& profile = **parse_profile(name);
      const Verdicts with = verdicts_of(*application, profile, true);
      const Verdicts without = verdicts_of(*application, profile, false);
      ASSERT_EQ(with.properties, without.properties) << name << "\n" << text;
      ASSERT_EQ(with.aborts, without.aborts) << name << "\n" << text;
      ASSERT_LE(with.states, without.states) << name << "\n" << text;
      renamed += with.states;
      plain += without.states;
    }
  }
  // It does something, and often.
  EXPECT_GT(owning, rounds / 3);
  EXPECT_LT(renamed, plain);
}

}  // namespace
}  // namespace txscope::engine
