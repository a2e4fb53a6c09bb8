#include "symbolic/writer.h"

#include <algorithm>

#include "exec/sql/value/compare.h"
#include "model/product/error_class.h"

namespace txscope::symbolic {

using smt::Term;

namespace {

void refuse_choice(const sql::RowChoice& choice, Span at) {
  if (choice.exists()) throw Unsupported{at, "UPDATE or DELETE with LIMIT"};
}

}  // namespace

SeenRows no_rows() {
  return SeenRows([](TableId) -> const std::vector<GuardedRow>& {
    throw Unsupported{{}, "a table in an expression of a routine"};
  });
}

void sort_known(SymbolicPath& path, const sql::Query& query,
                std::vector<ResultRow>& rows) {
  if (query.order_by.empty()) return;
  SymbolicQueries queries(path.q, path.slots, no_rows());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t to = order.size();
    while (to > 0) {
      const Term before = queries.is_before(query, rows, i, order[to - 1]);
      if (!path.t.is_true(before) && !path.t.is_false(before)) {
        throw Unsupported{path.at, "a FOR loop whose order depends on inputs"};
      }
      if (path.t.is_false(before)) break;
      --to;
    }
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), i);
  }
  std::vector<ResultRow> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}

SymbolicWriter::SymbolicWriter(
    SymbolicPath& path, SymbolicTables& tables,
    symbolic::SymbolicTriggers& triggers, const SqlSummaryOptions& options,
    std::vector<std::pair<TableId, sql::Row>>& wanted)
    : path_(path),
      tables_(tables),
      triggers_(triggers),
      q_(path.q),
      t_(path.t),
      options_(options),
      wanted_(wanted),
      drawn_(tables.schema().sequences.size()),
      hidden_(tables.schema().tables.size()) {}

Term SymbolicWriter::execute(const sql::DbStatement& statement) {
  returned_.clear();
  return std::visit([&](const auto& what) { return execute(what, statement); },
                    statement.what);
}

Term SymbolicWriter::execute(const sql::Select&, const sql::DbStatement&) {
  return t_.integer(0);  // it changes nothing
}

/// NOT NULL and CHECK.
void SymbolicWriter::check_row(const sql::Table& table, const TermRow& row) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (!table.columns[c].is_nullable)
      q_.fail_if(row[c].null, sqlstate::kNotNull);
  }
  const TermRow* names[] = {&row};
  SymbolicQueries queries(q_, path_.slots, no_rows());
  for (const sql::Check& check : table.checks) {
    const SqlTerm v =
        queries.evaluate(check.condition, {names, nullptr, nullptr});
    q_.fail_if(q_.is_false(v), sqlstate::kCheck);
  }
}

SqlTerm SymbolicWriter::default_of(const sql::Column& column) {
  if (column.sequence)
    return q_.constant(sql::Value::integer(next(*column.sequence)));
  if (!column.default_value) return q_.null_of(kind_of(column.type.name));
  SymbolicQueries queries(q_, path_.slots, no_rows());
  return queries.evaluate(*column.default_value, {});
}

/// Numbers that no two transactions share.
std::int64_t SymbolicWriter::next(std::uint32_t sequence) {
  const std::uint64_t n =
      options_.instance - 1 + drawn_[sequence]++ * options_.instances;
  return options_.sequences[sequence] +
         tables_.schema().sequences[sequence].increment *
             static_cast<std::int64_t>(n);
}

Term SymbolicWriter::execute(const sql::Insert& insert,
                             const sql::DbStatement& statement) {
  const TableId table = insert.target.table;
  const sql::Table& shape = tables_.schema().at(table);
  Term count = t_.integer(0);
  std::vector<ResultRow> given;
  if (insert.source != nullptr) {
    given = path_.evaluated([&] {
      SymbolicQueries queries = this->queries();
      return queries.select(*insert.source, nullptr);
    });
    sort_known(path_, *insert.source, given);
  }
  const std::size_t n =
      insert.source != nullptr ? given.size() : insert.rows.size();
  for (std::size_t i = 0; i < n && !path_.is_dead(); ++i) {
    const Term when =
        insert.source != nullptr ? given[i].guard : t_.boolean(true);
    const TermRow row = path_.evaluated([&] {
      q_.path = when;
      return row_to_insert(insert, shape, i, given);
    });
    count = t_.add(count, insert_row(insert, statement, shape, row, when));
  }
  return count;
}

