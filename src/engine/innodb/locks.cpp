#include "engine/innodb/locks.h"

#include <algorithm>

namespace txscope::engine {
namespace {

using Kind = PageLock::Kind;

bool is_gap(Kind kind) { return kind == Kind::Gap || kind == Kind::Intention; }

// Whether one who wants this has to wait for that lock of somebody else.
bool waits_behind(const PageLocks::Want& want, const PageLock& lock) {
  if (want.mode == LockMode::Share && lock.mode == LockMode::Share)
    return false;
  if (want.kind == Kind::Intention)
    return lock.kind != Kind::Entry && lock.kind != Kind::Intention;
  if (want.entry == nullptr || want.kind == Kind::Gap) return false;
  return !is_gap(lock.kind);
}

bool has(const PageLock& lock, std::uint8_t index, const StoredRow* entry) {
  return lock.index == index &&
         std::find(lock.entries.begin(), lock.entries.end(), entry) !=
             lock.entries.end();
}

// Of the first `end` of a queue.
const PageLock* conflicting(const std::vector<PageLock>& locks, SessionNo me,
                            const PageLocks::Want& want, std::size_t end) {
  for (std::size_t i = 0; i < end; ++i) {
    const PageLock& lock = locks[i];
    if (lock.owner != me && waits_behind(want, lock) &&
        has(lock, want.index, want.entry)) {
      return &lock;
    }
  }
  return nullptr;
}

PageLocks::Want want_of(const PageLock& lock) {
  return {lock.index, lock.entries.front(), lock.mode, lock.kind};
}

}  // namespace

// A granted lock that is at least as strong.
const PageLock* PageLocks::held(SessionNo me, const Want& want) const {
  for (const PageLock& lock : locks_) {
    if (lock.owner == me && !lock.is_waiting && lock.kind != Kind::Intention &&
        lock.mode >= want.mode &&
        (lock.kind == Kind::NextKey || want.entry == nullptr ||
         lock.kind == want.kind) &&
        has(lock, want.index, want.entry)) {
      return &lock;
    }
  }
  return nullptr;
}

void PageLocks::make(SessionNo owner, Want want, bool is_waiting,
                     bool is_inherited) {
  // All locks behind the last entry are on its gap.
  if (want.entry == nullptr && want.kind != Kind::Intention)
    want.kind = Kind::NextKey;
  const PageLock lock{owner,      want.index,   want.mode,   want.kind,
                      is_waiting, is_inherited, {want.entry}};
  if (!is_shared_entry(lock)) return locks_.push_back(lock);
  const auto at =
      std::find_if(locks_.begin(), locks_.end(), [&](const PageLock& other) {
        return !is_shared_entry(other) || other.owner > owner;
      });
  locks_.insert(at, lock);
}

// An object of the same kind is used again, unless somebody waits there.
void PageLocks::add(SessionNo owner, Want want, bool is_inherited) {
  if (want.entry == nullptr && want.kind != Kind::Intention)
    want.kind = Kind::NextKey;
  const bool is_awaited =
      std::any_of(locks_.begin(), locks_.end(), [&](const PageLock& lock) {
        return lock.is_waiting && has(lock, want.index, want.entry);
      });
  const auto similar =
      std::find_if(locks_.begin(), locks_.end(), [&](const PageLock& lock) {
        return lock.owner == owner && !lock.is_waiting &&
               lock.index == want.index && lock.mode == want.mode &&
               lock.kind == want.kind;
      });
  if (is_awaited || similar == locks_.end())
    make(owner, want, false, is_inherited);
  else if (!has(*similar, want.index, want.entry))
    similar->entries.push_back(want.entry);
}

PageLocks::Reply PageLocks::ask(SessionNo me, const Want& want, bool is_implied,
                                bool is_inherited) {
  Want least = want;
  if (want.entry != nullptr && want.kind == Kind::NextKey)
    least.kind = Kind::Entry;
  if (const PageLock* lock = held(me, least)) {
    if (least.kind == want.kind || lock->kind != Kind::Entry) return Reply::Had;
    Want gap = want;
    gap.kind = Kind::Gap;
    if (held(me, gap) == nullptr) add(me, gap, is_inherited);
    return Reply::Had;
  }
  if (conflicting(locks_, me, want, locks_.size()) != nullptr) {
    make(me, want, true, is_inherited);
    return Reply::Waits;
  }
  if (!is_implied) add(me, want, is_inherited);
  return Reply::Granted;
}

PageLocks::Reply PageLocks::ask_to_insert(SessionNo me, std::uint8_t index,
                                          const StoredRow* next,
                                          bool is_inherited) {
  const Want want{index, next, LockMode::Update, Kind::Intention};
  if (conflicting(locks_, me, want, locks_.size()) == nullptr)
    return Reply::Granted;
  make(me, want, true, is_inherited);
  return Reply::Waits;
}

std::optional<SessionNo> PageLocks::blocker(SessionNo me,
                                            const Want& want) const {
  Want least = want;
  if (want.entry != nullptr && want.kind == Kind::NextKey)
    least.kind = Kind::Entry;
  if (held(me, least) != nullptr) return std::nullopt;
  const PageLock* lock = conflicting(locks_, me, want, locks_.size());
  if (lock == nullptr) return std::nullopt;
  return lock->owner;
}

void PageLocks::make_explicit(SessionNo owner, std::uint8_t index,
                              const StoredRow* entry, bool is_inherited) {
  const Want want{index, entry, LockMode::Update, Kind::Entry};
  if (held(owner, want) == nullptr) add(owner, want, is_inherited);
}

void PageLocks::split_gap(std::uint8_t index, const StoredRow* entry,
                          const StoredRow* next) {
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    const PageLock lock = locks_[i];
    if (lock.kind == Kind::Intention || !has(lock, index, next) ||
        (next != nullptr && lock.kind == Kind::Entry)) {
      continue;
    }
    add(lock.owner, {index, entry, lock.mode, Kind::Gap}, lock.is_inherited);
  }
}

