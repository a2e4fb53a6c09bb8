#include <algorithm>

#include "exec/sql/value/compare.h"
#include "model/product/error_class.h"
#include "symbolic/routine/known_order.h"
#include "symbolic/write/writer.h"

namespace txscope::symbolic {

using smt::Term;

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

}  // namespace txscope::symbolic
