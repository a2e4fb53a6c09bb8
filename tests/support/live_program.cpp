#include "support/live_program.h"

#include <cstdint>
#include <functional>

namespace txscope::test {
namespace {

/// Writes statements over one schema.
class Author {
 public:
  Author(Random& random, Product product)
      : random_(random),
        is_postgresql_(product == Product::PostgreSql),
        schema_(random.below(is_postgresql_ ? 16 : 7)) {}

  /// Two tables, and the beginning of a trigger function that uses the second.
  static std::string with_trigger_function(const std::string& rows,
                                           const std::string& log) {
    return "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\n"
           "CREATE TABLE log (id int PRIMARY KEY, n int NOT NULL);\n"
           "INSERT INTO t VALUES " +
           rows + ";\nINSERT INTO log VALUES " + log +
           ";\nCREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ ";
  }

  std::string tables() {
    std::string first = "(1, 10)";
    if (random_.chance(0.8)) first += ", (2, 20)";
    if (random_.chance(0.3)) first += ", (4, 10)";
    switch (schema_) {
      case 0:
      case 1:
        return "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\n"
               "INSERT INTO t VALUES " +
               first + ";\n";
      case 2:
        return "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL UNIQUE);\n"
               "INSERT INTO t VALUES (1, 10), (2, 20);\n";
      case 3:
      case 4:
      case 9:
        return "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\n"
               "CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id)" +
               std::string(schema_ == 4   ? " ON DELETE CASCADE"
                           : schema_ == 9 ? " DEFERRABLE INITIALLY DEFERRED"
                                          : "") +
               ");\n"
               "INSERT INTO t VALUES (1, 10), (2, 20);\n"
               "INSERT INTO c VALUES (1, 2);\n";
      case 7:
        return with_trigger_function(first, "(1, 0), (2, 0)") +
               "BEGIN UPDATE log SET n = n + 1 WHERE id = " +
               std::string(random_.chance(0.5) ? "1" : "1 + NEW.id % 2") +
               "; RETURN NEW; END $$;\nCREATE TRIGGER f " +
               (random_.chance(0.5) ? "BEFORE" : "AFTER") +
               " INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f();\n";
      case 8:
        return with_trigger_function(first, "(1, 15)") +
               "DECLARE m int; BEGIN SELECT n INTO m FROM log WHERE id = 1" +
               std::string(random_.chance(0.3) ? " FOR SHARE" : "") +
               "; IF NEW.n > m THEN " +
               (random_.chance(0.5) ? "RETURN NULL" : "NEW.n := m") +
               "; END IF; RETURN NEW; END $$;\nCREATE TRIGGER f BEFORE INSERT "
               "OR UPDATE OF n ON t FOR EACH ROW EXECUTE FUNCTION f();\n";
      case 10:
        return "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\n"
               "CREATE UNIQUE INDEX ON t ((n / 20))" +
               std::string(random_.chance(0.3) ? " WHERE id < 4" : "") +
               ";\nINSERT INTO t VALUES (1, 10), (2, 20);\n";
      case 11:
        return "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, EXCLUDE "
               "USING gist (int4range(n, n + 5) WITH &&)" +
               std::string(random_.chance(0.3) ? " WHERE (id < 4)" : "") +
               ");\nINSERT INTO t VALUES (1, 10), (2, 20);\n";
      case 12:
        return "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL UNIQUE "
               "DEFERRABLE INITIALLY " +
               std::string(random_.chance(0.5) ? "DEFERRED" : "IMMEDIATE") +
               ");\nINSERT INTO t VALUES (1, 10), (2, 20);\n";
      case 13:
        return "CREATE TABLE t (id int PRIMARY KEY DEFERRABLE" +
               std::string(random_.chance(0.5) ? " INITIALLY DEFERRED" : "") +
               ", n int NOT NULL);\nINSERT INTO t VALUES (1, 10), (2, 20);\n";
      case 14:
        return with_trigger_function(first, "(1, 15)") + "BEGIN " +
               std::string(
                   random_.chance(0.5)
                       ? "UPDATE log SET n = n + (SELECT sum(n) FROM t)"
                       : "IF (SELECT sum(n) FROM t) > 40 + (SELECT n FROM log) "
                         "THEN RAISE EXCEPTION 'much'; END IF") +
               "; RETURN NULL; END $$;\nCREATE CONSTRAINT TRIGGER f AFTER "
               "INSERT OR UPDATE ON t DEFERRABLE INITIALLY " +
               (random_.chance(0.7) ? "DEFERRED" : "IMMEDIATE") +
               " FOR EACH ROW EXECUTE FUNCTION f();\n";
      case 15: {
        const std::string level = random_.chance(0.7) ? "STATEMENT" : "ROW";
        return with_trigger_function(first, "(1, 0), (2, 0)") +
               "BEGIN UPDATE log SET n = n + x.s FROM (SELECT coalesce(sum(n), "
               "1) AS s FROM a) x WHERE id = 1; RETURN NULL; END $$;\n"
               "CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS $$ "
               "BEGIN UPDATE log SET n = n + (SELECT count(*) FROM a JOIN b "
               "USING (id)) WHERE id IN (SELECT id FROM b); RETURN NULL; END "
               "$$;\nCREATE TRIGGER f AFTER INSERT ON t REFERENCING NEW TABLE "
               "AS a FOR EACH " +
               level + " EXECUTE FUNCTION f();\n" +
               "CREATE TRIGGER g AFTER UPDATE ON t REFERENCING NEW TABLE AS a "
               "OLD TABLE AS b FOR EACH " +
               level + " EXECUTE FUNCTION g();\n" +
               "CREATE TRIGGER h AFTER DELETE ON t REFERENCING OLD TABLE AS a "
               "FOR EACH STATEMENT EXECUTE FUNCTION f();\n";
      }
      case 5:
        return "CREATE TABLE t (id int, n int, PRIMARY KEY (id, n));\n"
               "INSERT INTO t VALUES (1, 10), (1, 20), (2, 10);\n";
      default:
        return "CREATE TABLE t (id int PRIMARY KEY, n int UNIQUE, "
               "CHECK (n < 40));\n"
               "INSERT INTO t VALUES (1, 10), (2, NULL), (3, 30);\n";
    }
  }

