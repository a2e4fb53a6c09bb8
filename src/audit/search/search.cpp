#include "audit/search/search.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "audit/tables/state_stack.h"
#include "base/big_thread.h"
#include "model/workload.h"

namespace txscope::audit {
namespace {

using sql::LogStatus;

class OrderSearch {
 public:
  OrderSearch(const WholeLog& log, const Tables& initial,
              const AuditLevel& level, GeneratedIds& ids, const Budget& budget,
              std::uint64_t most_tries)
      : log_(log),
        level_(level),
        budget_(budget),
        ids_(ids),
        states_(initial),
        sessions_(log.sessions),
        tries_left_(most_tries) {
    for (std::uint32_t t = 0; t < log.txns.size(); ++t)
      sessions_[log.txns[t].session].queue.push_back(t);
    for (const Txn& txn : log.txns) {
      const Rule rule = txn.rule.value_or(level.rule);
      if (rule == Rule::ReadCommitted)
        sees_any_version_ = true;
      else if (rule != Rule::Serializable)
        sees_old_states_ = true;
    }
    order_.reserve(log.txns.size());
  }

  Found run() {
    Found found;
    if (go_on()) {
      found.answer = Outcome::Holds;
      found.order = order_;
      return found;
    }
    found.first_bad = std::move(furthest_);
    if (budget_.spent_now()) {
      found.reason = to_string(budget_.reason());
    } else if (is_spent_) {
      found.reason = "too many orders";
    } else if (gave_up_) {
      found.reason = "a statement has too many versions to choose from";
    } else {
      found.answer = Outcome::Violated;
      for (const Session& session : sessions_)
        found.tried.insert(
            found.tried.end(), session.queue.begin(),
            session.queue.begin() + static_cast<std::ptrdiff_t>(session.tried));
      std::sort(found.tried.begin(), found.tried.end());
    }
    return found;
  }

 private:
  struct Session {
    std::vector<std::uint32_t> queue;
    std::size_t next = 0;
    std::size_t tried = 0;  // of the queue
    Position last = kSetup;
  };

  /// One that was placed without leaving anything behind.
  struct Reader {
    Session* session;
    Position last;  // where the session stood before
  };

  /// Whether all have their place that committed before it.
  [[nodiscard]] bool is_next_commit(std::uint32_t t) const {
    const auto mine = committed_at(*log_.txns[t].log);
    if (!mine) return true;
    return std::all_of(sessions_.begin(), sessions_.end(), [&](const auto& s) {
      for (std::size_t i = s.next; i < s.queue.size(); ++i)
        if (const auto other = committed_at(*log_.txns[s.queue[i]].log))
          return *other >= *mine;
      return true;
    });
  }

  [[nodiscard]] bool is_ready(std::uint32_t t) const {
    if (level_.has_order() && !is_next_commit(t)) return false;
    if (!level_.is_strict) return true;
    const auto& start = log_.txns[t].log->start;
    if (!start) return true;
    // Nobody who ended before it started may come later.
    return std::all_of(sessions_.begin(), sessions_.end(), [&](const auto& s) {
      if (s.next == s.queue.size() || s.queue[s.next] == t) return true;
      // One of unknown outcome has no end; those behind it have.
      for (std::size_t i = s.next; i < s.queue.size(); ++i)
        if (const auto& end = log_.txns[s.queue[i]].log->end)
          return *end >= *start;
      return true;
    });
  }

  /// The oldest state that a transaction may see.
  [[nodiscard]] std::size_t oldest(const Session& session,
                                   std::uint32_t t) const {
    if (log_.txns[t].is_on_standby) return 0;
    Position low = session.last;
    if (level_.has_order() && log_.txns[t].log->start)
      low = std::max(low, last_before(*log_.txns[t].log->start, false));
    if (level_.is_strict && log_.txns[t].log->start) {
      for (std::size_t i = 0; i < order_.size(); ++i) {
        const auto& end = log_.txns[order_[i].txn].log->end;
        if (end && *end < *log_.txns[t].log->start && order_[i].is_committed)
          low = std::max(low, places_[i]);
      }
    }
    return states_.index_of(low);
  }

  /// The state of what was committed before a time, or at it.
  [[nodiscard]] Position last_before(std::int64_t time, bool or_at) const {
    for (std::size_t i = order_.size(); i-- > 0;) {
      const auto at = committed_at(*log_.txns[order_[i].txn].log);
      if (at && order_[i].is_committed &&
          (*at < time || (or_at && *at == time)))
        return places_[i];
    }
    return kSetup;
  }

  /// Tries a transaction as its level has it.
  [[nodiscard]] Attempts attempts_of(const Txn& txn) {
    Attempts attempts(states_.tables(), level_.rule, ids_, budget_);
    const Rule rule = txn.rule.value_or(level_.rule);
    if (level_.has_order() && has_one_snapshot(rule) && txn.log->start)
      attempts.see_until(last_before(*txn.log->start, true));
    return attempts;
  }

