#pragma once

#include <pg_query/pg_query.pb-c.h>

#include <cstddef>
#include <string_view>

namespace txscope::sql::syntax {

/// SELECT a + b AS c ... HAVING c > 1 ORDER BY c * 2: MySQL knows the names of
/// items there, also inside of expressions, and PostgreSQL does not.
class Aliases {
 public:
  using Node = PgQuery__Node;

  explicit Aliases(const PgQuery__SelectStmt& select) : select_(select) {}

  /// The expression with what the names stand for.  What an aggregate is of
  /// are columns, and a query inside has names of its own.
  [[nodiscard]] Node* put_into(Node* expression);

 private:
  void put_into_all(std::size_t count, Node** items);
  [[nodiscard]] Node* item_named(std::string_view name) const;

  const PgQuery__SelectStmt& select_;
};

}  // namespace txscope::sql::syntax
