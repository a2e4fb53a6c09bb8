#include "robust/proof/change_accesses.h"

#include <algorithm>

#include "model/sql/walk.h"
#include "robust/proof/expressions.h"
#include "robust/proof/row_triggers.h"

namespace txscope::robust {

using smt::Term;
using sql::DbStatement;
using sql::Expr;

namespace {

constexpr std::uint32_t kAtCommit = ~std::uint32_t{0} - 1;  // a statement

}  // namespace

Given ChangeAccesses::execute(const DbStatement& d) {
  if (const auto* insert = std::get_if<sql::Insert>(&d.what)) {
    return execute_insert(d, *insert);
  }
  if (const auto* update = std::get_if<sql::Update>(&d.what)) {
    return execute_change(d, update->target, update->where, &update->set);
  }
  const auto& remove = std::get<sql::Delete>(d.what);
  return execute_change(d, remove.target, remove.where, nullptr);
}

Given ChangeAccesses::returning(const DbStatement& d, Term found,
                                const SymbolRow& row) {
  const std::vector<SymbolRow> rows = {row};
  Given given{found, {}};
  for (const auto& target : d.returning) {
    given.row.push_back(reads_.value(target.expr, &rows));
  }
  return given;
}

/// UPDATE, or DELETE if nothing is set.
Given ChangeAccesses::execute_change(const DbStatement& d,
                                     const sql::Relation& target,
                                     const std::optional<Expr>& where,
                                     const std::vector<sql::SetColumn>* set) {
  const TableId table = target.table;
  const std::size_t known = run_.out.accesses.size();
  Access read = look_for(Access::Kind::Read, table, where);
  if (where) note_columns(*where, 0, 0, read.columns);
  // Of many rows, the one that is read and the one that is written are two.
  std::vector<Access> subreads(
      run_.out.accesses.begin() + static_cast<std::ptrdiff_t>(known),
      run_.out.accesses.end());
  Access write = read;
  if (!read.is_exact) {
    write = look_for(Access::Kind::Read, table, where);
    run_.out.accesses.resize(known);
    run_.out.accesses.insert(run_.out.accesses.end(), subreads.begin(),
                             subreads.end());
  }
  write.kind = set != nullptr ? Access::Kind::Update : Access::Kind::Delete;
  write.columns.assign(write.columns.size(), set == nullptr);
  write.after = write.row;
  const std::vector<SymbolRow> rows = {write.row};
  Symbols::Scope scope{run_.slots, {}};
  scope.rows.emplace_back(rows);
  bool moves = false;
  if (!run_.schema.at(table).triggers.empty())  // they see the whole row
    read.columns.assign(read.columns.size(), true);
  if (set != nullptr) {
    for (const auto& column : *set) {
      write.columns[column.column] = true;
      if (!column.value) {
        write.after[column.column] = symbols_.unknown("default");
        continue;
      }
      note_columns(*column.value, 0, 0, read.columns);
      write.after[column.column] =
          symbols_.of(*column.value, scope, reads_.on_query());
    }
  }
  fire_triggers(table, write.after, &write.columns);
  if (set != nullptr) {
    const auto& key = run_.key_of(table);
    moves = std::any_of(key.begin(), key.end(),
                        [&](std::uint32_t k) { return write.columns[k]; });
  }
  for (const auto& column : d.returning) {
    note_columns(column.expr, 0, 0, read.columns);
  }
  const Term found = write.found;
  write.executed = terms_.all_of({write.executed, found});
  const Term when = write.executed;
  const SymbolRow before = write.row;
  const SymbolRow after = write.after;
  const std::vector<bool> columns = write.columns;
  std::vector<const Expr*> wheres;
  if (where) wheres.push_back(&*where);
  reads_.add_unmet(wheres, {run_.slots, {}}, read);
  run_.add(std::move(read));
  if (moves) {  // the row is gone from one key and appears at another
    Access appears = write;
    appears.kind = Access::Kind::Insert;
    appears.row = after;
    appears.holds = appears.key_holds = write.holds;
    appears.columns.assign(appears.columns.size(), true);
    run_.add(std::move(appears));
  }
  run_.add(std::move(write));
  if (set == nullptr) {
    children(table, before, when, nullptr);
  } else {
    unique_keys(table, after, columns, when);
    parents(table, after, columns, when);
    children(table, before, when, &columns);
  }
  if (changes_keys(table, columns, set == nullptr)) {
    run_.abort_if(symbols_.flag("constraint"));
  }
  return returning(d, found, after);
}

/// The rows of a table that WHERE finds.
Access ChangeAccesses::look_for(Access::Kind kind, TableId table,
                                const std::optional<Expr>& where) {
  Access a = run_.access(kind, table);
  a.row = run_.row_of(table);
  const std::vector<SymbolRow> rows = {a.row};
  Symbols::Scope scope{run_.slots, {}};
  scope.rows.emplace_back(rows);
  std::vector<const Expr*> wheres;
  if (where) wheres.push_back(&*where);
  const QueryReads::Conditions all = reads_.conditions(wheres, scope);
  a.holds = all.whole;
  reads_.key_conditions(all, 0, scope, a);
  a.is_keyed = a.is_exact;
  a.sight = Access::Sight::Target;
  return a;
}

bool ChangeAccesses::changes_keys(TableId table,
                                  const std::vector<bool>& columns,
                                  bool is_delete) const {
  if (is_delete) return true;
  const auto& t = run_.schema.at(table);
  const auto touches = [&](const std::vector<std::uint32_t>& key) {
    return std::any_of(key.begin(), key.end(),
                       [&](std::uint32_t k) { return columns[k]; });
  };
  return !t.checks.empty() ||
         std::any_of(t.unique.begin(), t.unique.end(),
                     [&](const auto& u) { return touches(u.columns); }) ||
         std::any_of(t.foreign.begin(), t.foreign.end(),
                     [&](const auto& f) { return touches(f.columns); });
}

/// A child's row reads that its parent is there.
void ChangeAccesses::parents(TableId table, const SymbolRow& row,
                             const std::vector<bool>& columns, Term when) {
  for (const auto& foreign : run_.schema.at(table).foreign) {
    if (std::none_of(foreign.columns.begin(), foreign.columns.end(),
                     [&](std::uint32_t c) { return columns[c]; })) {
      continue;
    }
    Access a = run_.access(Access::Kind::Read, foreign.parent);
    a.sight = Access::Sight::Latest;
    a.row = run_.row_of(foreign.parent);
    std::vector<Term> equal;
    for (std::size_t i = 0; i < foreign.columns.size(); ++i) {
      equal.push_back(symbols_.equal(a.row[foreign.parent_columns[i]],
                                     row[foreign.columns[i]]));
    }
    a.holds = a.key_holds = terms_.all_of(equal);
    if (foreign.is_deferred) a.statement = kAtCommit;
    a.executed = when;
    a.is_exact = run_.key_of(foreign.parent) == foreign.parent_columns;
    run_.add(std::move(a));
  }
}

/// Looks up whether another row has the values of a unique key.
void ChangeAccesses::unique_keys(TableId table, const SymbolRow& row,
                                 const std::vector<bool>& columns, Term when) {
  const auto& t = run_.schema.at(table);
  for (std::size_t u = 0; u < t.unique.size(); ++u) {
    const auto& key = t.unique[u].columns;
    if (std::none_of(key.begin(), key.end(),
                     [&](std::uint32_t c) { return columns[c]; })) {
      continue;
    }
    Access a = run_.access(Access::Kind::Read, table);
    a.sight = Access::Sight::Latest;
    a.row = run_.row_of(table);
    std::vector<Term> equal;
    for (const std::uint32_t c : key) {
      equal.push_back(symbols_.equal(a.row[c], row[c]));
      a.columns[c] = u > 0 || !t.has_primary_key;
    }
    a.holds = terms_.all_of(equal);
    if (t.unique[u].is_deferred) a.statement = kAtCommit;
    a.executed = when;
    const bool is_primary = u == 0 && t.has_primary_key;
    if (is_primary) a.key_holds = a.holds;
    a.is_exact = is_primary;
    run_.add(std::move(a));
  }
}

/// Deleting a parent reads, and may change, its children; so does changing
/// `columns` of it that they refer to.
void ChangeAccesses::children(TableId table, const SymbolRow& row, Term when,
                              const std::vector<bool>* columns) {
  if (std::find(above_.begin(), above_.end(), table) != above_.end()) {
    reads_.anything(run_.footprint);  // its own children's children
    return;
  }
  above_.push_back(table);
  for (std::size_t t = 0; t < run_.schema.tables.size(); ++t) {
    for (const auto& foreign : run_.schema.tables[t].foreign) {
      if (foreign.parent != table) continue;
      const auto& referred = foreign.parent_columns;
      if (columns != nullptr &&
          std::none_of(referred.begin(), referred.end(),
                       [&](std::uint32_t c) { return (*columns)[c]; })) {
        continue;
      }
      Access a = run_.access(Access::Kind::Read, TableId(t));
      a.sight = Access::Sight::Latest;
      a.row = run_.row_of(TableId(t));
      std::vector<Term> equal;
      for (std::size_t i = 0; i < foreign.columns.size(); ++i) {
        equal.push_back(symbols_.equal(a.row[foreign.columns[i]],
                                       row[foreign.parent_columns[i]]));
        a.columns[foreign.columns[i]] = true;
      }
      a.holds = terms_.all_of(equal);
      if (foreign.is_deferred && !foreign.restricts_delete &&
          foreign.on_delete == sql::OnDelete::NoAction)
        a.statement = kAtCommit;
      a.executed = when;
      const SymbolRow child = a.row;
      const Term is_child = terms_.all_of({when, a.holds});
      const bool is_deleted =
          columns == nullptr && foreign.on_delete == sql::OnDelete::Cascade;
      if (columns == nullptr && foreign.on_delete != sql::OnDelete::NoAction) {
        Access write = a;
        write.kind = is_deleted ? Access::Kind::Delete : Access::Kind::Update;
        write.after = run_.row_of(TableId(t));
        if (is_deleted) {
          write.columns.assign(write.columns.size(), true);
        }
        run_.add(std::move(write));
      }
      run_.add(std::move(a));
      if (is_deleted) children(TableId(t), child, is_child, nullptr);
    }
  }
  above_.pop_back();
}

Given ChangeAccesses::execute_insert(const DbStatement& d,
                                     const sql::Insert& insert) {
  const TableId table = insert.target.table;
  const auto& t = run_.schema.at(table);
  if (insert.source) (void)reads_.query(*insert.source, {run_.slots, {}});
  SymbolRow last = run_.row_of(table);
  const std::size_t count = insert.source ? 1 : insert.rows.size();
  for (std::size_t r = 0; r < std::max<std::size_t>(count, 1); ++r) {
    SymbolRow row;
    for (const auto& column : t.columns) row.push_back(default_of(column));
    for (std::size_t i = 0; i < insert.columns.size(); ++i) {
      Symbol& to = row[insert.columns[i]];
      if (insert.source) {
        to = symbols_.unknown("selected");
      } else if (r < insert.rows.size() && i < insert.rows[r].size() &&
                 insert.rows[r][i]) {
        to = reads_.value(*insert.rows[r][i]);
      }
    }
    fire_triggers(table, row, nullptr);
    insert_row(insert, table, row);
    last = std::move(row);
  }
  return returning(d, symbols_.flag("inserted"), last);
}

void ChangeAccesses::fire_triggers(TableId table, SymbolRow& row,
                                   std::vector<bool>* columns) {
  const RowTriggers triggers =
      row_triggers_of(run_.application, run_.schema.at(table));
  if (!triggers.is_any) return;
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (!triggers.columns[c]) continue;
    row[c] = symbols_.unknown("by a trigger");
    if (columns != nullptr) (*columns)[c] = true;
  }
  run_.abort_if(symbols_.flag("trigger"));
}

