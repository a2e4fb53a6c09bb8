// Random conditions over random rows: what the symbolic evaluator says of
// unknown rows, with the unknowns then fixed, is what the evaluator says of the
// rows themselves.

#include <gtest/gtest.h>

#include "base/random.h"
#include "exec/sql/memory/database.h"
#include "read/sql/sql.h"
#include "smt/model.h"
#include "support/fuzz.h"
#include "symbolic/query/query.h"

namespace txscope::sql {
namespace {

class Conditions {
 public:
  explicit Conditions(Random& random) : random_(random) {}

  std::string condition(int depth) {
    if (depth == 0) return comparison(0);
    switch (random_.below(9)) {
      case 0:
        return "(" + condition(depth - 1) + " AND " + condition(depth - 1) +
               ")";
      case 1:
        return "(" + condition(depth - 1) + " OR " + condition(depth - 1) + ")";
      case 2: return "(NOT " + condition(depth - 1) + ")";
      case 3: return "(" + number(depth - 1) + " IS NULL)";
      case 4: return query(depth - 1, "EXISTS (SELECT *", "");
      case 5: {
        const std::string value = number(depth - 1);
        return query(depth - 1, "(" + value + " IN (SELECT @.a", ")");
      }
      case 6:
        return "(" + number(depth - 1) + " IN (1, NULL, " + number(0) + "))";
      case 7:
        return "(" + number(depth - 1) + " IS DISTINCT FROM " +
               number(depth - 1) + ")";
      default: return comparison(depth - 1);
    }
  }

 private:
  std::string comparison(int depth) {
    static const char* const kOps[] = {"=", "<>", "<", "<=", ">", ">="};
    return "(" + number(depth) + " " + kOps[random_.below(6)] + " " +
           number(depth) + ")";
  }

  std::string number(int depth) {
    const std::uint64_t kind = random_.below(depth == 0 ? 4 : 10);
    switch (kind) {
      case 0: return std::to_string(random_.between(-2, 3));
      case 1: return random_.below(4) == 0 ? "NULL::int" : "1";
      case 2:
      case 3:
        if (names_.empty()) return std::to_string(random_.between(0, 2));
        return names_[random_.below(names_.size())] +
               (random_.below(2) == 0 ? ".a" : ".b");
      case 4: return "(" + number(depth - 1) + " + " + number(depth - 1) + ")";
      case 5: return "(" + number(depth - 1) + " - " + number(depth - 1) + ")";
      case 6:
        return "coalesce(" + number(depth - 1) + ", " + number(depth - 1) + ")";
      case 7:
        return "(CASE WHEN " + condition(depth - 1) + " THEN " +
               number(depth - 1) + " ELSE " + number(depth - 1) + " END)";
      case 8:
        return "(" + number(depth - 1) + " / " +
               (random_.below(2) == 0 ? "2" : "-3") + ")";
      default: return aggregate(depth - 1);
    }
  }

  std::string aggregate(int depth) {
    static const char* const kHeads[] = {
        "(SELECT count(*)",      "(SELECT count(@.b)",
        "(SELECT sum(@.a)::int", "(SELECT min(@.b)",
        "(SELECT max(@.a)",      "(SELECT count(DISTINCT @.a)"};
    const std::string head = kHeads[random_.below(6)];
    if (random_.below(5) == 0) {
      return query(depth, "(SELECT @.b", " ORDER BY @.a DESC, @.id LIMIT 1");
    }
    return query(depth, head, "");
  }

  /// `@` is the new relation.
  std::string query(int depth, std::string head, std::string tail) {
    const std::string alias = "x" + std::to_string(next_++);
    const std::string other = "x" + std::to_string(next_++);
    names_.push_back(alias);
    std::string from = std::string(random_.below(2) == 0 ? "t " : "u ") + alias;
    const bool joins = random_.below(4) == 0;
    if (joins) {
      from += random_.below(2) == 0 ? " JOIN t " : " LEFT JOIN u ";
      from += other + " ON " + alias + ".a = " + other + ".b";
      names_.push_back(other);
    }
    std::string where;
    if (random_.below(3) > 0) where = " WHERE " + condition(depth);
    names_.pop_back();
    if (joins) names_.pop_back();
    const auto named = [&](std::string text) {
      for (std::size_t at; (at = text.find('@')) != std::string::npos;) {
        text.replace(at, 1, alias);
      }
      return text;
    };
    return named(head) + " FROM " + from + where + named(tail) + ")";
  }

