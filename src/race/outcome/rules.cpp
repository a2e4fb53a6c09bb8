#include "race/outcome/rules.h"

#include "base/printable.h"
#include "db/keeper.h"
#include "race/outcome/condition_shape.h"

namespace txscope::race {
namespace {

bool is_true(const db::Answer& answer) {
  return answer.rows.size() == 1 && !answer.rows[0].empty() &&
         (answer.rows[0][0] == "t" || answer.rows[0][0] == "1");
}

std::string value_of(const db::Answer& answer) {
  const bool is_null = answer.rows.empty() || answer.rows[0].empty() ||
                       !answer.rows[0][0].has_value();
  return is_null ? "NULL" : "false";
}

std::string shown(const db::Cell& cell) {
  return cell ? printable(*cell, Lines::Show) : "NULL";
}

std::string shown(const std::vector<db::Cell>& row) {
  std::string text;
  for (const db::Cell& cell : row)
    text += (text.empty() ? "(" : ", ") + shown(cell);
  return text + ")";
}

/// Which part of a condition that is not true makes it so.
class DecidingPart {
 public:
  explicit DecidingPart(db::Session& session) : session_(session) {}

  std::string text(const std::string& condition) {
    const auto shape = shape_of(condition);
    if (!shape) return "";
    switch (shape->kind) {
      case ConditionShape::Kind::Comparison:
        return comparison(shape->parts[0], shape->sign, shape->parts[1]);
      case ConditionShape::Kind::NoRow: return row_of(shape->parts[0]);
      case ConditionShape::Kind::SomeRow: return "there is none";
      case ConditionShape::Kind::All: break;
    }
    for (const std::string& part : shape->parts) {
      const db::Answer answer = session_.execute("SELECT (" + part + ")");
      if (answer.is_ok() && !is_true(answer)) return text(part);
    }
    return "";
  }

 private:
  std::string comparison(const std::string& left, const std::string& sign,
                         const std::string& right) {
    const db::Answer answer =
        session_.execute("SELECT (" + left + "), (" + right + ")");
    if (!answer.is_ok() || answer.rows.size() != 1 ||
        answer.rows[0].size() != 2)
      return "";
    return shown(answer.rows[0][0]) + " " + sign + " " +
           shown(answer.rows[0][1]);
  }

  std::string row_of(const std::string& query) {
    const db::Answer answer =
        session_.execute("SELECT * FROM (" + query + ") one LIMIT 1");
    if (!answer.is_ok() || answer.rows.size() != 1) return "";
    return "there is " + shown(answer.rows[0]);
  }

  db::Session& session_;
};

}  // namespace

std::string BrokenRule::sentence() const {
  const bool is_comparison =
      !numbers.empty() && !numbers.starts_with("there is ");
  return is_comparison ? numbers + " is " + value : numbers;
}

Result<BrokenRules> broken_rules(db::Session& session, const Plan& plan) {
  BrokenRules broken;
  for (const auto& [name, condition] : plan.rules) {
    const db::Answer answer = session.execute("SELECT (" + condition + ")");
    if (!answer.is_ok())
      return db::failure("rule '" + name + "': " + answer.message,
                         "a rule is a condition in SQL: (SELECT count(*) FROM "
                         "orders) <= 3");
    if (!is_true(answer))
      broken.emplace(name, BrokenRule{value_of(answer),
                                      DecidingPart(session).text(condition)});
  }
  return broken;
}

}  // namespace txscope::race