TermRow SymbolicWriter::row_to_insert(const sql::Insert& insert,
                                      const sql::Table& shape, std::size_t i,
                                      const std::vector<ResultRow>& given,
                                      const TermScope& scope) {
  TermRow row;
  for (std::size_t c = 0; c < shape.columns.size(); ++c) {
    const auto at = std::find(insert.columns.begin(), insert.columns.end(), c);
    const auto n = static_cast<std::size_t>(at - insert.columns.begin());
    SqlTerm value;
    if (at == insert.columns.end()) {
      value = default_of(shape.columns[c]);
    } else if (insert.source != nullptr) {
      value = given[i].values[n];
    } else if (!insert.rows[i][n]) {
      value = default_of(shape.columns[c]);
    } else {
      SymbolicQueries queries = this->queries();
      value = queries.evaluate(*insert.rows[i][n], scope);
    }
    row.push_back(q_.cast(value, shape.columns[c].type, true, path_.at));
  }
  return row;
}

Term SymbolicWriter::insert_row(const sql::Insert& insert,
                                const sql::DbStatement& statement,
                                const sql::Table& shape, const TermRow& given,
                                Term given_when) {
  const TableId table = insert.target.table;
  symbolic::SymbolicTriggers::Event event{
      table, SymbolicTriggers::Change::Insert, {}, given_when, {}, given};
  triggers_.before(event);
  const TermRow& row = event.now;
  const Term when = event.when;
  path_.evaluated([&] {
    q_.path = when;
    check_row(shape, row);
    return 0;
  });
  if (!shape.has_primary_key) {
    const std::uint64_t n =
        options_.instance - 1 + hidden_[table.index]++ * options_.instances;
    const sql::Row key = {sql::Value::integer(
        tables_.universe().first_hidden(table) + static_cast<std::int64_t>(n))};
    return insert_at(insert, statement, key, row, when);
  }
  Term count = t_.integer(0);
  for (const KeyCase& one : key_cases(table, shape, row, when))
    count =
        t_.add(count, insert_at(insert, statement, one.key, one.row, one.when));
  return count;
}

/// The keys that the row may have; others fail, or are left out.
std::vector<SymbolicWriter::KeyCase> SymbolicWriter::key_cases(
    TableId table, const sql::Table& shape, const TermRow& row, Term when) {
  std::vector<KeyCase> cases = {{{}, row, when}};
  for (const std::uint32_t c : shape.unique.front().columns) {
    if (const auto known = q_.value(row[c])) {
      if (known->is_null()) return {};  // it failed
      for (KeyCase& one : cases) one.key.push_back(canonical(*known));
      continue;
    }
    const OpenKeys::Candidates candidates = options_.keys->of(table, c);
    std::vector<KeyCase> more;
    std::vector<Term> is_one;
    for (const sql::Value& value : candidates.values) {
      const SqlTerm constant = q_.constant(value);
      const Term is_it = q_.equal(row[c], constant, path_.at);
      is_one.push_back(is_it);
      if (t_.is_false(is_it)) continue;
      for (const KeyCase& one : cases) {
        more.push_back(one);
        more.back().key.push_back(canonical(value));
        more.back().row[c] = constant;
        more.back().when = t_.all_of({one.when, is_it});
      }
    }
    const Term is_other = t_.all_of({when, t_.negation(t_.any_of(is_one))});
    if (candidates.is_all) {
      path_.fail(is_other, sqlstate::kForeignKey);
    } else {
      path_.stop(is_other, path_.beyond);
      path_.open_tables.insert(table.index);
    }
    cases = std::move(more);
  }
  return cases;
}

