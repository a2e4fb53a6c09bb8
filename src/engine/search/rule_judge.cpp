#include "engine/search/rule_judge.h"

#include <algorithm>

#include "engine/server/versioned_statement.h"
#include "exec/sql/value/compare.h"
#include "model/answer.h"

namespace txscope::engine {
namespace {

class CommittedStore : public sql::Store {
 public:
  explicit CommittedStore(const State& state, const sql::Schema& schema)
      : state_(state), schema_(schema) {}

  [[nodiscard]] bool scan(const sql::Access& access,
                          const OnRow& on_row) override {
    std::uint64_t n = 0;
    for (const sql::Row& row : committed_rows(state_, schema_, access.table))
      on_row({access.table, n++}, row);
    return true;
  }

 private:
  const State& state_;
  const sql::Schema& schema_;
};

std::string_view comparison_sign(sql::Op op) {
  switch (op) {
    case sql::Op::Equal: return " = ";
    case sql::Op::NotEqual: return " <> ";
    case sql::Op::Less: return " < ";
    case sql::Op::LessEqual: return " <= ";
    case sql::Op::Greater: return " > ";
    case sql::Op::GreaterEqual: return " >= ";
    default: return "";
  }
}

/// Puts values into what decides that a condition is not true.
class ConditionNumbers {
 public:
  explicit ConditionNumbers(sql::Evaluator& evaluator)
      : evaluator_(evaluator) {}

  std::string text(const sql::Expr& expr) {
    if (const auto sign = comparison_sign(expr.op); !sign.empty()) {
      const auto left = value(expr.args[0]);
      const auto right = value(expr.args[1]);
      if (!left || !right) return "";
      return shown_value(*left) + std::string(sign) + shown_value(*right);
    }
    if (expr.op == sql::Op::And) {
      for (const sql::Expr& part : expr.args)
        if (const auto one = value(part); one && !one->is_true())
          return text(part);
    }
    const bool is_not = expr.op == sql::Op::Not;
    const sql::Expr& inner = is_not ? expr.args[0] : expr;
    if (inner.op != sql::Op::Exists) return "";
    if (!is_not) return "there is none";
    const auto rows = evaluator_.select(*inner.query, 1);
    const auto* found = std::get_if<std::vector<sql::Row>>(&rows);
    if (found == nullptr || found->empty()) return "";
    return "there is " + row_text(found->front());
  }

 private:
  std::optional<sql::Value> value(const sql::Expr& expr) {
    const auto found = evaluator_.value(expr);
    const auto* known = std::get_if<sql::Value>(&found);
    return known == nullptr ? std::nullopt : std::optional(*known);
  }
  static std::string shown_value(const sql::Value& value) {
    return value.is_null() ? "NULL" : to_string(value);
  }

  sql::Evaluator& evaluator_;
};

}  // namespace

std::vector<sql::Row> committed_rows(const State& state,
                                     const sql::Schema& schema, TableId table) {
  std::vector<sql::Row> rows;
  for (const Record& record : state.table(table).records)
    if (const StoredRow* row = record.committed()) rows.push_back(row->row);
  const sql::Table& shape = schema.at(table);
  const auto less = [&](const sql::Row& a, const sql::Row& b) {
    if (!shape.has_primary_key) return a < b;
    for (const std::uint32_t c : shape.unique.front().columns) {
      const int order = sql::compare(a[c], b[c]);
      if (order != 0) return order < 0;
    }
    return false;
  };
  std::stable_sort(rows.begin(), rows.end(), less);
  return rows;
}

std::optional<std::vector<sql::Value>> RuleJudge::variables_of(
    const sql::Property& property, const State& state) const {
  std::vector<sql::Value> values;
  for (const sql::VariableRef& ref : property.variables) {
    const SessionState& session = state.sessions[ref.session];
    const auto call = selection_.position({ref.session, ref.call});
    if (!call || *call >= session.ends.size() || session.ends[*call] != 0)
      return std::nullopt;
    values.push_back(session.finished[*call]->slots()[ref.slot]);
  }
  return values;
}

std::optional<sql::Value> RuleJudge::value(std::size_t property,
                                           const State& state) {
  const sql::Application& application = routines_.application();
  const sql::Property& asked = application.properties[property];
  const auto variables = variables_of(asked, state);
  if (!variables) return sql::Value::boolean(true);
  CommittedStore store(state, application.schema);
  sql::Evaluator evaluator(routines_, store, *variables, budget_);
  const auto rows =
      evaluator.select(*std::get<sql::Select>(asked.condition.what));
  if (const auto* found = std::get_if<std::vector<sql::Row>>(&rows))
    return found->at(0).at(0);
  if (std::holds_alternative<sql::SqlError>(rows))
    return sql::Value::boolean(false);
  return std::nullopt;
}

std::string RuleJudge::numbers(std::size_t property, const State& state) {
  const sql::Application& application = routines_.application();
  const sql::Property& asked = application.properties[property];
  const auto variables = variables_of(asked, state);
  const auto& query = *std::get<sql::Select>(asked.condition.what);
  if (!variables || query.targets.size() != 1) return "";
  CommittedStore store(state, application.schema);
  sql::Evaluator evaluator(routines_, store, *variables, budget_);
  return ConditionNumbers(evaluator).text(query.targets.front().expr);
}

std::vector<bool> RuleJudge::judge(const State& state, bool is_final) {
  const auto& properties = routines_.application().properties;
  std::vector<bool> violated(properties.size());
  for (std::size_t p = 0; p < properties.size(); ++p) {
    if (!is_final && properties[p].kind == PropertyKind::Assert) continue;
    const auto value = this->value(p, state);
    violated[p] = value && !value->is_true();
  }
  return violated;
}

const std::vector<bool>& RuleJudge::violated(const State& state,
                                             bool is_final) {
  Mixer mixer(hash_of_committed(state));
  mixer.add(is_final ? 1 : 0);
  const auto& properties = routines_.application().properties;
  for (const sql::Property& property : properties) {
    if (!is_final || property.variables.empty()) continue;
    const auto variables = variables_of(property, state);
    mixer.add(variables ? hash_of(*variables) : Hash128{});
  }
  const auto [entry, is_new] = known_.try_emplace(mixer.done());
  if (is_new) entry->second = judge(state, is_final);
  return entry->second;
}

}  // namespace txscope::engine
