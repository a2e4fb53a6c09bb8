#include "exec/sql/routine/assumptions.h"

#include <vector>

namespace txscope::sql {

std::optional<Error> failed_assumption(const Application& application,
                                       const MemoryDatabase& initial,
                                       const Budget& budget) {
  for (const Property& assumption : application.assumptions) {
    std::vector<Value> arguments;
    for (const VariableRef& ref : assumption.variables) {
      const Call& call = application.sessions[ref.session].calls[ref.call];
      arguments.push_back(call.arguments[ref.slot - 1]);
    }
    const auto value = initial.holds(assumption, arguments, budget);
    if (std::holds_alternative<Interrupted>(value)) return std::nullopt;
    const auto* truth = std::get_if<Value>(&value);
    if (truth != nullptr && truth->is_true()) continue;
    return Error{application.place(assumption.at),
                 "the setup does not satisfy the assumption '" +
                     assumption.name + "'",
                 truth == nullptr ? std::get<SqlError>(value).message
                                  : "nothing was run; change the setup, the "
                                    "arguments or the assumption",
                 std::string(application.line(assumption.at))};
  }
  return std::nullopt;
}

std::optional<Error> failed_assumption(const Application& application,
                                       const Budget& budget) {
  if (application.assumptions.empty()) return std::nullopt;
  const Routines routines(application);
  const auto initial = MemoryDatabase::after_setup(routines, budget);
  const auto* database = std::get_if<MemoryDatabase>(&initial);
  if (database == nullptr) return std::nullopt;
  return failed_assumption(application, *database, budget);
}

}  // namespace txscope::sql
