#include "audit/pass/replay.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace txscope::audit {

using sql::LogStatus;

Replay::Replay(const Tables& initial, const AuditLevel& level,
               GeneratedIds& ids, const Budget& budget, Limits limits)
    : level_(level),
      limits_(limits),
      ids_(ids),
      budget_(budget),
      tables_(initial),
      attempts_(tables_, level.rule, ids, budget),
      points_{kSetup},
      ends_{std::numeric_limits<std::int64_t>::min()} {
  attempts_.mix(0);
}

void Replay::resume(const ReplayState& state) {
  points_ = state.points;
  ends_ = state.ends;
  floor_ = points_.back();
  latest_start_ = state.latest_start;
  sessions_.resize(state.session_last.size());
  for (std::size_t s = 0; s < sessions_.size(); ++s)
    sessions_[s].last = state.session_last[s];
}

ReplayState Replay::state() const {
  ReplayState state;
  state.points = points_;
  state.ends = ends_;
  state.latest_start = latest_start_;
  for (const Session& session : sessions_)
    state.session_last.push_back(session.last);
  return state;
}

std::vector<std::uint32_t> Replay::waiting() const {
  std::vector<std::uint32_t> numbers;
  for (const Session& session : sessions_)
    for (const Waiting& one : session.queue) numbers.push_back(one.number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

bool Replay::add(std::uint32_t number, const Txn& txn, std::int64_t hint) {
  if (txn.session >= sessions_.size()) sessions_.resize(txn.session + 1);
  Session& session = sessions_[txn.session];
  session.queue.push_back({number, &txn, hint, arrivals_++});
  ++waiting_;
  if (session.queue.size() == 1) put_head(txn.session);
  return !level_.is_strict || !txn.log->end || !latest_start_ ||
         *txn.log->end >= *latest_start_;
}

void Replay::put_head(std::uint32_t s) {
  const Session& session = sessions_[s];
  if (session.queue.empty()) return;
  const Waiting& head = session.queue.front();
  heads_.insert({{head.hint, head.arrival}, s});
}

void Replay::take_head(std::uint32_t s) {
  Session& session = sessions_[s];
  const Waiting& head = session.queue.front();
  heads_.erase({{head.hint, head.arrival}, s});
  session.queue.pop_front();
  --waiting_;
  ++placed_;
  put_head(s);
}

bool Replay::advance() {
  while (waiting_ > limits_.ahead)
    if (!step()) return false;
  return true;
}

bool Replay::finish() {
  while (waiting_ > 0)
    if (!step()) return false;
  while (limits_.window != 0 && !done_.empty()) {
    if (on_forget) on_forget(done_.front().number);
    done_.pop_front();
  }
  return true;
}

bool Replay::is_ready(const Txn& txn) const {
  if (!level_.is_strict || !txn.log->start) return true;
  return std::all_of(sessions_.begin(), sessions_.end(), [&](const auto& s) {
    if (s.queue.empty() || s.queue.front().txn == &txn) return true;
    // One of unknown outcome has no end; those behind it have.
    for (const Waiting& waiting : s.queue)
      if (const auto& end = waiting.txn->log->end)
        return *end >= *txn.log->start;
    return true;
  });
}

Position Replay::oldest(Position last, const Txn& txn) const {
  // The session's order notwithstanding.
  if (txn.is_on_standby ||
      txn.rule.value_or(level_.rule) == Rule::ReadCommitted)
    return points_.front();
  Position low = last;
  if (!level_.is_strict || !txn.log->start) return low;
  for (auto d = done_.rbegin(); d != done_.rend(); ++d) {
    const auto& end = d->txn->log->end;
    if (d->is_committed && end && *end < *txn.log->start)
      low = std::max(low, d->at);
  }
  return low;
}

std::size_t Replay::point_at(Position at) const {
  return static_cast<std::size_t>(
      std::lower_bound(points_.begin(), points_.end(), at) - points_.begin());
}

bool Replay::step() {
  if (budget_.spent()) return false;
  const std::vector<Head> heads(heads_.begin(), heads_.end());
  std::optional<std::uint32_t> first;  // session
  // At serializable the order of commits is often not the order that explains
  // (a reader that committed after what it did not see); elsewhere it is.
  const bool inserts_early = level_.rule == Rule::Serializable;
  std::vector<std::uint32_t> failed;
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::int64_t earliest_end = kNever;
  const auto repair_failed = [&] {
    for (const std::uint32_t s : failed) {
      Session& session = sessions_[s];
      const std::uint64_t arrival = session.queue.front().arrival;
      if (session.repaired == arrival) continue;
      session.repaired = arrival;
      if (repair(s)) return true;
      if (budget_.spent()) return false;
    }
    return false;
  };
  for (const Head& head : heads) {
    const Txn& txn = *sessions_[head.second].queue.front().txn;
    if (!is_ready(txn)) continue;
    // Who began when one that cannot be explained was over is no help to it:
    // what is wrong is what has its place already.
    if (txn.log->start && *txn.log->start > earliest_end) {
      if (repair_failed()) return true;
      earliest_end = kNever;
      failed.clear();
    }
    if (place(head.second, true)) return true;
    if (!first) first = head.second;
    if (inserts_early && insert(head.second)) return true;
    if (budget_.spent()) return false;
    failed.push_back(head.second);
    if (txn.log->end) earliest_end = std::min(earliest_end, *txn.log->end);
  }
  for (const Head& head : heads) {
    if (!is_ready(*sessions_[head.second].queue.front().txn)) continue;
    if (repair(head.second)) return true;
    if (budget_.spent()) return false;
  }
  for (const Head& head : heads) {
    const std::uint32_t s = head.second;
    if (sessions_[s].queue.front().txn->log->status != LogStatus::Unknown)
      continue;
    leave_out(s);
    return true;
  }
  if (first) tell_bad(*first);
  return false;
}

/// Why the first of a session has no place.
void Replay::tell_bad(std::uint32_t s) {
  Attempts attempts(tables_, level_.rule, ids_, budget_);
  attempts.mix(0);
  attempts.tell_all();
  const Txn& txn = *sessions_[s].queue.front().txn;
  attempts.each(txn, states_for(s, true), [](Commit&) { return false; });
  first_bad_ = txscope::audit::first_bad(txn, attempts.mismatch());
  tell_nearest(s);
}

/// What it would be shown at the places where it was tried.
void Replay::tell_nearest(std::uint32_t s) {
  constexpr std::size_t kMostNearest = 4;
  constexpr std::size_t kFurthest = 16;
  const Session& session = sessions_[s];
  const Txn& txn = *session.queue.front().txn;
  const std::size_t first =
      std::min(point_at(oldest(session.last, txn)), points_.size() - 1);
  const bool is_on_last = txn.rule.value_or(level_.rule) == Rule::Serializable;
  std::size_t end = points_.size();
  auto& all = first_bad_->nearest;
  for (std::size_t i = 0; i < kFurthest && end > first; ++i, --end) {
    Attempts attempts(tables_, level_.rule, ids_, budget_);
    attempts.mix(0);
    attempts.tell_all();
    const bool fits = attempts.each(
        txn, std::span<const Position>(points_).subspan(first, end - first),
        [](Commit&) { return true; });
    std::vector<Mismatch> told = attempts.told();
    if (fits)
      told = {{txn.statements.size(), "",
               "it fits there, but those behind it do not any more",
               points_[end - 1]}};
    for (const Mismatch& one : told) {
      std::string after;
      for (const Done& done : done_)
        if (done.at == one.at && !done.effects.empty())
          after = done.txn->log->id;
      auto found = nearest(txn, one, std::move(after));
      const bool is_told =
          std::any_of(all.begin(), all.end(), [&](const auto& other) {
            return other.statement == found.statement &&
                   other.expected == found.expected && other.why == found.why;
          });
      if (!is_told && all.size() < kMostNearest)
        all.push_back(std::move(found));
    }
    if (!is_on_last || budget_.spent()) return;
  }
}

/// All that can be done for one that does not fit behind what has its place.
bool Replay::repair(std::uint32_t s) {
  const bool sees_any = level_.rule == Rule::ReadCommitted;
  // Where any version may be seen, the order of others matters little.
  if (sees_any) return place(s) || place_mixed(s) || insert(s);
  return place(s) || (pull_readers(s) && place(s)) || insert(s) || reorder(s);
}

/// With versions that no one state has together, which is much to try.
bool Replay::place_mixed(std::uint32_t s) {
  constexpr std::uint64_t kRuns = 200;
  attempts_.mix(kRuns);
  const bool is_placed = place(s);
  attempts_.mix(0);
  return is_placed;
}

std::size_t Replay::likely(const Txn& txn) const {
  if (!txn.log->start) return 0;
  std::size_t i = ends_.size() - 1;
  while (i > 0 && ends_[i] >= *txn.log->start) --i;
  return i;
}

std::span<const Position> Replay::states_for(std::uint32_t s,
                                             bool from_start) const {
  const Session& session = sessions_[s];
  const Txn& txn = *session.queue.front().txn;
  std::size_t first =
      std::min(point_at(oldest(session.last, txn)), points_.size() - 1);
  if (from_start) first = std::max(first, likely(txn));
  return std::span<const Position>(points_).subspan(first);
}

bool Replay::place(std::uint32_t s, bool from_start) {
  Session& session = sessions_[s];
  const Waiting head = session.queue.front();
  Done done;
  done.number = head.number;
  done.txn = head.txn;
  done.oldest = oldest(session.last, *head.txn);
  done.before = points_.back();
  const bool is_placed =
      attempts_.each(*head.txn, states_for(s, from_start), [&](Commit& commit) {
        done.effects = std::move(commit.effects);
        done.snapshot = commit.snapshot;
        done.seen = std::move(commit.seen);
        done.at = commit.after;
        return true;
      });
  if (!is_placed) return false;
  // One that changed nothing comes right after what it saw, so that its
  // session's next may see the same.
  if (!done.effects.empty()) {
    done.at = points_.back() + kGap;
    tables_.put(done.effects, done.at);
    points_.push_back(done.at);
    ends_.push_back(hint(*head.txn->log));
  }
  session.last = done.at;
  if (head.txn->log->start)
    latest_start_ = std::max(latest_start_.value_or(*head.txn->log->start),
                             *head.txn->log->start);
  take_head(s);
  remember(std::move(done));
  return true;
}

void Replay::leave_out(std::uint32_t s) {
  const Waiting head = sessions_[s].queue.front();
  Done done;
  done.number = head.number;
  done.txn = head.txn;
  done.is_committed = false;
  done.at = done.before = done.snapshot = points_.back();
  take_head(s);
  remember(std::move(done));
}

/// Looks for a place before transactions that have theirs already.
bool Replay::insert(std::uint32_t s) {
  const Session& session = sessions_[s];
  const Txn& txn = *session.queue.front().txn;
  const std::size_t first =
      point_at(std::max({floor_, session.last, oldest(session.last, txn)}));
  constexpr std::size_t kFurthest = 64;
  std::size_t point = points_.size() - 1;
  for (std::size_t i = 0; i < kFurthest && point > first; ++i) {
    --point;
    if (insert_after(s, point)) return true;
    if (budget_.spent()) return false;
  }
  return false;
}

bool Replay::insert_after(std::uint32_t s, std::size_t point) {
  Session& session = sessions_[s];
  const Waiting head = session.queue.front();
  Done done;
  done.number = head.number;
  done.txn = head.txn;
  done.oldest = std::max(session.last, oldest(session.last, *head.txn));
  done.before = points_[point];
  const std::size_t first = point_at(done.oldest);
  if (first > point) return false;
  Attempts attempts(tables_, level_.rule, ids_, budget_);
  attempts.mix(0);
  const bool is_placed = attempts.each(
      *head.txn,
      std::span<const Position>(points_).subspan(first, point - first + 1),
      [&](Commit& commit) {
        done.effects = std::move(commit.effects);
        done.snapshot = commit.snapshot;
        done.seen = std::move(commit.seen);
        done.at = commit.after;
        return true;
      });
  if (!is_placed) return false;
  if (!done.effects.empty()) {
    const Position next = points_[point + 1];
    done.at = done.before + (next - done.before) / 2;
    if (done.at == done.before) return false;  // no room left
    tables_.put(done.effects, done.at);
    if (!still_stand(done)) {
      tables_.undo(done.effects, done.at);
      return false;
    }
    points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(point) + 1,
                   done.at);
    ends_.insert(ends_.begin() + static_cast<std::ptrdiff_t>(point) + 1,
                 hint(*head.txn->log));
    for (Done& other : done_)
      if (other.before == done.before && other.at > done.at)
        other.before = done.at;
  }
  session.last = done.at;
  take_head(s);
  remember(std::move(done));
  return true;
}

/// Whether everything behind an inserted transaction is still explained, and
/// leaves the same behind.
bool Replay::still_stand(const Done& inserted) {
  std::vector<std::pair<Done*, Commit>> again;
  Attempts attempts(tables_, level_.rule, ids_, budget_);
  attempts.mix(0);
  std::vector<Position> points = points_;
  points.insert(std::upper_bound(points.begin(), points.end(), inserted.at),
                inserted.at);
  for (Done& other : done_) {
    if (!other.is_committed || other.at <= inserted.before) continue;
    if (other.at <= inserted.at && other.effects.empty()) continue;
    if (!stands(attempts, other, points)) return false;
    again.emplace_back(&other, attempts.repeated());
  }
  for (auto& [other, commit] : again) {
    other->snapshot = commit.snapshot;
    other->seen = std::move(commit.seen);
  }
  return true;
}

/// Whether one that has its place is explained there by these states, and
/// leaves the same behind.
bool Replay::stands(Attempts& attempts, const Done& other,
                    std::span<const Position> points) const {
  // Its states: up to the one before it.
  const auto last =
      other.effects.empty()
          ? std::upper_bound(points.begin(), points.end(), other.at)
          : std::lower_bound(points.begin(), points.end(), other.at);
  const auto first =
      std::lower_bound(points.begin(), points.end(), other.oldest);
  if (first >= last) return false;
  return attempts.repeats(*other.txn, std::span<const Position>(first, last),
                          other.effects);
}

void Replay::remember(Done done) {
  done_.push_back(std::move(done));
  if (limits_.window == 0) return;
  if (points_.size() >= 2 * limits_.window) forget();
  if (done_.size() >= 16 * limits_.window) forget_readers();
}

/// Many that changed nothing leave no states to forget them by: from now on
/// nothing is put before them.  A strict level asks them when they ended.
void Replay::forget_readers() {
  if (level_.is_strict) return;
  while (done_.size() > 8 * limits_.window) {
    floor_ = std::max(floor_, done_.front().at);
    if (on_forget) on_forget(done_.front().number);
    done_.pop_front();
  }
}

void Replay::forget() {
  const Position keep = points_[points_.size() - limits_.window];
  tables_.forget_before(keep);
  const auto gone = static_cast<std::ptrdiff_t>(point_at(keep));
  points_.erase(points_.begin(), points_.begin() + gone);
  ends_.erase(ends_.begin(), ends_.begin() + gone);
  while (!done_.empty() && done_.front().at < keep) {
    if (on_forget) on_forget(done_.front().number);
    done_.pop_front();
  }
}

std::vector<Placed> Replay::order() const {
  std::vector<const Done*> sorted;
  for (const Done& done : done_) sorted.push_back(&done);
  // One that changed nothing comes right after the state that it follows.
  std::stable_sort(
      sorted.begin(), sorted.end(), [](const Done* a, const Done* b) {
        if (a->at != b->at) return a->at < b->at;
        return a->effects.empty() < b->effects.empty() && !a->effects.empty();
      });
  std::vector<Placed> order;
  order.reserve(sorted.size());
  for (const Done* done : sorted) {
    order.push_back(
        make_placed(done->number, points_, done->snapshot, done->seen));
    order.back().is_committed = done->is_committed;
  }
  return order;
}

}  // namespace txscope::audit
