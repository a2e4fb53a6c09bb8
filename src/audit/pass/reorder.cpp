// Replay's last resort: another order of what has its place already.  Commits
// that overlap may be visible in another order than their times say.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "audit/pass/replay.h"

namespace txscope::audit {

/// Those that changed nothing stand where they were first explained, and their
/// session's next may not see less: puts those since its last change as early
/// as they can be.  True: that has moved the session back.
bool Replay::pull_readers(std::uint32_t s) {
  Session& session = sessions_[s];
  std::vector<Done*> readers;
  for (auto d = done_.rbegin(); d != done_.rend(); ++d) {
    if (d->txn->session != s || !d->is_committed) continue;
    // Where any version may be seen, what it saw is not where it stands.
    const Rule rule = d->txn->rule.value_or(level_.rule);
    if (!d->effects.empty() || rule == Rule::ReadCommitted) break;
    readers.push_back(&*d);
  }
  Attempts attempts(tables_, level_.rule, ids_, budget_);
  attempts.mix(0);
  Position last = session.last;
  for (auto r = readers.rbegin(); r != readers.rend(); ++r) {
    Done& reader = **r;
    if (r != readers.rbegin()) reader.oldest = oldest(last, *reader.txn);
    const auto first = point_at(reader.oldest);
    const auto end = std::max(first, point_at(reader.at));
    attempts.on_earliest(
        *reader.txn,
        std::span<const Position>(points_).subspan(first, end - first),
        [&](Commit& commit) {
          // Earlier it would have changed something.
          if (!commit.effects.empty()) return false;
          reader.snapshot = commit.snapshot;
          reader.seen = std::move(commit.seen);
          reader.at = commit.after;
          return true;
        });
    last = reader.at;
  }
  return std::exchange(session.last, last) > last;
}

/// Looks for one that has its place and wrote something that the head of
/// session `s` looked at, and moves it back so far that the head fits in before
/// it.
bool Replay::reorder(std::uint32_t s) {
  constexpr std::size_t kFurthest = 32;
  // What nothing explains stays so, and would be tried again and again.
  constexpr std::size_t kMostInVain = 8;
  if (reordered_in_vain_ >= kMostInVain) return false;
  ++reordered_in_vain_;
  Attempts attempts(tables_, level_.rule, ids_, budget_);
  attempts.mix(0);
  attempts.note_looks();
  attempts.each(*sessions_[s].queue.front().txn, states_for(s, false),
                [](Commit&) { return false; });
  const auto& seen = attempts.looked_at();
  std::size_t tried = 0;
  for (std::size_t i = done_.size(); i-- > 0 && tried < kFurthest;) {
    const Done& done = done_[i];
    if (done.effects.empty() || done.at <= floor_) continue;
    ++tried;
    const bool is_met = std::any_of(done.effects.begin(), done.effects.end(),
                                    [&](const Effect& e) {
                                      return seen.count({e.table, e.row}) != 0;
                                    });
    if (!is_met || done.txn->session == sessions_[s].queue.front().txn->session)
      continue;
    if (budget_.spent()) return false;
    if (move_back(i, s)) {
      reordered_in_vain_ = 0;
      return true;
    }
  }
  return false;
}

/// One behind which another moves, or before: as it is explained then.
struct Replay::Moved {
  const Done* gone = nullptr;  ///< as it was
  Position now = kSetup;       ///< where it is; kSetup: not yet anywhere
  std::vector<std::pair<Done*, Done>> others;
  std::map<std::uint32_t, Position> last;  ///< of sessions that stood there
};

bool Replay::move_back(std::size_t index, std::uint32_t s) {
  const Done before = done_[index];
  const std::size_t point = point_at(before.at);
  if (point == 0 || point >= points_.size() || points_[point] != before.at ||
      points_.back() == before.at)
    return false;
  // A row that it inserted and others have changed since cannot do without it.
  for (const Effect& e : before.effects)
    if (e.is_new && tables_.versions(e.table, e.row).size() > 1) return false;
  const auto place_of = [](std::size_t i) {
    return static_cast<std::ptrdiff_t>(i);
  };
  std::vector<Done*> later;
  for (Done& other : done_)
    if (other.is_committed && other.number != before.number &&
        other.at >= before.at)
      later.push_back(&other);
  std::stable_sort(later.begin(), later.end(),
                   [](const Done* a, const Done* b) { return a->at < b->at; });
  const std::int64_t end = ends_[point];
  tables_.undo(before.effects, before.at);
  points_.erase(points_.begin() + place_of(point));
  ends_.erase(ends_.begin() + place_of(point));
  Moved passed;
  passed.gone = &before;
  std::size_t next = 0;
  for (std::size_t q = point; q < points_.size() && !budget_.spent(); ++q) {
    // Those that it moves behind must do without it.
    bool stand = true;
    for (; stand && next < later.size() && later[next]->at <= points_[q];
         ++next)
      stand = stands(*later[next], passed);
    if (!stand) break;
    Done done = before;
    if (!put_after(done, q, end)) continue;
    Moved all = passed;
    all.now = done.at;
    if (sessions_[before.txn->session].last == before.at ||
        all.last.count(before.txn->session) == 0)
      all.last[before.txn->session] = done.at;
    const bool others_stand =
        std::all_of(later.begin() + place_of(next), later.end(),
                    [&](Done* other) { return stands(*other, all); });
    if (others_stand) {
      std::vector<std::pair<Done*, Done>> old;
      for (auto& [other, now] : all.others) {
        old.emplace_back(other, *other);
        *other = now;
      }
      done_[index] = done;
      std::vector<std::uint32_t> stood;
      for (const auto& [session, at] : all.last)
        if (sessions_[session].last == before.at) {
          sessions_[session].last = at;
          stood.push_back(session);
        }
      if (place(s) || insert_after(s, q)) return true;
      for (const std::uint32_t session : stood)
        sessions_[session].last = before.at;
      done_[index] = before;
      for (auto& [other, was] : old) *other = was;
    }
    tables_.undo(done.effects, done.at);
    points_.erase(points_.begin() + place_of(q + 1));
    ends_.erase(ends_.begin() + place_of(q + 1));
  }
  Done restored = before;
  tables_.put(restored.effects, restored.at);
  points_.insert(points_.begin() + place_of(point), before.at);
  ends_.insert(ends_.begin() + place_of(point), end);
  done_[index] = std::move(restored);
  return false;
}

/// Whether `other` is explained where it is, though the other one moves.
bool Replay::stands(Done& other, Moved& moved) {
  const Done& gone = *moved.gone;
  const bool is_passed = moved.now == kSetup;
  Done now = other;
  const auto& end = gone.txn->log->end;
  const auto& start = other.txn->log->start;
  const bool must_follow = other.txn->session == gone.txn->session ||
                           (level_.is_strict && end && start && *end < *start);
  if (is_passed && must_follow) return false;
  if (now.oldest == gone.at) {
    const auto last = moved.last.find(other.txn->session);
    if (last == moved.last.end()) return false;
    now.oldest = last->second;
  }
  if (must_follow) now.oldest = std::max(now.oldest, moved.now);
  const bool is_reader = now.effects.empty();
  if (is_reader && now.at == gone.at) now.at = points_[point_at(gone.at) - 1];
  Attempts attempts(tables_, level_.rule, ids_, budget_);
  attempts.mix(0);
  if (!stands(attempts, now, points_)) return false;
  now.snapshot = attempts.repeated().snapshot;
  now.seen = attempts.repeated().seen;
  if (is_reader) now.at = attempts.repeated().after;
  if (other.at == gone.at) moved.last[other.txn->session] = now.at;
  moved.others.emplace_back(&other, std::move(now));
  return true;
}

/// Runs a transaction again right after state `q`; true: it is there, with the
/// same effects.
bool Replay::put_after(Done& done, std::size_t q, std::int64_t end) {
  const std::size_t first = point_at(done.oldest);
  if (first > q) return false;
  Attempts attempts(tables_, level_.rule, ids_, budget_);
  attempts.mix(0);
  Effects effects;
  const bool runs = attempts.each(
      *done.txn,
      std::span<const Position>(points_).subspan(first, q - first + 1),
      [&](Commit& commit) {
        effects = std::move(commit.effects);
        done.snapshot = commit.snapshot;
        done.seen = std::move(commit.seen);
        return true;
      });
  if (!runs || effects != done.effects) return false;
  const bool is_end = q + 1 == points_.size();
  const Position at = is_end ? points_[q] + kGap
                             : points_[q] + (points_[q + 1] - points_[q]) / 2;
  if (at == points_[q]) return false;  // no room left
  done.effects = std::move(effects);
  done.before = points_[q];
  done.at = at;
  tables_.put(done.effects, done.at);
  points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(q) + 1, at);
  ends_.insert(ends_.begin() + static_cast<std::ptrdiff_t>(q) + 1, end);
  return true;
}

}  // namespace txscope::audit