Symbol ChangeAccesses::default_of(const sql::Column& column) {
  if (column.sequence) {
    Symbol s{terms_.boolean(false), symbols_.integer(column.name)};
    run_.out.draws.push_back({*column.sequence, s.value});
    return s;
  }
  return column.default_value ? reads_.value(*column.default_value)
                              : symbols_.null();
}

void ChangeAccesses::insert_row(const sql::Insert& insert, TableId table,
                                const SymbolRow& row) {
  const auto& t = run_.schema.at(table);
  std::vector<Term> missing;
  for (std::size_t c = 0; c < t.columns.size(); ++c) {
    if (!t.columns[c].is_nullable) missing.push_back(row[c].null);
  }
  for (const std::uint32_t k : run_.key_of(table))
    missing.push_back(row[k].null);
  run_.abort_if(terms_.any_of(missing));
  const std::vector<bool> all(t.columns.size(), true);
  unique_keys(table, row, all, run_.executed());
  parents(table, row, all, run_.executed());
  Access write = run_.access(Access::Kind::Insert, table);
  write.row = row;
  write.after = row;
  write.columns = all;
  write.is_exact = t.has_primary_key && !insert.source;
  if (insert.on_conflict) {
    const Term conflicts = symbols_.flag("conflicts");
    if (insert.on_conflict->is_update) {
      update_instead(*insert.on_conflict, table, row,
                     terms_.all_of({write.executed, conflicts}));
    }
    write.executed =
        terms_.all_of({write.executed, terms_.negation(conflicts)});
  }
  write.found = terms_.boolean(true);
  run_.add(std::move(write));
  if (can_fail(insert, table)) run_.abort_if(symbols_.flag("constraint"));
}

