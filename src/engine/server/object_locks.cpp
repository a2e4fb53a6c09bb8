// Locks on things that are no rows: in the order of asking, each with its mode.

#include <algorithm>

#include "engine/server/versioned_statement.h"

namespace txscope::engine {

bool VersionedStatement::lock_advisory(const sql::ExplicitLock& lock,
                                       std::span<const std::int64_t> key,
                                       bool& is_done) {
  session().touched |= touch_bit(63);
  ObjectLock wanted;
  wanted.mode = lock.mode;
  wanted.is_session = lock.is_session;
  wanted.kind =
      key.size() == 2 ? ObjectLock::Kind::TwoKeys : ObjectLock::Kind::OneKey;
  wanted.key = key.empty() ? 0 : key[0];
  if (key.size() == 2) {
    wanted.key = static_cast<std::int64_t>(
        static_cast<std::uint64_t>(key[0]) << 32 |
        (static_cast<std::uint64_t>(key[1]) & 0xffffffffu));
  }
  if (!lock.releases_all) {
    return lock.is_released ? release(wanted, is_done)
                            : acquire(wanted, lock.gives_up, is_done);
  }
  is_done = true;
  std::erase_if(state_.objects, [&](const ObjectLock& held) {
    return held.owner == me_ && held.is_session;
  });
  wake_waiting();
  return true;
}

void VersionedStatement::wake_waiting() {
  for (SessionState& other : state_.sessions)
    if (other.status == Status::Waiting && (other.waits_for & only(me_)) != 0)
      other.is_woken = true;
}

bool VersionedStatement::acquire(ObjectLock wanted, bool gives_up,
                                 bool& is_done) {
  wanted.owner = me_;
  wanted.depth = nested_in();
  auto& objects = state_.objects;
  const auto mine =
      std::find_if(objects.begin(), objects.end(), [&](const ObjectLock& lock) {
        return lock.owner == me_ && lock.is_waiting && lock.is_same(wanted);
      });
  // Who waits for what this session already has cannot be waited for; but
  // NOWAIT does not look behind the queue.
  const auto is_behind_mine = [&](const ObjectLock& waiting) {
    return !gives_up && std::any_of(objects.begin(), objects.end(),
                                    [&](const ObjectLock& held) {
                                      return held.owner == me_ &&
                                             !held.is_waiting &&
                                             held.is_same(waiting) &&
                                             conflicts(held.mode, waiting.mode);
                                    });
  };
  bool has_it = false;
  SessionSet blockers = 0;
  for (auto lock = objects.begin(); lock != objects.end(); ++lock) {
    if (!lock->is_same(wanted)) continue;
    if (lock->owner == me_) {
      has_it |= !lock->is_waiting && lock->mode == wanted.mode;
    } else if (conflicts(lock->mode, wanted.mode) &&
               (!lock->is_waiting || (lock < mine && !is_behind_mine(*lock)))) {
      blockers |= only(lock->owner);
    }
  }
  if (has_it) blockers = 0;
  is_done = blockers == 0;
  if (blockers != 0) {
    if (gives_up) return true;
    if (mine == objects.end()) {
      wanted.is_waiting = true;
      objects.push_back(wanted);
    }
    return wait(blockers);
  }
  if (mine != objects.end()) objects.erase(mine);
  if (!has_it || wanted.is_session) objects.push_back(wanted);
  session().touched |= touch_bit(63);
  return true;
}

bool VersionedStatement::release(const ObjectLock& wanted, bool& is_done) {
  auto& objects = state_.objects;
  const auto held =
      std::find_if(objects.begin(), objects.end(), [&](const ObjectLock& lock) {
        return lock.owner == me_ && !lock.is_waiting && lock.is_session &&
               lock.is_same(wanted) && lock.mode == wanted.mode;
      });
  is_done = held != objects.end();
  if (!is_done) return true;
  objects.erase(held);
  wake_waiting();
  return true;
}

}  // namespace txscope::engine
