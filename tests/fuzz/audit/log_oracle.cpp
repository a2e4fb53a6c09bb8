#include "log_oracle.h"

#include <algorithm>

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
    case OracleLevel::Serializable: return on_state(t, places_.size() - 1);
    case OracleLevel::Snapshot:
    case OracleLevel::Prefix:
    case OracleLevel::PostgresRepeatableRead:
      for (std::size_t s = oldest(t); s < places_.size(); ++s)
        if (on_state(t, s)) return true;
      return false;
    case OracleLevel::ReadCommitted: return read_committed(at);
    case OracleLevel::PostgresReadCommitted: return postgres(at);
  }
  return false;
}

bool LogOracle::on_state(std::size_t t, std::size_t s) {
  Running at;
  at.txn = t;
  at.next_life = static_cast<int>(t + 1) * 100;
  for (const SmallStatement& statement : log_.txns[t].statements) {
    const Lives seen = with_own(places_[s].state, at.own);
    OwnLives own = at.own;
    // PostgreSQL holds keys against what is committed.
    const bool is_by_row = level_.rule == OracleLevel::PostgresRepeatableRead;
    SmallAnswer given =
        test::run(statement, seen, is_by_row ? with_own(last(), at.own) : seen,
                  own, at.next_life);
    // A key that a concurrent one has taken is refused all the same.
    if (statement.answer.is_error && !given.is_error) {
      own = at.own;
      given = test::run(statement, seen, with_own(last(), at.own), own,
                        at.next_life);
    }
    if (!is_same_answer(statement, given)) return false;
    if (!statement.is_undone) at.own = own;
  }
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
  Running after = at;
  const SmallAnswer given =
      test::run(s, with_own(chosen, at.own), with_own(last(), at.own),
                after.own, after.next_life);
  if (!is_same_answer(s, given)) return false;
  if (s.is_undone) after.own = at.own;
  ++after.statement;
  return read_committed(after);
}

/// The last place after `p` at which these keys became free or taken, by
/// others than the transaction itself.
std::size_t LogOracle::last_turn(
    const Running& at, std::size_t p,
    const std::function<bool(const SmallRow&)>& has) const {
  std::size_t last = 0;
  const auto holds = [&](std::size_t place, int life) {
    const auto row = places_[place].state.find(life);
    return row != places_[place].state.end() && has(row->second);
  };
  for (std::size_t i = p + 1; i < places_.size(); ++i)
    for (const int life : places_[i].lives)
      if (at.own.count(life) == 0 && holds(i - 1, life) != holds(i, life))
        last = i;
  return last;
}

/// Who has made its keys free, or taken one of them, has committed before it
/// goes on.
void LogOracle::wait_for_keys(const SmallStatement& s, const Lives& wanted,
                              const Lives& latest, std::size_t p,
                              Running& after) const {
  const auto wait = [&](const std::function<bool(const SmallRow&)>& has) {
    after.prefix = std::max(after.prefix, last_turn(after, p, has));
    return std::any_of(latest.begin(), latest.end(),
                       [&](const auto& row) { return has(row.second); });
  };
  const auto wait_for_k = [&](int k) {
    return wait([k](const SmallRow& row) { return row.k == k; });
  };
  const auto wait_for_u = [&](const Int& u) {
    if (u) wait([u](const SmallRow& row) { return row.u == u; });
  };
  if (s.kind == SmallStatement::Insert && !wait_for_k(s.a)) wait_for_u(s.u);
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
    Running after = at;
    after.prefix = p;
    ++after.statement;
    const Lives seen = with_own(places_[p].state, at.own);
    const Lives latest = with_own(last(), at.own);
    if (s.is_select() || s.kind == SmallStatement::Insert) {
      wait_for_keys(s, {}, latest, p, after);
      const SmallAnswer given =
          test::run(s, seen, latest, after.own, after.next_life);
      if (s.is_undone) after.own = at.own;
      if (is_same_answer(s, given) && postgres(after)) return true;
      continue;
    }
    // Which rows are candidates: the lives that a run on the prefix changes.
    OwnLives touched;
    int life = 1'000'000;
    Lives each = seen;
    Lives rows = seen;
    for (const auto& [number, row] : each) {
      if (at.own.count(number) != 0) continue;
      touched.clear();
      (void)test::run(s, {{number, row}}, {{number, row}}, touched, life);
      if (touched.empty()) continue;
      std::size_t writer = 0;
      for (std::size_t i = p + 1; i < places_.size(); ++i)
        if (places_[i].lives.count(number) != 0) writer = i;
      if (writer == 0) continue;
      after.prefix = std::max(after.prefix, writer);
      rows.erase(number);
      const auto now = last().find(number);
      if (now != last().end()) rows[number] = now->second;
    }
    // Rows that are no candidates must not become some; a subquery sees the
    // prefix, which has as many rows as `seen`.
    Lives wanted;
    for (const auto& [number, row] : rows) {
      touched.clear();
      if (each.count(number) != 0)
        (void)test::run(s, {{number, each.at(number)}},
                        {{number, each.at(number)}}, touched, life);
      if (!touched.empty()) wanted[number] = row;
    }
    wait_for_keys(s, wanted, latest, p, after);
    SmallStatement again = s;
    if (s.kind == SmallStatement::CountInto) {
      again.kind = SmallStatement::SetKey;
      again.b = static_cast<int>(seen.size());
    }
    const SmallAnswer given =
        test::run(again, wanted, latest, after.own, after.next_life);
    if (s.is_undone) after.own = at.own;
    if (is_same_answer(s, given) && postgres(after)) return true;
  }
  return false;
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
