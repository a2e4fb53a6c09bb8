#include "engine/search/serial.h"

#include <algorithm>
#include <optional>

namespace txscope::engine {
namespace {

using Order = std::vector<std::uint32_t>;

std::optional<std::vector<Order>> all_orders(const Selection& selection,
                                             std::size_t max_orders) {
  Order order;
  for (std::uint32_t s = 0; s < selection.calls.size(); ++s)
    order.insert(order.end(), selection.calls[s].size(), s);
  std::vector<Order> orders;
  do {
    if (orders.size() == max_orders) return std::nullopt;
    orders.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

CallEnd end_of(const sql::MemoryDatabase::Ran& ran) {
  if (ran.kind == sql::Request::Kind::Returned) return {true, 1, ""};
  if (ran.kind != sql::Request::Kind::Failed) return {false, 1, "cut"};
  const std::string& code = ran.process.error().sqlstate;
  return {false, 1, code == "P0001" ? "raised" : code};
}

class Runner {
 public:
  Runner(const sql::Application& application, const Selection& selection,
         const Budget& budget)
      : application_(application), selection_(selection), budget_(budget) {}

  SerialOutcome run(sql::MemoryDatabase database, const Order& order) {
    SerialOutcome outcome;
    outcome.order = order;
    for (const sql::Session& session : application_.sessions)
      outcome.ends.emplace_back(session.calls.size());
    std::vector<std::size_t> next(application_.sessions.size());
    std::vector<std::pair<CallRef, sql::Process>> ran;
    for (const std::uint32_t s : order) {
      const std::uint32_t c = selection_.calls[s][next[s]++];
      auto result = database.run(application_.sessions[s].calls[c], budget_);
      outcome.ends[s][c] = end_of(result);
      ran.emplace_back(CallRef{s, c}, std::move(result.process));
    }
    for (const sql::Property& property : application_.properties) {
      outcome.is_violated.push_back(
          is_violated(database, property, outcome, ran));
    }
    for (std::size_t t = 0; t < application_.schema.tables.size(); ++t)
      outcome.final.push_back(database.rows(TableId(t)));
    return outcome;
  }

 private:
  bool is_violated(
      const sql::MemoryDatabase& database, const sql::Property& property,
      const SerialOutcome& outcome,
      const std::vector<std::pair<CallRef, sql::Process>>& ran) const {
    std::vector<sql::Value> values;
    for (const sql::VariableRef& ref : property.variables) {
      if (!outcome.ends[ref.session][ref.call].is_committed) return false;
      const CallRef call{ref.session, ref.call};
      const auto found =
          std::find_if(ran.begin(), ran.end(),
                       [&](const auto& entry) { return entry.first == call; });
      if (found == ran.end()) return false;
      values.push_back(found->second.slots()[ref.slot]);
    }
    const auto value = database.holds(property, values, budget_);
    if (const auto* truth = std::get_if<sql::Value>(&value))
      return !truth->is_true();
    return std::holds_alternative<sql::SqlError>(value);
  }

  const sql::Application& application_;
  const Selection& selection_;
  const Budget& budget_;
};

}  // namespace

std::vector<SerialOutcome> run_serially_in_all_orders(
    const sql::MemoryDatabase& initial, const sql::Application& application,
    const Selection& selection, std::size_t max_orders, const Budget& budget) {
  const auto orders = all_orders(selection, max_orders);
  if (!orders) return {};
  std::vector<SerialOutcome> outcomes;
  Runner runner(application, selection, budget);
  for (const Order& order : *orders) {
    outcomes.push_back(runner.run(initial, order));
    if (budget.spent()) return {};
  }
  return outcomes;
}

}  // namespace txscope::engine
