#include "symbolic/routine/summary.h"

#include <algorithm>

#include "symbolic/routine/routine.h"
#include "symbolic/routine/triggers.h"
#include "symbolic/tables/tables.h"
#include "symbolic/write/deferrable_keys.h"
#include "symbolic/write/foreign_keys.h"
#include "symbolic/write/writer.h"

namespace txscope::symbolic {

using smt::Term;

namespace {

/// A call on the tables of the universe.
class CallRun final : public RoutineDatabase {
 public:
  CallRun(SqlTerms& terms, const sql::Application& application,
          const KeyUniverse& universe, const SqlSummaryOptions& options,
          std::vector<std::pair<TableId, sql::Row>>& wanted,
          const Budget& budget)
      : q_(terms),
        t_(terms.t),
        context_{application, options.rounds, budget},
        path_(terms),
        tables_(path_, application.schema, universe, options),
        triggers_(path_, tables_, context_, *this),
        writer_(path_, tables_, triggers_, options, wanted),
        foreign_keys_(path_, tables_, writer_),
        deferrable_keys_(path_, tables_, writer_) {}

  SqlSummary run(const sql::Call& call, std::span<const SqlTerm> arguments) {
    const sql::Routine& routine = context_.application.at(call.routine);
    RoutineEnd end = run_routine(context_, path_, *this, routine,
                                 slots_of(q_, routine, arguments));
    foreign_keys_.check_deferred();
    deferrable_keys_.check_deferred(foreign_keys_.changes());
    SqlSummary out;
    out.committed = path_.alive;
    out.aborted = path_.aborted;
    out.cut = path_.cut;
    out.beyond = path_.beyond;
    out.open_tables = path_.open_tables;
    out.slots = std::move(end.slots);
    out.is_covered = is_covered_ && !triggers_.has_run_statements();
    tables_.finish(out);
    return out;
  }

  Term execute(const sql::DbStatement& statement) override {
    // An engine joins a row again that has changed meanwhile.
    if (std::holds_alternative<sql::Merge>(statement.what)) is_covered_ = false;
    tables_.begin_statement();
    const Term count = writer_.execute(statement);
    foreign_keys_.check();
    deferrable_keys_.check(foreign_keys_.last_changes());
    auto returned = writer_.returned();
    triggers_.after();
    writer_.give_back(std::move(returned));
    return count;
  }
  smt::Term unchanged() const override { return writer_.unchanged(); }
  const std::vector<ResultRow>& returned() const override {
    return writer_.returned();
  }
  void begin_block() override {
    is_covered_ = false;  // an engine's own failures would be caught, too
    tables_.begin_block();
    foreign_keys_.begin_block();
  }
  void end_block(Term fails) override {
    tables_.end_block(fails);
    foreign_keys_.end_block(fails);
  }

  std::vector<ResultRow> query(const sql::Query& select) override {
    tables_.begin_statement();
    auto rows = path_.evaluated([&] {
      SymbolicQueries queries(q_, path_.slots, tables_.rows());
      return queries.select(select, nullptr);
    });
    if (select.lock > sql::LockStrength::KeyShare) lock(select);
    return rows;
  }

 private:
  /// Rows that a locking SELECT gives stay as they are until the end.  Said
  /// where it is plain which they are.
  void lock(const sql::Query& select) {
    const bool is_plain =
        select.relations.size() == 1 && select.relations[0].query == nullptr &&
        select.set == sql::SetKind::None && !select.skips_locked;
    const bool has_query = select.where && has_subquery(*select.where);
    if (!is_plain || has_query || (select.limit && !select.order_by.empty())) {
      is_covered_ = false;
    }
    if (!is_plain || has_query || select.limit || select.offset) return;
    const TableId table = select.relations[0].table;
    SymbolicQueries queries(q_, path_.slots, tables_.rows());
    const auto& there = tables_.view(table);
    for (std::size_t r = 0; r < there.size(); ++r) {
      const TermRow* names[] = {&there[r].columns};
      q_.path = there[r].present;
      Term matches = there[r].present;
      if (select.where) {
        matches = t_.all_of(
            {matches, q_.is_true(queries.evaluate(*select.where,
                                                  {names, nullptr, nullptr}))});
      }
      tables_.pin(table, r, matches);
    }
    q_.errors.clear();  // it was noted by the query itself
  }

  static bool has_subquery(const sql::Expr& e) {
    return e.query != nullptr ||
           std::any_of(e.args.begin(), e.args.end(), has_subquery);
  }

  SqlTerms& q_;
  smt::Terms& t_;
  RoutineContext context_;
  SymbolicPath path_;
  SymbolicTables tables_;
  symbolic::SymbolicTriggers triggers_;
  SymbolicWriter writer_;
  SymbolicForeignKeys foreign_keys_;
  SymbolicDeferrableKeys deferrable_keys_;
  bool is_covered_ = true;
};

}  // namespace

SqlSummary summarize_call(SqlTerms& terms, const sql::Application& application,
                          const KeyUniverse& universe, const sql::Call& call,
                          std::span<const SqlTerm> arguments,
                          const SqlSummaryOptions& options,
                          std::vector<std::pair<TableId, sql::Row>>& wanted,
                          const Budget& budget) {
  return CallRun(terms, application, universe, options, wanted, budget)
      .run(call, arguments);
}

}  // namespace txscope::symbolic
