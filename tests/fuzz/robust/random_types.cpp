#include "random_types.h"

#include <initializer_list>

namespace txscope::robust {
namespace {

const char* const kTables = R"(
CREATE TABLE t (id int PRIMARY KEY CHECK (id > 0), a int NOT NULL CHECK (a < 4),
                b int NOT NULL CHECK (b >= 0));
INSERT INTO t VALUES (1, 1, 5), (2, 2, 6);
CREATE TABLE u (id int PRIMARY KEY, k int UNIQUE);
INSERT INTO u VALUES (1, 2);
CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id) ON DELETE CASCADE);
CREATE TABLE d (id int PRIMARY KEY, c int REFERENCES c (id) ON DELETE CASCADE);
INSERT INTO c VALUES (1, 1);
INSERT INTO d VALUES (1, 1);
CREATE FUNCTION f(i int) RETURNS int LANGUAGE sql STABLE
  AS $$ SELECT b FROM t WHERE id = i $$;
CREATE FUNCTION g(i int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT i + 1 $$;
)";

std::string statement(Random& random, int depth);

std::string block(Random& random, int depth, std::size_t most) {
  std::string out;
  const std::size_t n = 1 + random.below(most);
  for (std::size_t i = 0; i < n; ++i) out += statement(random, depth) + " ";
  return out;
}

std::string statement(Random& random, int depth) {
  const auto pick = [&](std::initializer_list<const char*> all) {
    return std::string(*(all.begin() + random.below(all.size())));
  };
  const std::string key = pick({"x", "y", "v", "1"});
  const std::string value = pick({"x", "y", "v", "0"});
  switch (random.below(depth > 0 ? 27 : 21)) {
    case 0: return "SELECT a INTO v FROM t WHERE id = " + key + ";";
    case 1:
      return "SELECT a + b INTO v FROM t WHERE id = " + key +
             pick({";", " FOR UPDATE;", " FOR SHARE;"});
    case 2: return "SELECT sum(b) INTO v FROM t WHERE a = " + value + ";";
    case 3: return "SELECT max(id) INTO v FROM u;";
    case 4: return "SELECT count(*) INTO v FROM u WHERE k = " + value + ";";
    case 5:
      return "UPDATE t SET a = " + pick({"x", "y", "a + 1", "b"}) +
             " WHERE id = " + key + ";";
    case 6: return "UPDATE t SET b = b + 1 WHERE a = " + value + ";";
    case 7: return "UPDATE t SET b = coalesce(v, 3) WHERE id = " + key + ";";
    case 8:
      return "INSERT INTO u VALUES (" + pick({"x", "y", "v + 1"}) + ", " +
             value + ");";
    case 9: return "DELETE FROM u WHERE id = " + key + ";";
    case 10: return "DELETE FROM u WHERE k = " + value + ";";
    case 11: return "INSERT INTO c VALUES (" + key + ", " + value + ");";
    case 12:
      return "SELECT t.b INTO v FROM t " + pick({"JOIN", "LEFT JOIN"}) +
             " u ON u.k = t.a WHERE t.id = " + key + ";";
    case 13: return "UPDATE u SET k = " + value + " WHERE id = " + key + ";";
    case 14: return "DELETE FROM t WHERE id = " + key + ";";
    case 15: return "SELECT count(*) INTO v FROM d WHERE id = " + key + ";";
    case 16:
      return "INSERT INTO d VALUES (" + key + ", " + pick({"1", "v"}) + ");";
    case 17: return "UPDATE u SET id = " + value + " WHERE id = " + key + ";";
    case 18:
      return "INSERT INTO u VALUES (x + 4, y) ON CONFLICT (k) DO " +
             pick({"NOTHING;", "UPDATE SET k = x;",
                   "UPDATE SET k = excluded.k WHERE u.id = 1;"});
    case 19: return "v := " + pick({"f(x);", "g(y);", "f(1) + g(x);"});
    case 20:
      return pick({"SELECT b INTO v FROM t WHERE id = ",
                   "UPDATE t SET b = b + 1 WHERE id = "}) +
             key + " AND a = " + value + ";" +
             pick({"",
                   " IF NOT FOUND THEN UPDATE u SET k = y + 1 WHERE id = "
                   "1; END IF;"});
    case 21:
      return "IF v = " + value + " THEN " + block(random, depth - 1, 2) +
             "ELSE " + block(random, depth - 1, 1) + "END IF;";
    case 22:
      return "IF EXISTS (SELECT 1 FROM u WHERE id = " + key + ") THEN " +
             block(random, depth - 1, 2) + "END IF;";
    case 23:
      return "IF NOT FOUND THEN " + pick({"RETURN;", "RAISE EXCEPTION 'no';"}) +
             " END IF;";
    case 24:
      return "FOR i IN 1..2 LOOP " +
             pick({"UPDATE t SET a = a + 1 WHERE id = i;",
                   "SELECT b INTO v FROM t WHERE id = i;",
                   "EXIT WHEN v = x; UPDATE t SET b = v WHERE id = i;"}) +
             " END LOOP;";
    case 25:
      return "BEGIN " + block(random, depth - 1, 2) +
             "EXCEPTION WHEN OTHERS THEN " + block(random, depth - 1, 1) +
             "END;";
    default:
      return "INSERT INTO u VALUES (x, y) ON CONFLICT (id) DO " +
             pick({"NOTHING;", "UPDATE SET k = y;"});
  }
}

/// One that changes the row, stops it, lets it be as it was or looks at tables.
std::string trigger(Random& random) {
  const auto pick = [&](std::initializer_list<const char*> all) {
    return std::string(*(all.begin() + random.below(all.size())));
  };
  return "CREATE FUNCTION w() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " +
         pick({"NEW.b := NEW.b + 1;", "NEW.b := OLD.a;", "NEW.a := 2;",
               "IF NEW.b > 6 THEN RAISE EXCEPTION 'no'; END IF;",
               "IF NEW.a = 3 THEN RETURN OLD; END IF;",
               "IF NEW.a = 3 THEN RETURN NULL; END IF;",
               "NEW.b := (SELECT count(*) FROM u);"}) +
         " RETURN NEW; END $$;\nCREATE TRIGGER w BEFORE UPDATE ON t FOR EACH "
         "ROW EXECUTE FUNCTION w();\n";
}

}  // namespace

std::string random_types(Random& random, std::size_t types, std::size_t most) {
  std::string out = kTables;
  if (random.chance(0.3)) {
    const std::string at_once = "t (id) ON DELETE CASCADE";
    out.replace(out.find(at_once), at_once.size(),
                "t (id) DEFERRABLE INITIALLY DEFERRED");
  }
  if (random.chance(0.3)) {
    const std::string at_once = "k int UNIQUE";
    out.replace(out.find(at_once), at_once.size(),
                random.chance(0.5)
                    ? at_once + " DEFERRABLE"
                    : at_once + " DEFERRABLE INITIALLY DEFERRED");
  }
  if (random.chance(0.3)) out += trigger(random);
  for (std::size_t p = 0; p < types; ++p) {
    out += "CREATE PROCEDURE p" + std::to_string(p) +
           "(x int, y int) LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN " +
           block(random, 1, most) + "END $$;\n";
  }
  return out;
}

}  // namespace txscope::robust
