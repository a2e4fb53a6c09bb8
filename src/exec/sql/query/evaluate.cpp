#include "exec/sql/query/evaluate.h"

#include <algorithm>
#include <numeric>

#include "exec/sql/query/evaluation.h"
#include "exec/sql/query/join.h"
#include "exec/sql/value/cast.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/row_order.h"
#include "model/product/error_class.h"

namespace txscope::sql {
namespace {

/// The rows of an UPDATE's or DELETE's target, as a FROM of one relation.
template <class Change>
std::vector<FoundRow> rows_of_target(Evaluation& evaluation,
                                     const Change& change) {
  NestedLoops loops(evaluation, evaluation.plan_of_target(change),
                    std::span(&change.target, 1), {}, nullptr);
  std::vector<FoundRow> found;
  if (evaluation.halt().is_set()) return found;
  const std::vector<SortKey>& order = change.choice.order_by;
  std::vector<Row> keys;
  loops.run([&] {
    found.push_back({loops.handles()[0], *loops.rows()[0]});
    if (order.empty()) return evaluation.goes_on();
    Row& own = keys.emplace_back();
    for (const SortKey& key : order)
      own.push_back(evaluation.eval(key.expr, loops.scope()));
    return evaluation.goes_on();
  });
  if (order.empty()) return found;
  std::vector<std::size_t> places(found.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) {
                     return compare_sorted(order, keys[a], keys[b]) < 0;
                   });
  std::vector<FoundRow> sorted;
  sorted.reserve(found.size());
  for (const std::size_t place : places)
    sorted.push_back(std::move(found[place]));
  return sorted;
}

/// Names mean these rows.
class RowScope {
 public:
  explicit RowScope(std::span<const Row> relations) {
    for (const Row& row : relations) rows_.push_back(&row);
  }
  RowScope(const Row& a, const Row& b) : rows_{&a, &b} {}

  [[nodiscard]] Scope scope() const { return {rows_.data(), nullptr, nullptr}; }

 private:
  std::vector<const Row*> rows_;
};

Value always_generated(const Column& column, const char* what, Halt& halt) {
  return halt.raise("428C9",
                    std::string(what) + " column \"" + column.name + "\"");
}

Value default_of(Evaluation& evaluation, const Column& column,
                 Sequences* sequences) {
  if (column.sequence && sequences != nullptr)
    return Value::integer(sequences->next(*column.sequence));
  if (column.default_value)
    return evaluation.eval(*column.default_value, Scope{});
  return {};
}

void set_column(Evaluation& evaluation, const Column& column,
                const std::optional<Expr>& value, const Scope& scope,
                Sequences* sequences, Value& result) {
  Halt& halt = evaluation.halt();
  if (value && column.is_always_generated)
    always_generated(column, "column can only be updated to DEFAULT:", halt);
  const Value given = value ? evaluation.eval(*value, scope)
                            : default_of(evaluation, column, sequences);
  if (halt.is_set()) return;
  result = cast(given, column.type, CastContext::Assignment, halt);
}

Row with_changes(Evaluation& evaluation, const Table& table,
                 const std::vector<SetColumn>& changes, const Scope& scope,
                 Sequences* sequences, Row row) {
  for (const SetColumn& change : changes) {
    set_column(evaluation, table.columns[change.column], change.value, scope,
               sequences, row[change.column]);
    if (evaluation.halt().is_set()) break;
  }
  return row;
}

/// PostgreSQL tests them in the order of their names.
std::vector<const Check*> checks_by_name(const Table& table) {
  std::vector<const Check*> checks;
  for (const Check& check : table.checks) checks.push_back(&check);
  std::sort(checks.begin(), checks.end(),
            [](const Check* a, const Check* b) { return a->name < b->name; });
  return checks;
}

/// Makes the rows of an INSERT, one after the other.
class InsertRows {
 public:
  InsertRows(Evaluation& evaluation, const Insert& insert, Sequences& sequences)
      : evaluation_(evaluation),
        insert_(insert),
        sequences_(sequences),
        table_(evaluation.schema().at(insert.target.table)) {}

  void run(const std::function<bool(Row)>& on_row) {
    if (evaluation_.halt().is_set()) return;
    if (insert_.source != nullptr) {
      const std::vector<Row> rows =
          evaluation_.rows_of(*insert_.source, nullptr, 0);
      for (const Row& row : rows) {
        if (!evaluation_.goes_on()) return;
        if (!finish(row, on_row)) return;
      }
      return;
    }
    for (const auto& given : insert_.rows) {
      if (!evaluation_.goes_on()) return;
      if (!from_values(given, Scope{}, on_row)) return;
    }
    if (insert_.constants != nullptr) from_constants(on_row);
  }

