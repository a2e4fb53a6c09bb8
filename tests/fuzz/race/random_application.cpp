#include "fuzz/race/random_application.h"

namespace txscope::race {
namespace {

using Lines = std::vector<std::string>;

/// A template: `#` is one of two rows, `@` a table of two, `%` a small number.
class Chance {
 public:
  explicit Chance(std::mt19937& random) : random_(random) {}

  bool one_in(unsigned n) { return random_() % n == 0; }
  const std::string& any(const Lines& of) { return of[random_() % of.size()]; }

  std::string filled(std::string text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '#') text.replace(i, 1, std::to_string(1 + random_() % 2));
      if (text[i] == '%') text.replace(i, 1, std::to_string(3 + random_() % 3));
    }
    return text;
  }

 private:
  std::mt19937& random_;
};

const char* const kTables =
    "CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL, s boolean NOT NULL"
    " DEFAULT false, name text UNIQUE, tags int[] DEFAULT '{}',"
    " doc jsonb DEFAULT '{}');\n"
    "CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a, n int);\n"
    "CREATE TABLE q (id serial PRIMARY KEY, state text DEFAULT 'new');\n"
    "INSERT INTO a VALUES (1, 1, false, 'x'), (2, 2, false, 'y');\n"
    "INSERT INTO b VALUES (1, 2, 3), (2, NULL, 4);\n"
    "INSERT INTO q (state) VALUES ('new'), ('new');\n"
    "CREATE FUNCTION taken(r int) RETURNS bigint LANGUAGE sql AS"
    " 'SELECT count(*) FROM b WHERE a = r';\n";

// Each changes what statements mean.
const Lines kTwists = {
    "",
    "",
    "",
    "CREATE UNIQUE INDEX ON a (s) WHERE s;\n",
    "ALTER TABLE a ADD twice int GENERATED ALWAYS AS (n * 2) STORED UNIQUE;\n",
    "ALTER TABLE a ADD CHECK (n < 40);\n",
    "ALTER TABLE b DROP CONSTRAINT b_a_fkey, ADD FOREIGN KEY (a) REFERENCES a"
    " ON DELETE CASCADE ON UPDATE CASCADE;\n",
    "ALTER TABLE b DROP CONSTRAINT b_a_fkey, ADD FOREIGN KEY (a) REFERENCES a"
    " ON DELETE SET NULL;\n",
    "ALTER TABLE b DROP CONSTRAINT b_a_fkey, ADD FOREIGN KEY (a) REFERENCES a"
    " DEFERRABLE INITIALLY DEFERRED;\n",
    "ALTER TABLE a DROP CONSTRAINT a_name_key, ADD UNIQUE (name) DEFERRABLE"
    " INITIALLY DEFERRED;\n",
    "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN"
    " INSERT INTO q (state) VALUES (NEW.n); RETURN NEW; END';\n"
    "CREATE TRIGGER t AFTER UPDATE ON a FOR EACH ROW EXECUTE FUNCTION "
    "note();\n",
    "CREATE INDEX ON b (a); CREATE UNIQUE INDEX ON a ((n % 7));\n",
};

