#include "support/one_session.h"

#include <algorithm>
#include <map>

#include "engine/server/server.h"
#include "exec/sql/value/compare.h"
#include "explore/sql/search_statement.h"

namespace txscope::test {
namespace {

using sql::MemoryDatabase;
using sql::Request;
using sql::Routines;
using sql::Row;
using sql::StatementResult;

/// How one call went: what each statement gave, and how it ended.
struct Told {
  std::vector<StatementResult> results;
  std::string code;  ///< empty: committed

  friend bool operator==(const Told&, const Told&) = default;
};

/// Rows that no ORDER BY sorts have no order, and a RAISE is one to an engine,
/// whatever its code; which of 1.0 and 1.00 comes first is open, too.
Told comparable(Told told) {
  for (StatementResult& result : told.results) {
    for (Row& row : result.rows)
      for (sql::Value& value : row) value = canonical(value);
    std::sort(result.rows.begin(), result.rows.end());
  }
  if (told.code == "P0001") told.code = "raised";
  return told;
}

/// Everything that can be seen of a database afterwards.
struct Left {
  std::vector<std::vector<Row>> rows;  ///< sorted, by table
  std::vector<std::int64_t> sequences;

  friend bool operator==(const Left&, const Left&) = default;
};

std::string shown(const Told& told) {
  std::string text;
  for (const StatementResult& result : told.results) {
    text += " " + std::to_string(result.count) + " rows";
    for (const Row& row : result.rows) {
      text += " (";
      for (const sql::Value& value : row) text += to_string(value) + ",";
      text += ")";
    }
  }
  return text + (told.code.empty() ? " committed" : " " + told.code);
}

std::string shown(const Left& left) {
  std::string text;
  for (const auto& table : left.rows) {
    text += " [";
    for (const Row& row : table) {
      text += "(";
      for (const sql::Value& value : row) text += to_string(value) + ",";
      text += ")";
    }
    text += "]";
  }
  for (const std::int64_t number : left.sequences)
    text += " " + std::to_string(number);
  return text;
}

// --- in memory

Told run_in_memory(const Routines& routines, MemoryDatabase& database,
                   const sql::Call& call, const Budget& budget) {
  Told told;
  MemoryDatabase before = database;
  std::vector<MemoryDatabase> saved;
  sql::Process process(routines, call);
  for (;;) {
    const Request request = process.run(budget);
    if (request.kind == Request::Kind::Returned) return told;
    if (request.is_nesting()) {
      if (request.kind == Request::Kind::RollBackTo)
        database.roll_back_to(saved[request.depth - (request.reopens ? 1 : 0)]);
      saved.resize(request.depth, database);
      process.proceed();
      continue;
    }
    if (request.kind == Request::Kind::Commit ||
        request.kind == Request::Kind::RollBack) {
      if (request.kind == Request::Kind::RollBack)
        database.roll_back_to(before);
      before = database;
      process.proceed();
      continue;
    }
    if (request.kind != Request::Kind::Statement) {
      told.code = request.kind == Request::Kind::Failed
                      ? process.error().sqlstate
                      : "undecided";
      break;
    }
    auto result = database.execute(*request.statement, process.slots(), budget,
                                   request.max_rows);
    if (const auto* error = std::get_if<sql::SqlError>(&result)) {
      process.fail(*error);
      continue;
    }
    const auto& given = std::get<StatementResult>(result);
    if (!request.statement->is_of_commit()) told.results.push_back(given);
    process.answer(given);
  }
  database.roll_back_to(before);
  return told;
}

Left left_in(const sql::Schema& schema, const MemoryDatabase& database) {
  Left left;
  for (std::size_t t = 0; t < schema.tables.size(); ++t) {
    left.rows.push_back(database.rows(TableId(t)));
    std::sort(left.rows.back().begin(), left.rows.back().end());
  }
  left.sequences.assign(database.sequences().begin(),
                        database.sequences().end());
  return left;
}

// --- at a profile

class AtProfile {
 public:
  AtProfile(const Routines& routines, const MemoryDatabase& initial,
            const Profile& profile, const Budget& budget)
      : around_{routines, pool_, budget},
        machine_(around_, profile),
        state_(machine_.initial(initial)) {}

  Told run(std::uint8_t session) {
    Told told;
    std::vector<engine::TraceStep> steps;
    engine::Happenings happenings;
    while (state_.sessions[session].status != engine::Status::Done) {
      const auto moves = machine_.moves(state_);
      const auto mine =
          std::find_if(moves.begin(), moves.end(),
                       [&](const auto& m) { return m.session == session; });
      if (mine == moves.end()) return {{}, "it cannot go on"};
      machine_.apply(state_, *mine, &steps, happenings);
      if (!happenings.undecided.empty()) return {{}, happenings.undecided};
    }
    for (const engine::TraceStep& step : steps) {
      if (step.kind == engine::TraceStep::Kind::Executed)
        told.results.push_back({step.rows, step.count});
      else if (step.kind == engine::TraceStep::Kind::Failed && !step.is_caught)
        told.code = step.code;
    }
    return told;
  }

  Left left() const {
    Left left;
    for (const auto& table : state_.tables) {
      auto& rows = left.rows.emplace_back();
      table->records.for_each([&](std::size_t, const engine::Record& record) {
        if (record.committed() != nullptr)
          rows.push_back(record.committed()->row);
      });
      std::sort(rows.begin(), rows.end());
    }
    left.sequences = state_.sequences;
    return left;
  }

