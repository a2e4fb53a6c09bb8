#include "engine/server/state.h"

#include <algorithm>
#include <array>

#include "engine/server/state_times.h"

namespace txscope::engine {
namespace {

// Keeps the last version, and those that some mark sees.
void prune(std::vector<Version>& versions, const Times& times) {
  auto kept = versions.begin();
  for (auto v = versions.begin(); v != versions.end(); ++v) {
    const auto next = v + 1;
    const bool is_seen =
        next == versions.end() || times.of(v->stamp) != times.of(next->stamp);
    if (times.of(v->stamp) == 0) v->moves_key = false;  // before everybody
    if (is_seen)
      *kept++ = *v;
    else
      next->moves_key |= v->moves_key;
  }
  versions.erase(kept, versions.end());
  // A deletion that everybody sees is as if the row had never been.
  if (versions.size() == 1 && versions.front().row == nullptr &&
      times.of(versions.front().stamp) == 0) {
    versions.clear();
  }
}

bool is_empty(const Record& record) {
  return record.versions.empty() && !record.pending.exists() &&
         record.locks.empty() && record.readers == 0 && record.writers == 0;
}

bool needs_pruning(const TableState& table) {
  return table.records.is_any_touched([](const Record& record) {
    return record.versions.size() > 1 ||
           (!record.versions.empty() &&
            record.versions.front().row == nullptr) ||
           is_empty(record);
  });
}

}  // namespace

bool conflicts(LockMode a, LockMode b) {
  const auto strength = [](LockMode mode) { return static_cast<int>(mode); };
  // PostgreSQL's table: each excludes those from 3 - itself on.
  return strength(a) + strength(b) >= 3;
}

bool conflicts(sql::ExplicitLock::Mode a, sql::ExplicitLock::Mode b) {
  // PostgreSQL's table of lock modes: by mode, a bit for each it excludes.
  constexpr std::array<std::uint8_t, 8> kExcluded = {
      0b10000000, 0b11000000, 0b11110000, 0b11111000,
      0b11101100, 0b11111100, 0b11111110, 0b11111111};
  return (kExcluded[static_cast<std::size_t>(a)] >> static_cast<unsigned>(b) &
          1) != 0;
}

const Version* Record::version_at(Stamp snapshot) const {
  for (auto v = versions.rbegin(); v != versions.rend(); ++v)
    if (v->stamp <= snapshot) return &*v;
  return nullptr;
}

TableState& State::change(TableId t) {
  auto& table = tables[t.index];
  if (table.use_count() != 1) table = std::make_shared<TableState>(*table);
  // The only owner may change it; nobody else can see that.
  return const_cast<TableState&>(*table);
}

void leave_queue(State& state, SessionNo s) {
  SessionState& session = state.sessions[s];
  if (!session.is_queued) return;
  session.is_queued = false;
  session.queued_behind = 0;
  const auto is_in = [s](const Record& record) {
    return (record.queue & only(s)) != 0;
  };
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    if (!state.tables[t]->records.is_any_touched(is_in)) continue;
    state.change(TableId(t)).records.change_touched([s](Record& record) {
      record.queue &= ~only(s);
    });
  }
}

void forget(State& state, TxnSet released) {
  const auto mentions = [&](const TableState& table) {
    TxnSet all = table.scanners | table.page_readers;
    for (const TxnSet readers : table.index_readers) all |= readers;
    table.records.for_each_touched([&](std::size_t, const Record& record) {
      all |= record.readers | record.writers;
    });
    return (all & released) != 0;
  };
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    if (!mentions(*state.tables[t])) continue;
    TableState& table = state.change(TableId(t));
    table.scanners &= ~released;
    table.page_readers &= ~released;
    for (TxnSet& readers : table.index_readers) readers &= ~released;
    table.records.change_touched([released](Record& record) {
      record.readers &= ~released;
      record.writers &= ~released;
    });
  }
}

void Pending::take_back() {
  if (below.empty()) {
    *this = Pending();
    return;
  }
  const Layer layer = below.back();
  below.pop_back();
  row = layer.row;
  rank = layer.rank;
  depth = layer.depth;
  moves_key = layer.moves_key;
  spot = layer.spot;
  given_up.resize(layer.given_up);
}

bool Pending::shows(std::uint8_t to, const StoredRow*& seen, Spot* at) const {
  if (rank < to) {
    seen = row;
    if (at != nullptr) *at = spot;
    return true;
  }
  for (auto layer = below.rbegin(); layer != below.rend(); ++layer) {
    if (layer->rank >= to) continue;
    seen = layer->row;
    if (at != nullptr) *at = layer->spot;
    return true;
  }
  return false;
}

