#include "log_oracle.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace txscope::test {

bool LogOracle::explains() {
  placed_.assign(log_.txns.size(), false);
  Place setup;
  setup.txn = log_.txns.size();
  int life = 0;
  for (const SmallRow& row : log_.initial) setup.state[life++] = row;
  places_ = {setup};
  // Aborted ones are judged only if asked.
  for (std::size_t t = 0; t < log_.txns.size(); ++t)
    if (log_.txns[t].status == SmallTxn::Aborted && !log_.judges_aborted)
      placed_[t] = true;
  return next();
}

bool LogOracle::may_come(std::size_t t) const {
  const SmallTxn& txn = log_.txns[t];
  for (std::size_t u = 0; u < log_.txns.size(); ++u) {
    if (placed_[u] || u == t) continue;
    const SmallTxn& other = log_.txns[u];
    if (u < t && other.session == txn.session) return false;
    if (level_.is_strict && other.status != SmallTxn::Unknown &&
        other.end < txn.start)
      return false;
  }
  return true;
}

/// The first state that a transaction may see.
std::size_t LogOracle::oldest(std::size_t t) const {
  std::size_t low = 0;
  for (std::size_t i = 1; i < places_.size(); ++i) {
    const SmallTxn& other = log_.txns[places_[i].txn];
    const bool is_over =
        other.status != SmallTxn::Unknown && other.end < log_.txns[t].start;
    if (other.session == log_.txns[t].session || (level_.is_strict && is_over))
      low = i;
  }
  return low;
}

bool LogOracle::next() {
  if (++steps_ > kMostSteps) return false;
  bool is_all = true;
  for (std::size_t t = 0; t < log_.txns.size(); ++t) {
    if (placed_[t]) continue;
    is_all = false;
    if (!may_come(t)) continue;
    placed_[t] = true;
    bool found = try_all(t);
    // One of unknown outcome may never have been.
    if (!found && log_.txns[t].status == SmallTxn::Unknown) found = next();
    placed_[t] = false;
    if (found) return true;
  }
  return is_all;
}

bool LogOracle::try_all(std::size_t t) {
  Running at;
  at.txn = t;
  at.next_life = static_cast<int>(t + 1) * 100;
  at.prefix = oldest(t);
  switch (level_.rule) {
    case OracleLevel::Serializable: return on_state(at, places_.size() - 1);
    case OracleLevel::Snapshot:
    case OracleLevel::Prefix:
    case OracleLevel::PostgresRepeatableRead:
      for (std::size_t s = oldest(t); s < places_.size(); ++s)
        if (on_state(at, s)) return true;
      return false;
    case OracleLevel::ReadCommitted: return read_committed(at);
    case OracleLevel::PostgresReadCommitted: return postgres(at);
  }
  return false;
}

bool LogOracle::on_state(const Running& at, std::size_t s) {
  if (at.statement == log_.txns[at.txn].statements.size()) return finish(at, s);
  const SmallStatement& statement = log_.txns[at.txn].statements[at.statement];
  std::vector<Running> ways;
  if (level_.rule == OracleLevel::PostgresRepeatableRead)
    ways = by_row(statement, at, s);
  else
    ways = on_one(statement, at, places_[s].state);
  for (Running& after : ways) {
    if (!is_same_answer(statement, after.given)) continue;
    if (statement.is_undone) after.own = at.own;
    ++after.statement;
    after.given = SmallAnswer();
    if (on_state(after, s)) return true;
  }
  return false;
}

/// A statement run on rows, with keys held against others.
LogOracle::Running LogOracle::ran(const SmallStatement& s, const Running& at,
                                  const Lives& seen, const Lives& latest) {
  Running after = at;
  after.given = test::run(s, with_own(seen, at.own), with_own(latest, at.own),
                          after.own, after.next_life);
  return after;
}

/// A key that a concurrent one has taken is refused all the same.
std::vector<LogOracle::Running> LogOracle::on_one(const SmallStatement& s,
                                                  const Running& at,
                                                  const Lives& seen) const {
  std::vector<Running> ways = {ran(s, at, seen, seen)};
  Running refused = ran(s, at, seen, last());
  if (refused.given.is_error) ways.push_back(std::move(refused));
  return ways;
}

