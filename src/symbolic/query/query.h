#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <vector>

#include "exec/sql/query/plan.h"
#include "model/sql/application.h"
#include "model/sql/expr.h"
#include "model/sql/statement.h"
#include "symbolic/value/term.h"

namespace txscope::symbolic {

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
  const sql::Schema* schema = nullptr;  ///< where `asks` is there
};

/// Expressions and queries over guarded rows: the same meaning as exec's
/// Evaluator, all rows at once.  Throws Unsupported.
class SymbolicQueries {
 public:
  /// `slots` are the routine's variables, `rows` what the statement sees.
  SymbolicQueries(SqlTerms& terms, std::span<const SqlTerm> slots,
                  SeenRows rows)
      : q_(terms), t_(terms.t), slots_(slots), rows_(std::move(rows)) {}

  [[nodiscard]] SqlTerm evaluate(const sql::Expr& e, const TermScope& scope);
  /// FROM and WHERE, in the order of nested loops, then grouping, targets,
  /// DISTINCT, ORDER BY as keys, LIMIT.
  [[nodiscard]] std::vector<ResultRow> select(const sql::Query& query,
                                              const TermScope* outer);
  /// One combination of rows of FROM that WHERE leaves.  The rows stay as long
  /// as this object.
  struct FromRow {
    smt::Term guard;
    std::vector<const TermRow*> rows;  ///< by relation
  };
  [[nodiscard]] std::vector<FromRow> from(const sql::Query& query);
  /// Row j of a result comes before row i.
  [[nodiscard]] smt::Term is_before(const sql::Query& query,
                                    const std::vector<ResultRow>& rows,
                                    std::size_t j, std::size_t i);
  /// The first row's values; NULLs where there is none.
  [[nodiscard]] TermRow first_row(const sql::Query& query,
                                  const std::vector<ResultRow>& rows);
  [[nodiscard]] smt::Term has_several(const std::vector<ResultRow>& rows);
  /// Tells `asks` what a scan for UPDATE or DELETE asks for.
  void ask_for_targets(const sql::Relation& target,
                       const std::optional<sql::Expr>& where,
                       const std::vector<GuardedRow>& rows,
                       const SeenRows::OnScan& asks);

 private:
  /// One combination of rows of FROM.
  struct Joined {
    smt::Term guard;
    std::vector<const TermRow*> rows;
    smt::Term reached;  ///< exec's loops come to it; only where scans are told
  };

  SqlTerm of_values(const sql::Expr& e, const TermScope& scope,
                    const char* what);
  SqlTerm function(const sql::Expr& e, const TermScope& scope);
  SqlTerm rounded(const sql::Expr& e, const TermScope& scope);
  SqlTerm length(const sql::Expr& e, const TermScope& scope);
  SqlTerm logic(const sql::Expr& e, const TermScope& scope);
  SqlTerm unary(const sql::Expr& e, const TermScope& scope);
  SqlTerm choice(const sql::Expr& e, const TermScope& scope);
  SqlTerm extreme(const sql::Expr& e, const TermScope& scope);
  SqlTerm in_list(const sql::Expr& e, const TermScope& scope);
  SqlTerm in_query(const sql::Expr& e, const TermScope& scope);
  SqlTerm scalar(const sql::Expr& e, const TermScope& scope);
  /// Evaluates under a further condition.
  template <class F>
  auto under(smt::Term condition, F&& evaluate) {
    const smt::Term before = q_.path;
    q_.path = t_.all_of({before, condition});
    auto out = evaluate();
    q_.path = before;
    return out;
  }

  [[nodiscard]] std::vector<Joined> join(const sql::Query& query,
                                         const TermScope* outer);
  // symbolic_scans.cpp
  [[nodiscard]] smt::Term are_true(std::span<const sql::Expr* const> conditions,
                                   const TermScope& scope, smt::Term when);
  void ask(const sql::Relation& relation, const sql::RelationPlan& plan,
           const std::vector<GuardedRow>& rows, const Joined& left,
           const TermScope* outer, const SeenRows::OnScan& asks);
  [[nodiscard]] smt::Term is_asked_for(const sql::Table& table,
                                       const sql::RelationPlan& plan,
                                       const TermRow& row, const Joined& left,
                                       const TermScope* outer);
  template <class F>
  [[nodiscard]] std::optional<SqlTerm> quietly(F&& evaluate);
  const std::vector<GuardedRow>& relation_rows(const sql::Relation& relation,
                                               const TermScope& scope);
  [[nodiscard]] SqlTerm aggregate(const sql::Aggregate& a,
                                  const std::vector<Joined>& rows,
                                  const std::vector<smt::Term>& member,
                                  const TermScope* outer);
  void add_groups(const sql::Query& query, const std::vector<Joined>& rows,
                  const TermScope* outer, std::vector<ResultRow>& out);
  void add_row(const sql::Query& query, smt::Term guard, const TermScope& scope,
               std::vector<ResultRow>& out);
  void make_distinct(const sql::Query& query, std::vector<ResultRow>& rows);
  void limit(const sql::Query& query, const TermScope& scope,
             std::vector<ResultRow>& rows);

  SqlTerms& q_;
  smt::Terms& t_;
  std::span<const SqlTerm> slots_;
  SeenRows rows_;
  std::vector<std::unique_ptr<std::vector<GuardedRow>>> kept_;
};

/// For expressions that look at no table.
[[nodiscard]] SeenRows no_rows();

}  // namespace txscope::symbolic
