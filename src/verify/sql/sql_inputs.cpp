#include "verify/sql/sql_inputs.h"

#include "verify/rules.h"
#include "verify/small_inputs.h"
#include "verify/sql/with_inputs.h"

namespace txscope::verify {

using smt::Term;

namespace {

constexpr std::size_t kMostClasses = 60;

}  // namespace

std::optional<Error> contradiction_of(const sql::Application& application,
                                      const Budget& budget) {
  if (application.assumptions.empty()) return std::nullopt;
  auto question = make_sql_inputs(application, budget);
  if (!question) return std::nullopt;
  const auto found = find_contradiction(question->question, budget);
  if (!found || !*found) return std::nullopt;
  return contradiction_error(question->question, **found);
}

Result<std::unique_ptr<SqlInputs>> SqlInputs::make(
    const sql::Application& application, const Budget& budget) {
  auto question = make_sql_inputs(application, budget);
  if (!question) return question.error();
  const auto found = find_contradiction(question->question, budget);
  if (!found) return found.error();
  if (*found) return contradiction_error(question->question, **found);
  return std::unique_ptr<SqlInputs>(
      new SqlInputs(application, std::move(*question), budget));
}

SqlInputs::SqlInputs(const sql::Application& application, SqlQuestion question,
                     const Budget& budget)
    : application_(application),
      question_(std::move(question)),
      budget_(budget) {
  Question& q = question_.question;
  solver_ = std::make_unique<smt::Solver>(
      *q.terms, smt::fitting_arithmetic(*q.terms), budget);
  for (const Term f : q.ranges) solver_->add(f);
  for (const NamedAssumption& a : q.assumptions) solver_->add(a.holds);
  find_classes();
  wish();
}

void SqlInputs::wish() {
  smt::Terms& t = *question_.question.terms;
  solver_->push();
  for (const SqlQuestion::Origin& origin : question_.origins) {
    solver_->add(t.negation(origin.value.null));
  }
  solver_->push();
  for (const SqlQuestion::Origin& origin : question_.origins) {
    if (origin.value.kind != sql::Kind::Integer) continue;
    std::vector<Term> any;
    for (const std::int64_t key : question_.keys) {
      any.push_back(t.equal(origin.value.value, t.integer(key)));
    }
    solver_->add(t.any_of(any));
  }
  wishes_ = 2;
}

void SqlInputs::give_up_a_wish() {
  solver_->pop();
  --wishes_;
  for (const Term f : wishes_ > 0 ? other_classes_ : others_) solver_->add(f);
}

void SqlInputs::find_classes() {
  smt::Terms& t = *question_.question.terms;
  const auto& all = question_.origins;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].value.kind == sql::Kind::Bool) {
      classes_.push_back(all[i].value.value);
      continue;
    }
    for (std::size_t j = 0; j < i; ++j) {
      const bool is_alike = all[j].value.kind == all[i].value.kind &&
                            all[j].value.scale == all[i].value.scale;
      if (is_alike)
        classes_.push_back(t.equal(all[i].value.value, all[j].value.value));
    }
    if (all[i].value.kind != sql::Kind::Integer) continue;
    for (const std::int64_t key : question_.keys) {
      classes_.push_back(t.equal(all[i].value.value, t.integer(key)));
    }
    for (const std::int64_t bound : {0, 1}) {
      classes_.push_back(t.less(all[i].value.value, t.integer(bound)));
    }
  }
  if (classes_.size() > kMostClasses) classes_.resize(kMostClasses);
}

std::optional<SqlInputs::Choice> SqlInputs::next() {
  if (is_exhausted_) return std::nullopt;
  smt::Satisfiability answer = solver_->check();
  while (answer == smt::Satisfiability::Unsatisfiable && wishes_ > 0) {
    give_up_a_wish();
    answer = solver_->check();
  }
  is_exhausted_ = answer == smt::Satisfiability::Unsatisfiable;
  if (answer != smt::Satisfiability::Satisfiable) return std::nullopt;
  const smt::Model model =
      with_small_inputs(question_.question, *solver_, budget_);
  Choice out{with_inputs(application_, question_, model),
             input_values(question_, model)};
  smt::Terms& t = *question_.question.terms;
  const Term others = other_inputs(question_, model);
  others_.push_back(others);
  if (wishes_ == 0) {
    solver_->add(others);
    return out;
  }
  std::vector<Term> alike;
  for (const Term c : classes_)
    alike.push_back(model.truth(c) ? c : t.negation(c));
  other_classes_.push_back(t.negation(t.all_of(alike)));
  solver_->add(other_classes_.back());  // goes with the wish
  return out;
}

}  // namespace txscope::verify