namespace {

/// Takes back a session's layers that `is_over` names, and records that are
/// nothing without them; how many layers.
template <class IsOver>
std::uint32_t take_back(State& state, SessionNo s, const IsOver& is_over) {
  std::uint32_t count = 0;
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    if ((state.sessions[s].touched & touch_bit(t)) == 0) continue;
    const auto is_mine = [&](const Record& r) {
      return r.pending.owner == s && is_over(r.pending);
    };
    if (!state.tables[t]->records.is_any_touched(is_mine)) continue;
    TableState& table = state.change(TableId(t));
    table.records.change_touched([&](Record& record) {
      for (; is_mine(record); ++count) record.pending.take_back();
    });
    // Rows that were only inserted there.
    table.records.erase_touched_if([&](const Record& record) {
      return record.versions.empty() && !record.pending.exists() &&
             std::all_of(record.locks.begin(), record.locks.end(),
                         [&](const Lock& lock) { return lock.owner == s; });
    });
  }
  return count;
}

}  // namespace

void undo_statement(State& state, SessionNo s, std::uint8_t rank) {
  state.sessions[s].writes -= take_back(
      state, s, [&](const Pending& pending) { return pending.rank >= rank; });
}

void undo_to(State& state, SessionNo s, std::size_t depth, bool frees_locks) {
  SessionState& session = state.sessions[s];
  take_back(state, s,
            [&](const Pending& pending) { return pending.depth > depth; });
  if (session.savepoints.size() > depth) {
    session.writes = session.savepoints[depth];
    session.savepoints.resize(depth);
  }
  if (!frees_locks) return;
  std::erase_if(state.objects, [&](const ObjectLock& lock) {
    return lock.owner == s &&
           (lock.is_waiting || (lock.depth > depth && !lock.is_session));
  });
  const auto is_freed = [&](const Lock& lock) {
    return lock.owner == s && lock.depth > depth;
  };
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    if ((session.touched & touch_bit(t)) == 0) continue;
    if (!state.tables[t]->records.is_any_touched([&](const Record& r) {
          return std::any_of(r.locks.begin(), r.locks.end(), is_freed);
        })) {
      continue;
    }
    state.change(TableId(t)).records.change_touched([&](Record& record) {
      std::erase_if(record.locks, is_freed);
    });
  }
  for (SessionState& other : state.sessions)
    if (other.status == Status::Waiting && (other.waits_for & only(s)) != 0)
      other.is_woken = true;
}

void merge_into_parent(State& state, SessionNo s, std::size_t depth) {
  SessionState& session = state.sessions[s];
  session.savepoints.resize(depth - 1);
  const auto up = static_cast<std::uint8_t>(depth - 1);
  for (ObjectLock& lock : state.objects)
    if (lock.owner == s && lock.depth == depth) lock.depth = up;
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    if ((session.touched & touch_bit(t)) == 0) continue;
    state.change(TableId(t)).records.change_touched([&](Record& record) {
      Pending& pending = record.pending;
      if (pending.owner == s && pending.depth == depth) {
        pending.depth = up;
        while (!pending.below.empty() && pending.below.back().depth >= up &&
               pending.below.back().rank == pending.rank) {
          const StoredRow* earlier = pending.below.back().row;
          if (earlier != nullptr && earlier != pending.row)
            pending.given_up.push_back(earlier);
          pending.below.pop_back();
        }
      }
      bool has_deeper = false;
      for (Lock& lock : record.locks) {
        if (lock.owner != s || lock.depth != depth) continue;
        lock.depth = up;
        has_deeper = true;
      }
      if (!has_deeper) return;
      // The stronger of the two is the one that came down.
      LockMode strongest = LockMode::KeyShare;
      for (const Lock& lock : record.locks)
        if (lock.owner == s && lock.depth == up)
          strongest = std::max(strongest, lock.mode);
      std::erase_if(record.locks, [&](const Lock& lock) {
        return lock.owner == s && lock.depth == up && lock.mode != strongest;
      });
    });
  }
}

void prune(State& state) {
  const Times times(state);
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    if (!needs_pruning(*state.tables[t])) continue;
    TableState& table = state.change(TableId(t));
    table.records.change_touched(
        [&](Record& record) { prune(record.versions, times); });
    table.records.erase_touched_if(is_empty);
  }
}

}  // namespace txscope::engine
