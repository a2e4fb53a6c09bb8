#include "engine/state.h"

#include <algorithm>
#include <array>
#include <bit>

namespace txscope::engine {
namespace {

// What the numbers of commits still tell apart.  Two commits between which
// nobody took a snapshot, and nothing else remembers, are the same time.
class Times {
 public:
  explicit Times(const State& state) {
    for (const SessionState& session : state.sessions) {
      if (session.snapshot != kNoSnapshot) marks_.push_back(session.snapshot);
      if (session.statement_snapshot != kNoSnapshot)
        marks_.push_back(session.statement_snapshot);
      marks_.insert(marks_.end(), session.nested_snapshots.begin(),
                    session.nested_snapshots.end());
    }
    for (const Ssi::Txn& txn : state.ssi.txns()) {
      if (!txn.is_used) continue;
      marks_.push_back(txn.snapshot);
      if (txn.is_committed) marks_.push_back(txn.commit);
    }
    std::sort(marks_.begin(), marks_.end());
    marks_.erase(std::unique(marks_.begin(), marks_.end()), marks_.end());
  }
  [[nodiscard]] bool empty() const { return marks_.empty(); }
  // Of a commit: how many marks are before it; of a mark its number.
  [[nodiscard]] std::uint64_t of(Stamp stamp) const {
    if (stamp == kNoSnapshot) return ~std::uint64_t{0};
    return static_cast<std::uint64_t>(
        std::lower_bound(marks_.begin(), marks_.end(), stamp) - marks_.begin());
  }
  [[nodiscard]] const std::vector<Stamp>& marks() const { return marks_; }

 private:
  std::vector<Stamp> marks_;
};

// Slots of Ssi are given in order of arrival; this renames them.
class SlotNames {
 public:
  explicit SlotNames(const Ssi& ssi) : order_(ssi.canonical_order()) {}
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
    for (const Record& record : table.records) {
      for (const Version& v : record.versions) note(v.row, v.spot);
      if (!record.pending.exists()) continue;
      note(record.pending.row, record.pending.spot);
      for (const Pending::Layer& layer : record.pending.below)
        note(layer.row, layer.spot);
    }
    std::sort(later_.begin(), later_.end());
  }
  void add(Mixer& mixer, const StoredRow* row, Spot spot) const {
    if (!table_.has_spots || row == nullptr) return;
    mixer.add(spot <= table_.first_spots
                  ? spot
                  : table_.first_spots + 1 +
                        static_cast<std::uint64_t>(
                            std::lower_bound(later_.begin(), later_.end(),
                                             spot) -
                            later_.begin()));
  }

