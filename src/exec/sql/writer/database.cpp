#include "exec/sql/writer/database.h"

#include <algorithm>

namespace txscope::sql {

// A database without locks, and with rows that scan() showed in order.

bool Database::each_target(
    const Relation&, const std::optional<Expr>&,
    const std::vector<FoundRow>* found, const Window& window,
    const std::function<bool(const FoundRow&)>& on_target) {
  if (found == nullptr) return true;
  const auto most = static_cast<std::ptrdiff_t>(
      std::min<std::uint64_t>(found->size(), window.limit.value_or(~0ull)));
  return std::all_of(found->begin(), found->begin() + most, on_target);
}

bool Database::lock(RowHandle, LockStrength, IfLocked, Locked&) { return true; }

bool Database::locks(const Query&) const { return false; }

bool Database::lock_examined(const Query&, const std::vector<JoinedRow>*,
                             const Window&) {
  return true;
}

bool Database::run_nested(const Routines&, const Request&,
                          std::span<const Value>, const Budget&,
                          StatementResult&, std::optional<SqlError>&) {
  return end_.undecided("triggers are not followed at this level");
}

bool Database::nest(const Request&) {
  return end_.undecided("an EXCEPTION block in a trigger is not followed");
}

bool Database::move(RowHandle at, const Row&, const Row& row, RowHandle& now) {
  return put(at.table, row, now);
}

}  // namespace txscope::sql
