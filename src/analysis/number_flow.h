#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/number_classes.h"
#include "model/sql/application.h"

namespace txscope::analysis {

/// Where numbers can go in expressions and queries: joins the classes of what
/// is copied or compared, and spoils those of what is looked at otherwise.
/// Depth: the nesting of queries and expressions, which the front end limits.
class NumberFlow {
 public:
  explicit NumberFlow(const sql::Application& application);

 protected:
  using Expr = sql::Expr;
  using Class = NumberClasses::Class;
  using MaybeClass = std::optional<Class>;
  /// The columns of the relations of a query.
  using Frame = std::vector<std::vector<MaybeClass>>;

  // Values.

  void add_constant(Class c, const sql::Value& value);
  void assign(Class to, MaybeClass from);
  void use(MaybeClass c);
  void spoil(MaybeClass c);
  void test(const Expr& e) { use(walk(e)); }
  void test(const std::optional<Expr>& e);
  MaybeClass joined(MaybeClass a, MaybeClass b);
  [[nodiscard]] std::vector<MaybeClass> of_table(TableId table) const;
  /// As a cast to a column's or variable's type makes of it.
  MaybeClass converted(MaybeClass c, const sql::Type& from,
                       const sql::Type& to);
  Class variable(std::uint32_t index);

  MaybeClass walk(const Expr& e);
  /// Any number at all.
  Class unknown();
  MaybeClass computed(const Expr& e);
  MaybeClass column(const Expr& e);
  MaybeClass join_all(const std::vector<Expr>& args);
  MaybeClass choice(const Expr& e);
  void in_query(const Expr& e);
  MaybeClass shown(const Expr& e);
  MaybeClass builtin(const Expr& e);
  MaybeClass call(const Expr& e);
  /// A routine that may run.
  void reach(sql::RoutineId routine);

  // Queries.

  std::vector<MaybeClass> walk(const sql::Query& query);
  void combine(const sql::Query& query, std::vector<MaybeClass>& targets);
  MaybeClass aggregate(const sql::Aggregate& aggregate,
                       const sql::Query& query);

  /// At most one row, whatever the tables have.
  [[nodiscard]] bool is_single(const sql::Query& query) const;
  /// WHERE gives all columns of a unique key their values.
  [[nodiscard]] bool has_key(TableId table,
                             const std::optional<Expr>& where) const;
  template <class Do>
  void for_each_column(const sql::Query& query, const Do& what) {
    for (const sql::Relation& relation : query.relations) {
      if (relation.query)
        for_each_column(*relation.query, what);
      else
        for (const Class c : columns_[relation.table.index]) what(c);
    }
    for (const auto& part : query.parts) for_each_column(*part, what);
  }
  /// Rows come in the order of their keys, and that can be seen.
  void see_order(const sql::Query& query);
  void see_order(TableId table);
  void see_children(TableId parent);

  const sql::Application& application_;
  NumberClasses classes_;
  std::vector<std::vector<Class>> columns_;  ///< by table
  std::vector<std::vector<Class>> slots_;    ///< by routine
  std::vector<Class> results_;               ///< by routine
  std::vector<Frame> frames_;                ///< of queries, innermost last
  std::vector<std::vector<MaybeClass>> aggregates_;
  std::vector<bool> is_reached_;             ///< by routine
  std::vector<sql::RoutineId> reached_;      ///< and not walked yet
  std::size_t routine_ = 0;                  ///< whose variables are named
  const sql::Property* property_ = nullptr;  ///< or this one's
};

}  // namespace txscope::analysis