/// ON CONFLICT DO UPDATE: the row that has the values of the key that decides.
void ChangeAccesses::update_instead(const sql::OnConflict& conflict,
                                    TableId table, const SymbolRow& excluded,
                                    Term when) {
  const auto& t = run_.schema.at(table);
  const std::size_t by =
      conflict.arbiters.empty() ? 0 : conflict.arbiters.front();
  Access read = run_.access(Access::Kind::Read, table);
  read.sight = Access::Sight::Latest;
  read.row = run_.row_of(table);
  std::vector<Term> equal;
  for (const std::uint32_t k : t.unique[by].columns) {
    equal.push_back(symbols_.equal(read.row[k], excluded[k]));
  }
  read.holds = terms_.all_of(equal);
  read.is_exact = by == 0 && t.has_primary_key;
  if (read.is_exact) read.key_holds = read.holds;
  read.columns.assign(t.columns.size(), true);
  read.executed = when;
  Access update = read;
  update.kind = Access::Kind::Update;
  update.after = run_.row_of(table);
  run_.add(std::move(read));
  const std::vector<SymbolRow> rows = {update.row, excluded};
  for (const auto& set : conflict.set) {
    if (set.value) (void)reads_.value(*set.value, &rows);  // what it reads
  }
  Term changes = when;
  if (conflict.where) {
    (void)reads_.value(*conflict.where, &rows);
    changes = terms_.all_of({when, symbols_.flag("where")});
  }
  std::vector<bool> columns(t.columns.size());
  for (const auto& set : conflict.set) columns[set.column] = true;
  SymbolRow made = update.after;
  fire_triggers(table, made, &columns);
  update.after = made;
  update.executed = changes;
  update.found = changes;
  const SymbolRow before = update.row;
  const SymbolRow after = update.after;
  const auto& key = run_.key_of(table);
  if (std::any_of(key.begin(), key.end(),
                  [&](std::uint32_t k) { return columns[k]; })) {
    Access appears = update;
    appears.kind = Access::Kind::Insert;
    appears.row = after;
    appears.is_exact = false;
    run_.add(std::move(appears));
  }
  run_.add(std::move(update));
  unique_keys(table, after, columns, changes);
  parents(table, after, columns, changes);
  children(table, before, changes, &columns);
}