SessionSet PageLocks::join_gap(std::uint8_t index, const StoredRow* entry,
                               const StoredRow* next) {
  const std::size_t count = locks_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const PageLock lock = locks_[i];
    if (lock.kind == Kind::Intention || !lock.is_inherited ||
        !has(lock, index, entry)) {
      continue;
    }
    add(lock.owner, {index, next, lock.mode, Kind::Gap}, true);
  }
  SessionSet freed = 0;
  for (PageLock& lock : locks_) {
    if (!has(lock, index, entry)) continue;
    if (lock.is_waiting) freed |= only(lock.owner);
    lock.is_waiting = false;
    std::erase(lock.entries, entry);
  }
  return freed;
}

void PageLocks::unlock(SessionNo me, const Want& want) {
  for (PageLock& lock : locks_) {
    if (lock.owner != me || lock.is_waiting || lock.mode != want.mode ||
        !has(lock, want.index, want.entry)) {
      continue;
    }
    std::erase(lock.entries, want.entry);
    return;
  }
}

void PageLocks::release(SessionNo owner) {
  std::erase_if(locks_,
                [&](const PageLock& lock) { return lock.owner == owner; });
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    PageLock lock = locks_[i];
    if (!lock.is_waiting ||
        conflicting(locks_, lock.owner, want_of(lock), i) != nullptr) {
      continue;
    }
    locks_[i].is_waiting = false;
    if (!is_shared_entry(locks_[i])) continue;
    locks_.erase(locks_.begin() + static_cast<std::ptrdiff_t>(i));
    make(lock.owner, want_of(lock), false, lock.is_inherited);
  }
}

std::optional<SessionNo> innodb_blocker(const State& state, SessionNo s) {
  for (const auto& table : state.tables) {
    for (std::size_t i = 0; i < table->page_locks.size(); ++i) {
      const PageLock& lock = table->page_locks[i];
      if (lock.owner != s || !lock.is_waiting) continue;
      const PageLock* first =
          conflicting(table->page_locks, s, want_of(lock), i);
      if (first != nullptr) return first->owner;
    }
  }
  return std::nullopt;
}

void drop_gone_entries(const sql::Schema& schema, RowPool& rows, State& state) {
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    if (state.tables[t]->page_locks.empty()) continue;
    const sql::Table& shape = schema.at(TableId(t));
    const std::vector<IndexShape> indexes = indexes_of(shape);
    for (std::uint8_t i = 0; i < indexes.size(); ++i) {
      std::vector<const StoredRow*> locked;
      for (const PageLock& lock : state.tables[t]->page_locks) {
        if (lock.index != i) continue;
        for (const StoredRow* entry : lock.entries) {
          if (entry != nullptr &&
              std::find(locked.begin(), locked.end(), entry) == locked.end())
            locked.push_back(entry);
        }
      }
      if (locked.empty()) continue;
      const std::vector<IndexEntry> entries =
          entries_of(*state.tables[t], indexes[i]);
      std::sort(locked.begin(), locked.end(),
                [](const StoredRow* a, const StoredRow* b) {
                  return compare_entries(a->row, b->row) < 0;
                });
      for (const StoredRow* entry : locked) {
        const auto next = std::find_if(
            entries.begin(), entries.end(), [&](const IndexEntry& e) {
              return compare_entries(entry->row, e.key) <= 0;
            });
        if (next != entries.end() &&
            compare_entries(entry->row, next->key) == 0)
          continue;
        const SessionSet freed =
            PageLocks(state.change(TableId(t)))
                .join_gap(
                    i, entry,
                    next == entries.end() ? nullptr : rows.intern(next->key));
        for (SessionNo s = 0; s < state.sessions.size(); ++s)
          if ((freed & only(s)) != 0 &&
              state.sessions[s].status == Status::Waiting)
            state.sessions[s].is_woken = true;
      }
    }
  }
}

}  // namespace txscope::engine
