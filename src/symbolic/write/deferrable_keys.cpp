#include "symbolic/write/deferrable_keys.h"

#include "model/product/error_class.h"

namespace txscope::symbolic {

using smt::Term;

void SymbolicDeferrableKeys::check(std::span<const RowChange> changes,
                                   bool is_deferred) {
  for (const RowChange& change : changes) {
    for (const sql::UniqueKey& key : tables_.schema().at(change.table).unique) {
      if (key.is_deferrable && key.is_deferred == is_deferred)
        check(key, change);
    }
  }
}

void SymbolicDeferrableKeys::check(const sql::UniqueKey& key,
                                   const RowChange& change) {
  const GuardedRow now =
      tables_.checked(change.table, change.row, change.guard);
  std::vector<Term> kept = {change.before.present};
  for (const std::uint32_t c : key.columns)
    kept.push_back(q_.same(now.columns[c], change.before.columns[c], path_.at));
  const Term is_set =
      t_.all_of({change.guard, now.present, t_.negation(t_.all_of(kept))});
  const auto rows = tables_.universe().keys(change.table);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r == change.row) continue;
    const Term may_meet = writer_.may_be_in_the_way(
        tables_.schema().at(change.table), key, rows[r].key, now.columns);
    const GuardedRow other =
        tables_.checked(change.table, r, t_.all_of({is_set, may_meet}));
    std::vector<Term> same = {is_set, other.present};
    for (const std::uint32_t c : key.columns)
      same.push_back(q_.equal(now.columns[c], other.columns[c], path_.at));
    path_.fail(t_.all_of(same), sqlstate::kUnique);
  }
}

}  // namespace txscope::symbolic
