#include "engine/state.h"

#include <algorithm>
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

void add(Mixer& mixer, const StoredRow* row) {
  if (row == nullptr)
    mixer.add(0);
  else
    mixer.add(row->hash);
}

Hash128 hash_of(const Lock& lock) {
  Mixer mixer;
  mixer.add(std::uint64_t{lock.places} << 24 | std::uint64_t{lock.owner} << 16 |
            static_cast<std::uint64_t>(lock.mode) << 8 |
            (lock.is_waiting ? 1 : 0));
  return mixer.done();
}

Hash128 hash_of(const Record& record, const Times& times,
                const SlotNames& slots) {
  Mixer mixer;
  for (const Version& version : record.versions) {
    mixer.add(times.of(version.stamp) + 1);
    add(mixer, version.row);
  }
  mixer.add(0);
  if (record.versions.empty()) add(mixer, record.anchor);
  const Pending& pending = record.pending;
  if (pending.exists()) {
    mixer.add(std::uint64_t{pending.owner} << 2 | (pending.is_fresh ? 2u : 0u) |
              (pending.had_previous ? 1u : 0u));
    add(mixer, pending.row);
    if (pending.is_fresh) {
      mixer.add(pending.entered);
      add(mixer, pending.previous);
    }
    for (const StoredRow* row : pending.given_up) add(mixer, row);
  }
  // Those that are granted have no order, those that wait have one.
  Hash128 granted;
  for (const Lock& lock : record.locks) {
    if (lock.is_waiting)
      mixer.add(hash_of(lock));
    else
      granted += hash_of(lock);
  }
  mixer.add(granted);
  mixer.add(slots.rename(record.readers));
  mixer.add(slots.rename(record.writers));
  return mixer.done();
}

Hash128 hash_of(const GapLock& gap) {
  Mixer mixer;
  mixer.add(std::uint64_t{gap.owner} << 33 | std::uint64_t{gap.index} << 1 |
            (gap.is_waiting ? 1u : 0u));
  add(mixer, gap.after);
  add(mixer, gap.before);
  return mixer.done();
}

void add(Mixer& mixer, const TableState& table, const Times& times,
         const SlotNames& slots) {
  Hash128 records;
  for (const Record& record : table.records)
    records += hash_of(record, times, slots);
  mixer.add(records);
  Hash128 gaps;
  for (const GapLock& gap : table.gaps) gaps += hash_of(gap);
  mixer.add(gaps);
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
  mixer.add(std::uint64_t{session.writes} << 16 | session.failure);
  mixer.add(session.awaited_locks);
  for (const std::uint32_t object : session.lock_objects) mixer.add(object);
  for (const std::int64_t number : session.drawn)
    mixer.add(static_cast<std::uint64_t>(number));
  for (const std::uint32_t count : session.taken) mixer.add(count);
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
    if (is_seen) *kept++ = *v;
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

const StoredRow* Record::at(Stamp snapshot) const {
  for (auto v = versions.rbegin(); v != versions.rend(); ++v)
    if (v->stamp <= snapshot) return v->row;
  return nullptr;
}

TableState& State::change(TableId t) {
  auto& table = tables[t.index];
  if (table.use_count() != 1) table = std::make_shared<TableState>(*table);
  // The only owner may change it; nobody else can see that.
  return const_cast<TableState&>(*table);
}

Hash128 hash_of(const State& state) {
  const Times times(state);
  const SlotNames slots(state.ssi);
  Mixer mixer;
  for (const auto& table : state.tables) add(mixer, *table, times, slots);
  for (const std::int64_t next : state.sequences)
    mixer.add(static_cast<std::uint64_t>(next));
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

void undo_statement(State& state, SessionNo s) {
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    if ((state.sessions[s].touched & touch_bit(t)) == 0) continue;
    const auto is_fresh = [&](const Record& r) {
      return r.pending.owner == s && r.pending.is_fresh;
    };
    const auto& seen = state.tables[t]->records;
    if (std::none_of(seen.begin(), seen.end(), is_fresh)) continue;
    TableState& table = state.change(TableId(t));
    for (Record& record : table.records) {
      if (!is_fresh(record)) continue;
      const bool had_previous = record.pending.had_previous;
      const StoredRow* previous = record.pending.previous;
      auto given_up = std::move(record.pending.given_up);
      record.pending = Pending();
      --state.sessions[s].writes;
      if (had_previous) {
        record.pending.owner = s;
        record.pending.row = previous;
        record.pending.given_up = std::move(given_up);
      }
    }
    // Rows that only this statement inserted.
    std::erase_if(table.records, [&](const Record& record) {
      return record.versions.empty() && !record.pending.exists() &&
             std::all_of(record.locks.begin(), record.locks.end(),
                         [&](const Lock& lock) { return lock.owner == s; });
    });
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
