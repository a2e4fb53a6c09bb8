#include "exec/sql/memory/database.h"

#include <cassert>

#include "exec/sql/memory/statement.h"
#include "exec/sql/memory/tables.h"
#include "exec/sql/query/aggregate.h"
#include "exec/sql/writer/writer.h"

namespace txscope::sql {

MemoryDatabase::MemoryDatabase(const Routines& routines)
    : routines_(&routines) {
  const Schema& schema = routines.application().schema;
  for (std::size_t t = 0; t < schema.tables.size(); ++t)
    tables_.push_back(std::make_shared<TableRows>());
  for (const Sequence& sequence : schema.sequences)
    sequences_.push_back(sequence.start);
}

Evaluated<Done> MemoryDatabase::run_step(const SetupStep& step,
                                         const Budget& budget) {
  if (step.call) {
    const Ran ran = run(*step.call, budget);
    if (ran.kind == Request::Kind::Failed) return ran.process.error();
    if (ran.kind == Request::Kind::Cut)
      return SqlError{"54000", "a loop of the setup reaches its bound",
                      step.call->at, true};
    if (ran.kind != Request::Kind::Returned) return Interrupted{};
    return Done{};
  }
  const auto result = execute(step.value, {}, budget);
  if (const auto* error = std::get_if<SqlError>(&result)) return *error;
  if (std::holds_alternative<Interrupted>(result)) return Interrupted{};
  const auto& rows = std::get<StatementResult>(result).rows;
  if (rows.empty() || rows[0][0].is_null()) return Done{};
  const Sequence& sequence =
      routines_->application().schema.sequences[step.sequence];
  sequences_[step.sequence] =
      rows[0][0].integer() + (step.is_called ? sequence.increment : 0);
  return Done{};
}

Evaluated<MemoryDatabase> MemoryDatabase::after_setup(const Routines& routines,
                                                      const Budget& budget) {
  MemoryDatabase database(routines);
  const Application& application = routines.application();
  auto step = application.steps.begin();
  // A dump has its foreign keys behind the rows, which are in any order.
  std::vector<DeferredChange> changes;
  for (std::size_t i = 0; i <= application.setup.size(); ++i) {
    database.setup_position_ = i;
    for (; step != application.steps.end() && step->before <= i; ++step) {
      const auto result = database.run_step(*step, budget);
      if (const auto* error = std::get_if<SqlError>(&result)) return *error;
      if (std::holds_alternative<Interrupted>(result)) return Interrupted{};
    }
    if (i == application.setup.size()) break;
    database.leaves_foreign_keys_ = true;
    const auto result = database.execute(application.setup[i], {}, budget);
    database.leaves_foreign_keys_ = false;
    if (const auto* error = std::get_if<SqlError>(&result)) return *error;
    if (std::holds_alternative<Interrupted>(result)) return Interrupted{};
    const auto& deferred = std::get<StatementResult>(result).deferred;
    changes.insert(changes.end(), deferred.begin(), deferred.end());
  }
  DbStatement commit;
  if (!application.setup.empty()) commit.at = application.setup.back().at;
  commit.what = std::make_shared<const Query>();
  if (!application.has_unchecked_rows)
    commit.checks =
        deferred_checks(application.schema, changes, WhichKeys::All);
  if (!commit.checks.empty()) {
    const auto result = database.execute(commit, {}, budget);
    if (const auto* error = std::get_if<SqlError>(&result)) return *error;
    if (std::holds_alternative<Interrupted>(result)) return Interrupted{};
  }
  database.setup_position_ = static_cast<std::size_t>(-1);
  return database;
}

Evaluated<StatementResult> MemoryDatabase::execute(
    const DbStatement& statement, std::span<const Value> slots,
    const Budget& budget, std::uint64_t max_rows, const ConstraintModes* modes,
    const std::vector<Value>* settings) {
  MemoryStatement run(routines_->application().schema, tables_, sequences_,
                      &numbers_);
  run.setup_position = setup_position_;
  run.leaves_foreign_keys = leaves_foreign_keys_;
  run.modes = modes;
  run.settings = settings;
  if (Writer(*routines_, run, slots, budget).run(statement, max_rows)) {
    run.keep();
    return std::move(run.end().result);
  }
  if (run.end().kind == StatementEnd::Kind::Failed || run.end().error.is_ours)
    return std::move(run.end().error);
  return Interrupted{};
}

MemoryDatabase::Ran MemoryDatabase::run(const Call& call,
                                        const Budget& budget) {
  auto before = tables_;
  // The setup is one session, whatever it calls.
  const bool is_in_setup = setup_position_ != static_cast<std::size_t>(-1);
  if (!is_in_setup) numbers_.clear();
  std::vector<decltype(tables_)> saved;  // by sub-transaction
  Ran ran{Request::Kind::Returned, Process(*routines_, call), {}};
  for (;;) {
    const Request request = ran.process.run(budget);
    ran.kind = request.kind;
    if (request.is_nesting()) {
      if (request.kind == Request::Kind::RollBackTo)
        tables_ = saved[request.depth - (request.reopens ? 1 : 0)];
      saved.resize(request.depth, tables_);
      ran.process.proceed();
      continue;
    }
    if (request.kind == Request::Kind::Commit ||
        request.kind == Request::Kind::RollBack) {
      if (request.kind == Request::Kind::Commit)
        before = tables_;
      else
        tables_ = before;
      ran.process.proceed();
      continue;
    }
    if (request.kind != Request::Kind::Statement) break;
    auto result = execute(*request.statement, ran.process.slots(), budget,
                          request.max_rows, request.modes, request.settings);
    if (auto* rows = std::get_if<StatementResult>(&result)) {
      ran.process.answer(*rows);
      if (!request.statement->is_of_commit()) ran.last = std::move(*rows);
    } else if (const auto* error = std::get_if<SqlError>(&result)) {
      ran.process.fail(*error);
    } else {
      ran.kind = Request::Kind::Spent;
      break;
    }
  }
  if (ran.kind != Request::Kind::Returned) tables_ = before;
  return ran;
}

Evaluated<Value> MemoryDatabase::holds(const Property& property,
                                       std::span<const Value> variables,
                                       const Budget& budget) const {
  MemoryDatabase copy = *this;
  const auto result = copy.execute(property.condition, variables, budget);
  if (const auto* error = std::get_if<SqlError>(&result)) return *error;
  if (std::holds_alternative<Interrupted>(result)) return Interrupted{};
  const auto& rows = std::get<StatementResult>(result).rows;
  return rows.empty() ? Value() : rows[0][0];
}

std::vector<Row> MemoryDatabase::rows(TableId table) const {
  std::vector<Row> rows;
  for (const auto& entry : tables_[table.index]->entries)
    rows.push_back(*entry.row);
  return rows;
}

std::uint64_t MemoryDatabase::hash() const {
  std::uint64_t h = tables_.size();
  for (const auto& table : tables_) {
    for (const auto& entry : table->entries)
      h = (h ^ RowHash()(*entry.row)) * 0x9e3779b97f4a7c15ull;
    h = (h ^ table->entries.size()) * 0x9e3779b97f4a7c15ull;
  }
  for (const std::int64_t number : sequences_)
    h = (h ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15ull;
  return h;
}

bool operator==(const MemoryDatabase& a, const MemoryDatabase& b) {
  if (a.sequences_ != b.sequences_ || a.tables_.size() != b.tables_.size())
    return false;
  for (std::size_t t = 0; t < a.tables_.size(); ++t)
    if (a.tables_[t] != b.tables_[t] &&
        a.rows(TableId(t)) != b.rows(TableId(t)))
      return false;
  return true;
}

SerialRun run_serially(const MemoryDatabase& initial,
                       const Application& application,
                       std::span<const std::uint32_t> order,
                       const Budget& budget) {
  SerialRun serial{initial, {}};
  std::vector<std::size_t> next(application.sessions.size());
  for (const std::uint32_t session : order) {
    const auto& calls = application.sessions[session].calls;
    assert(next[session] < calls.size() && "a session has so many calls");
    serial.ran.push_back(serial.database.run(calls[next[session]++], budget));
  }
  return serial;
}

}  // namespace txscope::sql
