#include "support/serial_oracle.h"

#include <algorithm>

namespace txscope::test {
namespace {

/// Without a primary key rows are in no order.
std::vector<sql::Row> sorted(std::vector<sql::Row> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

SerialOracle::SerialOracle(const sql::Application& application)
    : application_(application),
      routines_(application, 1000),
      initial_(std::get<sql::MemoryDatabase>(
          sql::MemoryDatabase::after_setup(routines_, budget_))) {}

bool SerialOracle::is_serial(const engine::ObservedOutcome& outcome) const {
  std::map<CallRef, Results> told;
  for (const engine::TraceStep& step : outcome.schedule) {
    Results& own = told[{step.session, step.call}];
    if (step.kind == engine::TraceStep::Kind::RolledBack) own.clear();
    if (step.kind == engine::TraceStep::Kind::Executed)
      own.push_back({step.rows, step.count});
  }
  std::vector<std::uint32_t> order;
  std::map<std::uint32_t, std::vector<std::uint32_t>> committed;
  for (std::uint32_t s = 0; s < outcome.ends.size(); ++s) {
    for (std::uint32_t c = 0; c < outcome.ends[s].size(); ++c) {
      if (!outcome.ends[s][c].is_committed) continue;
      order.push_back(s);
      committed[s].push_back(c);
    }
  }
  do {
    if (shows(order, committed, told, outcome)) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

bool SerialOracle::shows(
    const std::vector<std::uint32_t>& order,
    const std::map<std::uint32_t, std::vector<std::uint32_t>>& committed,
    const std::map<CallRef, Results>& told,
    const engine::ObservedOutcome& outcome) const {
  sql::MemoryDatabase database = initial_;
  std::map<std::uint32_t, std::size_t> next;
  for (const std::uint32_t s : order) {
    const std::uint32_t c = committed.at(s)[next[s]++];
    const auto results = run(database, application_.sessions[s].calls[c]);
    const auto seen = told.find({s, c});
    if (!results ||
        *results != (seen == told.end() ? Results() : seen->second)) {
      return false;
    }
  }
  for (std::uint32_t t = 0; t < outcome.final.size(); ++t)
    if (sorted(database.rows(TableId{t})) != sorted(outcome.final[t]))
      return false;
  return true;
}

std::optional<SerialOracle::Results> SerialOracle::run(
    sql::MemoryDatabase& database, const sql::Call& call) const {
  const sql::MemoryDatabase before = database;
  sql::Process process(database.routines(), call);
  Results results;
  for (;;) {
    const sql::Request request = process.run(budget_);
    if (request.kind == sql::Request::Kind::Returned) return results;
    if (request.kind != sql::Request::Kind::Statement) break;
    const auto result = database.execute(*request.statement, process.slots(),
                                         budget_, request.max_rows);
    const auto* given = std::get_if<sql::StatementResult>(&result);
    if (given == nullptr) break;
    if (!request.statement->is_of_commit()) results.push_back(*given);
    process.answer(*given);
  }
  database.roll_back_to(before);
  return std::nullopt;
}

}  // namespace txscope::test