  bool from_values(const std::vector<std::optional<Expr>>& given,
                   const Scope& scope, const std::function<bool(Row)>& on_row) {
    is_default_.assign(given.size(), false);
    Row row;
    for (std::size_t i = 0; i < given.size(); ++i) {
      is_default_[i] = !given[i].has_value();
      row.push_back(given[i] ? evaluation_.eval(*given[i], scope) : Value());
    }
    return finish(row, on_row);
  }

 private:
  void from_constants(const std::function<bool(Row)>& on_row) {
    const std::size_t width = insert_.columns.size();
    const std::vector<Value>& all = *insert_.constants;
    is_default_.clear();
    Row given(width);
    for (std::size_t from = 0; from + width <= all.size(); from += width) {
      if (!evaluation_.goes_on()) return;
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(from), width,
                  given.begin());
      if (!finish(given, on_row)) return;
    }
  }
  bool finish(const Row& given, const std::function<bool(Row)>& on_row) {
    Halt& halt = evaluation_.halt();
    Row row(table_.columns.size());
    for (std::size_t c = 0; c < row.size(); ++c) {
      const Column& column = table_.columns[c];
      const auto at =
          std::find(insert_.columns.begin(), insert_.columns.end(), c) -
          insert_.columns.begin();
      const auto i = static_cast<std::size_t>(at);
      const bool is_given =
          i < given.size() && !(i < is_default_.size() && is_default_[i]);
      const Value value =
          is_given ? given[i] : default_of(evaluation_, column, &sequences_);
      if (halt.is_set()) return false;
      row[c] = cast(value, column.type, CastContext::Assignment, halt);
      if (halt.is_set()) return false;
    }
    return on_row(std::move(row));
  }

  Evaluation& evaluation_;
  const Insert& insert_;
  Sequences& sequences_;
  const Table& table_;
  std::vector<bool> is_default_;
};

}  // namespace

Evaluator::Evaluator(const Routines& routines, Store& store,
                     std::span<const Value> slots, const Budget& budget)
    : evaluation_(
          std::make_unique<Evaluation>(routines, &store, slots, budget)) {}

Evaluator::~Evaluator() = default;

void Evaluator::give(std::vector<Row> rows) {
  evaluation_->give(std::move(rows));
}

Evaluated<Value> Evaluator::value(const Expr& expr) {
  evaluation_->halt().clear();
  const Value value = evaluation_->eval(expr, Scope{});
  return evaluation_->halt().result(value);
}

Evaluated<std::vector<Row>> Evaluator::select(const Query& query,
                                              std::uint64_t max_rows) {
  evaluation_->start(query.part);
  std::vector<Row> rows = evaluation_->rows_of(query, nullptr, max_rows);
  return evaluation_->halt().result(std::move(rows));
}

Evaluated<std::vector<JoinedRow>> Evaluator::candidates(const Query& query) {
  evaluation_->start(query.part);
  std::vector<JoinedRow> rows = evaluation_->candidates(query);
  return evaluation_->halt().result(std::move(rows));
}

Evaluated<Window> Evaluator::window(const Query& query) {
  evaluation_->halt().clear();
  const Window window = evaluation_->window(query, Scope{});
  return evaluation_->halt().result(window);
}

Evaluated<std::optional<Row>> Evaluator::recheck(const Query& query,
                                                 const JoinedRow& rows) {
  Halt& halt = evaluation_->halt();
  halt.clear();
  const RowScope names(rows.rows);
  bool matches =
      !query.where || evaluation_->is_true(*query.where, names.scope());
  for (std::size_t i = 0; i < query.joins.size() && matches; ++i) {
    const Join& join = query.joins[i];
    // The missing side of an outer join stays missing.
    const bool is_missing =
        join.kind == JoinKind::Left && rows.handles[i] == RowHandle{};
    if (join.on && !is_missing)
      matches = evaluation_->is_true(*join.on, names.scope());
  }
  std::optional<Row> row;
  if (matches && !halt.is_set()) {
    row.emplace();
    for (const Target& target : query.targets)
      row->push_back(evaluation_->eval(target.expr, names.scope()));
  }
  return halt.result(std::move(row));
}

Evaluated<Window> Evaluator::window(const RowChoice& choice) {
  evaluation_->halt().clear();
  Window window;
  if (choice.limit) {
    const Value most = evaluation_->eval(*choice.limit, Scope{});
    if (!most.is_null() && !evaluation_->halt().is_set())
      window.limit =
          static_cast<std::uint64_t>(std::max<std::int64_t>(most.integer(), 0));
  }
  return evaluation_->halt().result(window);
}

Evaluated<std::vector<FoundRow>> Evaluator::targets(const Update& update) {
  evaluation_->start(update.part);
  auto rows = rows_of_target(*evaluation_, update);
  return evaluation_->halt().result(std::move(rows));
}

Evaluated<std::vector<FoundRow>> Evaluator::targets(const Delete& remove) {
  evaluation_->start(remove.part);
  auto rows = rows_of_target(*evaluation_, remove);
  return evaluation_->halt().result(std::move(rows));
}

