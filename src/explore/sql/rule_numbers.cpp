// The numbers that break a rule, from the rows that a run ends with.
#include <algorithm>

#include "exec/sql/query/deciding_part.h"
#include "explore/sql/explore_sql.h"

namespace txscope::explore {
namespace {

/// Tables as a counterexample tells them.
class EndTables : public sql::Store {
 public:
  EndTables(const sql::Schema& schema, std::span<const FinalTable> tables)
      : schema_(schema), tables_(tables) {}

  bool scan(const sql::Access& access, const OnRow& on_row) override {
    std::uint64_t number = 0;
    for (const FinalTable& table : tables_) {
      if (table.name != schema_.at(access.table).name) continue;
      for (const RowUse& use : table.rows)
        if (use.row) on_row({access.table, number++}, *use.row);
    }
    return true;
  }

 private:
  const sql::Schema& schema_;
  std::span<const FinalTable> tables_;
};

}  // namespace

std::string SqlExploration::numbers(
    std::size_t condition, std::span<const FinalTable> finals,
    std::span<const NamedValue> variables) const {
  const sql::Property& property = application_.properties[condition];
  const auto& query = *std::get<sql::Select>(property.condition.what);
  if (query.targets.size() != 1) return "";
  std::vector<sql::Value> values;
  for (const sql::VariableRef& ref : property.variables) {
    const sql::Routine& routine = application_.at(
        application_.sessions[ref.session].calls[ref.call].routine);
    const std::string wanted = names_.name({ref.session, ref.call}) + "." +
                               routine.variables[ref.slot].name;
    const auto known =
        std::find_if(variables.begin(), variables.end(),
                     [&](const NamedValue& one) { return one.name == wanted; });
    if (known == variables.end()) return "";
    values.push_back(known->value);
  }
  EndTables tables(application_.schema, finals);
  const Budget budget = Budget::unlimited();  // one condition on a few rows
  sql::Evaluator evaluator(routines_, tables, values, budget);
  return sql::deciding_part(evaluator, query.targets.front().expr);
}

}  // namespace txscope::explore