  /// A statement, or some in a sub-transaction.
  std::string step() {
    if (!is_postgresql_ || !random_.chance(0.2)) return statement();
    switch (random_.below(5)) {
      case 0:
        return "BEGIN " + statement() + "; EXCEPTION WHEN OTHERS THEN " +
               statement() + "; END";
      case 1:
        return "BEGIN " + statement() + "; " + statement() +
               "; EXCEPTION WHEN unique_violation OR serialization_failure "
               "THEN NULL; END";
      case 2:
        return "BEGIN " + statement() +
               "; RAISE EXCEPTION 'no'; EXCEPTION WHEN OTHERS THEN NULL; END";
      case 3: return "SAVEPOINT p; " + statement() + "; ROLLBACK TO p";
      default: return "SAVEPOINT p; " + statement() + "; RELEASE p";
    }
  }

  std::string statement() {
    if (has_child() && random_.chance(0.4)) return child();
    if (has_deferrable() && random_.chance(0.15)) {
      return std::string("SET CONSTRAINTS ALL ") +
             (random_.chance(0.6) ? "DEFERRED" : "IMMEDIATE");
    }
    if (has_log() && random_.chance(0.3)) {
      return random_.chance(0.5) ? "UPDATE log SET n = n + 10 WHERE id = 1"
                                 : "SELECT id, n FROM log" + lock();
    }
    if (is_postgresql_ && random_.chance(0.08)) return explicit_lock();
    if (is_postgresql_ && random_.chance(0.12)) return in_parts();
    if (is_postgresql_ && random_.chance(0.12)) return merge();
    switch (random_.below(16)) {
      case 0:
      case 1: return "SELECT n FROM t WHERE id = " + key() + lock();
      case 2: return "SELECT id, n FROM t" + where() + lock();
      case 3: return "SELECT count(*), sum(n) FROM t" + where();
      case 4:
      case 5: return "UPDATE t SET n = " + value() + " WHERE id = " + key();
      case 6: return "UPDATE t SET n = " + value() + where();
      case 7: return "DELETE FROM t WHERE id = " + key();
      case 8: return "DELETE FROM t" + where();
      case 9: return "UPDATE t SET id = " + key() + " WHERE id = " + key();
      case 10:
        // Where NULL is in an order differs.
        return "SELECT id, n FROM t" + where() + " ORDER BY " +
               (schema_ == 6 ? "" : "n, ") + "id LIMIT 1" + lock();
      case 11:
        return "UPDATE t SET n = (SELECT max(n) FROM t) WHERE id = " + key();
      case 12:
        return "DELETE FROM t WHERE n = (SELECT min(n) FROM t" + where() + ")";
      case 13: return "INSERT INTO t SELECT id + 2, n + 1 FROM t" + where();
      default: return insert();
    }
  }

