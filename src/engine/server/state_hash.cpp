// Equal states: what can be told apart, and nothing else.

#include <algorithm>
#include <array>
#include <bit>

#include "engine/server/naming.h"
#include "engine/server/state_times.h"

namespace txscope::engine {
namespace {

// Slots of Ssi are given in order of arrival; this renames them.
class SlotNames {
 public:
  SlotNames(const Ssi& ssi, const Naming& names)
      : order_(ssi.canonical_order(
            [&](std::uint8_t session) { return names.of(session); })) {}
  [[nodiscard]] TxnSet rename(TxnSet set) const {
    if (set == 0) return 0;
    TxnSet renamed = 0;
    for (std::size_t i = 0; i < order_.size(); ++i)
      if ((set >> order_[i] & 1) != 0) renamed |= TxnSet{1} << i;
    return renamed;
  }
  [[nodiscard]] const std::vector<std::uint8_t>& order() const {
    return order_;
  }

 private:
  std::vector<std::uint8_t> order_;
};

// The order of spots, of which those at the beginning are the same in all
// states.
class Spots {
 public:
  explicit Spots(const TableState& table) : table_(table) {
    if (!table.has_spots) return;
    const auto note = [this](const StoredRow* row, Spot spot) {
      if (row != nullptr && spot > table_.first_spots) later_.push_back(spot);
    };
    // Those at rest stand at the beginning.
    table.records.for_each_touched([&](std::size_t, const Record& record) {
      for (const Version& v : record.versions) note(v.row, v.spot);
      if (!record.pending.exists()) return;
      note(record.pending.row, record.pending.spot);
      for (const Pending::Layer& layer : record.pending.below)
        note(layer.row, layer.spot);
    });
    std::sort(later_.begin(), later_.end());
  }
  void add(Mixer& mixer, const StoredRow* row, Spot spot) const {
    if (!table_.has_spots || row == nullptr) return;
    mixer.add(
        spot <= table_.first_spots
            ? spot
            : table_.first_spots + 1 +
                  static_cast<std::uint64_t>(
                      std::lower_bound(later_.begin(), later_.end(), spot) -
                      later_.begin()));
  }

