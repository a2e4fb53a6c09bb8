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

Outcome outcome_of(const Answer& answer) {
  const bool is_violated =
      !answer.counterexamples.empty() || answer.counts.faulted > 0 ||
      std::any_of(answer.properties.begin(), answer.properties.end(),
                  [](const PropertyAnswer& p) {
                    return p.verdict == Outcome::Violated;
                  });
  if (is_violated) return Outcome::Violated;
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
