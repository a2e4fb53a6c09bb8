#include <algorithm>

#include "model/product/error_class.h"
#include "symbolic/write/writer.h"

// Unique keys, and an UPDATE of a primary key.

namespace txscope::symbolic {

using smt::Term;

namespace {

bool names_column(const sql::Expr& e) {
  return e.op == sql::Op::Column || e.query != nullptr ||
         std::any_of(e.args.begin(), e.args.end(), names_column);
}

}  // namespace

/// Another row has the same values in a unique key.
void SymbolicWriter::check_unique(TableId table, std::size_t self,
                                  const TermRow& row, const TermRow* old) {
  const sql::Table& shape = tables_.schema().at(table);
  for (std::size_t k = shape.has_primary_key ? 1 : 0; k < shape.unique.size();
       ++k) {
    if (shape.unique[k].is_deferrable) continue;  // SymbolicDeferrableKeys
    Term is_new = q_.path;
    if (old != nullptr) {
      std::vector<Term> kept;
      for (const std::uint32_t c : shape.unique[k].columns)
        kept.push_back(q_.same(row[c], (*old)[c], path_.at));
      is_new = t_.all_of({is_new, t_.negation(t_.all_of(kept))});
    }
    const auto keys = tables_.universe().keys(table);
    for (std::size_t r = 0; r < keys.size(); ++r) {
      if (r == self) continue;
      const GuardedRow other = tables_.checked(
          table, r,
          t_.all_of({is_new, may_be_in_the_way(shape, shape.unique[k],
                                               keys[r].key, row)}));
      std::vector<Term> same = {other.present};
      for (const std::uint32_t c : shape.unique[k].columns) {
        same.push_back(q_.equal(row[c], other.columns[c], path_.at));
      }
      q_.fail_if(t_.all_of(same), sqlstate::kUnique);
    }
  }
}

/// As far as the place of the other row tells.
Term SymbolicWriter::may_be_in_the_way(const sql::Table& table,
                                       const sql::UniqueKey& key,
                                       const sql::Row& there,
                                       const TermRow& row) {
  std::vector<Term> may;
  for (const std::uint32_t c : key.columns)
    may.push_back(t_.negation(row[c].null));
  if (!table.has_primary_key) return t_.all_of(may);
  const auto& primary = table.unique.front().columns;
  for (std::size_t i = 0; i < primary.size(); ++i) {
    if (std::count(key.columns.begin(), key.columns.end(), primary[i]) == 0)
      continue;
    may.push_back(q_.equal(row[primary[i]], q_.constant(there[i]), path_.at));
  }
  return t_.all_of(may);
}

/// A column of the primary key is set to something that names a column.
bool SymbolicWriter::counts_key(const sql::Table& shape,
                                const std::vector<sql::SetColumn>& set) {
  const auto& key = shape.unique.front().columns;
  return std::any_of(set.begin(), set.end(), [&](const sql::SetColumn& change) {
    return std::count(key.begin(), key.end(), change.column) != 0 &&
           change.value && names_column(*change.value);
  });
}

/// For certain.
bool SymbolicWriter::keeps_key(const sql::Table& shape, const TermRow& old,
                               const TermRow& row) {
  if (!shape.has_primary_key) return true;
  const auto& key = shape.unique.front().columns;
  return std::all_of(key.begin(), key.end(), [&](std::uint32_t c) {
    return t_.is_true(q_.same(row[c], old[c], path_.at));
  });
}

/// An UPDATE of the primary key: the row leaves one place of the universe and
/// appears at another.
Term SymbolicWriter::move_row(const sql::DbStatement& statement, TableId table,
                              std::size_t r, const GuardedRow& before,
                              const TermRow& after, Term when) {
  const sql::Table& shape = tables_.schema().at(table);
  for (const sql::Table& child : tables_.schema().tables) {
    for (const sql::ForeignKey& key : child.foreign) {
      if (key.parent == table && key.on_delete != sql::OnDelete::NoAction) {
        throw Unsupported{path_.at,
                          "an UPDATE of a primary key that is referred to"};
      }
    }
  }
  Term count = t_.integer(0);
  for (const KeyCase& one : key_cases(table, shape, after, when)) {
    const auto to = tables_.universe().find(table, one.key);
    if (!to) {
      wanted_.emplace_back(table, one.key);
      continue;
    }
    const GuardedRow made{t_.boolean(true), one.row};
    GuardedRow there = before;
    if (*to != r) {
      there = tables_.target(table, *to, one.when);
      path_.fail(t_.all_of({one.when, there.present}), sqlstate::kUnique);
      GuardedRow gone = before;
      gone.present = t_.boolean(false);
      tables_.write(table, r, one.when, before, gone);
    }
    path_.evaluated([&] {
      q_.path = one.when;
      check_unique(table, *to, one.row);
      return 0;
    });
    tables_.write(table, *to, one.when, there, made);
    give_back(statement, one.row, t_.all_of({path_.alive, one.when}));
    count = t_.add(count, t_.as_integer(one.when));
  }
  return count;
}

}  // namespace txscope::symbolic