 private:
  const TableState& table_;
  std::vector<Spot> later_;
};

void add(Mixer& mixer, const StoredRow* row) {
  if (row == nullptr)
    mixer.add(0);
  else
    mixer.add(row->hash);
}

Hash128 hash_of(const Lock& lock) {
  Mixer mixer;
  mixer.add(std::uint64_t{lock.depth} << 32 | std::uint64_t{lock.owner} << 16 |
            static_cast<std::uint64_t>(lock.mode) << 8);
  return mixer.done();
}

Hash128 hash_of(const Record& record, const Times& times,
                const SlotNames& slots, const Spots& spots) {
  Mixer mixer;
  for (const Version& version : record.versions) {
    mixer.add((times.of(version.stamp) + 1) << 1 | (version.moves_key ? 1 : 0));
    add(mixer, version.row);
    spots.add(mixer, version.row, version.spot);
  }
  mixer.add(0);
  if (record.versions.empty()) add(mixer, record.anchor);
  const Pending& pending = record.pending;
  if (pending.exists()) {
    mixer.add(std::uint64_t{pending.owner} << 17 |
              std::uint64_t{pending.rank} << 9 |
              std::uint64_t{pending.depth} << 1 | (pending.moves_key ? 1 : 0));
    add(mixer, pending.row);
    spots.add(mixer, pending.row, pending.spot);
    if (pending.is_fresh()) mixer.add(pending.entered);
    for (const Pending::Layer& layer : pending.below) {
      mixer.add(std::uint64_t{layer.rank} << 9 |
                std::uint64_t{layer.depth} << 1 | (layer.moves_key ? 1 : 0));
      add(mixer, layer.row);
      spots.add(mixer, layer.row, layer.spot);
    }
    for (const StoredRow* row : pending.given_up) add(mixer, row);
  }
  Hash128 locks;
  for (const Lock& lock : record.locks) locks += hash_of(lock);
  mixer.add(locks);
  mixer.add(record.queue);
  mixer.add(slots.rename(record.readers));
  mixer.add(slots.rename(record.writers));
  return mixer.done();
}

Hash128 hash_of(const PageLock& lock) {
  Mixer mixer;
  mixer.add(std::uint64_t{lock.owner} << 32 | std::uint64_t{lock.index} << 24 |
            static_cast<std::uint64_t>(lock.mode) << 16 |
            static_cast<std::uint64_t>(lock.kind) << 8 |
            (lock.is_waiting ? 2u : 0u) | (lock.is_inherited ? 1u : 0u));
  Hash128 entries;
  for (const StoredRow* entry : lock.entries) {
    Mixer one;
    add(one, entry);
    entries += one.done();
  }
  mixer.add(entries);
  return mixer.done();
}

Hash128 hash_of(const ObjectLock& lock) {
  Mixer mixer;
  mixer.add(std::uint64_t{static_cast<std::uint8_t>(lock.kind)} << 40 |
            std::uint64_t{static_cast<std::uint8_t>(lock.mode)} << 32 |
            std::uint64_t{lock.owner} << 24 | std::uint64_t{lock.depth} << 16 |
            (lock.is_waiting ? 2u : 0u) | (lock.is_session ? 1u : 0u));
  mixer.add(static_cast<std::uint64_t>(lock.key));
  return mixer.done();
}

void add(Mixer& mixer, const TableState& table, const Times& times,
         const SlotNames& slots) {
  Hash128 records;
  const Spots spots(table);
  for (const Record& record : table.records)
    records += hash_of(record, times, slots, spots);
  mixer.add(records);
  // The order counts where several can hold the same, or wait: who asks next
  // waits for the first of them.
  Hash128 held;
  for (const PageLock& lock : table.page_locks) {
    if (lock.kind == PageLock::Kind::Entry && !lock.is_waiting) {
      held += hash_of(lock);
    } else {
      mixer.add(hash_of(lock));
    }
  }
  mixer.add(held);
  mixer.add(slots.rename(table.scanners));
  mixer.add(slots.rename(table.page_readers));
  for (const TxnSet readers : table.index_readers)
    mixer.add(slots.rename(readers));
}

void add(Mixer& mixer, const SessionState& session, const Times& times) {
  mixer.add(std::uint64_t{session.call} << 32 | session.attempt);
  mixer.add(static_cast<std::uint64_t>(session.status) << 8 |
            (session.is_begun ? 4u : 0u) | (session.is_woken ? 2u : 0u) |
            (session.has_waited ? 1u : 0u));
  mixer.add(times.of(session.snapshot));
  mixer.add(times.of(session.statement_snapshot));
  mixer.add(session.waits_for);
  mixer.add(session.queued_behind);
  mixer.add(std::uint64_t{session.writes} << 16 | session.failure);
  mixer.add(std::uint64_t{session.writes_before} << 32 |
            session.passed_changes);
  mixer.add(session.awaited_index);
  add(mixer, session.awaited_entry);
  for (const auto& read : session.dirty_reads) {
    mixer.add(read.size());
    for (const StoredRow* row : read) add(mixer, row);
  }
  for (const std::uint32_t lock : session.table_locks) mixer.add(lock);
  for (const std::int64_t number : session.drawn)
    mixer.add(static_cast<std::uint64_t>(number));
  for (const std::uint32_t count : session.taken) mixer.add(count);
  for (const std::uint32_t writes : session.savepoints) mixer.add(writes);
  for (const Stamp stamp : session.nested_snapshots)
    mixer.add(times.of(stamp));
  mixer.add(session.skips.size());
  for (const bool is_skipped : session.skips) mixer.add(is_skipped ? 1u : 0u);
  mixer.add(session.seen);  // and so the process, which depends on nothing else
}

void add(Mixer& mixer, const Ssi& ssi, const Times& times,
         const SlotNames& slots) {
  for (const std::uint8_t slot : slots.order()) {
    const Ssi::Txn& txn = ssi.txns()[slot];
    mixer.add((txn.is_committed ? 1u : 0u) | (txn.is_doomed ? 2u : 0u) |
              (txn.is_read_only ? 4u : 0u) | (txn.did_write ? 8u : 0u) |
              (txn.has_conflict_out ? 16u : 0u) |
              std::uint64_t{txn.is_committed ? std::uint8_t{0} : txn.session}
                  << 8);
    mixer.add(times.of(txn.snapshot));
    mixer.add(times.of(txn.commit));
    mixer.add(slots.rename(txn.in));
    mixer.add(slots.rename(txn.out));
  }
}

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
  return std::any_of(table.records.begin(), table.records.end(),
                     [](const Record& record) {
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
  return (kExcluded[static_cast<std::size_t>(a)] >>
              static_cast<unsigned>(b) &
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
    const auto& records = state.tables[t]->records;
    if (std::none_of(records.begin(), records.end(), is_in)) continue;
    for (Record& record : state.change(TableId(t)).records)
      record.queue &= ~only(s);
  }
}

Hash128 hash_of(const State& state) {
  const Times times(state);
  const SlotNames slots(state.ssi);
  Mixer mixer;
  for (const auto& table : state.tables) add(mixer, *table, times, slots);
  for (const std::int64_t next : state.sequences)
    mixer.add(static_cast<std::uint64_t>(next));
  Hash128 held;
  for (const ObjectLock& lock : state.objects) {
    if (lock.is_waiting)
      mixer.add(hash_of(lock));
    else
      held += hash_of(lock);
  }
  mixer.add(held);
  for (const SessionState& session : state.sessions) add(mixer, session, times);
  mixer.add(state.deadlocked);
  add(mixer, state.ssi, times, slots);
  return mixer.done();
}

Hash128 hash_of_committed(const State& state) {
  Mixer mixer;
  for (const auto& table : state.tables) {
    Hash128 rows;
    for (const Record& record : table->records)
      if (const StoredRow* row = record.committed()) rows += row->hash;
    mixer.add(rows);
  }
  return mixer.done();
}

void forget(State& state, TxnSet released) {
  const auto mentions = [&](const TableState& table) {
    TxnSet all = table.scanners | table.page_readers;
    for (const TxnSet readers : table.index_readers) all |= readers;
    for (const Record& record : table.records)
      all |= record.readers | record.writers;
    return (all & released) != 0;
  };
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    if (!mentions(*state.tables[t])) continue;
    TableState& table = state.change(TableId(t));
    table.scanners &= ~released;
    table.page_readers &= ~released;
    for (TxnSet& readers : table.index_readers) readers &= ~released;
    for (Record& record : table.records) {
      record.readers &= ~released;
      record.writers &= ~released;
    }
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

bool Pending::shows(std::uint8_t to, const StoredRow*& seen,
                    Spot* at) const {
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
    const auto& seen = state.tables[t]->records;
    if (std::none_of(seen.begin(), seen.end(), is_mine)) continue;
    TableState& table = state.change(TableId(t));
    for (Record& record : table.records) {
      for (; is_mine(record); ++count) record.pending.take_back();
    }
    // Rows that were only inserted there.
    std::erase_if(table.records, [&](const Record& record) {
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
    return lock.owner == s && (lock.is_waiting ||
                               (lock.depth > depth && !lock.is_session));
  });
  const auto is_freed = [&](const Lock& lock) {
    return lock.owner == s && lock.depth > depth;
  };
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    if ((session.touched & touch_bit(t)) == 0) continue;
    const auto& seen = state.tables[t]->records;
    if (std::none_of(seen.begin(), seen.end(), [&](const Record& r) {
          return std::any_of(r.locks.begin(), r.locks.end(), is_freed);
        })) {
      continue;
    }
    for (Record& record : state.change(TableId(t)).records)
      std::erase_if(record.locks, is_freed);
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
    for (Record& record : state.change(TableId(t)).records) {
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
      if (!has_deeper) continue;
      // The stronger of the two is the one that came down.
      LockMode strongest = LockMode::KeyShare;
      for (const Lock& lock : record.locks)
        if (lock.owner == s && lock.depth == up)
          strongest = std::max(strongest, lock.mode);
      std::erase_if(record.locks, [&](const Lock& lock) {
        return lock.owner == s && lock.depth == up && lock.mode != strongest;
      });
    }
  }
}

void prune(State& state) {
  const Times times(state);
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    if (!needs_pruning(*state.tables[t])) continue;
    TableState& table = state.change(TableId(t));
    for (Record& record : table.records) prune(record.versions, times);
    std::erase_if(table.records, is_empty);
  }
}

}  // namespace txscope::engine
