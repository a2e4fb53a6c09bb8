#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exec/sql/memory/database.h"
#include "symbolic/write/constraints.h"
#include "symbolic/value/function_calls.h"
#include "verify/sql/sql_question.h"

namespace txscope::verify {

/// Makes the question that a solver answers of an application: its inputs, its
/// calls as summaries, what constraints and levels allow, its rules.
class SqlQuestionMaker {
 public:
  SqlQuestionMaker(const sql::Routines& routines,
                   const SqlExecutions& executions, const Budget& budget,
                   const sql::MemoryDatabase& initial);
  SqlQuestion run_inputs();
  SqlQuestion run();

 private:
  [[nodiscard]] const sql::Schema& schema() const {
    return application_.schema;
  }

  // question_inputs.cpp
  void refuse_tables();
  void find_keys();
  void make_arguments();
  std::vector<symbolic::SqlTerm> arguments_of(std::size_t s, std::size_t c);
  symbolic::SqlTerm open(SqlQuestion::Origin& origin, const sql::Type& type,
                         bool is_nullable, Span at);

  /// Open columns, in the rows that the setup left.
  void find_open_rows();
  static std::string key_text(const sql::Row& key);
  bool is_open(const sql::OpenColumn& column, const sql::Row& row);
  void make_initial();
  symbolic::GuardedRow initial_row(const sql::Table& table, std::size_t i,
                                   const symbolic::KeyUniverse::Entry& entry);

  // question_transactions.cpp
  bool summarize_all();
  void find_writers();
  const symbolic::GuardedRow* fixed(std::size_t reader, TableId table,
                                    std::size_t r);

  /// A call that fails has done nothing.  The last one to fail does so because
  /// of another that may fail, and does not.
  void let_calls_fail();
  void make_encoding();

  /// "payment 1, 2, 3"
  void name_open_keys();

  // What tables allow, and what is asked.
  void constrain_initial();
  void keep_bounds();
  [[nodiscard]] unsigned open_scale() const;

  /// Values of unique keys are held by one row at most: those that committed
  /// transactions took and did not give back, with those of the setup.
  void allow_commits();
  void allow_commits(std::size_t table, const sql::UniqueKey& key);

  /// A property's condition on a state, and whether evaluating it fails.
  smt::Term holds(const sql::Property& property,
                  const symbolic::SymbolicState& state,
                  const std::vector<symbolic::SqlTerm>& variables);
  void make_assumptions();

  [[nodiscard]] std::size_t index_of(const sql::VariableRef& ref) const {
    return first_of_session_[ref.session] + ref.call;
  }

  symbolic::GuardedRow unflattened(const sql::Table& table,
                                   const std::vector<smt::Term>& terms);
  void make_rules();

  struct Called {
    std::size_t session;
    std::size_t number;
    const sql::Call* call;
  };
  using Place = std::pair<std::size_t, sql::Row>;

  const sql::Application& application_;
  const SqlExecutions& executions_;
  const Budget& budget_;
  const sql::MemoryDatabase& initial_database_;
  symbolic::KeyUniverse universe_;
  SqlQuestion out_;
  smt::Terms* t_ = nullptr;
  std::unique_ptr<symbolic::SqlTerms> q_;
  symbolic::FunctionCalls functions_;
  std::unique_ptr<symbolic::SymbolicConstraints> constraints_;
  std::vector<Called> calls_;
  std::vector<std::size_t> first_of_session_;
  std::vector<std::vector<symbolic::SqlTerm>> arguments_;
  std::map<Place, std::map<std::uint32_t, symbolic::SqlTerm>> open_columns_;
  symbolic::SymbolicState initial_;
  bool is_fixed_ = false;
  std::vector<std::set<std::size_t>> writers_;
  std::vector<symbolic::SqlSummary> summaries_;
};

}  // namespace txscope::verify
