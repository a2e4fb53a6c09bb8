#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "exec/sql/query/evaluate.h"
#include "exec/sql/query/halt.h"
#include "exec/sql/query/plan.h"
#include "exec/sql/routine/process.h"

namespace txscope::sql {

/// What names mean where an expression stands: the rows of its query's
/// relations and its group's aggregates, then the same of the queries around;
/// and its window calls, which only the query itself can name.
struct Scope {
  const Row* const* rows = nullptr;
  const Value* aggregates = nullptr;
  const Scope* outer = nullptr;
  const Value* windows = nullptr;
};

/// The state of one evaluation: see Evaluator.  After each call ask halt().
class Evaluation {
 public:
  /// How deep expressions and functions may nest: what a thread's stack holds.
  static constexpr unsigned kMaxDepth = 3000;

  /// `store` may be none where nothing is scanned.  `depth`: how deep the
  /// evaluation that started this one is already.
  Evaluation(const Routines& routines, Store* store,
             std::span<const Value> slots, const Budget& budget,
             unsigned depth = 0)
      : routines_(routines),
        store_(store),
        slots_(slots),
        budget_(budget),
        depth_(depth),
        settings_(store == nullptr ? nullptr : store->session_settings()) {}

  /// Settings of the session, where there is no store to ask.
  void use(const std::vector<Value>* settings) { settings_ = settings; }
  /// Evaluates just as it is written.
  void do_not_fold() { folds_ = false; }

  /// The rows of the statement's next part (SetKind::Given).
  void give(std::vector<Row> rows) { given_.push_back(std::move(rows)); }

  [[nodiscard]] Halt& halt() { return halt_; }
  [[nodiscard]] const Schema& schema() const {
    return routines_.application().schema;
  }
  [[nodiscard]] Store* store() { return store_; }
  [[nodiscard]] ScanWatcher* watcher() const { return routines_.watcher(); }
  /// Counts a round of some loop.
  [[nodiscard]] bool goes_on() {
    if (budget_.spent()) halt_.interrupt();
    return !halt_.is_set();
  }

  /// Starts a statement: halts with the error that planning it meets.
  void start(PartId statement);
  /// The value of an expression; NULL if it halts.
  [[nodiscard]] Value eval(const Expr& e, const Scope& scope);
  [[nodiscard]] bool is_true(const Expr& e, const Scope& scope) {
    return eval(e, scope).is_true();
  }
  /// Runs the subqueries of `e`, none of which mentions anything outside: from
  /// now on eval() scans no table for it.
  void run_subqueries(const Expr& e, const Scope& scope);
  /// Whether all are true; stops at the first that is not.
  [[nodiscard]] bool are_true(std::span<const Expr* const> conjuncts,
                              const Scope& scope);

  /// The rows of a query, at most `max_rows` (0: all).
  [[nodiscard]] std::vector<Row> rows_of(const Query& query, const Scope* outer,
                                         std::uint64_t max_rows);
  /// Of one that is no SELECT.
  [[nodiscard]] std::vector<Row> set_rows(const Query& query,
                                          const Scope* outer,
                                          std::uint64_t max_rows);
  [[nodiscard]] std::vector<Row> recursive_rows(const Query& query,
                                                const Scope& scope,
                                                std::uint64_t max_rows);
  [[nodiscard]] std::vector<JoinedRow> candidates(const Query& query);
  [[nodiscard]] Window window(const Query& query, const Scope& scope);

  [[nodiscard]] const Plan& plan(const Query& query);
  /// Of the target of an Update or Delete.
  template <class Change>
  [[nodiscard]] const Plan& plan_of_target(const Change& change) {
    return plan(change.part, &change, std::span(&change.target, 1), {},
                change.where);
  }

 private:
  const Plan& plan(PartId part, const void* where_it_is,
                   std::span<const Relation> relations,
                   std::span<const Join> joins,
                   const std::optional<Expr>& where);

  /// Subqueries that mention nothing outside are run once.
  struct Subquery {
    const Expr* expr = nullptr;
    bool is_constant = false;
    bool is_known = false;
    Value value;            ///< of Scalar and Exists
    std::vector<Row> rows;  ///< of InQuery
  };

  Value compute(const Expr& e, const Scope& scope);
  Value binary(const Expr& e, const Scope& scope);
  Value unary(const Expr& e, const Scope& scope);
  Value arithmetic(const Expr& e, const Value& a, const Value& b);
  Value integers(const Expr& e, std::int64_t a, std::int64_t b);
  Value conjunction(const Expr& e, const Scope& scope, bool is_or);
  Value choose(const Expr& e, const Scope& scope);
  Value extreme(const Expr& e, const Scope& scope);
  Value like_match(const Expr& e, const Scope& scope);
  Value in_list(const Expr& e, const Scope& scope);
  Value in_query(const Expr& e, const Scope& scope);
  void run_in_query(const Expr& e, const Scope& scope, Subquery& cached);
  Value in_rows(const Row& row, std::span<const Row> rows);
  Value scalar(const Expr& e, const Scope& scope);
  Value exists(const Expr& e, const Scope& scope);
  Value builtin(const Expr& e, const Scope& scope);
  Value call(const Expr& e, const Scope& scope);
  Subquery& subquery(const Expr& e);

  /// Variables whose values planning knows: those of statements.
  [[nodiscard]] std::span<const Value> constants() const {
    return store_ == nullptr ? std::span<const Value>() : slots_;
  }

  const Routines& routines_;
  Store* store_;
  std::span<const Value> slots_;
  const Budget& budget_;
  unsigned depth_;
  const std::vector<Value>* settings_;
  bool folds_ = true;
  Halt halt_;
  std::vector<std::vector<Row>> given_;
  /// Of what the application has no plan of, as long as the statement runs.
  std::vector<std::pair<const void*, std::unique_ptr<const Plan>>> plans_;
  std::vector<std::unique_ptr<Subquery>> subqueries_;
  /// What came last in each WITH RECURSIVE that runs, innermost last.
  std::vector<std::pair<std::uint32_t, const std::vector<Row>*>> recursions_;
};

}  // namespace txscope::sql