Term SymbolicWriter::insert_at(const sql::Insert& insert,
                               const sql::DbStatement& statement,
                               const sql::Row& key, const TermRow& row,
                               Term when) {
  const TableId table = insert.target.table;
  const auto r = tables_.universe().find(table, key);
  if (!r) {
    wanted_.emplace_back(table, key);
    return t_.integer(0);
  }
  const GuardedRow made{t_.boolean(true), row};
  if (insert.on_conflict && triggers_.has_any(table))
    throw Unsupported{path_.at, "ON CONFLICT at a table with triggers"};
  if (insert.on_conflict) return insert_or(insert, statement, *r, made, when);
  const GuardedRow there = tables_.target(table, *r, when);
  path_.fail(t_.all_of({when, there.present}), sqlstate::kUnique);
  path_.evaluated([&] {
    q_.path = when;
    check_unique(table, *r, row);
    return 0;
  });
  tables_.write(table, *r, when, there, made);
  triggers_.note(
      {table, SymbolicTriggers::Change::Insert, {}, when, {}, made.columns});
  give_back(statement, made.columns, t_.all_of({path_.alive, when}));
  return t_.as_integer(when);
}

/// By row of the table: it is in the way of `row`, which would be row number
/// `self`.  The conflict must be in the key that ON CONFLICT names, or in any.
std::vector<Term> SymbolicWriter::in_the_way(
    TableId table, const sql::OnConflict& conflict, std::size_t self,
    const TermRow& row, const std::vector<GuardedRow>& there) {
  const sql::Table& shape = tables_.schema().at(table);
  std::vector<Term> out;
  for (std::size_t r = 0; r < there.size(); ++r) {
    std::vector<Term> ways;
    for (std::size_t k = 0; k < shape.unique.size(); ++k) {
      if (!conflict.is_arbiter(k)) continue;
      if (k == 0 && shape.has_primary_key) {
        ways.push_back(t_.boolean(r == self));
        continue;
      }
      std::vector<Term> same;
      for (const std::uint32_t c : shape.unique[k].columns)
        same.push_back(q_.equal(row[c], there[r].columns[c], path_.at));
      ways.push_back(t_.all_of(same));
    }
    out.push_back(t_.all_of({there[r].present, t_.any_of(ways)}));
  }
  return out;
}

Term SymbolicWriter::insert_or(const sql::Insert& insert,
                               const sql::DbStatement& statement,
                               std::size_t self, const GuardedRow& made,
                               Term when) {
  const TableId table = insert.target.table;
  const sql::Table& shape = tables_.schema().at(table);
  const sql::OnConflict& conflict = *insert.on_conflict;
  if (conflict.is_replace)
    throw Unsupported{path_.at, "REPLACE that may delete several rows"};
  for (std::size_t k = 0; k < shape.unique.size(); ++k) {
    if (conflict.is_arbiter(k) && shape.unique[k].is_deferrable)
      throw Unsupported{path_.at, "ON CONFLICT at a DEFERRABLE unique key"};
  }
  const bool is_by_key =
      shape.has_primary_key && conflict.arbiters == std::vector{0u};
  const auto is_asked_for = [&](std::size_t r) {
    std::vector<Term> any = {t_.boolean(r == self)};
    for (std::size_t k = shape.has_primary_key ? 1 : 0; k < shape.unique.size();
         ++k) {
      any.push_back(may_be_in_the_way(shape, shape.unique[k],
                                      tables_.universe().keys(table)[r].key,
                                      made.columns));
    }
    return t_.all_of({when, t_.any_of(any)});
  };
  std::vector<GuardedRow> there;
  for (std::size_t r = 0; r < tables_.universe().keys(table).size(); ++r) {
    const bool is_looked_at =
        r == self || (!is_by_key && shape.unique.size() > 1);
    there.push_back(is_looked_at ? tables_.target(table, r, is_asked_for(r))
                                 : GuardedRow{t_.boolean(false), made.columns});
  }
  const std::vector<Term> matches =
      in_the_way(table, conflict, self, made.columns, there);
  const Term is_new = t_.all_of({when, t_.negation(t_.any_of(matches))});
  if (!conflict.arbiters.empty() && shape.unique.size() > 1) {
    // Another key may be in the way of it.
    path_.evaluated([&] {
      q_.path = is_new;
      if (!is_by_key && shape.has_primary_key)
        q_.fail_if(there[self].present, sqlstate::kUnique);
      check_unique(table, self, made.columns);
      return 0;
    });
  }
  tables_.write(table, self, is_new, there[self], made);
  give_back(statement, made.columns, t_.all_of({path_.alive, is_new}));
  Term count = t_.as_integer(is_new);
  for (std::size_t r = 0; conflict.is_update && r < there.size(); ++r) {
    Term changes = t_.all_of({when, matches[r]});
    if (t_.is_false(changes)) continue;
    for (const RowChange& own : tables_.changed()) {
      if (own.table == table && own.row == r)  // a second time
        path_.fail(t_.all_of({changes, own.guard}), "21000");
    }
    GuardedRow updated = there[r];
    const TermRow* names[] = {&there[r].columns, &made.columns};
    path_.evaluated([&] {
      q_.path = changes;
      SymbolicQueries queries = this->queries();
      const TermScope scope{names, nullptr, nullptr};
      if (conflict.where) {
        changes = t_.all_of(
            {changes, q_.is_true(queries.evaluate(*conflict.where, scope))});
        q_.path = changes;
      }
      updated.columns =
          with_changes(shape, conflict.set, scope, there[r].columns);
      if (!keeps_key(shape, there[r].columns, updated.columns))
        throw Unsupported{path_.at, "DO UPDATE of a primary key"};
      check_row(shape, updated.columns);
      check_unique(table, r, updated.columns, &there[r].columns);
      return 0;
    });
    tables_.write(table, r, changes, there[r], updated);
    give_back(statement, updated.columns, t_.all_of({path_.alive, changes}));
    count = t_.add(count, t_.as_integer(changes));
  }
  return count;
}

