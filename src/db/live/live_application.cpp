#include "db/live/live_application.h"

#include <algorithm>
#include <set>

#include "db/dialect.h"
#include "engine/server/product_rules.h"
#include "model/product/error_class.h"

namespace txscope::db {
namespace {

const Budget& no_limit() {
  static const Budget budget = Budget::unlimited();
  return budget;
}

bool gives_rows(const sql::DbStatement& statement) {
  return statement.is_select() || !statement.returning.empty();
}

std::string row_text(const sql::Row& row) {
  std::string text = "(";
  for (std::size_t c = 0; c < row.size(); ++c)
    text += (c > 0 ? "," : "") + sql::to_string(row[c]);
  return text + ")";
}

/// In an order that depends on the rows alone.
std::string sorted_text(const std::vector<sql::Row>& rows) {
  std::vector<std::string> texts;
  texts.reserve(rows.size());
  for (const sql::Row& row : rows) texts.push_back(row_text(row));
  std::sort(texts.begin(), texts.end());
  std::string result;
  for (const std::string& text : texts) result += text;
  return result;
}

std::string result_text(const sql::DbStatement& statement,
                        const std::vector<sql::Row>& rows,
                        std::uint64_t count) {
  return gives_rows(statement) ? "{" + sorted_text(rows) + "} "
                               : "#" + std::to_string(count) + " ";
}

/// An error after which the transaction goes on.
std::string caught_text(const std::string& code) { return "!" + code + " "; }

std::string point(std::uint32_t depth) {
  return "point" + std::to_string(depth);
}

/// What a process asks for about sub-transactions.
std::string nesting_text(const sql::Request& request, Product product) {
  const std::uint32_t depth = request.depth;
  switch (request.kind) {
    case sql::Request::Kind::Savepoint: return "SAVEPOINT " + point(depth);
    case sql::Request::Kind::Release:
      return "RELEASE SAVEPOINT " + point(depth + 1);
    case sql::Request::Kind::RollBackTo:
      if (request.reopens) return "ROLLBACK TO " + point(depth);
      // MariaDB takes one statement at a time; a savepoint that is left there
      // is replaced by the next of its name.
      return "ROLLBACK TO " + point(depth + 1) +
             (product == Product::MariaDb
                  ? ""
                  : "; RELEASE SAVEPOINT " + point(depth + 1));
    default: return "";
  }
}

std::string end_text(bool is_committed, const std::string& code) {
  return (is_committed ? "committed" : code) + "; ";
}

std::vector<std::vector<sql::Row>> values(const sql::Application& application,
                                          const LiveState& state) {
  std::vector<std::vector<sql::Row>> tables(state.size());
  for (std::size_t t = 0; t < state.size(); ++t)
    for (const auto& cells : state[t]) {
      sql::Row& row = tables[t].emplace_back();
      for (std::size_t c = 0; c < cells.size(); ++c)
        row.push_back(to_value(
            cells[c],
            sql::kind_of(application.schema.tables[t].columns[c].type.name)));
    }
  return tables;
}

/// Whether no transaction began before the one before it ended.
bool is_serial(const LiveRun& run) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::size_t i = 0; i < run.schedule.size(); ++i) {
    const std::pair now{run.schedule[i], run.transactions[i]};
    if (i > 0 && now == std::pair{run.schedule[i - 1], run.transactions[i - 1]})
      continue;
    if (!seen.insert(now).second) return false;
  }
  return true;
}

std::vector<std::vector<LiveOutcomes::CommittedCall>> committed_calls(
    const LiveClients& clients) {
  std::vector<std::vector<LiveOutcomes::CommittedCall>> sessions;
  for (const auto& client : clients) {
    auto& calls = sessions.emplace_back();
    const auto& own = static_cast<const ApplicationClient&>(*client);
    for (std::size_t c = 0; c < own.ends().size(); ++c) {
      if (own.ends()[c].is_committed) calls.push_back({c, own.accounts()[c]});
    }
  }
  return sessions;
}

}  // namespace

std::string rows_text(const sql::Application& application,
                      const std::vector<std::vector<sql::Row>>& tables) {
  std::string text;
  for (std::size_t t = 0; t < tables.size(); ++t)
    text +=
        application.schema.tables[t].name + " " + sorted_text(tables[t]) + " ";
  return text;
}

std::string state_text(const sql::Application& application,
                       const LiveState& state) {
  return rows_text(application, values(application, state));
}

