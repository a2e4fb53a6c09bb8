#include "model/answer.h"

#include <algorithm>

namespace txscope {

Answer undecided_answer(const Workload& workload, std::string level,
                        Spent spent) {
  Answer out;
  out.level = std::move(level);
  out.spent = spent;
  for (std::size_t p = 0; p < workload.properties.size(); ++p) {
    PropertyAnswer row;
    row.property = PropertyId(p);
    out.properties.push_back(row);
  }
  return out;
}

std::string_view name(Builtin builtin) {
  switch (builtin) {
    case Builtin::OneAfterTheOther: return "as if one after the other";
    case Builtin::NoDeadlock: break;
  }
  return "no deadlock";
}

Outcome outcome_of(const Answer& answer) {
  const auto any_row = [](const auto& rows, Outcome verdict) {
    return std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
      return row.verdict == verdict;
    });
  };
  const bool by_builtins = answer.properties.empty();
  const bool is_violated =
      std::any_of(answer.counterexamples.begin(), answer.counterexamples.end(),
                  [](const Counterexample& e) { return !e.builtin; }) ||
      answer.counts.faulted > 0 ||
      any_row(answer.properties, Outcome::Violated) ||
      (by_builtins && any_row(answer.builtins, Outcome::Violated));
  if (is_violated) return Outcome::Violated;
  if (by_builtins && any_row(answer.builtins, Outcome::Undecided)) {
    return Outcome::Undecided;
  }
  return answer.is_complete ? Outcome::Holds : Outcome::Undecided;
}

Outcome outcome_of(const std::vector<Answer>& answers) {
  bool is_undecided = false;
  for (const Answer& answer : answers) {
    if (answer.outcome == Outcome::Violated) return Outcome::Violated;
    is_undecided |= answer.outcome == Outcome::Undecided;
  }
  return is_undecided ? Outcome::Undecided : Outcome::Holds;
}

std::string row_text(const sql::Row& row) {
  std::string out = "(";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out += ", ";
    out += to_string(row[i]);
  }
  return out + ")";
}

std::string value_text(const RowUse& use) {
  if (!use.row) return "absent";
  return use.row->size() == 1 ? to_string(use.row->front())
                              : row_text(*use.row);
}

}  // namespace txscope
