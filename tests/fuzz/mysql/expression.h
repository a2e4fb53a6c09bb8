#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "model/sql/expr.h"

namespace txscope::test {

/// A random expression of MySQL, as text and as we type it, with those that it
/// is made of.
struct MysqlExpression {
  std::string text;
  sql::Expr expr;
  std::vector<MysqlExpression> parts;
};

[[nodiscard]] MysqlExpression random_mysql_expression(Random& random,
                                                      int depth);

}  // namespace txscope::test