ApplicationClient::ApplicationClient(const sql::Routines& routines,
                                     const sql::Session& session,
                                     const Profile& level)
    : routines_(routines),
      session_(session),
      level_(level),
      ends_(session.calls.size()),
      accounts_(session.calls.size()) {
  start();
}

void ApplicationClient::start() {
  process_.reset();
  if (call_ < session_.calls.size())
    process_.emplace(routines_, session_.calls[call_]);
}

const Profile& ApplicationClient::level() const {
  const auto& own = session_.calls[call_].level;
  return own ? *own->profile : level_;
}

LiveRequest ApplicationClient::next() {
  if (!process_ || !problem_.empty()) return {};
  const sql::Request request = process_->run(no_limit());
  switch (request.kind) {
    case sql::Request::Kind::Statement:
      return {
          LiveRequest::Kind::Statement,
          statement_text(routines_.application(), *request.statement,
                         process_->slots(), request.max_rows, level_.product)};
    case sql::Request::Kind::Returned:
      return {LiveRequest::Kind::Commit, "COMMIT"};
    case sql::Request::Kind::Failed:
      return {LiveRequest::Kind::Rollback, "ROLLBACK"};
    case sql::Request::Kind::Cut:
    case sql::Request::Kind::Spent:
      problem_ = "a loop reached its bound";
      return {};
    case sql::Request::Kind::Savepoint:
    case sql::Request::Kind::Release:
      return {LiveRequest::Kind::Silent, nesting_text(request, level_.product)};
    case sql::Request::Kind::RollBackTo:
      return {LiveRequest::Kind::Statement,
              nesting_text(request, level_.product)};
    case sql::Request::Kind::Commit:
      return {LiveRequest::Kind::Commit, "COMMIT"};
    case sql::Request::Kind::RollBack:
      return {LiveRequest::Kind::Rollback, "ROLLBACK"};
  }
  return {};
}

std::string ApplicationClient::recover(const Answer& error) {
  if (process_->run(no_limit()).kind != sql::Request::Kind::Statement)
    return {};
  sql::Process next = *process_;
  sql::SqlError told;
  // What takes the whole transaction leaves nothing to go on with.
  const ErrorRow* known = find_error(error.code);
  if (known != nullptr && known->takes_all) return {};
  told.sqlstate =
      sql::condition_of(engine::rules_of(level_.product), error.code);
  told.message = error.message;
  next.fail(told);
  const sql::Request request = next.run(no_limit());
  if (request.kind != sql::Request::Kind::RollBackTo) return {};
  next.proceed();
  process_ = std::move(next);
  accounts_[call_] += caught_text(error.code);
  return nesting_text(request, level_.product);
}

void ApplicationClient::answer(const Answer& answer) {
  const sql::Request request = process_->run(no_limit());
  if (!answer.is_ok()) {
    // Errors in the text itself, not of what it does.
    if (answer.code == "1064" || answer.code == "42601" ||
        answer.code == "connection" || answer.code == "42883")
      problem_ = answer.code + " " + answer.message;
    end(false, answer.code);
    return;
  }
  if (request.kind == sql::Request::Kind::Returned) {
    end(true, "");
    return;
  }
  if (request.kind == sql::Request::Kind::Failed) {
    const std::string& code = process_->error().sqlstate;
    end(false, code == "P0001" ? "raised" : code);
    return;
  }
  if (request.kind == sql::Request::Kind::Commit ||
      request.kind == sql::Request::Kind::RollBack) {
    if (request.kind == sql::Request::Kind::Commit)
      accounts_[call_] += end_text(true, "");
    process_->proceed();
    return;
  }
  if (request.is_nesting()) {
    process_->proceed();
    return;
  }
  const std::vector<sql::Kind> columns = result_kinds(*request.statement);
  sql::StatementResult result;
  result.count = answer.count;
  for (const auto& cells : answer.rows) {
    sql::Row& row = result.rows.emplace_back();
    for (std::size_t c = 0; c < cells.size() && c < columns.size(); ++c)
      row.push_back(to_value(cells[c], columns[c]));
  }
  if (request.max_rows > 0 && result.rows.size() > request.max_rows) {
    result.rows.resize(request.max_rows);
    result.count = request.max_rows;
  }
  accounts_[call_] +=
      result_text(*request.statement, result.rows, result.count);
  process_->answer(result);
}

