#include "audit/pass/timed_order.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "audit/pass/placed_order.h"
#include "audit/tables/state_stack.h"

namespace txscope::audit {
namespace {

using sql::LogStatus;

/// Who further back than so many writers is to blame is not looked for.
constexpr std::size_t kFurthest = 512;
/// So many transactions after one that had no place every answer is looked at.
constexpr std::size_t kCareful = 64;
/// Ways in which a transaction can commit at one place: where other orders are
/// tried, too, and where not.
constexpr std::size_t kFewWays = 8;
constexpr std::size_t kManyWays = 64;
/// Runs of a statement that may see versions of several states.
constexpr std::uint64_t kMixedRuns = 200;

/// Places that are remembered as leading nowhere.
constexpr std::size_t kMostDead = 1'000'000;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

bool runs_routines(const Txn& txn) {
  return std::any_of(
      txn.statements.begin(), txn.statements.end(),
      [](const PreparedPtr& one) { return one->runs_routines(); });
}

/// Whether two ascending sets have something in common.
template <class Set>
bool meet(const Set& a, const Set& b) {
  const Set& small = a.size() < b.size() ? a : b;
  const Set& large = a.size() < b.size() ? b : a;
  return std::any_of(small.begin(), small.end(),
                     [&](const auto& one) { return large.count(one) != 0; });
}

class TimedOrder {
 public:
  TimedOrder(const WholeLog& log, const Tables& initial,
             const AuditLevel& level, GeneratedIds& ids, const Budget& budget,
             const WantedRows& wanted, const TimedSearch& search)
      : log_(log),
        level_(level),
        ids_(ids),
        budget_(budget),
        wanted_(wanted),
        keeps_order_(search.keeps_order),
        states_(initial),
        sessions_(log.sessions),
        order_(log.txns),
        answered_(log.txns.size()),
        tries_left_(search.most_tries) {
    for (std::uint32_t t = 0; t < log.txns.size(); ++t)
      sessions_[log.txns[t].session].queue.push_back(t);
    for (Session& s : sessions_) s.ends = ends_of(s.queue);
  }

  std::optional<std::vector<Placed>> run() {
    open();
    while (order_.size() < log_.txns.size()) {
      if (tries_left_ == 0 || budget_.spent()) return std::nullopt;
      if (go_on()) {
        open();
      } else if (!go_back()) {
        return std::nullopt;
      }
    }
    return order_.taken();
  }

 private:
  struct Session {
    std::vector<std::uint32_t> queue;
    std::vector<std::int64_t> ends;  ///< by place in the queue: ends_of() it
    std::size_t next = 0;
    Position last = kSetup;
  };
  /// A way for a writer: a commit, or none if its outcome is unknown.
  using Way = std::optional<Commit>;
  /// A transaction as far as it has come.
  struct Part {
    sql::LogTransaction log;
    Txn txn;
  };
  using Rows = std::set<std::pair<TableId, RowNumber>>;
  /// One place of the order: who leaves something behind there.
  struct Place {
    std::size_t first_reader = 0;  // of `order_`: those that came before it,
    std::size_t first_writer = 0;  // then who has it
    std::vector<std::uint32_t> candidates;
    std::size_t next = 0;
    std::vector<Way> ways;         // of the last candidate, not yet tried
    std::set<std::size_t> blamed;  // places before this
    Effects effects;               // of who has the place
    Position at = kSetup;
    std::vector<std::pair<std::uint32_t, std::size_t>> answered;  // before
    std::uint64_t key = 0;  ///< state_key()
    /// What the statements of its calls looked at: what these wrote, or did
    /// not, no answer tells.
    Rows looked;
    bool is_taken = false;
  };
  [[nodiscard]] const Txn& head(const Session& session) const {
    return log_.txns[session.queue[session.next]];
  }

  /// From each of a session on, the first end.  One of unknown outcome has
  /// none, but those behind it have: they wait for it, and it holds up all that
  /// began when they were over.
  [[nodiscard]] std::vector<std::int64_t> ends_of(
      const std::vector<std::uint32_t>& queue) const {
    std::vector<std::int64_t> ends(queue.size() + 1, kNever);
    for (std::size_t i = queue.size(); i-- > 0;)
      ends[i] =
          std::min(ends[i + 1], log_.txns[queue[i]].log->end.value_or(kNever));
    return ends;
  }

