#include "analyze/failing_setup.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "exec/sql/memory/database.h"
#include "model/product/error_class.h"
#include "model/sql/parts.h"

namespace txscope::analyze {
namespace {

using sql::SqlError;

bool holds(Span outer, Span inner) {
  return outer.length > 0 && outer.offset <= inner.offset &&
         inner.offset < outer.offset + outer.length;
}

std::optional<SqlError> failure_of(const sql::Application& application,
                                   std::uint64_t loop_bound,
                                   const Budget& budget) {
  const sql::Routines routines(application, loop_bound);
  const auto after = sql::MemoryDatabase::after_setup(routines, budget);
  if (const auto* failed = std::get_if<SqlError>(&after)) return *failed;
  return std::nullopt;
}

/// Statements behind one that is gone move up, and so do those that others
/// count from.
void erase_statement(sql::Application& application, std::size_t gone) {
  application.setup.erase(application.setup.begin() +
                          static_cast<std::ptrdiff_t>(gone));
  const auto move_up = [gone](std::size_t& position) {
    if (position > gone && position != sql::Trigger::kForever) --position;
  };
  for (sql::SetupStep& step : application.steps) move_up(step.before);
  for (sql::Table& table : application.schema.tables) {
    for (sql::Trigger& trigger : table.triggers) {
      move_up(trigger.since_setup);
      for (sql::Trigger::Off& off : trigger.off) {
        move_up(off.from);
        move_up(off.to);
      }
    }
  }
}

bool inserts_into(const sql::DbStatement& statement, TableId table) {
  const auto* insert = std::get_if<sql::Insert>(&statement.what);
  return insert != nullptr && insert->target.table == table;
}

/// The beginning of the setup, with the steps up to there.
sql::Application beginning(const sql::Application& application,
                           std::size_t statements) {
  sql::Application begun = application;
  begun.setup.resize(statements);
  std::erase_if(begun.steps, [statements](const sql::SetupStep& step) {
    return step.before > statements;
  });
  return begun;
}

/// How many statements the shortest beginning of the setup has that fails so:
/// the last one, or a step behind it, fails in the middle of what it sets off.
std::size_t failing_beginning(const sql::Application& application,
                              const SqlError& failure, std::uint64_t loop_bound,
                              const Budget& budget) {
  std::size_t works = 0;
  std::size_t fails = application.setup.size();
  while (fails > works + 1) {
    const std::size_t middle = (works + fails) / 2;
    const auto failed =
        failure_of(beginning(application, middle), loop_bound, budget);
    const bool is_same = failed && failed->message == failure.message;
    (is_same ? fails : works) = middle;
  }
  return fails;
}

/// A call behind the first `statements`, without which they do not fail so.
bool leave_out_step(sql::Application& application, std::size_t statements,
                    const SqlError& failure, std::uint64_t loop_bound,
                    const Budget& budget) {
  for (std::size_t i = 0; i < application.steps.size(); ++i) {
    if (!application.steps[i].call || application.steps[i].before > statements)
      continue;
    sql::Application without = application;
    without.steps.erase(without.steps.begin() + static_cast<std::ptrdiff_t>(i));
    const auto failed =
        failure_of(beginning(without, statements), loop_bound, budget);
    if (failed && failed->message == failure.message) continue;
    application.steps = std::move(without.steps);
    return true;
  }
  return false;
}

/// A foreign key is looked at behind all rows, and the error has but the name
/// of the child: its rows go.  False: there are none.
bool leave_out_children(sql::Application& application,
                        const SqlError& failure) {
  if (failure.sqlstate != sqlstate::kForeignKey) return false;
  const auto& tables = application.schema.tables;
  const std::size_t before = application.setup.size();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (failure.message.find("on table \"" + tables[t].name + "\"") ==
        std::string::npos)
      continue;
    for (std::size_t i = application.setup.size(); i-- > 0;)
      if (inserts_into(application.setup[i], TableId(t)))
        erase_statement(application, i);
  }
  return application.setup.size() != before;
}

/// False: nobody knows what has to go.
bool leave_out_one(sql::Application& application, const SqlError& failure,
                   std::uint64_t loop_bound, const Budget& budget) {
  if (leave_out_children(application, failure)) return true;
  auto& steps = application.steps;
  const auto step =
      std::find_if(steps.begin(), steps.end(), [&](const sql::SetupStep& one) {
        return one.call && holds(one.call->at, failure.at);
      });
  if (step != steps.end()) {
    steps.erase(step);
    return true;
  }
  for (std::size_t i = 0; i < application.setup.size(); ++i) {
    if (!holds(application.setup[i].at, failure.at)) continue;
    erase_statement(application, i);
    return true;
  }
  const std::size_t fails =
      failing_beginning(application, failure, loop_bound, budget);
  if (leave_out_step(application, fails, failure, loop_bound, budget))
    return true;
  if (fails == 0) return false;
  erase_statement(application, fails - 1);
  return true;
}

}  // namespace

std::vector<std::string> leave_out_failing(sql::Application& application,
                                           std::uint64_t loop_bound,
                                           const Budget& budget) {
  constexpr std::size_t kMost = 100;
  std::vector<std::string> told;
  while (told.size() < kMost) {
    const auto failure = failure_of(application, loop_bound, budget);
    if (!failure) break;
    if (!leave_out_one(application, *failure, loop_bound, budget)) break;
    const Place place = application.place(failure->at);
    told.push_back(place.file + ":" + std::to_string(place.line) + ": " +
                   failure->message);
  }
  if (!told.empty()) sql::number_parts(application);
  return told;
}

}  // namespace txscope::analyze
