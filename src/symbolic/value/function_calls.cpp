#include "symbolic/value/function_calls.h"

#include <algorithm>

#include "analysis/footprint.h"
#include "exec/sql/query/fold.h"
#include "model/sql/builtin.h"
#include "symbolic/write/writer.h"

namespace txscope::symbolic {

using smt::Term;

namespace {

/// Rows that somebody else sees.
class SeenDatabase final : public RoutineDatabase {
 public:
  SeenDatabase(SymbolicPath& path, SeenRows rows)
      : path_(path), rows_(std::move(rows)) {
    if (!rows_.asks) return;
    rows_.asks = [&path, asks = rows_.asks](TableId table, std::size_t row,
                                            Term when) {
      asks(table, row, path.t.all_of({path.alive, when}));
    };
  }

  std::vector<ResultRow> query(const sql::Query& select) override {
    return path_.evaluated([&] {
      SymbolicQueries queries(path_.q, path_.slots, rows_);
      return queries.select(select, nullptr);
    });
  }
  Term execute(const sql::DbStatement& statement) override {
    throw Unsupported{statement.at, "a function that writes, in an expression"};
  }
  smt::Term unchanged() const override { return {}; }  // it changes nothing
  const std::vector<ResultRow>& returned() const override { return none_; }
  void begin_block() override {}
  void end_block(Term) override {}

 private:
  SymbolicPath& path_;
  SeenRows rows_;
  std::vector<ResultRow> none_;
};

bool reads_tables(const sql::Application& application, sql::RoutineId routine) {
  const auto reads = analysis::footprint_of(application, routine).reads;
  return std::find(reads.begin(), reads.end(), true) != reads.end();
}

}  // namespace

SqlTerm FunctionCalls::call(SqlTerms& terms, const sql::Expr& e,
                            std::span<const SqlTerm> arguments,
                            const SeenRows& rows) {
  const sql::Routine& routine =
      context_.application.at(sql::RoutineId(e.index));
  if (routine.volatility == sql::Volatility::Volatile &&
      reads_tables(context_.application, sql::RoutineId(e.index)))
    throw Unsupported{e.at,
                      "a VOLATILE function that reads tables, in a statement"};
  const Term guard = terms.path;
  const Term cut = terms.cut;
  auto errors = std::move(terms.errors);
  SymbolicPath path(terms);
  path.alive = guard;
  path.at = e.at;
  SeenDatabase seen(path, rows.of ? rows : no_rows());
  const RoutineEnd end = run_routine(context_, path, seen, routine,
                                     slots_of(terms, routine, arguments));
  for (const auto& [code, when] : path.failures) {
    errors.emplace_back(code, when);
  }
  terms.errors = std::move(errors);
  terms.cut = terms.t.any_of({cut, path.cut});
  terms.path = guard;
  return end.result;
}

SqlTerm FunctionCalls::of_values(SqlTerms& terms, const sql::Expr& e,
                                 std::span<const sql::Value> operands) const {
  const bool is_drawn = e.op == sql::Op::Builtin &&
                        is_volatile(static_cast<sql::Builtin>(e.index));
  if (is_drawn) throw Unsupported{e.at, "a number of a sequence"};
  const sql::Expr known = with_operands(e, operands);
  if (const auto error = planning_error(routines_, known)) {
    if (error->is_ours) throw Unsupported{e.at, error->message};
    terms.fail_if(terms.t.boolean(true), error->sqlstate);
    return terms.null_of(kind_of(e.type.name));
  }
  if (const auto value = folded(routines_, known, {}))
    return terms.constant(*value);
  throw Unsupported{e.at, "this expression"};
}

}  // namespace txscope::symbolic
