#include "random_log.h"

#include <algorithm>

namespace txscope::test {
namespace {

using S = SmallStatement;

int below(LogRandom& random, int n) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(n));
}

Int random_int(LogRandom& random, int n) {
  const int value = below(random, n + 1);
  return value == n ? Int() : Int(value);
}

S random_statement(LogRandom& random) {
  S s;
  // Constraints are rarely met by chance, plain ones are the base.
  constexpr S::Kind kKinds[] = {
      S::ReadKey,  S::ReadKey,   S::ReadRange, S::Total,
      S::CountAll, S::Insert,    S::Insert,    S::SetKey,
      S::AddKey,   S::AddRange,  S::CountInto, S::SetUnique,
      S::MoveKey,  S::DeleteKey, S::DeleteKey, S::DeleteRange};
  s.kind = kKinds[below(random, static_cast<int>(std::size(kKinds)))];
  s.a = below(random, 3);
  s.b = s.kind == S::MoveKey ? Int(below(random, 3)) : random_int(random, 3);
  if (s.is_insert()) s.u = random_int(random, 2);
  if (s.kind == S::AddKey || s.kind == S::AddRange) s.b = 1 + below(random, 2);
  if (s.kind == S::SetUnique) s.b = random_int(random, 2);
  s.is_observed = below(random, 20) != 0;
  return s;
}

}  // namespace

SmallLog random_log(LogRandom& random, bool has_savepoints) {
  SmallLog log;
  log.judges_aborted = below(random, 4) == 0;
  for (int k = 0; k < 3; ++k)
    if (below(random, 3) != 0)
      log.initial.push_back(
          {k, below(random, 3), below(random, 3) == 0 ? Int(k) : Int()});
  Lives first;
  int life = 0;
  for (const SmallRow& row : log.initial) first[life++] = row;
  std::vector<Lives> states = {first};
  // How the database works: on one state per transaction, or per statement.
  const bool has_snapshot = below(random, 3) != 0;
  const int staleness = 1 + below(random, 4);
  int clock = 0;
  const int size = 2 + below(random, 4);
  for (int t = 0; t < size; ++t) {
    SmallTxn txn;
    txn.session = below(random, 3);
    const auto some_state = [&] {
      const auto last = static_cast<int>(states.size()) - 1;
      if (below(random, staleness) == 0) return last;
      return std::max(0, last - below(random, 3));
    };
    int state = some_state();
    OwnLives own;
    int next_life = (t + 1) * 100;
    const int statements = 1 + below(random, 3);
    for (int k = 0; k < statements; ++k) {
      S s = random_statement(random);
      if (!has_snapshot) state = some_state();
      const Lives seen = with_own(states[static_cast<std::size_t>(state)], own);
      const OwnLives before = own;
      s.answer = run(s, seen, with_own(states.back(), own), own, next_life);
      s.is_undone = has_savepoints && below(random, 3) == 0;
      if (s.is_undone) own = before;
      txn.statements.push_back(s);
    }
    const Lives now = with_own(states.back(), own);
    const int fate = below(random, 10);
    txn.status = !is_unique(now) || fate == 0 ? SmallTxn::Aborted
                 : fate == 1                  ? SmallTxn::Unknown
                                              : SmallTxn::Committed;
    const bool is_in =
        txn.status == SmallTxn::Committed ||
        (txn.status == SmallTxn::Unknown && below(random, 2) != 0);
    if (is_in) states.push_back(now);
    // Sessions do not overlap with themselves.
    for (const SmallTxn& other : log.txns)
      if (other.session == txn.session)
        txn.start = std::max(txn.start, other.end + 1);
    txn.start = std::max(txn.start, clock - below(random, 6));
    txn.end = txn.start + 1 + below(random, 6);
    clock = std::max(clock, txn.end);
    log.txns.push_back(std::move(txn));
  }
  return log;
}

SmallLog mutant(SmallLog log, LogRandom& random) {
  const auto some = [&](std::size_t size) {
    return static_cast<std::size_t>(below(random, static_cast<int>(size)));
  };
  SmallTxn& txn = log.txns[some(log.txns.size())];
  S& s = txn.statements[some(txn.statements.size())];
  switch (below(random, 6)) {
    case 0: txn.status = static_cast<SmallTxn::Status>(below(random, 3)); break;
    case 1: {
      // Who comes when: sessions keep their own order, times change hands.
      SmallTxn& other = log.txns[some(log.txns.size())];
      std::swap(txn.statements, other.statements);
      break;
    }
    case 2:
      if (s.kind == S::Insert || s.kind == S::InsertUpdate ||
          s.kind == S::SetUnique || s.kind == S::MoveKey) {
        const bool was_error = s.answer.is_error;
        s.answer = SmallAnswer();
        s.answer.is_error = !was_error;
        if (was_error) s.answer.count = 1;
        break;
      }
      [[fallthrough]];
    default:
      if (s.answer.is_error) break;
      if (!s.is_select()) {
        s.answer.count = below(random, 3);
      } else if (s.answer.rows.empty()) {
        const int v = below(random, 3);
        s.answer.rows.push_back({v, below(random, 3)});
      } else if (below(random, 3) == 0 && s.kind <= S::ReadRange) {
        s.answer.rows.pop_back();
      } else {
        auto& row = s.answer.rows[some(s.answer.rows.size())];
        row[some(row.size())] = below(random, 4);
      }
  }
  return log;
}

}  // namespace txscope::test