  [[nodiscard]] std::vector<std::uint32_t> heads() const {
    std::vector<std::uint32_t> heads;
    for (const Session& s : sessions_)
      if (s.next < s.queue.size() && is_ready(s.queue[s.next]))
        heads.push_back(s.queue[s.next]);
    std::stable_sort(heads.begin(), heads.end(),
                     [this](std::uint32_t a, std::uint32_t b) {
                       return hint(*log_.txns[a].log) < hint(*log_.txns[b].log);
                     });
    return heads;
  }

  bool go_on() {
    std::vector<Reader> readers;
    if (go_on_with_writers(readers)) return true;
    for (auto r = readers.rbegin(); r != readers.rend(); ++r) {
      --r->session->next;
      r->session->last = r->last;
      pop_place();
    }
    return false;
  }

  bool go_on_with_writers(std::vector<Reader>& readers) {
    place_readers(readers);
    if (order_.size() == log_.txns.size()) return true;
    if (is_spent_ || budget_.spent() || stack_left() < kLeastStack) {
      is_spent_ = true;
      return false;
    }
    const auto key = state_key();
    if (dead_.count(key) != 0) return false;
    for (const std::uint32_t t : heads()) {
      const Txn& txn = log_.txns[t];
      if (!txn.may_write()) continue;
      if (place(t)) return true;
      if (is_spent_) return false;
      if (txn.log->status == LogStatus::Unknown && skip(t)) return true;
      if (is_spent_) return false;
    }
    if (dead_.size() < kMostDead) dead_.insert(key);
    return false;
  }

  /// Those that leave nothing behind have their place as soon as they can be
  /// explained, and need no second try.
  void place_readers(std::vector<Reader>& readers) {
    bool goes_on = true;
    while (goes_on) {
      goes_on = false;
      for (const std::uint32_t t : heads()) {
        if (log_.txns[t].may_write()) continue;
        if (budget_.spent()) is_spent_ = true;
        if (is_spent_) return;
        Session& session = sessions_[log_.txns[t].session];
        const Reader reader{&session, session.last};
        if (!place_reader(t)) continue;
        readers.push_back(reader);
        goes_on = true;
      }
    }
  }

  /// The place of the last of the order.
  void push_place(Position at) {
    places_.push_back(at);
    placed_ += place_hash();
  }
  void pop_place() {
    placed_ -= place_hash();
    places_.pop_back();
    order_.pop_back();
  }
  [[nodiscard]] std::uint64_t place_hash() const {
    return mixed(mixed(1, order_.back().txn), places_.back());
  }

  bool place_reader(std::uint32_t t) {
    const Txn& txn = log_.txns[t];
    Session& session = sessions_[txn.session];
    const std::vector<Position> points = states_for(session, t);
    if (!count_try(session)) return false;
    Attempts attempts = attempts_of(txn);
    const bool is_explained = attempts.each(txn, points, [&](Commit& commit) {
      order_.push_back(
          make_placed(t, states_.points(), commit.snapshot, commit.seen));
      return true;
    });
    gave_up_ = gave_up_ || attempts.gave_up();
    if (is_explained) {
      session.last = states_.last();
    } else {
      note(txn, points, attempts.mismatch());
      // Nobody misses it.
      if (txn.log->status != LogStatus::Unknown) return false;
      order_.push_back(left_out(t));
    }
    push_place(states_.last());
    ++session.next;
    return true;
  }

  [[nodiscard]] std::vector<Position> states_for(const Session& session,
                                                 std::uint32_t t) const {
    const auto& points = states_.points();
    return {points.begin() + static_cast<std::ptrdiff_t>(oldest(session, t)),
            points.end()};
  }

  /// False: that was one too many.
  bool count_try(Session& session) {
    session.tried = std::max(session.tried, session.next + 1);
    if (tries_left_ == 0) {
      is_spent_ = true;
      return false;
    }
    --tries_left_;
    return true;
  }

  static Placed left_out(std::uint32_t t) {
    Placed placed;
    placed.txn = t;
    placed.is_committed = false;
    return placed;
  }

  bool place(std::uint32_t t) {
    const Txn& txn = log_.txns[t];
    Session& session = sessions_[txn.session];
    const std::vector<Position> points = states_for(session, t);
    bool was_explained = false;
    if (!count_try(session)) return false;
    Attempts attempts = attempts_of(txn);
    const bool is_done = attempts.each(txn, points, [&](Commit& commit) {
      was_explained = true;
      const bool has_effects = !commit.effects.empty();
      const Position before = session.last;
      Commit mine = std::move(commit);
      order_.push_back(
          make_placed(t, states_.points(), mine.snapshot, mine.seen));
      if (has_effects) states_.put(mine.effects);
      push_place(states_.last());
      ++session.next;
      session.last = places_.back();
      if (go_on()) return true;
      if (has_effects) states_.undo(mine.effects);
      session.last = before;
      --session.next;
      pop_place();
      return is_spent_;
    });
    gave_up_ = gave_up_ || attempts.gave_up();
    if (!was_explained) note(txn, points, attempts.mismatch());
    return is_done && !is_spent_;
  }