const Lines kStatements = {
    "SELECT n FROM a WHERE id = #;",
    "SELECT n, s, name FROM a;",
    "SELECT id, n FROM a ORDER BY id;",
    "SELECT sum(n), count(*) FROM a WHERE n > 1;",
    "SELECT id FROM a WHERE n > 0 LIMIT 1;",
    "SELECT count(*) FROM b WHERE a = #;",
    "SELECT n FROM a WHERE id = # FOR UPDATE;",
    "SELECT n FROM a WHERE id = # FOR SHARE;",
    "SELECT n FROM a WHERE id = # FOR UPDATE NOWAIT;",
    "SELECT n FROM a WHERE id = # FOR NO KEY UPDATE SKIP LOCKED;",
    "SELECT id FROM q WHERE state = 'new' LIMIT 1 FOR UPDATE SKIP LOCKED;",
    "SELECT a.n FROM a JOIN b ON b.a = a.id WHERE b.id = #;",
    "SELECT EXISTS (SELECT FROM b WHERE a = #);",
    "UPDATE a SET n = n * 2 + 1 WHERE id = #;",
    "UPDATE a SET n = n * 2 + 1 WHERE id = # RETURNING n;",
    "UPDATE a SET n = n + % WHERE id = #;",
    "UPDATE a SET s = NOT s WHERE id = #;",
    "UPDATE a SET name = 'z' WHERE id = #;",
    "UPDATE a SET tags = tags || % WHERE id = #;",
    "UPDATE a SET doc = doc || '{\"k\": %}' WHERE id = #;",
    "UPDATE a SET n = (SELECT max(n) FROM b) WHERE id = #;",
    "UPDATE b SET n = coalesce((SELECT sum(n) FROM a), 0) WHERE id = #;",
    "UPDATE b SET a = # WHERE id = #;",
    "UPDATE a SET n = n + 1 WHERE n > 1;",
    "UPDATE a SET id = % WHERE id = #;",
    "UPDATE q SET state = 'taken' WHERE id = (SELECT id FROM q WHERE state ="
    " 'new' ORDER BY id LIMIT 1) RETURNING id;",
    "DELETE FROM a WHERE id = #;",
    "DELETE FROM b WHERE n > 3;",
    "INSERT INTO a VALUES (%, #);",
    "INSERT INTO b VALUES (%, #, 5);",
    "INSERT INTO b SELECT max(id) + 1, #, count(*) FROM b;",
    "INSERT INTO q (state) VALUES ('new') RETURNING id;",
    "INSERT INTO a VALUES (%, 9) ON CONFLICT (id) DO UPDATE SET n = a.n + 1;",
    "INSERT INTO a VALUES (#, 9) ON CONFLICT (id) DO UPDATE SET n = a.n * 3;",
    "INSERT INTO a VALUES (#, 9) ON CONFLICT DO NOTHING;",
    "WITH gone AS (DELETE FROM q WHERE id = # RETURNING id) INSERT INTO b"
    " SELECT id + 10, NULL, 0 FROM gone;",
    "SELECT taken(#);",
    "SELECT pg_try_advisory_xact_lock(1);",
    "SELECT pg_advisory_lock(#);",
    "LOCK TABLE b IN SHARE MODE;",
    "DO $$ BEGIN UPDATE a SET n = n + 1 WHERE id = #; END $$;",
    "SELECT nextval('q_id_seq');",
    "TRUNCATE b;",
    "PREPARE p AS UPDATE a SET n = n + 1 WHERE id = #;\nEXECUTE p;\n"
    "DEALLOCATE p;",
    "CREATE TEMP TABLE IF NOT EXISTS t AS SELECT n FROM a;\nSELECT max(n)"
    " FROM t;",
    "SELECT n < 10 AS ok FROM a WHERE id = # \\gset\n\\if :{?ok}\n\\if :ok\n"
    "UPDATE a SET n = n + 10 WHERE id = #;\n\\else\n\\echo full\n\\endif\n"
    "\\endif",
    "SELECT count(*) = 0 AS ok FROM b WHERE a = # \\gset\n\\if :ok\n"
    "INSERT INTO b VALUES (%, #, 0);\n\\else\n\\echo there\n\\endif",
};

const Lines kBegins = {"BEGIN;",
                       "BEGIN;",
                       "BEGIN;",
                       "BEGIN ISOLATION LEVEL REPEATABLE READ;",
                       "BEGIN ISOLATION LEVEL REPEATABLE READ;",
                       "BEGIN ISOLATION LEVEL SERIALIZABLE;"};

const char* const kTablesOfMariadb =
    "CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL, s boolean NOT NULL"
    " DEFAULT false, name varchar(20) UNIQUE);\n"
    "CREATE TABLE b (id int PRIMARY KEY, a int, n int, INDEX (n),"
    " FOREIGN KEY (a) REFERENCES a (id));\n"
    "CREATE TABLE q (id int AUTO_INCREMENT PRIMARY KEY, state varchar(10)"
    " DEFAULT 'new');\n"
    "INSERT INTO a VALUES (1, 1, false, 'x'), (2, 2, false, 'y');\n"
    "INSERT INTO b VALUES (1, 2, 3), (2, NULL, 4);\n"
    "INSERT INTO q (state) VALUES ('new'), ('new');\n";

const Lines kTwistsOfMariadb = {
    "",
    "",
    "ALTER TABLE b DROP FOREIGN KEY b_ibfk_1;"
    "ALTER TABLE b ADD FOREIGN KEY (a) REFERENCES a (id) ON DELETE CASCADE;\n",
    "CREATE TRIGGER t AFTER UPDATE ON a FOR EACH ROW INSERT INTO q (state)"
    " VALUES (NEW.n);\n",
    "ALTER TABLE a ADD twice int AS (n * 2) PERSISTENT, ADD UNIQUE (twice);\n",
};

