#include "symbolic/write/foreign_keys.h"

#include "model/product/error_class.h"

namespace txscope::symbolic {

using smt::Term;

void SymbolicForeignKeys::check() {
  std::vector<RowChange>& changed = tables_.changed();
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const RowChange change = changed[i];  // cascades add others
    check_parents(change, false);
    check_children(change, false);
  }
  last_ = all_.size();
  all_.insert(all_.end(), changed.begin(), changed.end());
  changed.clear();
}

void SymbolicForeignKeys::check_deferred() {
  tables_.begin_statement();
  for (const RowChange& change : all_) {
    check_parents(change, true);
    check_children(change, true);
  }
}

void SymbolicForeignKeys::end_block(Term fails) {
  for (std::size_t i = blocks_.back(); i < all_.size(); ++i) {
    all_[i].guard = t_.all_of({all_[i].guard, t_.negation(fails)});
  }
  blocks_.pop_back();
}

Term SymbolicForeignKeys::sets(const sql::ForeignKey& key,
                               const RowChange& change) {
  std::vector<Term> kept = {change.before.present};
  for (const std::uint32_t c : key.columns) {
    kept.push_back(
        q_.equal(change.before.columns[c], change.after.columns[c], path_.at));
  }
  return t_.negation(t_.all_of(kept));
}

void SymbolicForeignKeys::check_parents(const RowChange& change,
                                        bool is_deferred) {
  for (const sql::ForeignKey& key : tables_.schema().at(change.table).foreign) {
    if (key.is_deferred != is_deferred) continue;
    const GuardedRow now =
        tables_.checked(change.table, change.row, change.guard);
    std::vector<Term> needs = {change.guard, now.present, sets(key, change)};
    for (const std::uint32_t c : key.columns) {
      needs.push_back(t_.negation(now.columns[c].null));
    }
    std::vector<Term> found;
    const Term is_needed = t_.all_of(needs);
    const auto parents = tables_.universe().keys(key.parent);
    for (std::size_t r = 0; r < parents.size(); ++r) {
      const Term when = t_.all_of(
          {is_needed, may_hold(key.parent, key.parent_columns, parents[r].key,
                               key.columns, now.columns)});
      found.push_back(
          is_parent(key, tables_.checked(key.parent, r, when), now.columns));
    }
    needs.push_back(t_.negation(t_.any_of(found)));
    path_.fail(t_.all_of(needs), sqlstate::kForeignKey);
  }
}

/// Whether a row at this place can have, in `columns`, the values that `row`
/// has in `others`.
Term SymbolicForeignKeys::may_hold(TableId table,
                                   const std::vector<std::uint32_t>& columns,
                                   const sql::Row& there,
                                   const std::vector<std::uint32_t>& others,
                                   const TermRow& row) {
  const sql::Table& shape = tables_.schema().at(table);
  if (!shape.has_primary_key) return t_.boolean(true);
  const auto& primary = shape.unique.front().columns;
  std::vector<Term> same;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t i = 0; i < primary.size(); ++i) {
      if (primary[i] != columns[c]) continue;
      same.push_back(q_.equal(row[others[c]], q_.constant(there[i]), path_.at));
    }
  }
  return t_.all_of(same);
}

Term SymbolicForeignKeys::is_parent(const sql::ForeignKey& key,
                                    const GuardedRow& parent,
                                    const TermRow& child) {
  std::vector<Term> same = {parent.present};
  for (std::size_t c = 0; c < key.columns.size(); ++c) {
    same.push_back(q_.equal(parent.columns[key.parent_columns[c]],
                            child[key.columns[c]], path_.at));
  }
  return t_.all_of(same);
}

/// Rows that referred to what is no longer there.
void SymbolicForeignKeys::check_children(const RowChange& change,
                                         bool is_deferred) {
  for (std::size_t child = 0; child < tables_.schema().tables.size(); ++child) {
    for (const sql::ForeignKey& key : tables_.schema().tables[child].foreign) {
      const bool waits = key.is_deferred && !key.restricts_delete &&
                         key.on_delete == sql::OnDelete::NoAction;
      if (key.parent != change.table || waits != is_deferred) continue;
      const GuardedRow now =
          tables_.checked(change.table, change.row, change.guard);
      const Term is_lost = loses(key, change, now);
      if (key.on_delete == sql::OnDelete::NoAction)
        ask_for_replacements(key, change, is_lost);
      const auto children = tables_.universe().keys(TableId(child));
      for (std::size_t r = 0; r < children.size(); ++r) {
        const Term when = t_.all_of(
            {is_lost, may_hold(TableId(child), key.columns, children[r].key,
                               key.parent_columns, change.before.columns)});
        const GuardedRow row = tables_.target(TableId(child), r, when);
        const Term orphan =
            t_.all_of({change.guard, row.present,
                       is_parent(key, change.before, row.columns),
                       t_.negation(is_parent(key, now, row.columns))});
        if (!t_.is_false(orphan))
          adopt(key, TableId(child), r, row, now, orphan);
      }
    }
  }
}

/// Whether the change takes away what children may refer to.
Term SymbolicForeignKeys::loses(const sql::ForeignKey& key,
                                const RowChange& change,
                                const GuardedRow& now) {
  std::vector<Term> kept = {now.present};
  std::vector<Term> is_lost = {change.guard, change.before.present};
  for (const std::uint32_t c : key.parent_columns) {
    kept.push_back(q_.same(change.before.columns[c], now.columns[c], path_.at));
    is_lost.push_back(t_.negation(change.before.columns[c].null));
  }
  is_lost.push_back(t_.negation(t_.all_of(kept)));
  return t_.all_of(is_lost);
}

/// Another parent that has the values is as good: they are looked at, too.
void SymbolicForeignKeys::ask_for_replacements(const sql::ForeignKey& key,
                                               const RowChange& change,
                                               Term is_lost) {
  if (!tables_.has_exact_reads()) return;
  const auto parents = tables_.universe().keys(key.parent);
  for (std::size_t r = 0; r < parents.size(); ++r) {
    const Term when = t_.all_of(
        {is_lost, may_hold(key.parent, key.parent_columns, parents[r].key,
                           key.parent_columns, change.before.columns)});
    if (!t_.is_false(when)) (void)tables_.checked(key.parent, r, when);
  }
}

void SymbolicForeignKeys::adopt(const sql::ForeignKey& key, TableId child,
                                std::size_t r, const GuardedRow& row,
                                const GuardedRow& now, Term orphan) {
  // The parent's key may have changed: ON DELETE is not about that.
  const Term is_kept = now.present;
  if (key.on_delete == sql::OnDelete::NoAction) {
    path_.fail(orphan, sqlstate::kForeignKey);
    return;
  }
  path_.fail(t_.all_of({orphan, is_kept}), sqlstate::kForeignKey);
  orphan = t_.all_of({orphan, t_.negation(is_kept)});
  if (t_.is_false(orphan)) return;
  GuardedRow after = row;
  if (key.on_delete == sql::OnDelete::Cascade) {
    after.present = t_.boolean(false);
  } else {
    for (const std::uint32_t c : key.columns) {
      after.columns[c].null = t_.boolean(true);
    }
    path_.evaluated([&] {
      q_.path = orphan;
      writer_.check_row(tables_.schema().at(child), after.columns);
      return 0;
    });
  }
  tables_.write(child, r, orphan, row, after);
}

}  // namespace txscope::symbolic