 private:
  [[nodiscard]] bool has_child() const {
    return schema_ == 3 || schema_ == 4 || schema_ == 9;
  }
  [[nodiscard]] bool has_log() const {
    return schema_ == 7 || schema_ == 8 || schema_ >= 14;
  }
  [[nodiscard]] bool has_deferrable() const {
    return schema_ == 9 || (schema_ >= 12 && schema_ <= 14);
  }
  std::string key() { return std::to_string(random_.between(1, 4)); }
  std::string number() { return std::to_string(random_.between(1, 3) * 10); }
  std::string value() {
    return random_.chance(0.6)
               ? "n + " + std::string(random_.chance(0.5) ? "10" : "1")
               : number();
  }
  std::string lock() {
    if (random_.chance(0.5)) return "";
    if (is_postgresql_ && random_.chance(0.3))
      return random_.chance(0.5) ? " FOR NO KEY UPDATE" : " FOR KEY SHARE";
    std::string text = random_.chance(0.6) ? " FOR UPDATE" : " FOR SHARE";
    if (is_postgresql_ && random_.chance(0.2))
      text += random_.chance(0.5) ? " SKIP LOCKED" : " NOWAIT";
    return text;
  }
  std::string explicit_lock() {
    switch (random_.below(5)) {
      case 0:
        return random_.chance(0.5) ? "LOCK TABLE t IN SHARE MODE"
                                   : "LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE";
      case 1:
        return random_.chance(0.5) ? "LOCK t"
                                   : "LOCK TABLE t IN EXCLUSIVE MODE NOWAIT";
      case 2: return "SELECT pg_try_advisory_xact_lock(1)";
      case 3: return "SELECT pg_advisory_xact_lock_shared(1)";
      default: return "SELECT pg_advisory_xact_lock(1)";
    }
  }
  /// A statement inside of another one.
  std::string in_parts() {
    const std::string picked = "SELECT id FROM t" + where() + " ORDER BY id" +
                               (random_.chance(0.7) ? " LIMIT 1" : "") +
                               " FOR UPDATE" +
                               (random_.chance(0.4) ? " SKIP LOCKED" : "");
    const std::string one = "SELECT id FROM t" + where() +
                            " ORDER BY id LIMIT 1 FOR UPDATE" +
                            (random_.chance(0.4) ? " SKIP LOCKED" : "");
    const std::string update = "UPDATE t SET n = " + value();
    switch (random_.below(8)) {
      case 0: return update + " WHERE id = (" + one + ")";
      case 1: return "DELETE FROM t WHERE id = (" + one + ")";
      case 2:
        return "WITH p AS (" + picked + ") " + update +
               " FROM p WHERE p.id = t.id";
      case 3:
        return "WITH m AS (DELETE FROM t WHERE id = " + key() +
               " RETURNING id, n) INSERT INTO t SELECT id + 2, n + 1 FROM m";
      case 4:
        return "WITH m AS (" + update + " WHERE id = " + key() +
               " RETURNING id, n) SELECT sum(m.n), (SELECT sum(n) FROM t) "
               "FROM m";
      case 5:
        return "WITH m AS (" + insert() + " RETURNING id) " + update +
               " WHERE id IN (SELECT id + 1 FROM m)";
      case 6:
        return "WITH m AS (DELETE FROM t WHERE id = " + key() + ") " + update +
               " WHERE id = " + key();
      default:
        return "WITH a AS (" + update + " WHERE id = " + key() +
               " RETURNING id), b AS (INSERT INTO t SELECT id + 2, 30 FROM a"
               ") SELECT count(*) FROM t";
    }
  }
  std::string merge() {
    std::string source = "(VALUES (" + key() + ", " + number() + ")";
    if (random_.chance(0.3)) source += ", (" + key() + ", " + number() + ")";
    source += ") v (id, n)";
    // Many rows of USING would come in an order that is the planner's.
    std::string text = "MERGE INTO t USING " + source + " ON t.id = v.id" +
                       (random_.chance(0.3) ? " AND t.n <= 20" : "");
    if (random_.chance(0.3))
      text += " WHEN MATCHED AND t.n > v.n THEN " +
              std::string(random_.chance(0.5) ? "DELETE" : "DO NOTHING");
    if (random_.chance(0.8))
      text += random_.chance(0.8)
                  ? " WHEN MATCHED THEN UPDATE SET n = t.n + v.n"
                  : " WHEN MATCHED THEN UPDATE SET id = v.id + 1";
    if (random_.chance(0.7))
      text += std::string(" WHEN NOT MATCHED") +
              (random_.chance(0.2) ? " AND v.n > 10" : "") +
              " THEN INSERT VALUES (v.id, v.n)";
    else
      text += " WHEN NOT MATCHED THEN DO NOTHING";
    return text;
  }
  std::string where() {
    switch (random_.below(5)) {
      case 0: return "";
      case 1: return " WHERE n = " + number();
      case 2: return " WHERE n >= " + number();
      case 3: return " WHERE n < " + number();
      default: return " WHERE id > " + key();
    }
  }
  std::string insert() {
    std::string text = "INSERT INTO t VALUES (" + key() + ", " + number() + ")";
    if (is_postgresql_ && random_.chance(0.4)) {
      const std::string key = schema_ == 5 ? "(id, n)" : "(id)";
      text += random_.chance(0.5) || schema_ == 13
                  ? " ON CONFLICT DO NOTHING"
                  : " ON CONFLICT " + key + " DO UPDATE SET n = t.n + 1" +
                        (random_.chance(0.3) ? " WHERE t.n > 10" : "");
    }
    return text;
  }
  std::string child() {
    switch (random_.below(6)) {
      case 0:
      case 1: return "INSERT INTO c VALUES (" + key() + ", " + key() + ")";
      case 2: return "UPDATE c SET t = " + key() + " WHERE id = " + key();
      case 3: return "DELETE FROM c WHERE id = " + key();
      case 4:
        return "SELECT c.id, n FROM c JOIN t ON t.id = c.t" +
               std::string(random_.chance(0.5) ? " FOR UPDATE" : "");
      default: return "SELECT t FROM c WHERE id = " + key() + lock();
    }
  }

