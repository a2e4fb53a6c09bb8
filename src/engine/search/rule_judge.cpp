#include "engine/search/rule_judge.h"

#include <algorithm>

#include "engine/server/versioned_statement.h"
#include "exec/sql/query/deciding_part.h"
#include "exec/sql/value/compare.h"

namespace txscope::engine {
namespace {

/// Those that may have these values, by the primary key.
std::vector<const StoredRow*> committed(const State& state,
                                        const sql::Schema& schema,
                                        TableId table,
                                        const Records::Equal& equal) {
  std::vector<const StoredRow*> rows;
  state.table(table).records.for_each_that_may(
      equal, [&](std::size_t, const Record& record) {
        if (const StoredRow* row = record.committed()) rows.push_back(row);
      });
  const sql::Table& shape = schema.at(table);
  const auto less = [&](const StoredRow* a, const StoredRow* b) {
    if (!shape.has_primary_key) return a->row < b->row;
    for (const std::uint32_t c : shape.unique.front().columns) {
      const int order = sql::compare(a->row[c], b->row[c]);
      if (order != 0) return order < 0;
    }
    return false;
  };
  if (!std::is_sorted(rows.begin(), rows.end(), less))
    std::stable_sort(rows.begin(), rows.end(), less);
  return rows;
}

class CommittedStore : public sql::Store {
 public:
  explicit CommittedStore(const State& state, const sql::Schema& schema)
      : state_(state), schema_(schema) {}

  [[nodiscard]] bool scan(const sql::Access& access,
                          const OnRow& on_row) override {
    std::uint64_t n = 0;
    for (const StoredRow* row :
         committed(state_, schema_, access.table, access.equal))
      on_row({access.table, n++}, row->row);
    return true;
  }

 private:
  const State& state_;
  const sql::Schema& schema_;
};

}  // namespace

std::vector<sql::Row> committed_rows(const State& state,
                                     const sql::Schema& schema, TableId table) {
  std::vector<sql::Row> rows;
  for (const StoredRow* row : committed(state, schema, table, {}))
    rows.push_back(row->row);
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
  return sql::deciding_part(evaluator, query.targets.front().expr);
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
