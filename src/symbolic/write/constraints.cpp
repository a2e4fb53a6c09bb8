#include "symbolic/write/constraints.h"

#include "symbolic/query/query.h"

namespace txscope::symbolic {

using smt::Term;

Term SymbolicConstraints::is_valid(const SymbolicState& state, bool checks_rows,
                                   const std::vector<TableId>& tables) {
  q_.errors.clear();
  q_.path = t_.boolean(true);
  std::vector<Term> all;
  for (const TableId id : tables) {
    const std::size_t i = id.index;
    const sql::Table& table = schema_.tables[i];
    for (std::size_t r = 0; r < state[i].size(); ++r) {
      const GuardedRow& row = state[i][r];
      if (checks_rows) check_row(table, row, all);
      for (std::size_t k = table.has_primary_key ? 1 : 0;
           k < table.unique.size(); ++k) {
        for (std::size_t other = 0; other < r; ++other) {
          all.push_back(
              t_.negation(same_key(table.unique[k], row, state[i][other])));
        }
      }
      for (const sql::ForeignKey& key : table.foreign) {
        all.push_back(has_parent(key, row, state));
      }
    }
  }
  all.push_back(t_.negation(q_.has_failed()));
  q_.errors.clear();
  return t_.all_of(all);
}

void SymbolicConstraints::check_row(const sql::Table& table,
                                    const GuardedRow& row,
                                    std::vector<Term>& all) {
  const TermRow* names[] = {&row.columns};
  SymbolicQueries queries(q_, {}, {});
  q_.path = row.present;
  for (const sql::Check& check : table.checks) {
    const SqlTerm v =
        queries.evaluate(check.condition, {names, nullptr, nullptr});
    all.push_back(t_.implies(row.present, t_.negation(q_.is_false(v))));
  }
  q_.path = t_.boolean(true);
}

Term SymbolicConstraints::same_key(const sql::UniqueKey& key,
                                   const GuardedRow& a, const GuardedRow& b) {
  std::vector<Term> same = {a.present, b.present};
  for (const std::uint32_t c : key.columns) {
    same.push_back(q_.equal(a.columns[c], b.columns[c], {}));
  }
  return t_.all_of(same);
}

Term SymbolicConstraints::has_parent(const sql::ForeignKey& key,
                                     const GuardedRow& row,
                                     const SymbolicState& state) {
  std::vector<Term> found = {t_.negation(row.present)};
  for (const std::uint32_t c : key.columns) {
    found.push_back(row.columns[c].null);
  }
  for (const GuardedRow& parent : state[key.parent.index]) {
    std::vector<Term> same = {parent.present};
    for (std::size_t c = 0; c < key.columns.size(); ++c) {
      same.push_back(q_.equal(row.columns[key.columns[c]],
                              parent.columns[key.parent_columns[c]], {}));
    }
    found.push_back(t_.all_of(same));
  }
  return t_.any_of(found);
}

}  // namespace txscope::symbolic
