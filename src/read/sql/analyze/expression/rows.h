#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// Rows and records as values, their fields, and comparisons of rows.
class Rows : public Room {
 public:
  using Room::Room;

  /// The columns of a row that is named as a whole: t, t.*, NEW, NEW.*.
  std::optional<std::vector<Target>> whole_row(const Node& node);
  /// The same of a record, which is named so.
  std::optional<std::vector<Target>> record_row(const std::string& name,
                                                Span at);
  [[nodiscard]] bool is_row(const Node* node);
  std::vector<Expr> row(const Node& node);
  Expr row_comparison(const PgQuery__AExpr& node);
  Expr row_distinction(const PgQuery__AExpr& node);
  Expr whole_row_as_json(const Node& node, std::vector<Target> row, Type type,
                         Span at);
  /// A table's row, or a record, that is named as a value.
  std::optional<Expr> row_named(const std::string& name, Span at);
  /// ROW(...)
  Expr row_constructor(const Node& node);
  /// (row).field
  Expr field(Expr row, std::string_view name, Span at);
  std::optional<Expr> named_field(const PgQuery__AIndirection& node);
  /// (row).* of an expression
  std::optional<std::vector<Target>> all_fields(const Node& node);
  Expr row_null_test(Expr row, bool is_not_null, Span at);

 private:
  Expr row_order(std::vector<Expr> a, std::vector<Expr> b, std::string_view op,
                 Span at);
  [[nodiscard]] Span parenthesized_field(Span name) const;
};

}  // namespace txscope::sql::analyzer