  Random& random_;
  std::vector<std::string> names_;
  int next_ = 0;
};

std::string random_rows(Random& random) {
  std::string text;
  for (const char* table : {"t", "u"}) {
    const std::uint64_t n = random.below(4);
    for (std::uint64_t i = 1; i <= n; ++i) {
      const auto value = [&] {
        return random.below(5) == 0 ? std::string("NULL")
                                    : std::to_string(random.between(-1, 3));
      };
      text += std::string("INSERT INTO ") + table + " VALUES (" +
              std::to_string(i) + ", " + value() + ", " + value() + ");\n";
    }
  }
  return text;
}

std::string outcome_of(const Evaluated<Value>& value) {
  if (const auto* error = std::get_if<SqlError>(&value)) {
    return error->is_ours ? "ours" : "error";
  }
  const auto* known = std::get_if<Value>(&value);
  if (known == nullptr) return "interrupted";
  return known->is_null() ? "null" : known->is_true() ? "true" : "false";
}

/// Every column of every row is an unknown; so is whether the row is there.
std::string symbolic_outcome(const Application& application,
                             const MemoryDatabase& database) {
  smt::Terms terms;
  symbolic::SqlTerms q(terms);
  smt::Model model(terms);
  std::vector<std::vector<symbolic::GuardedRow>> state;
  for (std::size_t t = 0; t < application.schema.tables.size(); ++t) {
    state.emplace_back();
    std::vector<Row> rows = database.rows(TableId(t));
    const std::size_t there = rows.size();
    rows.emplace_back(3, Value::integer(2));  // one that is not there
    for (std::size_t r = 0; r < rows.size(); ++r) {
      symbolic::GuardedRow row;
      row.present = terms.unknown("present");
      model.set(row.present, r < there ? 1 : 0);
      for (const Value& v : rows[r]) {
        const smt::Term null = terms.unknown("null");
        model.set(null, v.is_null() ? 1 : 0);
        row.columns.push_back(q.unknown("v", kInteger, null, {}));
        model.set(row.columns.back().value, v.is_null() ? 7 : v.integer());
      }
      state.back().push_back(std::move(row));
    }
  }
  symbolic::SymbolicQueries queries(
      q, {}, [&](TableId table) -> const auto& { return state[table.index]; });
  const Property& property = application.properties[0];
  const Query& query = *std::get<Select>(property.condition.what);
  const symbolic::SqlTerm value = queries.evaluate(query.targets[0].expr, {});
  if (model.truth(q.has_failed())) return "error";
  if (value.kind == Kind::Null || model.truth(value.null)) return "null";
  return model.truth(value.value) ? "true" : "false";
}

TEST(VerifySqlFuzz, UnknownRowsMeanWhatTheRowsMean) {
  Random random(fuzz_seed(11));
  const Budget budget = Budget::unlimited();
  int compared = 0;
  const int rounds = fuzz_rounds(400);
  for (int round = 0; round < rounds; ++round) {
    const std::string text =
        "CREATE TABLE t (id int PRIMARY KEY, a int, b int);\n"
        "CREATE TABLE u (id int PRIMARY KEY, a int, b int);\n" +
        random_rows(random) + "--@ session s: BEGIN; SELECT 1; COMMIT;\n" +
        "--@ invariant p: " + Conditions(random).condition(3) + "\n";
    const auto application = sql::read_sql("fuzz.sql", text);
    ASSERT_TRUE(application) << application.error().what << "\n" << text;
    const Routines routines(*application);
    const auto database = MemoryDatabase::after_setup(routines, budget);
    ASSERT_TRUE(std::holds_alternative<MemoryDatabase>(database)) << text;
    const auto& rows = std::get<MemoryDatabase>(database);
    const std::string want =
        outcome_of(rows.holds(application->properties[0], {}, budget));
    if (want == "ours" || want == "error") continue;  // laziness may differ
    try {
      EXPECT_EQ(symbolic_outcome(*application, rows), want) << text;
      ++compared;
    } catch (const symbolic::Unsupported& unsupported) {
      FAIL() << unsupported.what << "\n" << text;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, rounds * 8 / 10);
}

}  // namespace
}  // namespace txscope::sql