  /// An unknown one that never committed.
  bool skip(std::uint32_t t) {
    Session& session = sessions_[log_.txns[t].session];
    order_.push_back(left_out(t));
    push_place(states_.last());
    ++session.next;
    if (go_on()) return true;
    --session.next;
    pop_place();
    return false;
  }

  void note(const Txn& txn, std::span<const Position> points,
            const std::optional<Mismatch>& mismatch) {
    constexpr std::size_t kMostNearest = 4;
    if (furthest_ && order_.size() < depth_) return;
    if (furthest_ && order_.size() == depth_) {
      // Another order of those before it.
      if (furthest_->transaction != txn.log->id ||
          furthest_->nearest.size() >= kMostNearest)
        return;
    } else {
      depth_ = order_.size();
      furthest_.reset();
    }
    Attempts attempts = attempts_of(txn);
    attempts.mix(0);
    attempts.tell_all();
    attempts.each(txn, points, [](Commit&) { return false; });
    if (!furthest_) {
      const bool is_told =
          mismatch && (!mismatch->expected.empty() || !mismatch->why.empty());
      furthest_ = first_bad(txn, is_told ? mismatch : attempts.mismatch());
    }
    for (const Mismatch& one : attempts.told()) {
      auto found = nearest(txn, one, maker_of(one.at));
      auto& all = furthest_->nearest;
      if (all.size() < kMostNearest &&
          std::find(all.begin(), all.end(), found) == all.end())
        all.push_back(std::move(found));
    }
  }

  /// Who left this state.
  [[nodiscard]] std::string maker_of(Position at) const {
    for (std::size_t i = 0; at != kSetup && i < places_.size(); ++i)
      if (places_[i] == at) return log_.txns[order_[i].txn].log->id;
    return {};
  }

  struct Key {
    std::vector<std::uint32_t> next;
    std::uint64_t state = 0;
    std::uint64_t order = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t h = mixed(key.state, key.order);
      for (const std::uint32_t n : key.next) h = mixed(h, n);
      return h;
    }
  };

  /// What the rest depends on: at serializable the state alone, else all that
  /// can still be seen, however it came to be.
  [[nodiscard]] Key state_key() const {
    Key key;
    for (const Session& s : sessions_)
      key.next.push_back(static_cast<std::uint32_t>(s.next));
    key.state = states_.tables().state_hash();
    if (sees_any_version_) key.order = mixed(key.order, states_.versions());
    if (!sees_old_states_) return key;
    // Where a session stands bounds what it may see.
    std::size_t first = states_.points().size() - 1;
    std::vector<std::size_t> lasts;
    for (const Session& s : sessions_) {
      if (s.next == s.queue.size()) continue;
      lasts.push_back(states_.index_of(s.last));
      first = std::min(first, lasts.back());
    }
    key.order = mixed(key.order, states_.since(first));
    for (const std::size_t last : lasts)
      key.order = mixed(key.order, last - first);
    // Where times bound it, too, everybody's place does.
    if (level_.is_strict || level_.has_order())
      key.order = mixed(key.order, placed_);
    return key;
  }

  static constexpr std::size_t kMostDead = 4000000;
  /// What one transaction may need.
  static constexpr std::size_t kLeastStack = std::size_t{1} << 20u;

  const WholeLog& log_;
  const AuditLevel& level_;
  const Budget& budget_;
  GeneratedIds& ids_;
  StateStack states_;
  std::vector<Session> sessions_;
  std::vector<Placed> order_;
  std::vector<Position> places_;  // the state after each of `order_`
  std::uint64_t placed_ = 0;      // who has which place
  std::unordered_set<Key, KeyHash> dead_;
  std::optional<FirstBad> furthest_;
  std::size_t depth_ = 0;
  std::uint64_t tries_left_;
  bool sees_old_states_ = false;   // some transaction may
  bool sees_any_version_ = false;  // of rows of several states
  bool is_spent_ = false;
  bool gave_up_ = false;
};

}  // namespace

Found search(const WholeLog& log, const Tables& initial,
             const AuditLevel& level, GeneratedIds& ids, const Budget& budget,
             std::uint64_t most_tries) {
  Found found;
  // As deep as there are transactions.
  BigThread thread([&] {
    found = OrderSearch(log, initial, level, ids, budget, most_tries).run();
  });
  thread.join();
  return found;
}

}  // namespace txscope::audit