void ApplicationClient::end(bool is_committed, const std::string& code) {
  engine::CallEnd& end = ends_[call_];
  end.is_committed = is_committed;
  end.code = code;
  accounts_[call_] += end_text(is_committed, code);
  if (!is_committed && is_transient(code) &&
      end.attempts <= session_.calls[call_].retries) {
    ++end.attempts;
  } else {
    ++call_;
  }
  start();
}

std::string ApplicationClient::account() const {
  std::string text = session_.name + ": ";
  for (const std::string& call : accounts_) text += call;
  return text;
}

std::string outcome_text(const sql::Application& application,
                         const engine::ObservedOutcome& outcome) {
  std::vector<std::string> accounts;
  for (const sql::Session& session : application.sessions)
    accounts.push_back(session.name + ": ");
  for (const engine::TraceStep& step : outcome.schedule) {
    std::string& account = accounts[step.session];
    switch (step.kind) {
      case engine::TraceStep::Kind::Executed:
        account += result_text(*step.statement, step.rows, step.count);
        break;
      case engine::TraceStep::Kind::Failed:
        if (!step.is_caught)
          account += end_text(false, step.code);
        else if (step.statement != nullptr)
          account += caught_text(step.code);
        break;
      case engine::TraceStep::Kind::Committed:
        account += end_text(true, "");
        break;
      case engine::TraceStep::Kind::Waits:
      case engine::TraceStep::Kind::RolledBack: break;
    }
  }
  std::string text;
  for (const std::string& account : accounts) text += account;
  return text + "| " + rows_text(application, outcome.final);
}

LiveOutcomes run_live(LiveDatabase& database,
                      const sql::Application& application, const Profile& level,
                      const LiveOptions& options, bool judges_commits) {
  LiveOutcomes result;
  result.properties.resize(application.properties.size());
  std::vector<std::string> tables;
  for (const sql::Table& table : application.schema.tables)
    tables.push_back(table.name);
  result.problem =
      database.load(load_texts(application, level.product), tables);
  if (!result.problem.empty()) return result;

  std::vector<std::string> conditions;
  for (const sql::Property& property : application.properties)
    conditions.push_back(
        property.variables.empty()
            ? sql::text_with_values(application, property.condition, {})
            : "SELECT true");
  // Which properties a state breaks; asked once per state.
  std::map<std::string, std::vector<bool>> judged;
  const auto judge = [&](const std::string& text) -> const std::vector<bool>& {
    auto [place, is_new] = judged.try_emplace(text);
    if (!is_new || conditions.empty()) return place->second;
    const Answer answer = database.evaluate(conditions);
    if (!answer.is_ok()) result.problem = answer.message;
    for (std::size_t p = 0; answer.is_ok() && p < conditions.size(); ++p) {
      const Cell& cell = answer.rows[0][p];
      place->second.push_back(cell != "t" && cell != "1");
    }
    return place->second;
  };

  const sql::Routines routines(application);
  LiveOptions own = options;
  const auto on_commit = [&](const LiveState& state) {
    const std::string text = state_text(application, state);
    const std::vector<bool>& broken = judge(text);
    for (std::size_t p = 0; p < broken.size(); ++p)
      if (broken[p]) result.properties[p].is_violated_between = true;
  };
  if (judges_commits) own.on_commit = on_commit;
  result.summary = run_interleavings(
      database,
      [&] {
        LiveClients clients;
        for (const sql::Session& session : application.sessions)
          clients.push_back(
              std::make_unique<ApplicationClient>(routines, session, level));
        return clients;
      },
      own,
      [&](const LiveRun& run, const LiveClients& clients) {
        std::string text;
        for (const auto& client : clients) {
          const auto& own_client =
              static_cast<const ApplicationClient&>(*client);
          text += own_client.account();
          if (!own_client.problem().empty())
            result.problem = own_client.problem();
          for (const engine::CallEnd& end : own_client.ends())
            if (!end.is_committed) result.aborts.insert(end.code);
        }
        const std::string final = state_text(application, run.final);
        const std::vector<bool>& broken = judge(final);
        for (std::size_t p = 0; p < broken.size(); ++p)
          if (broken[p]) ++result.properties[p].breaking;
        result.finals.insert(final);
        if (is_serial(run)) result.serial_finals.insert(final);
        LiveOutcomes::Example& example = result.outcomes[text + "| " + final];
        if (example.times++ == 0) {
          example.trace = run.trace;
          example.committed = committed_calls(clients);
          example.final = final;
        }
        return result.problem.empty();
      });
  if (result.problem.empty()) result.problem = result.summary.problem;
  return result;
}

}  // namespace txscope::db