 private:
  const TableState& table_;
  std::vector<Spot> later_;
};

void add(Mixer& mixer, const StoredRow* row, const Naming& names) {
  if (row == nullptr)
    mixer.add(0);
  else
    mixer.add(names.of(*row));
}

Hash128 hash_of(const Lock& lock, const Naming& names) {
  Mixer mixer;
  mixer.add(std::uint64_t{lock.depth} << 32 |
            std::uint64_t{names.of(lock.owner)} << 16 |
            static_cast<std::uint64_t>(lock.mode) << 8);
  return mixer.done();
}

Hash128 hash_of(const Record& record, const Times& times,
                const SlotNames& slots, const Spots& spots,
                const Naming& names) {
  Mixer mixer;
  for (const Version& version : record.versions) {
    mixer.add((times.of(version.stamp) + 1) << 1 | (version.moves_key ? 1 : 0));
    add(mixer, version.row, names);
    spots.add(mixer, version.row, version.spot);
  }
  mixer.add(0);
  if (record.versions.empty()) add(mixer, record.anchor, names);
  const Pending& pending = record.pending;
  if (pending.exists()) {
    mixer.add(std::uint64_t{names.of(pending.owner)} << 17 |
              std::uint64_t{pending.rank} << 9 |
              std::uint64_t{pending.depth} << 1 | (pending.moves_key ? 1 : 0));
    add(mixer, pending.row, names);
    spots.add(mixer, pending.row, pending.spot);
    if (pending.is_fresh()) mixer.add(pending.entered);
    for (const Pending::Layer& layer : pending.below) {
      mixer.add(std::uint64_t{layer.rank} << 9 |
                std::uint64_t{layer.depth} << 1 | (layer.moves_key ? 1 : 0));
      add(mixer, layer.row, names);
      spots.add(mixer, layer.row, layer.spot);
    }
    for (const StoredRow* row : pending.given_up) add(mixer, row, names);
  }
  Hash128 locks;
  for (const Lock& lock : record.locks) locks += hash_of(lock, names);
  mixer.add(locks);
  mixer.add(names.of(record.queue));
  mixer.add(slots.rename(record.readers));
  mixer.add(slots.rename(record.writers));
  return mixer.done();
}

Hash128 hash_of(const PageLock& lock, const Naming& names) {
  Mixer mixer;
  mixer.add(std::uint64_t{names.of(lock.owner)} << 32 |
            std::uint64_t{lock.index} << 24 |
            static_cast<std::uint64_t>(lock.mode) << 16 |
            static_cast<std::uint64_t>(lock.kind) << 8 |
            (lock.is_waiting ? 2u : 0u) | (lock.is_inherited ? 1u : 0u));
  Hash128 entries;
  for (const StoredRow* entry : lock.entries) {
    Mixer one;
    add(one, entry, names);
    entries += one.done();
  }
  mixer.add(entries);
  return mixer.done();
}

Hash128 hash_of(const ObjectLock& lock, const Naming& names) {
  Mixer mixer;
  mixer.add(std::uint64_t{static_cast<std::uint8_t>(lock.kind)} << 40 |
            std::uint64_t{static_cast<std::uint8_t>(lock.mode)} << 32 |
            std::uint64_t{names.of(lock.owner)} << 24 |
            std::uint64_t{lock.depth} << 16 | (lock.is_waiting ? 2u : 0u) |
            (lock.is_session ? 1u : 0u));
  mixer.add(static_cast<std::uint64_t>(lock.key));
  return mixer.done();
}

void add(Mixer& mixer, const TableState& table, const Times& times,
         const SlotNames& slots, const Naming& names) {
  Hash128 records = table.records.hash_at_rest();
  const Spots spots(table);
  table.records.for_each_touched([&](std::size_t, const Record& record) {
    records += hash_of(record, times, slots, spots, names);
  });
  mixer.add(records);
  // The order counts where several can hold the same, or wait: who asks next
  // waits for the first of them.
  Hash128 held;
  for (const PageLock& lock : table.page_locks) {
    if (lock.kind == PageLock::Kind::Entry && !lock.is_waiting) {
      held += hash_of(lock, names);
    } else {
      mixer.add(hash_of(lock, names));
    }
  }
  mixer.add(held);
  mixer.add(slots.rename(table.scanners));
  mixer.add(slots.rename(table.page_readers));
  for (const TxnSet readers : table.index_readers)
    mixer.add(slots.rename(readers));
}

/// All that does not name others.
void add_own(Mixer& mixer, const SessionState& session, const Times& times) {
  mixer.add(std::uint64_t{session.call} << 32 | session.attempt);
  mixer.add(static_cast<std::uint64_t>(session.status) << 8 |
            (session.is_begun ? 4u : 0u) | (session.is_woken ? 2u : 0u) |
            (session.has_waited ? 1u : 0u));
  mixer.add(times.of(session.snapshot));
  mixer.add(times.of(session.statement_snapshot));
  mixer.add(std::uint64_t{session.writes} << 16 | session.failure);
  mixer.add(std::uint64_t{session.writes_before} << 32 |
            session.passed_changes);
  mixer.add(session.awaited_index);
  for (const std::uint32_t lock : session.table_locks) mixer.add(lock);
  for (const std::uint32_t count : session.taken) mixer.add(count);
  for (const std::uint32_t writes : session.savepoints) mixer.add(writes);
  for (const Stamp stamp : session.nested_snapshots) mixer.add(times.of(stamp));
  mixer.add(session.skips.size());
  for (const bool is_skipped : session.skips) mixer.add(is_skipped ? 1u : 0u);
  mixer.add(session.seen);  // and so the process, which depends on nothing else
}

void add(Mixer& mixer, const SessionState& session, const Times& times,
         const Naming& names) {
  add_own(mixer, session, times);
  mixer.add(names.of(session.waits_for));
  mixer.add(names.of(session.queued_behind));
  add(mixer, session.awaited_entry, names);
  for (const auto& read : session.dirty_reads) {
    mixer.add(read.size());
    for (const StoredRow* row : read) add(mixer, row, names);
  }
  for (const std::int64_t number : session.drawn)
    mixer.add(names.of_drawn(number));
  for (const auto& [sequence, number] : session.numbers.all()) {
    mixer.add(sequence);
    mixer.add(names.of_drawn(number));
  }
}

void add(Mixer& mixer, const Ssi& ssi, const Times& times,
         const SlotNames& slots, const Naming& names) {
  for (const std::uint8_t slot : slots.order()) {
    const Ssi::Txn& txn = ssi.txns()[slot];
    mixer.add((txn.is_committed ? 1u : 0u) | (txn.is_doomed ? 2u : 0u) |
              (txn.is_read_only ? 4u : 0u) | (txn.did_write ? 8u : 0u) |
              (txn.has_conflict_out ? 16u : 0u) |
              std::uint64_t{txn.is_committed ? std::uint8_t{0}
                                             : names.of(txn.session)}
                  << 8);
    mixer.add(times.of(txn.snapshot));
    mixer.add(times.of(txn.commit));
    mixer.add(slots.rename(txn.in));
    mixer.add(slots.rename(txn.out));
  }
}

}  // namespace

void come_to_rest(TableState& table, const sql::Table& shape) {
  bool has_marks = false;
  table.records.for_each([&](std::size_t, const Record& record) {
    has_marks = has_marks || !record.anchor->marks.empty();
  });
  if (has_marks) return;  // their hashes depend on the names of sessions
  const State nobody;
  const Naming names;
  const Times times(nobody);
  const SlotNames slots(nobody.ssi, names);
  const Spots spots(table);
  const auto hash = [&](const Record& record) {
    return hash_of(record, times, slots, spots, names);
  };
  table.records.rest(
      shape.has_primary_key ? shape.unique.front().columns : AtRest::Columns(),
      hash);
}

Hash128 hash_of(const State& state) { return hash_of(state, Naming()); }

Hash128 hash_of(const State& state, const Naming& names) {
  const Times times(state);
  const SlotNames slots(state.ssi, names);
  Mixer mixer;
  for (const auto& table : state.tables)
    add(mixer, *table, times, slots, names);
  for (const std::int64_t next : state.sequences)
    mixer.add(static_cast<std::uint64_t>(next));
  Hash128 held;
  for (const ObjectLock& lock : state.objects) {
    if (lock.is_waiting)
      mixer.add(hash_of(lock, names));
    else
      held += hash_of(lock, names);
  }
  mixer.add(held);
  std::array<SessionNo, kMaxSessions> named{};
  for (SessionNo s = 0; s < state.sessions.size(); ++s) named[names.of(s)] = s;
  for (SessionNo s = 0; s < state.sessions.size(); ++s)
    add(mixer, state.sessions[named[s]], times, names);
  mixer.add(names.of(state.deadlocked));
  add(mixer, state.ssi, times, slots, names);
  return mixer.done();
}

Hash128 signature_of(const State& state, SessionNo s) {
  const SessionState& session = state.sessions[s];
  Mixer mixer;
  add_own(mixer, session, Times(state));
  mixer.add(static_cast<std::uint64_t>(std::popcount(session.waits_for)) << 8 |
            static_cast<std::uint64_t>(std::popcount(session.queued_behind)));
  Hash128 rows;
  const auto add_row = [&](const StoredRow* row, std::uint64_t what) {
    if (row == nullptr) return;
    Mixer one(row->unmarked);
    one.add(what);
    for (const RowMark& mark : row->marks) {
      if (mark.session != s) continue;
      one.add(mark.column);
      one.add(mark.which);
    }
    rows += one.done();
  };
  const auto is_mine = [&](const StoredRow* row) {
    return row != nullptr &&
           std::any_of(row->marks.begin(), row->marks.end(),
                       [&](const RowMark& m) { return m.session == s; });
  };
  for (const auto& table : state.tables) {
    // Rows at rest have no marks.
    table->records.for_each_touched([&](std::size_t, const Record& record) {
      for (const Version& version : record.versions)
        if (is_mine(version.row)) add_row(version.row, 1);
      if (record.pending.owner == s) add_row(record.pending.row, 2);
      for (const Lock& lock : record.locks)
        if (lock.owner == s && record.committed() != nullptr)
          add_row(record.committed(),
                  3 + static_cast<std::uint64_t>(lock.mode));
    });
  }
  mixer.add(rows);
  return mixer.done();
}

Hash128 hash_of_committed(const State& state) {
  Mixer mixer;
  for (const auto& table : state.tables) {
    Hash128 rows = table->records.rows_at_rest();
    table->records.for_each_touched([&](std::size_t, const Record& record) {
      if (const StoredRow* row = record.committed()) rows += row->hash;
    });
    mixer.add(rows);
  }
  return mixer.done();
}

Hash128 hash_of_committed(const State& state, const Naming& names) {
  Mixer mixer;
  for (const auto& table : state.tables) {
    Hash128 rows = table->records.rows_at_rest();
    table->records.for_each_touched([&](std::size_t, const Record& record) {
      if (const StoredRow* row = record.committed()) rows += names.of(*row);
    });
    mixer.add(rows);
  }
  return mixer.done();
}

}  // namespace txscope::engine
