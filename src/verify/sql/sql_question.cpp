#include "verify/sql/sql_question.h"

#include <algorithm>

#include "explore/sql/transactions.h"
#include "verify/sql/identical_sessions.h"
#include "verify/sql/sql_question_maker.h"

namespace txscope::verify {
namespace {

using smt::Term;

Error error_at(const sql::Application& application, Span at, std::string what,
               std::string hint) {
  return {application.place(at), std::move(what), std::move(hint),
          std::string(application.line(at))};
}

}  // namespace

SqlQuestionMaker::SqlQuestionMaker(const sql::Routines& routines,
                                   const SqlExecutions& executions,
                                   const Budget& budget,
                                   const sql::MemoryDatabase& initial)
    : application_(routines.application()),
      executions_(executions),
      budget_(budget),
      initial_database_(initial),
      universe_(application_.schema, initial),
      functions_(routines, executions.rounds, budget) {
  out_.question.terms = std::make_unique<smt::Terms>();
  t_ = out_.question.terms.get();
  if (executions.is_unbounded) t_->make_unbounded();
  q_ = std::make_unique<symbolic::SqlTerms>(*t_);
  q_->functions = &functions_;
  q_->open_scale = open_scale();
  constraints_ =
      std::make_unique<symbolic::SymbolicConstraints>(*q_, application_.schema);
}

SqlQuestion SqlQuestionMaker::run_inputs() {
  make_arguments();
  find_open_rows();
  make_initial();
  constrain_initial();
  make_assumptions();
  find_keys();
  keep_bounds();
  return std::move(out_);
}

SqlQuestion SqlQuestionMaker::run() {
  refuse_tables();
  make_arguments();
  find_open_rows();
  for (int pass = 0;; ++pass) {
    make_initial();
    if (!summarize_all()) continue;  // the universe has grown
    if (is_fixed_) break;
    find_writers();
    is_fixed_ = true;
  }
  let_calls_fail();
  make_encoding();
  constrain_initial();
  allow_commits();
  make_assumptions();
  make_rules();
  out_.question.identical_sessions = identical_sessions(application_);
  out_.rows = universe_.size();
  keep_bounds();
  return std::move(out_);
}

/// As many digits after the point as a column has, so that sums are exact; two
/// as amounts of money have them.
unsigned SqlQuestionMaker::open_scale() const {
  unsigned most = 2;
  for (const sql::Table& table : schema().tables) {
    for (const sql::Column& column : table.columns) {
      const bool is_numeric = kind_of(column.type.name) == sql::Kind::Numeric;
      if (is_numeric && column.type.scale <= symbolic::SqlTerms::kOpenDigits)
        most = std::max<unsigned>(most, column.type.scale);
    }
  }
  return most;
}

void SqlQuestionMaker::keep_bounds() {
  if (q_->has_open_numerics) {
    out_.question.numerics = "up to " +
                             std::to_string(symbolic::SqlTerms::kOpenDigits) +
                             " digits, " + std::to_string(q_->open_scale) +
                             " of them after the point";
  }
  out_.texts = q_->texts();
  out_.lengths = q_->lengths();
  for (const Term law : out_.lengths.laws(*t_, out_.texts)) {
    out_.question.ranges.push_back(law);
  }
}

void SqlQuestionMaker::constrain_initial() {
  std::vector<TableId> all;
  for (std::size_t i = 0; i < initial_.size(); ++i) all.emplace_back(i);
  out_.question.ranges.push_back(constraints_->is_valid(initial_, true, all));
}

void SqlQuestionMaker::allow_commits() {
  for (std::size_t i = 0; i < schema().tables.size(); ++i) {
    const sql::Table& table = schema().tables[i];
    for (const sql::UniqueKey& key : table.unique) allow_commits(i, key);
  }
}

void SqlQuestionMaker::allow_commits(std::size_t table,
                                     const sql::UniqueKey& key) {
  struct Taken {
    std::size_t txn;
    const symbolic::RowChange* change;
    Term commits;
  };
  std::vector<Taken> all;
  for (std::size_t i = 0; i < summaries_.size(); ++i) {
    for (const symbolic::RowChange& change : summaries_[i].changes) {
      if (change.table.index != table) continue;
      all.push_back({i, &change,
                     t_->all_of({out_.question.encoding->runs(i + 1),
                                 summaries_[i].committed, change.guard})});
    }
  }
  for (const Taken& a : all) {
    const Term takes = t_->all_of({a.commits, a.change->after.present});
    if (t_->is_false(takes)) continue;
    Term count = t_->integer(0);
    const auto add = [&](const symbolic::GuardedRow& row, Term when,
                         bool is_plus) {
      const Term holds =
          t_->all_of({when, constraints_->same_key(key, row, a.change->after)});
      if (t_->is_false(holds)) return;
      const Term one = t_->as_integer(holds);
      count = is_plus ? t_->add(count, one) : t_->subtract(count, one);
    };
    for (const symbolic::GuardedRow& row : initial_[table]) {
      add(row, t_->boolean(true), true);
    }
    for (const Taken& b : all) {
      add(b.change->after, b.commits, true);
      add(b.change->before, b.commits, false);
    }
    out_.question.executions.push_back(
        t_->implies(takes, t_->less_equal(count, t_->integer(1))));
  }
}

Term SqlQuestionMaker::holds(const sql::Property& property,
                             const symbolic::SymbolicState& state,
                             const std::vector<symbolic::SqlTerm>& variables) {
  q_->errors.clear();
  q_->path = t_->boolean(true);
  symbolic::SymbolicQueries queries(
      *q_, variables, [&](TableId table) -> const auto& {
        return state[table.index];
      });
  const sql::Query& query = *std::get<sql::Select>(property.condition.what);
  const symbolic::SqlTerm value = queries.evaluate(query.targets[0].expr, {});
  const Term out =
      t_->all_of({q_->is_true(value), t_->negation(q_->has_failed())});
  if (!t_->is_false(q_->cut))
    throw symbolic::Unsupported{property.at,
                                "a loop of a function in a condition"};
  q_->errors.clear();
  return out;
}

void SqlQuestionMaker::make_assumptions() {
  for (const sql::Property& assumption : application_.assumptions) {
    std::vector<symbolic::SqlTerm> variables;
    for (const sql::VariableRef& ref : assumption.variables) {
      variables.push_back(arguments_[index_of(ref)][ref.slot - 1]);
    }
    out_.question.assumptions.push_back(
        {assumption.name, holds(assumption, initial_, variables),
         application_.place(assumption.at),
         std::string(application_.line(assumption.at))});
  }
}

symbolic::GuardedRow SqlQuestionMaker::unflattened(
    const sql::Table& table, const std::vector<Term>& terms) {
  symbolic::GuardedRow row;
  row.present = terms[0];
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const sql::Type& type = table.columns[c].type;
    row.columns.push_back({terms[1 + 2 * c], terms[2 + 2 * c],
                           kind_of(type.name), symbolic::scale_of(type),
                           symbolic::longest(type)});
  }
  return row;
}

