// Random expressions of MySQL, evaluated by us and by a live MariaDB: the same
// text or the same error.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "exec/sql/mysql/convert.h"
#include "exec/sql/query/evaluate.h"
#include "exec/sql/routine/process.h"
#include "expression.h"
#include "model/sql/mysql/typing.h"
#include "support/fuzz.h"
#include "support/live_server.h"

namespace txscope::test {
namespace {

class NoRows final : public sql::Store {
 public:
  bool scan(const sql::Access&, const OnRow&) override { return true; }
};

struct Compared {
  std::string ours;
  std::string live;
  bool is_equal = true;
  bool is_beyond_us = false;  ///< what we say that we cannot
};

class Judge {
 public:
  explicit Judge(db::Session& session) : session_(session) {
    (void)session_.execute("SET sql_mode = 'STRICT_TRANS_TABLES'");
    (void)session_.execute("SET NAMES utf8mb4 COLLATE utf8mb4_general_ci");
  }

  Compared compare(const MysqlExpression& e) {
    Compared out;
    NoRows none;
    static const Budget kUnlimited = Budget::unlimited();
    sql::Evaluator evaluator(routines_, none, {}, kUnlimited);
    const sql::Expr shown = sql::mysql::shown(e.expr);
    const auto value = evaluator.value(shown);
    const bool is_real =
        sql::mysql::sort_of(shown.type) == sql::mysql::Sort::Real;
    if (const auto* error = std::get_if<sql::SqlError>(&value)) {
      out.is_beyond_us = error->is_ours;
      out.ours = "error " + error->sqlstate;
    } else {
      const sql::Value& v = std::get<sql::Value>(value);
      out.ours = v.is_null() ? "NULL" : sql::mysql::text_of(v, shown.type);
    }
    const db::Answer answer = session_.execute("SELECT " + e.text);
    if (!answer.is_ok())
      out.live = "error " + answer.code;
    else
      out.live = answer.rows[0][0].value_or("NULL");
    out.is_equal = out.ours == out.live || out.is_beyond_us ||
                   (is_real && are_near(out.ours, out.live));
    return out;
  }

 private:
  static bool are_near(const std::string& a, const std::string& b) {
    char* end = nullptr;
    const double x = std::strtod(a.c_str(), &end);
    if (end == a.c_str() || *end != '\0') return false;
    const double y = std::strtod(b.c_str(), &end);
    if (end == b.c_str() || *end != '\0') return false;
    return std::fabs(x - y) <= 1e-13 * std::fmax(std::fabs(x), std::fabs(y));
  }

  db::Session& session_;
  sql::Application application_;
  sql::Routines routines_{application_};
};

/// The smallest part that differs, too.
const MysqlExpression& smallest(Judge& judge, const MysqlExpression& e) {
  for (const MysqlExpression& part : e.parts)
    if (!judge.compare(part).is_equal) return smallest(judge, part);
  return e;
}

TEST(MysqlFuzz, ExpressionsHaveTheValuesThatMariadbGives) {
  if (!live_mariadb().server) GTEST_SKIP() << live_mariadb().why;
  const auto session = live_mariadb().connect();
  ASSERT_NE(session, nullptr);
  Judge judge(*session);
  Random random(fuzz_seed(77));
  const int rounds = fuzz_rounds(3000);
  int beyond = 0;
  std::map<std::string, std::string> differences;
  for (int round = 0; round < rounds; ++round) {
    const MysqlExpression e = random_mysql_expression(random, 2);
    const Compared compared = judge.compare(e);
    beyond += compared.is_beyond_us ? 1 : 0;
    if (compared.is_equal) continue;
    const MysqlExpression& small = smallest(judge, e);
    const Compared again = judge.compare(small);
    differences[small.text] = "ours " + again.ours + ", live " + again.live;
  }
  std::printf("%d expressions, %d of them beyond us, %zu differ\n", rounds,
              beyond, differences.size());
  // Fewer than one in two hundred, nearly all of them dates that are none (as
  // operands of =, IN and YEAR) and texts as times.
  const auto allowed = static_cast<std::size_t>(rounds / 100);
  for (const auto& [text, difference] : differences)
    std::printf("%s: %s\n", text.c_str(), difference.c_str());
  EXPECT_LE(differences.size(), allowed);
}

}  // namespace
}  // namespace txscope::test