 private:
  engine::RowPool pool_;
  engine::Surroundings around_;
  engine::Server machine_;
  engine::State state_;
};

// --- as the search runs it

/// One instance runs everything, so that it draws numbers as a session does.
class InSearch {
 public:
  InSearch(const Routines& routines, const MemoryDatabase& initial,
           const Budget& budget)
      : routines_(routines),
        schema_(routines.application().schema),
        budget_(budget),
        universe_(routines, initial, 2) {
    drawn_.numbers.resize(schema_.sequences.size());
    drawn_.hidden.resize(schema_.tables.size());
  }

  Told run(const sql::Call& call) {
    Told told;
    const auto before = now_;
    std::vector<std::map<std::string, std::int64_t>> saved;
    sql::Process process(routines_, call);
    for (;;) {
      const Request request = process.run(budget_);
      if (request.kind == Request::Kind::Returned) return told;
      if (request.is_nesting()) {
        if (request.kind == Request::Kind::RollBackTo)
          now_ = saved[request.depth - (request.reopens ? 1 : 0)];
        saved.resize(request.depth, now_);
        process.proceed();
        continue;
      }
      if (request.kind != Request::Kind::Statement) {
        told.code = request.kind == Request::Kind::Failed
                        ? process.error().sqlstate
                        : "undecided";
        break;
      }
      explore::RowReads reads(universe_);
      for (std::uint32_t k = 0; k < universe_.initial().size(); ++k)
        reads.know(KeyId(k), version(KeyId(k)));
      explore::Drawn drawn = drawn_;
      auto done = explore::SearchStatement(routines_, universe_, reads,
                                           exec::InstanceId(1), budget_)
                      .run(*request.statement, process.slots(),
                           request.max_rows, drawn);
      // A trigger's statement has to see rows whose keys are new.
      if (std::holds_alternative<sql::Interrupted>(done) && universe_.grow())
        continue;
      drawn_ = std::move(drawn);
      if (const auto* error = std::get_if<sql::SqlError>(&done)) {
        process.fail(*error);
        continue;
      }
      if (std::holds_alternative<sql::Interrupted>(done))
        return {{}, "the search asks for what it knows"};
      auto& effect = std::get<explore::StatementEffect>(done);
      apply(effect);
      if (!request.statement->is_of_commit())
        told.results.push_back(effect.result);
      process.answer(effect.result);
    }
    now_ = before;
    return told;
  }

  Left left() const {
    Left left;
    for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
      auto& rows = left.rows.emplace_back();
      for (const auto& entry : universe_.keys(TableId(t))) {
        const std::int64_t v =
            entry.open ? version(*entry.open) : entry.initial;
        if (v != explore::Universe::kAbsent) rows.push_back(universe_.row(v));
      }
      std::sort(rows.begin(), rows.end());
    }
    for (std::uint32_t s = 0; s < schema_.sequences.size(); ++s)
      left.sequences.push_back(
          universe_.number(s, exec::InstanceId(1), drawn_.numbers[s]));
    return left;
  }

 private:
  using Place = std::pair<TableId, Row>;

  std::int64_t version(KeyId key) const {
    const auto found = now_.find(universe_.name(key));
    return found == now_.end() ? universe_.initial()[key.index] : found->second;
  }

  void apply(const explore::StatementEffect& effect) {
    for (const auto& write : effect.writes) {
      if (!universe_.open_key(write.table, write.key)) {
        universe_.want(write.table, write.key);
        universe_.grow();
      }
      // Numbers of keys change when the universe grows; their names do not.
      now_[universe_.name(*universe_.open_key(write.table, write.key))] =
          write.version;
    }
  }

  const Routines& routines_;
  const sql::Schema& schema_;
  const Budget& budget_;
  explore::Universe universe_;
  explore::Drawn drawn_;
  std::map<std::string, std::int64_t> now_;
};

bool writes_like_postgresql(const Profile& profile) {
  return profile.product == Product::PostgreSql;
}

}  // namespace

std::string one_session_difference(const Routines& routines,
                                   const MemoryDatabase& initial) {
  const Budget budget = Budget::unlimited();
  const sql::Application& application = routines.application();
  const auto count =
      std::min<std::size_t>(application.sessions.size(), engine::kMaxSessions);
  MemoryDatabase database = initial;
  std::vector<Told> expected;
  for (std::size_t i = 0; i < count; ++i)
    expected.push_back(run_in_memory(routines, database,
                                     application.sessions[i].calls[0], budget));
  const Left left = left_in(application.schema, database);

  const auto difference = [&](const std::string& where, std::size_t i,
                              const Told& told) -> std::string {
    if (comparable(told) == comparable(expected[i])) return {};
    return where + ": " +
           std::string(application.text(application.sessions[i].calls[0].at)) +
           "\n  in memory:" + shown(expected[i]) + "\n  there:" + shown(told);
  };
  const auto end_difference = [&](const std::string& where,
                                  const Left& there) -> std::string {
    if (there == left) return {};
    return where + ", in the end\n  in memory:" + shown(left) +
           "\n  there:" + shown(there);
  };

  InSearch search(routines, initial, budget);
  for (std::size_t i = 0; i < count; ++i) {
    const Told told = search.run(application.sessions[i].calls[0]);
    if (auto text = difference("search", i, told); !text.empty()) return text;
  }
  if (auto text = end_difference("search", search.left()); !text.empty())
    return text;
  if (application.sessions.size() > engine::kMaxSessions) return {};
  for (const Profile& profile : profiles()) {
    if (!writes_like_postgresql(profile)) continue;
    const std::string name(profile.name);
    AtProfile engine(routines, initial, profile, budget);
    for (std::size_t i = 0; i < count; ++i) {
      const Told told = engine.run(static_cast<std::uint8_t>(i));
      if (auto text = difference(name, i, told); !text.empty()) return text;
    }
    if (auto text = end_difference(name, engine.left()); !text.empty())
      return text;
  }
  return {};
}

}  // namespace txscope::test