void SqlQuestionMaker::make_rules() {
  symbolic::SymbolicState finals;
  for (std::size_t i = 0; i < schema().tables.size(); ++i) {
    finals.emplace_back();
    for (std::size_t r = 0; r < initial_[i].size(); ++r) {
      finals.back().push_back(unflattened(
          schema().tables[i],
          out_.question.encoding->final_values(universe_.id(TableId(i), r))));
    }
  }
  for (const sql::Property& property : application_.properties) {
    std::vector<symbolic::SqlTerm> variables;
    // No execution ends in a state that the tables forbid.
    std::vector<Term> counts = {constraints_->is_valid(
        finals, false, explore::tables_of(application_, property))};
    for (const sql::VariableRef& ref : property.variables) {
      const symbolic::SqlSummary& summary = summaries_[index_of(ref)];
      variables.push_back(summary.slots[ref.slot]);
      counts.push_back(summary.committed);
    }
    counts.push_back(t_->negation(holds(property, finals, variables)));
    out_.question.rules.push_back({property.name,
                                   std::string(name(property.kind)),
                                   t_->all_of(counts), true});
  }
}

namespace {

/// Makes something of the question, after the setup.
template <class Make>
Result<SqlQuestion> made_after_setup(const sql::Application& application,
                                     const SqlExecutions& executions,
                                     const Budget& budget, Make&& make) {
  const sql::Routines routines(application);
  const auto initial = sql::MemoryDatabase::after_setup(routines, budget);
  if (const auto* failed = std::get_if<sql::SqlError>(&initial)) {
    return error_at(application, failed->at,
                    "the setup fails: " + failed->message, "");
  }
  if (!std::holds_alternative<sql::MemoryDatabase>(initial)) {
    return error_at(application, {}, "time ran out during the setup", "");
  }
  try {
    SqlQuestionMaker maker(routines, executions, budget,
                           std::get<sql::MemoryDatabase>(initial));
    return make(maker);
  } catch (const symbolic::Unsupported& unsupported) {
    return error_at(application, unsupported.at,
                    "verify cannot encode " + unsupported.what,
                    "explore decides for given inputs");
  }
}

}  // namespace

Result<SqlQuestion> make_sql_question(const sql::Application& application,
                                      const SqlExecutions& executions,
                                      const Budget& budget) {
  return made_after_setup(application, executions, budget,
                          [](SqlQuestionMaker& maker) { return maker.run(); });
}

Result<SqlQuestion> make_sql_inputs(const sql::Application& application,
                                    const Budget& budget) {
  return made_after_setup(application, {}, budget, [](SqlQuestionMaker& maker) {
    return maker.run_inputs();
  });
}

}  // namespace txscope::verify