/// An INSERT that no constraint can stop: keys are drawn from sequences by
/// everybody, and there is nothing else to violate.
bool ChangeAccesses::can_fail(const sql::Insert& insert, TableId table) const {
  const auto& t = run_.schema.at(table);
  if (!t.foreign.empty() || !t.checks.empty() || insert.source) return true;
  return !std::all_of(
      t.unique.begin(), t.unique.end(), [&](const sql::UniqueKey& key) {
        return std::any_of(
            key.columns.begin(), key.columns.end(), [&](std::uint32_t c) {
              return t.columns[c].sequence && is_always_drawn(table, c);
            });
      });
}
bool ChangeAccesses::is_always_drawn(TableId table,
                                     std::uint32_t column) const {
  bool is_drawn =
      !row_triggers_of(run_.application, run_.schema.at(table)).columns[column];
  const auto look = [&](const DbStatement& d) {
    const auto* m = std::get_if<sql::Merge>(&d.what);
    if (m != nullptr && m->target.table == table) is_drawn = false;
    const auto* x = std::get_if<sql::Insert>(&d.what);
    if (x != nullptr && x->target.table == table &&
        std::find(x->columns.begin(), x->columns.end(), column) !=
            x->columns.end()) {
      is_drawn = false;
    }
    const auto* u = std::get_if<sql::Update>(&d.what);
    if (u == nullptr || u->target.table != table) return;
    for (const auto& set : u->set) is_drawn &= set.column != column;
  };
  for (const DbStatement& d : run_.application.setup) look(d);
  for (const auto& routine : run_.application.routines) {
    sql::for_each_statement(routine.body, look);
  }
  return is_drawn;
}

}  // namespace txscope::robust
