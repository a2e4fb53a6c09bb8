#include "exec/sql/writer/inner_call.h"

#include "exec/sql/writer/database.h"

namespace txscope::sql {

bool run_inner(const Routines& routines, const Request& request,
               std::span<const Value> slots, const Budget& budget, Store* store,
               StatementResult& result, std::optional<SqlError>& error,
               Halt& halt) {
  auto* const database = dynamic_cast<Database*>(store);
  if (database == nullptr) {
    halt.raise_ours("a query of a VOLATILE function, here");
    return false;
  }
  if (database->run_nested(routines, request, slots, budget, result, error))
    return true;
  // Its end() says why.
  halt.interrupt();
  return false;
}

}  // namespace txscope::sql
