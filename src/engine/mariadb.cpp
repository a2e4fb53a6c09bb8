#include "engine/mariadb.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/mariadb_run.h"

namespace txscope::engine {
namespace {

struct CodePair {
  std::string_view sqlstate;
  std::string_view number;
};
// What MariaDB calls the errors of evaluation that it has, too.
constexpr std::array kCodes = std::to_array<CodePair>({
    {"23502", "1048"},
    {"23514", "4025"},
    {"22003", "1264"},
    {"22001", "1406"},
    {"22012", "1365"},
    {"21000", "1242"},
});

}  // namespace

MariaDbRun::MariaDbRun(const Surroundings& around, State& state, SessionNo me,
                       const sql::Request& request, Isolation isolation)
    : StatementRun(around, state, me, request), isolation_(isolation) {}

bool MariaDbRun::raise(const sql::SqlError& error) {
  if (error.is_ours) return undecided(error.message);
  for (const CodePair& pair : kCodes)
    if (pair.sqlstate == error.sqlstate)
      return fail(std::string(pair.number), error.message);
  return fail(error.sqlstate, error.message);
}

Answer MariaDbRun::run() {
  undo_fresh();
  if (run_once()) {
    settle_fresh();
    drop_waiting();
  }
  return std::move(answer_);
}

bool MariaDbRun::run_once() {
  const sql::DbStatement& statement = *request_.statement;
  if (const auto* query = std::get_if<sql::Select>(&statement.what))
    return select(**query);
  if (const auto* insert = std::get_if<sql::Insert>(&statement.what))
    return insert_rows(*insert);
  if (const auto* update = std::get_if<sql::Update>(&statement.what))
    return this->update(*update);
  return remove(std::get<sql::Delete>(statement.what));
}

// Requests that were not granted; others queue behind them.
void MariaDbRun::drop_waiting() {
  const auto is_mine = [&](const Lock& lock) {
    return lock.owner == me_ && lock.is_waiting;
  };
  for (std::size_t t = 0; t < state_.tables.size(); ++t) {
    const auto& records = state_.tables[t]->records;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto& locks = state_.tables[t]->records[i].locks;
      if (std::any_of(locks.begin(), locks.end(), is_mine))
        std::erase_if(change(TableId(t), i).locks, is_mine);
    }
  }
}

SessionSet MariaDbRun::blockers(const Record& record, LockMode mode) const {
  SessionSet set = 0;
  bool is_behind_me = false;
  for (const Lock& lock : record.locks) {
    if (lock.owner == me_) {
      if (!lock.is_waiting && lock.mode >= mode) return 0;  // has it already
      is_behind_me |= lock.is_waiting;
      continue;
    }
    if (lock.is_waiting && is_behind_me) continue;
    if (conflicts(lock.mode, mode)) set |= only(lock.owner);
  }
  return set;
}

bool MariaDbRun::wait_for(TableId table, std::size_t index, LockMode mode,
                          SessionSet others) {
  const auto is_mine = [&](const Lock& lock) {
    return lock.owner == me_ && lock.is_waiting && lock.mode == mode;
  };
  const auto& locks = record(table, index).locks;
  if (std::none_of(locks.begin(), locks.end(), is_mine)) {
    drop_waiting();
    change(table, index).locks.push_back({me_, mode, true});
  }
  return wait(others);
}

bool MariaDbRun::lock(TableId table, std::size_t index, LockMode mode,
                      bool is_by_key) {
  const Record& row = record(table, index);
  const bool is_pending = row.pending.exists() && row.pending.owner != me_;
  if (is_by_key && !is_pending && !check_unchanged(row)) return false;
  if (const SessionSet others = blockers(row, mode))
    return wait_for(table, index, mode, others);
  const auto is_mine = [&](const Lock& lock) {
    return lock.owner == me_ && lock.is_waiting;
  };
  if (std::any_of(row.locks.begin(), row.locks.end(), is_mine))
    std::erase_if(change(table, index).locks, is_mine);
  grant(table, index, mode);
  return true;
}

bool MariaDbRun::check_unchanged(const Record& row) {
  if (isolation_ != Isolation::RepeatableReadSnapshot ||
      session().snapshot == kNoSnapshot || row.pending.owner == me_ ||
      row.last() == nullptr || row.last()->stamp <= session().snapshot) {
    return true;
  }
  return fail("1020", "Record has changed since last read");
}

bool MariaDbRun::acquire(const Examined& examined, bool is_kept) {
  if (examined.gap) {
    auto& gaps = state_.table(examined.table).gaps;
    if (std::find(gaps.begin(), gaps.end(), *examined.gap) == gaps.end()) {
      session().touched |= touch_bit(examined.table.index);
      state_.change(examined.table).gaps.push_back(*examined.gap);
    }
  }
  if (!examined.has_record) return true;
  const auto is_mine = [&](const Lock& l) {
    return l.owner == me_ && !l.is_waiting;
  };
  const auto& locks = record(examined.table, examined.record).locks;
  const auto had = std::find_if(locks.begin(), locks.end(), is_mine);
  const std::optional<Lock> before =
      had == locks.end() ? std::nullopt : std::optional(*had);
  if (!lock(examined.table, examined.record, examined.mode)) return false;
  if (is_kept || (before && before->mode >= examined.mode)) return true;
  auto& now = change(examined.table, examined.record).locks;
  std::erase_if(now, is_mine);
  if (before) now.push_back(*before);
  return true;
}

bool MariaDbRun::acquire_all() {
  const std::vector<Examined> examined = std::exchange(examined_, {});
  return std::all_of(examined.begin(), examined.end(),
                     [&](const Examined& e) { return acquire(e, true); });
}

Answer run_on_mariadb(const Surroundings& around, State& state, SessionNo me,
                      const sql::Request& request, Isolation isolation) {
  return MariaDbRun(around, state, me, request, isolation).run();
}

// InnoDB weighs row changes and lock objects, and of equals takes the one that
// closed the cycle.  A lock object is one per table, and one per page and kind
// of lock on its rows; our tables have one page.  Each of them waits for one
// more.
SessionNo choose_victim(const State& state, SessionSet cycle, SessionNo last) {
  const auto weight = [&](SessionNo s) {
    std::uint64_t locks = 0;
    for (const auto& table : state.tables) {
      std::array<bool, 4> has_mode{};
      bool is_used = false;
      bool has_gaps = false;
      for (const Record& record : table->records) {
        is_used |= record.pending.owner == s;
        for (const Lock& lock : record.locks) {
          if (lock.owner != s) continue;
          is_used = true;
          // Rows that it inserted itself are locked without an object, until
          // somebody waits for them.
          const bool is_implicit = record.pending.owner == s &&
                                   record.versions.empty() &&
                                   record.locks.size() == 1;
          if (!lock.is_waiting && !is_implicit)
            has_mode[static_cast<std::size_t>(lock.mode)] = true;
        }
      }
      for (const GapLock& gap : table->gaps) has_gaps |= gap.owner == s;
      locks += static_cast<std::uint64_t>(
          std::count(has_mode.begin(), has_mode.end(), true));
      const bool has_records = has_mode[1] || has_mode[3];
      if (has_gaps && !has_records) ++locks;
      if (is_used || has_gaps) ++locks;
    }
    return locks + state.sessions[s].writes;
  };
  SessionNo victim = last;
  for (SessionSet rest = cycle; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<SessionNo>(std::countr_zero(rest));
    if (weight(s) < weight(victim)) victim = s;
  }
  return victim;
}

}  // namespace txscope::engine