TermRow SymbolicWriter::with_changes(const sql::Table& shape,
                                     const std::vector<sql::SetColumn>& set,
                                     const TermScope& scope,
                                     const TermRow& old) {
  TermRow row = old;
  SymbolicQueries queries = this->queries();
  for (const sql::SetColumn& change : set) {
    const sql::Column& column = shape.columns[change.column];
    const SqlTerm value = change.value ? queries.evaluate(*change.value, scope)
                                       : default_of(column);
    row[change.column] = q_.cast(value, column.type, true, path_.at);
  }
  return row;
}

Term SymbolicWriter::execute(const sql::Update& update,
                             const sql::DbStatement& statement) {
  refuse_choice(update.choice, statement.at);
  const TableId table = update.target.table;
  const sql::Table& shape = tables_.schema().at(table);
  const std::vector<GuardedRow> before = tables_.targets(table);
  const std::vector<Term> matches =
      matching(update.target, before, update.where);
  std::vector<GuardedRow> after = before;
  path_.evaluated([&] {
    for (std::size_t r = 0; r < before.size(); ++r) {
      if (t_.is_false(matches[r])) continue;
      q_.path = matches[r];
      const TermRow* names[] = {&before[r].columns};
      after[r].columns = with_changes(
          shape, update.set, {names, nullptr, nullptr}, before[r].columns);
    }
    return 0;
  });
  Term count = t_.integer(0);
  unchanged_ = t_.integer(0);
  for (std::size_t r = 0; r < before.size(); ++r) {
    if (t_.is_false(matches[r]) || path_.is_dead()) continue;
    const Term changed =
        change_row(statement, update, r, before[r], after[r], matches[r]);
    count = t_.add(count, changed);
    std::vector<Term> same;
    for (const sql::SetColumn& set : update.set)
      same.push_back(q_.same(before[r].columns[set.column],
                             after[r].columns[set.column], statement.at));
    unchanged_ =
        t_.add(unchanged_, t_.choose(t_.all_of(same), changed, t_.integer(0)));
  }
  return count;
}