Evaluated<bool> Evaluator::matches(const std::optional<Expr>& where,
                                   std::span<const Row> relations) {
  evaluation_->halt().clear();
  const bool matches =
      !where || evaluation_->is_true(*where, RowScope(relations).scope());
  return evaluation_->halt().result(matches);
}

Evaluated<Row> Evaluator::updated(const Update& update,
                                  std::span<const Row> relations,
                                  const Row& old, Sequences* sequences) {
  evaluation_->halt().clear();
  const RowScope names(relations);
  Row row =
      with_changes(*evaluation_, evaluation_->schema().at(update.target.table),
                   update.set, names.scope(), sequences, old);
  return evaluation_->halt().result(std::move(row));
}

Evaluated<Done> Evaluator::each_row_to_insert(
    const Insert& insert, Sequences& sequences,
    const std::function<bool(Row)>& on_row) {
  evaluation_->start(insert.part);
  InsertRows(*evaluation_, insert, sequences).run(on_row);
  return evaluation_->halt().result(Done{});
}

Evaluated<std::vector<Row>> Evaluator::rows_to_insert(const Insert& insert,
                                                      Sequences& sequences) {
  std::vector<Row> rows;
  evaluation_->start(insert.part);
  InsertRows(*evaluation_, insert, sequences).run([&rows](Row row) {
    rows.push_back(std::move(row));
    return true;
  });
  return evaluation_->halt().result(std::move(rows));
}

Evaluated<Row> Evaluator::row_to_insert(const Insert& insert,
                                        std::span<const Row> relations,
                                        Sequences& sequences) {
  evaluation_->halt().clear();
  Row made;
  (void)InsertRows(*evaluation_, insert, sequences)
      .from_values(insert.rows[0], RowScope(relations).scope(), [&](Row row) {
        made = std::move(row);
        return true;
      });
  return evaluation_->halt().result(std::move(made));
}

Evaluated<std::optional<Row>> Evaluator::on_conflict(const Insert& insert,
                                                     const Row& there,
                                                     const Row& excluded,
                                                     Sequences* sequences) {
  Halt& halt = evaluation_->halt();
  halt.clear();
  const OnConflict& conflict = *insert.on_conflict;
  const RowScope names(there, excluded);
  std::optional<Row> row;
  if (!conflict.where || evaluation_->is_true(*conflict.where, names.scope()))
    row = with_changes(*evaluation_,
                       evaluation_->schema().at(insert.target.table),
                       conflict.set, names.scope(), sequences, there);
  return halt.result(std::move(row));
}

Evaluated<Row> Evaluator::returning(std::span<const Target> targets,
                                    const Row& row) {
  evaluation_->halt().clear();
  const RowScope names(std::span(&row, 1));
  Row result;
  result.reserve(targets.size());
  for (const Target& target : targets)
    result.push_back(evaluation_->eval(target.expr, names.scope()));
  return evaluation_->halt().result(std::move(result));
}

Evaluated<std::optional<Row>> Evaluator::entry(const UniqueKey& key,
                                               const Row& row) {
  Halt& halt = evaluation_->halt();
  halt.clear();
  const RowScope names(std::span(&row, 1));
  std::optional<Row> entry;
  if (key.where && !evaluation_->is_true(*key.where, names.scope()))
    return halt.result(std::move(entry));
  Row values;
  for (const std::uint32_t c : key.columns)
    if (key.parts.empty()) values.push_back(canonical(row[c]));
  for (const KeyPart& part : key.parts)
    values.push_back(canonical(evaluation_->eval(part.value, names.scope())));
  const bool has_null =
      std::any_of(values.begin(), values.end(),
                  [](const Value& value) { return value.is_null(); });
  if (!has_null) entry = std::move(values);
  return halt.result(std::move(entry));
}

std::optional<SqlError> Evaluator::check_row(const Table& table,
                                             const Row& row) {
  Halt& halt = evaluation_->halt();
  halt.clear();
  for (std::size_t c = 0; c < row.size(); ++c)
    if (row[c].is_null() && !table.columns[c].is_nullable)
      return SqlError{sqlstate::kNotNull,
                      "null value in column \"" + table.columns[c].name +
                          "\" of relation \"" + table.name +
                          "\" violates not-null constraint",
                      {},
                      false};
  const RowScope names(std::span(&row, 1));
  for (const Check* check : checks_by_name(table)) {
    const Value value = evaluation_->eval(check->condition, names.scope());
    if (halt.is_error()) return halt.error();
    if (!value.is_null() && !value.is_true())
      return SqlError{sqlstate::kCheck,
                      "new row for relation \"" + table.name +
                          "\" violates check constraint \"" + check->name +
                          "\"",
                      {},
                      false};
  }
  return std::nullopt;
}

}  // namespace txscope::sql