  /// When one of those that have no place yet must have committed.
  [[nodiscard]] std::int64_t first_end() const {
    std::int64_t first = kNever;
    for (const Session& s : sessions_) first = std::min(first, s.ends[s.next]);
    return first;
  }

  /// Those that may be next, the likeliest first.
  [[nodiscard]] std::vector<std::uint32_t> heads(bool writers) const {
    std::vector<std::uint32_t> heads;
    const std::int64_t first = first_end();
    for (const Session& s : sessions_) {
      if (s.next == s.queue.size() || head(s).may_write() != writers) continue;
      const sql::LogTransaction& log = *head(s).log;
      const std::int64_t earliest =
          writers
              ? last_answer(log)
              : log.start.value_or(std::numeric_limits<std::int64_t>::min());
      if (earliest <= first) heads.push_back(s.queue[s.next]);
    }
    std::stable_sort(heads.begin(), heads.end(),
                     [this](std::uint32_t a, std::uint32_t b) {
                       return hint(*log_.txns[a].log) < hint(*log_.txns[b].log);
                     });
    return heads;
  }

  /// What a transaction may see: all that had ended when it first asked.
  [[nodiscard]] std::span<const Position> states_for(const Txn& txn) const {
    Position low = sessions_[txn.session].last;
    if (const auto start = first_asked(*txn.log))
      low = order_.ended_before(*start, low);
    const std::span<const Position> points = states_.points();
    return points.subspan(states_.index_of(low));
  }

  /// What each statement may see where each sees a state of its own.
  [[nodiscard]] std::vector<Attempts::Window> windows_of(const Txn& txn,
                                                         Position low) const {
    if (txn.rule.value_or(level_.rule) != Rule::PostgresReadCommitted)
      return {};
    return order_.windows_of(*txn.log, low);
  }

  /// All ways of one that may be next; none: who is to blame is noted.
  std::vector<Way> ways_of(const Txn& txn, std::size_t most,
                           std::set<std::size_t>& blamed) {
    std::vector<Way> ways;
    if (tries_left_ > 0) --tries_left_;
    Attempts attempts(states_.tables(), level_.rule, ids_, budget_);
    const std::span<const Position> states = states_for(txn);
    attempts.mix(kMixedRuns);
    attempts.mix_since(states.front());
    attempts.within(windows_of(txn, states.front()));
    attempts.note_looks();
    attempts.each(txn, states, [&](Commit& commit) {
      ways.emplace_back(std::move(commit));
      return ways.size() == most;
    });
    if (ways.empty())
      blame(attempts.looked_at(), states.front(),
            answered_by(txn, attempts.mismatch()), blamed);
    else if ((keeps_order_ || runs_routines(txn)) && most > 1)
      blame(attempts.looked_at(), states.front(), kNever, blamed);
    looked_ = attempts.looked_at();
    if (txn.log->status == LogStatus::Unknown) ways.emplace_back();
    return ways;
  }

  /// Whether everything that was answered before `t` can have committed is
  /// explained: nobody who comes from now on can help it.  Asked only around
  /// where something went wrong: it is as much work as all the rest.
  bool others_are_answered(std::uint32_t t) {
    // What a serializable one sees is only known when it has its place.
    if (level_.rule == Rule::Serializable) return true;
    if (order_.size() >= careful_until_) return true;
    Place& place = places_.back();
    const std::int64_t now = last_answer(*log_.txns[t].log);
    for (const Session& s : sessions_) {
      if (s.next == s.queue.size() || s.queue[s.next] == t) continue;
      const std::uint32_t other = s.queue[s.next];
      const auto& statements = log_.txns[other].log->statements;
      std::size_t k = answered_[other];
      while (k < statements.size() && statements[k].end &&
             *statements[k].end < now)
        ++k;
      if (k == answered_[other]) continue;
      if (ways_of(part(other, k), 1, place.blamed).empty()) return false;
      place.answered.emplace_back(other, std::exchange(answered_[other], k));
    }
    return true;
  }

