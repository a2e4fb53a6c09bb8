#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <vector>

#include "exec/sql/query/plan.h"
#include "model/sql/application.h"
#include "model/sql/expr.h"
#include "model/sql/statement.h"
#include "symbolic/term.h"

namespace txscope::sql {

/// What names mean where an expression stands; as exec's Scope, over terms.
struct TermScope {
  const TermRow* const* rows = nullptr;
  const SqlTerm* aggregates = nullptr;
  const TermScope* outer = nullptr;
};

/// A row of a query's result, if `guard`.
struct ResultRow {
  smt::Term guard;
  TermRow values;
  TermRow sort;  ///< values of ORDER BY
};

/// The rows of tables as somebody sees them.
struct SeenRows {
  using Of = std::function<const std::vector<GuardedRow>&(TableId)>;
  using OnScan = std::function<void(TableId, std::size_t row, smt::Term when)>;

  SeenRows() = default;
  template <std::invocable<TableId> F>
  SeenRows(F rows) : of(std::move(rows)) {}

  Of of;
  /// Is told which rows scans ask for, and when: at least those that exec's
  /// NestedLoops ask for, by the same plans.  Empty: nobody wants to know.
  OnScan asks;
  const Schema* schema = nullptr;  ///< where `asks` is there
};

/// Expressions and queries over guarded rows: the same meaning as exec's
/// Evaluator, all rows at once.  Throws Unsupported.
class SymbolicQueries {
 public:
  /// `slots` are the routine's variables, `rows` what the statement sees.
  SymbolicQueries(SqlTerms& terms, std::span<const SqlTerm> slots,
                  SeenRows rows)
      : q_(terms), t_(terms.t), slots_(slots), rows_(std::move(rows)) {}

  [[nodiscard]] SqlTerm evaluate(const Expr& e, const TermScope& scope);
  /// FROM and WHERE, in the order of nested loops, then grouping, targets,
  /// DISTINCT, ORDER BY as keys, LIMIT.
  [[nodiscard]] std::vector<ResultRow> select(const Query& query,
                                              const TermScope* outer);
  /// One combination of rows of FROM that WHERE leaves.  The rows stay as long
  /// as this object.
  struct FromRow {
    smt::Term guard;
    std::vector<const TermRow*> rows;  ///< by relation
  };
  [[nodiscard]] std::vector<FromRow> from(const Query& query);
  /// Row j of a result comes before row i.
  [[nodiscard]] smt::Term is_before(const Query& query,
                                    const std::vector<ResultRow>& rows,
                                    std::size_t j, std::size_t i);
  /// The first row's values; NULLs where there is none.
  [[nodiscard]] TermRow first_row(const Query& query,
                                  const std::vector<ResultRow>& rows);
  [[nodiscard]] smt::Term has_several(const std::vector<ResultRow>& rows);
  /// Tells `asks` what a scan for UPDATE or DELETE asks for.
  void ask_for_targets(const Relation& target, const std::optional<Expr>& where,
                       const std::vector<GuardedRow>& rows,
                       const SeenRows::OnScan& asks);

 private:
  /// One combination of rows of FROM.
  struct Joined {
    smt::Term guard;
    std::vector<const TermRow*> rows;
    smt::Term reached;  ///< exec's loops come to it; only where scans are told
  };

  SqlTerm of_values(const Expr& e, const TermScope& scope, const char* what);
  SqlTerm function(const Expr& e, const TermScope& scope);
  SqlTerm rounded(const Expr& e, const TermScope& scope);
  SqlTerm length(const Expr& e, const TermScope& scope);
  SqlTerm logic(const Expr& e, const TermScope& scope);
  SqlTerm unary(const Expr& e, const TermScope& scope);
  SqlTerm choice(const Expr& e, const TermScope& scope);
  SqlTerm extreme(const Expr& e, const TermScope& scope);
  SqlTerm in_list(const Expr& e, const TermScope& scope);
  SqlTerm in_query(const Expr& e, const TermScope& scope);
  SqlTerm scalar(const Expr& e, const TermScope& scope);
  /// Evaluates under a further condition.
  template <class F>
  auto under(smt::Term condition, F&& evaluate) {
    const smt::Term before = q_.path;
    q_.path = t_.all_of({before, condition});
    auto out = evaluate();
    q_.path = before;
    return out;
  }

  [[nodiscard]] std::vector<Joined> join(const Query& query,
                                         const TermScope* outer);
  // symbolic_scans.cpp
  [[nodiscard]] smt::Term are_true(std::span<const Expr* const> conditions,
                                   const TermScope& scope, smt::Term when);
  void ask(const Relation& relation, const RelationPlan& plan,
           const std::vector<GuardedRow>& rows, const Joined& left,
           const TermScope* outer, const SeenRows::OnScan& asks);
  [[nodiscard]] smt::Term is_asked_for(const Table& table,
                                       const RelationPlan& plan,
                                       const TermRow& row, const Joined& left,
                                       const TermScope* outer);
  template <class F>
  [[nodiscard]] std::optional<SqlTerm> quietly(F&& evaluate);
  const std::vector<GuardedRow>& relation_rows(const Relation& relation,
                                               const TermScope& scope);
  [[nodiscard]] SqlTerm aggregate(const Aggregate& a,
                                  const std::vector<Joined>& rows,
                                  const std::vector<smt::Term>& member,
                                  const TermScope* outer);
  void add_groups(const Query& query, const std::vector<Joined>& rows,
                  const TermScope* outer, std::vector<ResultRow>& out);
  void add_row(const Query& query, smt::Term guard, const TermScope& scope,
               std::vector<ResultRow>& out);
  void make_distinct(const Query& query, std::vector<ResultRow>& rows);
  void limit(const Query& query, const TermScope& scope,
             std::vector<ResultRow>& rows);

  SqlTerms& q_;
  smt::Terms& t_;
  std::span<const SqlTerm> slots_;
  SeenRows rows_;
  std::vector<std::unique_ptr<std::vector<GuardedRow>>> kept_;
};

}  // namespace txscope::sql
