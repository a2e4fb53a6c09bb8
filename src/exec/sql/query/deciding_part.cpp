#include "exec/sql/query/deciding_part.h"

#include "model/answer.h"

namespace txscope::sql {
namespace {

std::string_view comparison_sign(Op op) {
  switch (op) {
    case Op::Equal: return " = ";
    case Op::NotEqual: return " <> ";
    case Op::Less: return " < ";
    case Op::LessEqual: return " <= ";
    case Op::Greater: return " > ";
    case Op::GreaterEqual: return " >= ";
    default: return "";
  }
}

std::string shown_value(const Value& value) {
  return value.is_null() ? "NULL" : to_string(value);
}

class DecidingPart {
 public:
  explicit DecidingPart(Evaluator& evaluator) : evaluator_(evaluator) {}

  std::string text(const Expr& expr) {
    if (const auto sign = comparison_sign(expr.op); !sign.empty()) {
      const auto left = value(expr.args[0]);
      const auto right = value(expr.args[1]);
      if (!left || !right) return "";
      return shown_value(*left) + std::string(sign) + shown_value(*right);
    }
    if (expr.op == Op::And) {
      for (const Expr& part : expr.args)
        if (const auto one = value(part); one && !one->is_true())
          return text(part);
    }
    const bool is_not = expr.op == Op::Not;
    const Expr& inner = is_not ? expr.args[0] : expr;
    if (inner.op != Op::Exists) return "";
    if (!is_not) return "there is none";
    const auto rows = evaluator_.select(*inner.query, 1);
    const auto* found = std::get_if<std::vector<Row>>(&rows);
    if (found == nullptr || found->empty()) return "";
    return "there is " + row_text(found->front());
  }

 private:
  std::optional<Value> value(const Expr& expr) {
    const auto found = evaluator_.value(expr);
    const auto* known = std::get_if<Value>(&found);
    return known == nullptr ? std::nullopt : std::optional(*known);
  }

  Evaluator& evaluator_;
};

}  // namespace

std::string deciding_part(Evaluator& evaluator, const Expr& condition) {
  return DecidingPart(evaluator).text(condition);
}

}  // namespace txscope::sql