Term SymbolicWriter::change_row(const sql::DbStatement& statement,
                                const sql::Update& update, std::size_t r,
                                const GuardedRow& before, GuardedRow after,
                                Term when) {
  const TableId table = update.target.table;
  const sql::Table& shape = tables_.schema().at(table);
  symbolic::SymbolicTriggers::Event event{
      table,          SymbolicTriggers::Change::Update, {}, when,
      before.columns, std::move(after.columns)};
  for (const sql::SetColumn& change : update.set)
    event.columns.push_back(change.column);
  triggers_.before(event);
  when = event.when;
  after.columns = event.now;
  path_.evaluated([&] {
    q_.path = when;
    check_row(shape, after.columns);
    return 0;
  });
  if (!keeps_key(shape, before.columns, after.columns)) {
    // Rows that it may meet again would have ever new keys.
    if (counts_key(shape, update.set))
      throw Unsupported{path_.at, "a primary key computed from itself"};
    if (triggers_.has_any(table))
      throw Unsupported{path_.at, "an UPDATE of a primary key with triggers"};
    return move_row(statement, table, r, before, after.columns, when);
  }
  if (shape.unique.size() > (shape.has_primary_key ? 1u : 0u)) {
    path_.evaluated([&] {
      q_.path = when;
      check_unique(table, r, after.columns, &before.columns);
      return 0;
    });
  }
  tables_.write(table, r, when, before, after);
  give_back(statement, after.columns, t_.all_of({path_.alive, when}));
  triggers_.note(std::move(event));
  return t_.as_integer(when);
}

Term SymbolicWriter::execute(const sql::Delete& remove,
                             const sql::DbStatement& statement) {
  refuse_choice(remove.choice, statement.at);
  const TableId table = remove.target.table;
  const std::vector<GuardedRow> before = tables_.targets(table);
  const std::vector<Term> matches =
      matching(remove.target, before, remove.where);
  Term count = t_.integer(0);
  for (std::size_t r = 0; r < before.size(); ++r) {
    if (t_.is_false(matches[r])) continue;
    count =
        t_.add(count, remove_row(statement, table, r, before[r], matches[r]));
  }
  return count;
}

Term SymbolicWriter::remove_row(const sql::DbStatement& statement,
                                TableId table, std::size_t r,
                                const GuardedRow& before, Term when) {
  symbolic::SymbolicTriggers::Event event{
      table, SymbolicTriggers::Change::Delete, {}, when, before.columns, {}};
  triggers_.before(event);
  when = event.when;
  GuardedRow gone = before;
  gone.present = t_.boolean(false);
  tables_.write(table, r, when, before, gone);
  triggers_.note(std::move(event));
  give_back(statement, before.columns, t_.all_of({path_.alive, when}));
  return t_.as_integer(when);
}

std::vector<Term> SymbolicWriter::matching(
    const sql::Relation& target, const std::vector<GuardedRow>& rows,
    const std::optional<sql::Expr>& where) {
  return path_.evaluated([&] {
    std::vector<Term> out;
    SymbolicQueries queries = this->queries();
    if (tables_.has_exact_reads()) {
      queries.ask_for_targets(target, where, rows,
                              [this](TableId table, std::size_t r, Term when) {
                                tables_.ask_for_target(table, r, when);
                              });
    }
    for (const GuardedRow& row : rows) {
      q_.path = row.present;
      const TermRow* names[] = {&row.columns};
      Term matches = row.present;
      if (where && !t_.is_false(matches)) {
        matches = t_.all_of({matches, q_.is_true(queries.evaluate(
                                          *where, {names, nullptr, nullptr}))});
      }
      out.push_back(matches);
    }
    return out;
  });
}

void SymbolicWriter::give_back(const sql::DbStatement& statement,
                               const TermRow& row, Term guard) {
  if (statement.returning.empty()) return;
  ResultRow made;
  made.guard = guard;
  const TermRow* names[] = {&row};
  path_.evaluated([&] {
    q_.path = guard;
    SymbolicQueries queries = this->queries();
    for (const sql::Target& target : statement.returning) {
      made.values.push_back(
          queries.evaluate(target.expr, {names, nullptr, nullptr}));
    }
    return 0;
  });
  returned_.push_back(std::move(made));
}

}  // namespace txscope::symbolic