/// The places whose state a statement may have met: the last, or of what is
/// taken back any since `first`.
std::vector<std::size_t> LogOracle::moments(const SmallStatement& s,
                                            const Running& at,
                                            std::size_t first) const {
  const bool is_taken_back = s.is_undone || s.answer.is_error ||
                             log_.txns[at.txn].status == SmallTxn::Aborted;
  if (!is_taken_back) first = places_.size() - 1;
  std::vector<std::size_t> all(places_.size() - first);
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// PostgreSQL's REPEATABLE READ: keys are held against what is committed by
/// then, but what ON CONFLICT meets, or a lock takes, is as the snapshot has
/// it.
std::vector<LogOracle::Running> LogOracle::by_row(const SmallStatement& s,
                                                  const Running& at,
                                                  std::size_t p) const {
  std::vector<Running> ways;
  const Lives& seen = places_[p].state;
  if (s.kind == SmallStatement::InsertNothing &&
      is_in_the_way(with_own(seen, at.own), s))
    ways.push_back(at);  // with an answer of 0 rows
  for (const std::size_t m : moments(s, at, p)) {
    const Lives latest = with_own(places_[m].state, at.own);
    const auto is_kept = [&](std::optional<int> life) {
      if (!life || at.own.count(*life) != 0) return true;
      for (std::size_t i = p + 1; i <= m; ++i)
        if (places_[i].lives.count(*life) != 0) return false;
      return true;
    };
    if (s.kind == SmallStatement::InsertNothing && is_in_the_way(latest, s))
      continue;
    if (s.kind == SmallStatement::InsertUpdate &&
        !is_kept(life_with_key(latest, s.a)))
      continue;
    if (s.kind == SmallStatement::LockKey &&
        !is_kept(life_with_key(with_own(seen, at.own), s.a)))
      continue;
    // What it changes has to be as the snapshot has it, too.
    OwnLives changed;
    int next = 1'000'000;
    const Lives all = with_own(seen, at.own);
    if (!s.is_select() && !s.is_insert())
      for (const auto& [life, row] : all)
        (void)test::run(s, {{life, row}}, {{life, row}}, changed, next);
    if (std::any_of(changed.begin(), changed.end(), [&](const auto& one) {
          return all.count(one.first) != 0 && !is_kept(one.first);
        }))
      continue;
    ways.push_back(ran(s, at, seen, places_[m].state));
  }
  return ways;
}

bool LogOracle::finish(const Running& at, std::size_t s) {
  const std::size_t t = at.txn;
  const std::set<int> keys = keys_of(at.own, s);
  if (level_.rule == OracleLevel::Snapshot &&
      log_.txns[t].status != SmallTxn::Aborted && conflicts(keys, s))
    return false;
  if (level_.rule == OracleLevel::PostgresRepeatableRead &&
      log_.txns[t].status != SmallTxn::Aborted)
    for (std::size_t i = s + 1; i < places_.size(); ++i)
      for (const auto& [life, row] : at.own)
        if (places_[i].lives.count(life) != 0) return false;
  return commit(at, keys);
}

/// Of what was inserted, updated or deleted; one inserted and deleted again
/// that was not there before is nothing.
std::set<int> LogOracle::keys_of(const OwnLives& own, std::size_t s) const {
  std::set<int> keys;
  for (const auto& [life, row] : own) {
    if (row) keys.insert(row->k);
    const auto old = places_[s].state.find(life);
    if (old != places_[s].state.end()) keys.insert(old->second.k);
  }
  return keys;
}

bool LogOracle::conflicts(const std::set<int>& keys, std::size_t s) const {
  for (std::size_t i = s + 1; i < places_.size(); ++i)
    for (const int key : keys)
      if (places_[i].keys.count(key) != 0) return true;
  return false;
}

/// Every row in any version so far, own ones first; a row that some state does
/// not have may be absent.
bool LogOracle::read_committed(const Running& at) {
  if (++steps_ > kMostSteps) return false;
  if (at.statement == log_.txns[at.txn].statements.size())
    return commit(at, {});
  std::set<int> lives;
  for (const Place& place : places_)
    for (const auto& [life, row] : place.state)
      if (at.own.count(life) == 0) lives.insert(life);
  return any_versions(at, {}, {lives.begin(), lives.end()});
}

bool LogOracle::any_versions(const Running& at, const Lives& chosen,
                             std::vector<int> lives) {
  if (!lives.empty()) {
    const int life = lives.back();
    lives.pop_back();
    std::vector<std::optional<SmallRow>> versions;
    for (const Place& place : places_) {
      const auto row = place.state.find(life);
      std::optional<SmallRow> version;
      if (row != place.state.end()) version = row->second;
      if (std::find(versions.begin(), versions.end(), version) ==
          versions.end())
        versions.push_back(version);
    }
    return std::any_of(versions.begin(), versions.end(), [&](const auto& v) {
      Lives more = chosen;
      if (v) more[life] = *v;
      return any_versions(at, more, lives);
    });
  }
  if (++steps_ > kMostSteps) return false;
  const SmallStatement& s = log_.txns[at.txn].statements[at.statement];
  std::vector<Running> ways;
  const auto was_in_the_way = [&](const Place& place) {
    return is_in_the_way(with_own(place.state, at.own), s);
  };
  if (s.kind == SmallStatement::InsertNothing &&
      std::any_of(places_.begin(), places_.end(), was_in_the_way))
    ways.push_back(at);
  for (const std::size_t m : moments(s, at, 0))
    ways.push_back(ran(s, at, chosen, places_[m].state));
  for (Running& after : ways) {
    if (!is_same_answer(s, after.given)) continue;
    if (s.is_undone) after.own = at.own;
    ++after.statement;
    after.given = SmallAnswer();
    if (read_committed(after)) return true;
  }
  return false;
}

/// The last place after `p`, up to `m`, at which these keys became free or
/// taken, by others than the transaction itself.
std::size_t LogOracle::last_turn(
    const Running& at, std::size_t p, std::size_t m,
    const std::function<bool(const SmallRow&)>& has) const {
  std::size_t last = 0;
  const auto holds = [&](std::size_t place, int life) {
    const auto row = places_[place].state.find(life);
    return row != places_[place].state.end() && has(row->second);
  };
  for (std::size_t i = p + 1; i <= m; ++i)
    for (const int life : places_[i].lives)
      if (at.own.count(life) == 0 && holds(i - 1, life) != holds(i, life))
        last = i;
  return last;
}

/// The last place after `p`, up to `m`, that wrote a row.
std::size_t LogOracle::last_writer(const Running& at, std::size_t p,
                                   std::size_t m, int life) const {
  std::size_t last = 0;
  for (std::size_t i = p + 1; at.own.count(life) == 0 && i <= m; ++i)
    if (places_[i].lives.count(life) != 0) last = i;
  return last;
}

/// Who has made its keys free, or taken one of them, has committed before it
/// goes on.
void LogOracle::wait_for_keys(const SmallStatement& s, const Lives& wanted,
                              std::size_t p, std::size_t m,
                              Running& after) const {
  const Lives latest = with_own(places_[m].state, after.own);
  const auto wait = [&](const std::function<bool(const SmallRow&)>& has) {
    after.prefix = std::max(after.prefix, last_turn(after, p, m, has));
    return std::any_of(latest.begin(), latest.end(),
                       [&](const auto& row) { return has(row.second); });
  };
  const auto wait_for_k = [&](int k) {
    return wait([k](const SmallRow& row) { return row.k == k; });
  };
  const auto wait_for_u = [&](const Int& u) {
    if (u) wait([u](const SmallRow& row) { return row.u == u; });
  };
  if (s.is_insert() && !wait_for_k(s.a)) wait_for_u(s.u);
  if (s.kind == SmallStatement::InsertUpdate)
    if (const auto life = life_with_key(latest, s.a))
      after.prefix = std::max(after.prefix, last_writer(after, p, m, *life));
  for (const auto& [life, row] : wanted) {
    if (s.kind == SmallStatement::SetUnique && row.u != s.b) wait_for_u(s.b);
    if (s.kind == SmallStatement::MoveKey && row.k != *s.b) wait_for_k(*s.b);
  }
}

/// A growing prefix; rows to be written are taken as they are last.
bool LogOracle::postgres(const Running& at) {
  if (++steps_ > kMostSteps) return false;
  if (at.statement == log_.txns[at.txn].statements.size())
    return commit(at, {});
  const SmallStatement& s = log_.txns[at.txn].statements[at.statement];
  for (std::size_t p = at.prefix; p < places_.size(); ++p) {
    std::vector<Running> ways;
    if (s.kind == SmallStatement::InsertNothing) ways = passed_over(s, at, p);
    for (const std::size_t m : moments(s, at, p))
      if (s.kind != SmallStatement::InsertNothing ||
          !is_in_the_way(with_own(places_[m].state, at.own), s))
        ways.push_back(on_prefix(s, at, p, m));
    for (Running& after : ways) {
      if (!is_same_answer(s, after.given)) continue;
      after.prefix = std::max(after.prefix, p);
      if (s.is_undone) after.own = at.own;
      ++after.statement;
      after.given = SmallAnswer();
      if (postgres(after)) return true;
    }
  }
  return false;
}

/// DO NOTHING for the first row that is in the way.
std::vector<LogOracle::Running> LogOracle::passed_over(const SmallStatement& s,
                                                       const Running& at,
                                                       std::size_t p) const {
  for (std::size_t m = p; m < places_.size(); ++m) {
    if (!is_in_the_way(with_own(places_[m].state, at.own), s)) continue;
    Running after = at;
    after.prefix = std::max(at.prefix, m);
    return {after};
  }
  return {};
}

LogOracle::Running LogOracle::on_prefix(const SmallStatement& s,
                                        const Running& at, std::size_t p,
                                        std::size_t m) const {
  const Lives& latest = places_[m].state;
  const Lives seen = with_own(places_[p].state, at.own);
  const bool locks = s.kind == SmallStatement::LockKey;
  if ((s.is_select() && !locks) || s.is_insert()) {
    Running after = ran(s, at, places_[p].state, latest);
    Running waits = at;
    wait_for_keys(s, {}, p, m, waits);
    after.prefix = waits.prefix;
    return after;
  }
  Running after = at;
  // Which rows are candidates: the lives that a run on the prefix changes.
  const auto is_candidate = [&](int life) {
    const Lives alone = {{life, seen.at(life)}};
    if (locks) return seen.at(life).k == s.a;
    OwnLives touched;
    int next = 1'000'000;
    (void)test::run(s, alone, alone, touched, next);
    return !touched.empty();
  };
  // Rows that are no candidates must not become some; a subquery sees the
  // prefix, which has as many rows as `seen`.
  Lives wanted;
  for (const auto& [life, row] : seen) {
    if (!is_candidate(life)) continue;
    const std::size_t writer = last_writer(at, p, m, life);
    after.prefix = std::max(after.prefix, writer);
    const auto now = latest.find(life);
    if (writer == 0)
      wanted[life] = row;
    else if (now != latest.end())
      wanted[life] = now->second;
  }
  wait_for_keys(s, wanted, p, m, after);
  SmallStatement again = s;
  if (s.kind == SmallStatement::CountInto) {
    again.kind = SmallStatement::SetKey;
    again.b = static_cast<int>(seen.size());
  }
  after.given = test::run(again, wanted, with_own(latest, at.own), after.own,
                          after.next_life);
  return after;
}

bool LogOracle::commit(const Running& at, const std::set<int>& keys) {
  Place place;
  place.txn = at.txn;
  place.state = last();
  if (log_.txns[at.txn].status != SmallTxn::Aborted) {
    place.state = with_own(last(), at.own);
    if (!is_unique(place.state)) return false;
    place.keys = keys;
    for (const auto& [life, row] : at.own) place.lives.insert(life);
  }
  places_.push_back(std::move(place));
  const bool found = next();
  places_.pop_back();
  return found;
}

}  // namespace txscope::test
