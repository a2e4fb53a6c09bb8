#include "symbolic/write/writer.h"

#include "model/product/error_class.h"

namespace txscope::symbolic {

using smt::Term;

namespace {

void refuse_choice(const sql::RowChoice& choice, Span at) {
  if (choice.exists()) throw Unsupported{at, "UPDATE or DELETE with LIMIT"};
}

}  // namespace

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