  Random& random_;
  bool is_postgresql_;
  std::uint64_t schema_;
};

}  // namespace

std::string LiveProgram::text() const {
  std::string text = tables;
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    text += "--@ session s" + std::to_string(s + 1) + ": BEGIN; ";
    for (const std::string& statement : sessions[s]) text += statement + "; ";
    text += "COMMIT;\n";
  }
  return text;
}

std::vector<LiveProgram> LiveProgram::smaller() const {
  std::vector<LiveProgram> result;
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    if (sessions.size() > 1) {
      result.push_back(*this);
      auto& rest = result.back().sessions;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(s));
    }
    for (std::size_t i = 0; i < sessions[s].size() && sessions[s].size() > 1;
         ++i) {
      result.push_back(*this);
      auto& rest = result.back().sessions[s];
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return result;
}

LiveProgram random_live_program(Random& random, Product product) {
  Author author(random, product);
  LiveProgram program;
  program.tables = author.tables();
  const bool has_three = random.chance(0.25);
  for (int s = 0; s < (has_three ? 3 : 2); ++s) {
    auto& session = program.sessions.emplace_back();
    const std::int64_t statements = random.between(1, has_three ? 2 : 3);
    for (std::int64_t i = 0; i < statements; ++i)
      session.push_back(author.step());
  }
  return program;
}

}  // namespace txscope::test