  /// The ways are taken from the end.
  void put_wanted_last(std::uint32_t t, std::vector<Way>& ways) const {
    std::reverse(ways.begin(), ways.end());
    const std::int64_t at = hint(*log_.txns[t].log);
    std::vector<std::pair<std::size_t, Way>> counted;
    counted.reserve(ways.size());
    for (Way& way : ways) {
      const std::size_t count =
          way ? wanted_.count(states_.tables(), way->effects, at) : 0;
      counted.emplace_back(count, std::move(way));
    }
    std::stable_sort(
        counted.begin(), counted.end(),
        [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < ways.size(); ++i)
      ways[i] = std::move(counted[i].second);
  }

  const Txn& part(std::uint32_t t, std::size_t statements) {
    auto& part = parts_[{t, statements}];
    if (part != nullptr) return part->txn;
    part = std::make_unique<Part>();
    part->txn = log_.txns[t];
    part->log = *part->txn.log;
    part->log.statements.resize(statements);
    part->log.status = LogStatus::Aborted;
    part->txn.log = &part->log;
    part->txn.statements.resize(statements);
    part->txn.is_opaque.resize(statements);
    return part->txn;
  }

  /// When the statement had its answer that nothing explains.  Who has written
  /// something must not be overtaken until the end.
  static std::int64_t answered_by(const Txn& txn,
                                  const std::optional<Mismatch>& mismatch) {
    if (!mismatch || mismatch->statement >= txn.statements.size())
      return kNever;
    for (std::size_t k = 0; k <= mismatch->statement; ++k)
      if (!txn.statements[k]->is_select() || txn.statements[k]->locks())
        return kNever;
    return txn.log->statements[mismatch->statement].end.value_or(kNever);
  }

  /// The places of those that wrote these rows, or might have, up to the last
  /// that may have committed by then.  In a fixed order only versions count
  /// that can be seen.
  void blame(const Rows& rows, Position oldest, std::int64_t by,
             std::set<std::size_t>& blamed) const {
    std::set<std::size_t> writers;
    std::size_t end = 0;
    for (const auto& [table, row] : rows) {
      const auto& versions = states_.tables().versions(table, row);
      for (auto v = versions.rbegin(); v != versions.rend(); ++v) {
        const auto place = std::lower_bound(
            places_.begin(), places_.end(), v->at,
            [](const Place& p, Position at) { return p.at < at; });
        const auto index = static_cast<std::size_t>(place - places_.begin());
        if (v->at == kSetup || index + kFurthest < places_.size()) break;
        if (index == places_.size() || place->at != v->at) continue;
        writers.insert(index);
        const std::uint32_t t = place->candidates[place->next - 1];
        if (last_answer(*log_.txns[t].log) <= by)
          end = std::max(end, index + 1);
        if (keeps_order_ && v->at <= oldest) break;
      }
    }
    for (std::size_t i = places_.size(); i-- > 0;) {
      const Place& place = places_[i];
      if (i + kFurthest < places_.size()) break;
      if (!place.is_taken || !meet(rows, place.looked)) continue;
      writers.insert(i);
      const std::uint32_t t = place.candidates[place.next - 1];
      if (last_answer(*log_.txns[t].log) <= by) end = std::max(end, i + 1);
    }
    blamed.insert(writers.begin(), writers.lower_bound(end));
  }

  void put(std::uint32_t t, const Way& way, Position at) {
    Session& session = sessions_[log_.txns[t].session];
    Placed placed;
    placed.txn = t;
    placed.is_committed = way.has_value();
    if (way)
      placed = make_placed(t, states_.points(), way->snapshot, way->seen);
    order_.push({std::move(placed), session.last, at});
    ++session.next;
    if (way) session.last = at;
  }

  void take_back_to(std::size_t size) {
    while (order_.size() > size) {
      const PlacedOrder::Step step = order_.pop();
      Session& session = sessions_[log_.txns[step.placed.txn].session];
      session.last = step.session_last;
      --session.next;
    }
  }

  /// Who is next, and what they may see: the rest depends on nothing else,
  /// however it came to be.
  [[nodiscard]] std::uint64_t state_key() const {
    std::uint64_t key = 0;
    std::size_t first = states_.points().size() - 1;
    std::vector<std::size_t> lows;
    for (const Session& s : sessions_) {
      key = mixed(key, s.next);
      if (s.next == s.queue.size()) continue;
      const std::size_t seen = states_for(head(s)).size();
      lows.push_back(states_.points().size() - seen);
      first = std::min(first, lows.back());
    }
    for (const std::size_t low : lows) key = mixed(key, low - first);
    return mixed(key, states_.since(first));
  }

  /// A new place: those that leave nothing behind go before it, as soon as
  /// they can be explained, which takes nothing from the others.
  void open() {
    Place place;
    place.first_reader = order_.size();
    bool goes_on = true;
    while (goes_on) {
      goes_on = false;
      place.blamed.clear();
      for (const std::uint32_t t : heads(false)) {
        const auto ways = ways_of(log_.txns[t], 1, place.blamed);
        if (ways.empty()) continue;
        put(t, ways.front(), states_.last());
        goes_on = true;
      }
    }
    place.first_writer = order_.size();
    place.candidates = heads(true);
    if (keeps_order_ && place.candidates.size() > 1) place.candidates.resize(1);
    place.at = states_.last();
    place.key = state_key();
    if (const auto dead = dead_.find(place.key); dead != dead_.end()) {
      place.candidates.clear();
      place.blamed = dead->second;
      if (!places_.empty()) place.blamed.insert(places_.size() - 1);
    }
    places_.push_back(std::move(place));
  }

  /// The next way at the last place; false: there is none.
  bool go_on() {
    Place& place = places_.back();
    while (place.ways.empty()) {
      if (place.next == place.candidates.size()) return false;
      const std::uint32_t t = place.candidates[place.next++];
      if (!others_are_answered(t)) continue;
      place.ways = ways_of(log_.txns[t], keeps_order_ ? kManyWays : kFewWays,
                           place.blamed);
      place.looked = runs_routines(log_.txns[t]) ? std::move(looked_) : Rows();
      put_wanted_last(t, place.ways);
    }
    Way way = std::move(place.ways.back());
    place.ways.pop_back();
    const std::uint32_t t = place.candidates[place.next - 1];
    if (way && !way->effects.empty()) {
      place.effects = std::move(way->effects);
      place.at = states_.last() + kGap;
    }
    place.is_taken = true;
    put(t, way, place.at);
    if (!place.effects.empty()) states_.put(place.effects);
    return true;
  }

  /// What went wrong was not noticed when it did.
  void redo_with_care() {
    careful_until_ = order_.size() + kCareful;
    const std::size_t last = places_.size() - 1;
    const std::size_t first = last - std::min(last, kCareful);
    while (places_.size() > first) pop();
    open();
  }

  /// To the last place that is to blame for the last one.
  bool go_back() {
    if (order_.size() >= careful_until_) {
      redo_with_care();
      return true;
    }
    careful_until_ = std::max(careful_until_, order_.size() + kCareful);
    std::set<std::size_t> blamed = std::move(places_.back().blamed);
    if (dead_.size() < kMostDead) dead_.try_emplace(places_.back().key, blamed);
    pop();
    if (blamed.empty()) return false;
    const std::size_t culprit = *blamed.rbegin();
    blamed.erase(culprit);
    while (places_.size() > culprit + 1) pop();
    vacate();
    places_.back().blamed.merge(blamed);
    return true;
  }

  /// Takes back who has the last place, if anyone has.
  void vacate() {
    Place& place = places_.back();
    for (; !place.answered.empty(); place.answered.pop_back())
      answered_[place.answered.back().first] = place.answered.back().second;
    if (!place.effects.empty()) {
      states_.undo(place.effects);
      place.effects.clear();
      place.at = states_.last();
    }
    place.is_taken = false;
    take_back_to(place.first_writer);
  }

  void pop() {
    vacate();
    take_back_to(places_.back().first_reader);
    places_.pop_back();
  }

  const WholeLog& log_;
  const AuditLevel& level_;
  GeneratedIds& ids_;
  const Budget& budget_;
  const WantedRows& wanted_;
  bool keeps_order_;
  StateStack states_;
  std::vector<Session> sessions_;
  PlacedOrder order_;
  std::vector<Place> places_;
  std::vector<std::size_t> answered_;  // statements, by transaction
  std::map<std::pair<std::uint32_t, std::size_t>, std::unique_ptr<Part>> parts_;
  std::uint64_t tries_left_;
  std::size_t careful_until_ = 0;
  Rows looked_;  // at by the last that was tried
  /// Places from which nothing led to the end, with those that are to blame.
  std::unordered_map<std::uint64_t, std::set<std::size_t>> dead_;
};

}  // namespace

std::optional<std::vector<Placed>> order_by_times(
    const WholeLog& log, const Tables& initial, const AuditLevel& level,
    GeneratedIds& ids, const Budget& budget, const WantedRows& wanted,
    const TimedSearch& search) {
  return TimedOrder(log, initial, level, ids, budget, wanted, search).run();
}

}  // namespace txscope::audit
