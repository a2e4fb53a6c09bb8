#include "db/record/application_actor.h"

#include "db/dialect.h"

namespace txscope::db {
namespace {

const Budget& without_limit() {
  static const Budget budget = Budget::unlimited();
  return budget;
}

LoggedValue logged_value(const sql::Value& value) {
  LoggedValue logged;
  logged.type = column_type(value.kind());
  if (value.kind() == sql::Kind::Bool)
    logged.value = value.is_true() ? "t" : "f";
  else if (!value.is_null())
    logged.value = sql::to_string(value);
  return logged;
}

}  // namespace

bool ApplicationActor::choose(Random& random) {
  auto call = source_(random);
  if (!call) return false;
  call_ = *std::move(call);
  restart();
  return true;
}

void ApplicationActor::restart() {
  is_called_ = false;
  if (!is_stored_) process_.emplace(routines_, call_.routine, call_.arguments);
}

const ApplicationActor::Prepared& ApplicationActor::prepared(
    const sql::DbStatement& statement) {
  auto [place, is_new] = prepared_.try_emplace(&statement);
  Prepared& made = place->second;
  if (!is_new) return made;
  made.sql = sql::text_with(
      routines_.application(), statement, [&](std::uint32_t slot) {
        std::size_t number = 0;
        while (number < made.slots.size() && made.slots[number] != slot)
          ++number;
        if (number == made.slots.size()) made.slots.push_back(slot);
        return "$" + std::to_string(number + 1);
      });
  for (const sql::Kind kind : result_kinds(statement))
    made.types.push_back(column_type(kind));
  return made;
}

ActorStep ApplicationActor::statement_step(const sql::Request& request) {
  const sql::DbStatement& statement = *request.statement;
  const Prepared& text = prepared(statement);
  ActorStep step;
  step.kind = ActorStep::Kind::Statement;
  step.sent = statement_text(routines_.application(), statement,
                             process_->slots(), request.max_rows, product_);
  step.logged.sql = text.sql;
  for (const std::uint32_t slot : text.slots)
    step.logged.params.push_back(logged_value(process_->slots()[slot]));
  step.logged.has_count = !statement.is_select();
  step.types = text.types;
  // What statement_text added for PostgreSQL, the log shows, too.
  if (product_ == Product::PostgreSql && statement.is_select()) {
    const sql::Query& query = *std::get<sql::Select>(statement.what);
    if (request.max_rows > 0 && query.lock != sql::LockStrength::None &&
        !query.limit)
      step.logged.sql += " LIMIT " + std::to_string(request.max_rows);
  }
  return step;
}

ActorStep ApplicationActor::call_step() {
  ActorStep step;
  if (is_called_) return step;
  is_called_ = true;
  const sql::Routine& routine = routines_.application().at(call_.routine);
  const std::string start =
      (routine.is_function ? "SELECT " : "CALL ") + routine.name + "(";
  step.kind = ActorStep::Kind::Statement;
  step.sent = start;
  step.logged.sql = start;
  for (std::size_t i = 0; i < call_.arguments.size(); ++i) {
    const std::string comma = i > 0 ? ", " : "";
    step.sent += comma + literal(call_.arguments[i], product_);
    step.logged.sql += comma + "$" + std::to_string(i + 1);
    step.logged.params.push_back(logged_value(call_.arguments[i]));
  }
  step.sent += ")";
  step.logged.sql += ")";
  return step;
}

ActorStep ApplicationActor::next() {
  if (is_stored_) return call_step();
  const sql::Request request = process_->run(without_limit());
  ActorStep step;
  switch (request.kind) {
    case sql::Request::Kind::Statement: return statement_step(request);
    case sql::Request::Kind::Returned: return step;
    case sql::Request::Kind::Cut:
    case sql::Request::Kind::Spent:
      problem_ = "a loop reached its bound";
      break;
    case sql::Request::Kind::Savepoint:
    case sql::Request::Kind::Release:
    case sql::Request::Kind::RollBackTo:
    case sql::Request::Kind::Commit:
    case sql::Request::Kind::RollBack:
      problem_ = "a sub-transaction or a COMMIT in a procedure";
      break;
    case sql::Request::Kind::Failed: break;
  }
  step.kind = ActorStep::Kind::Rollback;
  return step;
}

void ApplicationActor::answer(const Answer& answer) {
  if (is_stored_) return;
  const sql::Request request = process_->run(without_limit());
  const std::vector<sql::Kind> columns = result_kinds(*request.statement);
  sql::StatementResult result;
  result.count = answer.count;
  for (const auto& cells : answer.rows) {
    if (request.max_rows > 0 && result.rows.size() == request.max_rows) break;
    sql::Row& row = result.rows.emplace_back();
    for (std::size_t c = 0; c < cells.size() && c < columns.size(); ++c)
      row.push_back(to_value(cells[c], columns[c]));
  }
  if (request.max_rows > 0 && result.count > request.max_rows &&
      request.statement->is_select())
    result.count = request.max_rows;
  process_->answer(result);
}

}  // namespace txscope::db