const Lines kStatementsOfMariadb = {
    "SELECT n FROM a WHERE id = #;",
    "SELECT n, s, name FROM a;",
    "SELECT sum(n), count(*) FROM a WHERE n > 1;",
    "SELECT count(*) FROM b WHERE n > 3;",
    "SELECT n FROM a WHERE id = # FOR UPDATE;",
    "SELECT n FROM a WHERE id = # LOCK IN SHARE MODE;",
    "SELECT n FROM a WHERE id = # FOR UPDATE NOWAIT;",
    "SELECT id FROM q WHERE state = 'new' LIMIT 1 FOR UPDATE SKIP LOCKED;",
    "SELECT n INTO @n FROM a WHERE id = #;\nUPDATE a SET n = @n + 1 WHERE id ="
    " #;",
    "SET @n = (SELECT n FROM a WHERE id = #);\nUPDATE b SET n = @n WHERE id ="
    " #;",
    "UPDATE a SET n = n * 2 + 1 WHERE id = #;",
    "UPDATE a SET n = n + % WHERE id = #;",
    "UPDATE a SET name = 'z' WHERE id = #;",
    "UPDATE a SET n = n + 1 WHERE n > 1;",
    "UPDATE b SET n = (SELECT sum(n) FROM a) WHERE id = #;",
    "UPDATE b SET n = n + 1 WHERE n BETWEEN 3 AND 4;",
    "DELETE FROM b WHERE n > 3;",
    "DELETE FROM a WHERE id = #;",
    "INSERT INTO a VALUES (%, #, true, NULL);",
    "INSERT INTO b VALUES (%, #, %);",
    "INSERT IGNORE INTO b VALUES (%, #, 5);",
    "REPLACE INTO b VALUES (#, NULL, 6);",
    "INSERT INTO q (state) VALUES ('new');\nSELECT last_insert_id();",
    "INSERT INTO b VALUES (#, #, 9) ON DUPLICATE KEY UPDATE n = n + 1;",
    "SELECT GET_LOCK('one', 60);",
    "DO RELEASE_LOCK('one');",
    "PREPARE p FROM 'UPDATE a SET n = n + 1 WHERE id = #';\nEXECUTE p;",
    "CREATE TEMPORARY TABLE IF NOT EXISTS t AS SELECT n FROM a;\n"
    "SELECT max(n) FROM t;",
};

const Lines kBeginsOfMariadb = {
    "BEGIN;",
    "BEGIN;",
    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;\nBEGIN;",
    "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;\nSTART TRANSACTION;",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT;",
};

struct Words {
  const Lines& begins;
  const Lines& statements;
  const char* proceed;  ///< behind an error; null: it always ends the script
};

Lines random_request(Chance& chance, const Words& words, std::size_t steps) {
  Lines lines;
  if (words.proceed != nullptr && chance.one_in(3))
    lines.emplace_back(words.proceed);
  const bool has_transaction = !chance.one_in(3);
  if (has_transaction) lines.push_back(chance.any(words.begins));
  const std::size_t count = has_transaction ? steps - 1 : steps;
  for (std::size_t i = 0; i < count; ++i) {
    if (has_transaction && chance.one_in(9)) {
      lines.emplace_back("SAVEPOINT s;");
      lines.push_back(chance.filled(chance.any(words.statements)));
      lines.emplace_back("ROLLBACK TO SAVEPOINT s;");
      continue;
    }
    lines.push_back(chance.filled(chance.any(words.statements)));
  }
  if (has_transaction)
    lines.emplace_back(chance.one_in(7) ? "ROLLBACK;" : "COMMIT;");
  return lines;
}

}  // namespace

std::string RandomApplication::script(std::size_t request) const {
  std::string text;
  for (const std::string& line : requests[request]) text += line + "\n";
  return text;
}

std::string RandomApplication::shown() const {
  std::string text = schema;
  for (std::size_t i = 0; i < requests.size(); ++i)
    text += "-- request " + std::to_string(i + 1) + "\n" + script(i);
  return text;
}

RandomApplication random_on_postgresql(std::mt19937& random,
                                       std::size_t requests,
                                       std::size_t steps) {
  Chance chance(random);
  RandomApplication result;
  result.schema = kTables + chance.any(kTwists);
  const Words words = {kBegins, kStatements, "\\set ON_ERROR_STOP off"};
  for (std::size_t i = 0; i < requests; ++i)
    result.requests.push_back(random_request(chance, words, steps));
  return result;
}

RandomApplication random_on_mariadb(std::mt19937& random, std::size_t requests,
                                    std::size_t steps) {
  Chance chance(random);
  RandomApplication result;
  result.schema = kTablesOfMariadb + chance.any(kTwistsOfMariadb);
  const Words words = {kBeginsOfMariadb, kStatementsOfMariadb, nullptr};
  for (std::size_t i = 0; i < requests; ++i)
    result.requests.push_back(random_request(chance, words, steps));
  return result;
}

}  // namespace txscope::race
