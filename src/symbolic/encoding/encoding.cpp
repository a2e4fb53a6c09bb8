#include "symbolic/encoding/encoding.h"

#include <algorithm>
#include <map>
#include <string>

namespace txscope::symbolic {

using smt::Term;

HistoryEncoding::HistoryEncoding(smt::Terms& terms,
                                 std::vector<GuardedTxn> txns,
                                 std::vector<std::vector<Term>> initial)
    : t_(terms), initial_(std::move(initial)) {
  txns_.emplace_back();
  txns_[0].committed = txns_[0].finished = t_.boolean(true);
  txns_.insert(txns_.end(), std::make_move_iterator(txns.begin()),
               std::make_move_iterator(txns.end()));
  make_runs();
  make_versions();
  make_orders();
  make_sources();
}

bool HistoryEncoding::is_session_before(std::size_t a, std::size_t b) const {
  if (a == 0) return b != 0;
  return b != 0 && a < b && txns_[a].session == txns_[b].session;
}

void HistoryEncoding::make_runs() {
  runs_.assign(size(), t_.boolean(true));
  for (std::size_t t = 1; t < size(); ++t) {
    if (t == 1 || txns_[t - 1].session != txns_[t].session) continue;
    runs_[t] = t_.all_of({runs_[t - 1], txns_[t - 1].finished});
  }
}

/// The last write of a row in each transaction, and when there is one.
void HistoryEncoding::make_versions() {
  versions_.resize(initial_.size());
  for (std::size_t t = 1; t < size(); ++t) {
    std::map<std::uint32_t, Version> last;
    for (const GuardedWrite& w : txns_[t].writes) {
      const auto [entry, is_new] =
          last.try_emplace(w.key.index, Version{t, w.guard, w.values});
      if (is_new) continue;
      Version& v = entry->second;
      for (std::size_t c = 0; c < v.values.size(); ++c) {
        v.values[c] = t_.choose(w.guard, w.values[c], v.values[c]);
      }
      v.guard = t_.any_of({v.guard, w.guard});
    }
    for (auto& [key, v] : last) {
      v.guard = t_.all_of({v.guard, txns_[t].committed, runs_[t]});
      if (!t_.is_false(v.guard)) versions_[key].push_back(std::move(v));
    }
  }
}

const HistoryEncoding::Version* HistoryEncoding::version(std::size_t t,
                                                         KeyId key) const {
  for (const Version& v : versions_[key.index]) {
    if (v.txn == t) return &v;
  }
  return nullptr;
}

Term HistoryEncoding::writes(std::size_t t, KeyId key) const {
  if (t == 0) return t_.boolean(true);
  const Version* v = version(t, key);
  return v == nullptr ? t_.boolean(false) : v->guard;
}

Term HistoryEncoding::commits(std::size_t t) const {
  return t_.all_of({runs_[t], txns_[t].committed});
}

Term HistoryEncoding::changes(std::size_t t) const {
  std::vector<Term> any;
  for (const auto& versions : versions_) {
    for (const Version& v : versions) {
      if (v.txn == t) any.push_back(v.guard);
    }
  }
  return t_.any_of(any);
}

/// a reads or writes a row that b writes.
Term HistoryEncoding::uses_what_changes(std::size_t a, std::size_t b) {
  std::vector<Term> any = {conflict(a, b)};
  for (const GuardedRead& read : txns_[a].reads) {
    for (const auto& place : read.places) {
      if (const Version* v = version(b, place.key))
        any.push_back(t_.all_of({runs_[a], place.guard, v->guard}));
    }
  }
  return t_.any_of(any);
}

Term HistoryEncoding::sessions_meet() {
  std::vector<Term> any;
  for (std::size_t a = 1; a < size(); ++a) {
    for (std::size_t b = 1; b < size(); ++b) {
      if (txns_[a].session != txns_[b].session)
        any.push_back(uses_what_changes(a, b));
    }
  }
  return t_.any_of(any);
}

void HistoryEncoding::make_orders() {
  const Term no = t_.boolean(false);
  precedes_.assign(size(), std::vector<Term>(size(), no));
  sees_ = precedes_;
  past_ = precedes_;
  reads_from_.assign(size(), std::vector<std::optional<Term>>(size()));
  for (std::size_t a = 0; a < size(); ++a) {
    for (std::size_t b = a + 1; b < size(); ++b) {
      const std::string pair = std::to_string(a) + "," + std::to_string(b);
      const bool is_known = is_session_before(a, b);
      const Term before =
          is_known ? t_.boolean(true) : t_.unknown("co " + pair);
      precedes_[a][b] = before;
      precedes_[b][a] = t_.negation(before);
      sees_[a][b] = is_known ? before : t_.unknown("vis " + pair);
      past_[a][b] = is_known ? before : t_.unknown("past " + pair);
      if (is_known) continue;
      const std::string back = std::to_string(b) + "," + std::to_string(a);
      sees_[b][a] = t_.unknown("vis " + back);
      past_[b][a] = t_.unknown("past " + back);
    }
  }
}

Term HistoryEncoding::precedes(std::size_t t, std::size_t u) const {
  return precedes_[t][u];
}

void HistoryEncoding::make_sources() {
  sources_.resize(size());
  for (std::size_t t = 1; t < size(); ++t) {
    for (const GuardedRead& read : txns_[t].reads) {
      std::vector<Source> sources = {{0, t_.boolean(true)}};
      for (std::size_t u = 1; u < size(); ++u) {
        if (u == t || is_session_before(t, u)) continue;
        const bool can = std::any_of(read.places.begin(), read.places.end(),
                                     [&](const auto& place) {
                                       return version(u, place.key) != nullptr;
                                     });
        if (can) sources.push_back({u, t_.boolean(true)});
      }
      if (sources.size() > 1) {
        for (Source& s : sources) {
          s.chosen = t_.unknown("rf " + std::to_string(t) + " from " +
                                std::to_string(s.txn));
        }
      }
      sources_[t].push_back(std::move(sources));
    }
  }
}

Term HistoryEncoding::reads(std::size_t t, std::size_t read) const {
  std::vector<Term> any;
  for (const auto& place : txns_[t].reads[read].places) {
    any.push_back(place.guard);
  }
  return t_.all_of({runs_[t], t_.any_of(any)});
}

Term HistoryEncoding::is_source(std::size_t t, std::size_t read,
                                std::size_t source) const {
  for (const Source& s : sources_[t][read]) {
    if (s.txn == source) return s.chosen;
  }
  return t_.boolean(false);
}

/// t reads something from `source`.
Term HistoryEncoding::reads_from(std::size_t t, std::size_t source) {
  if (source == 0) return t_.boolean(true);  // it precedes everything anyway
  std::optional<Term>& known = reads_from_[t][source];
  if (known) return *known;
  std::vector<Term> any;
  for (std::size_t r = 0; r < txns_[t].reads.size(); ++r) {
    any.push_back(t_.all_of({reads(t, r), is_source(t, r, source)}));
  }
  known = t_.any_of(any);
  return *known;
}

std::vector<Term> HistoryEncoding::executions() {
  std::vector<Term> out;
  for (std::size_t a = 1; a < size(); ++a) {
    for (std::size_t b = 1; b < size(); ++b) {
      if (a == b) continue;
      out.push_back(t_.implies(reads_from(b, a), precedes_[a][b]));
      for (std::size_t c = 1; c < size(); ++c) {
        if (c == a || c == b) continue;
        out.push_back(t_.implies(t_.all_of({precedes_[a][b], precedes_[b][c]}),
                                 precedes_[a][c]));
      }
    }
  }
  for (std::size_t t = 1; t < size(); ++t) {
    out.push_back(t_.negation(t_.all_of({runs_[t], txns_[t].beyond})));
  }
  add_reads(out);
  return out;
}

/// Every read has exactly one source, which wrote the row, and its values.
void HistoryEncoding::add_reads(std::vector<Term>& out) {
  for (std::size_t t = 1; t < size(); ++t) {
    for (std::size_t r = 0; r < txns_[t].reads.size(); ++r) {
      const GuardedRead& read = txns_[t].reads[r];
      const std::vector<Source>& sources = sources_[t][r];
      std::vector<Term> any;
      any.reserve(sources.size());
      for (const Source& s : sources) any.push_back(s.chosen);
      out.push_back(t_.any_of(any));
      for (std::size_t i = 0; i < sources.size(); ++i) {
        for (std::size_t j = i + 1; j < sources.size(); ++j) {
          out.push_back(
              t_.negation(t_.all_of({sources[i].chosen, sources[j].chosen})));
        }
      }
      for (const auto& place : read.places) {
        const Term happens = t_.all_of({runs_[t], place.guard});
        for (const Source& s : sources) {
          const Term when = t_.all_of({happens, s.chosen});
          const Version* v = s.txn == 0 ? nullptr : version(s.txn, place.key);
          if (s.txn != 0 && v == nullptr) {
            out.push_back(t_.negation(when));
            continue;
          }
          if (v != nullptr) out.push_back(t_.implies(when, v->guard));
          const auto& values =
              v != nullptr ? v->values : initial_[place.key.index];
          for (std::size_t c = 0; c < values.size(); ++c) {
            out.push_back(
                t_.implies(when, t_.equal(read.values[c], values[c])));
          }
        }
      }
    }
  }
}

Term HistoryEncoding::is_complete() {
  std::vector<Term> all;
  for (std::size_t t = 1; t < size(); ++t) all.push_back(txns_[t].finished);
  return t_.all_of(all);
}

std::vector<Term> HistoryEncoding::final_values(KeyId key) {
  std::vector<Term> values = initial_[key.index];
  const auto& versions = versions_[key.index];
  for (const Version& v : versions) {
    const Term last = is_last(v, key);
    for (std::size_t c = 0; c < values.size(); ++c) {
      values[c] = t_.choose(last, v.values[c], values[c]);
    }
  }
  return values;
}

Term HistoryEncoding::is_last(const Version& version, KeyId key) {
  std::vector<Term> last = {version.guard};
  for (const Version& other : versions_[key.index]) {
    if (other.txn == version.txn) continue;
    last.push_back(t_.implies(other.guard, precedes_[other.txn][version.txn]));
  }
  return t_.all_of(last);
}

/// Both write a common row.
Term HistoryEncoding::conflict(std::size_t a, std::size_t b) {
  std::vector<Term> any;
  for (std::size_t k = 0; k < versions_.size(); ++k) {
    const Version* x = version(a, KeyId(k));
    const Version* y = version(b, KeyId(k));
    if (x != nullptr && y != nullptr) {
      any.push_back(t_.all_of({x->guard, y->guard}));
    }
  }
  return t_.any_of(any);
}

std::vector<Term> HistoryEncoding::axioms(Base level) {
  return axioms(std::vector<Base>(size() - 1, level));
}

std::vector<Term> HistoryEncoding::axioms(const std::vector<Base>& levels) {
  std::vector<Term> out;
  const auto has = [&](Base base) {
    return std::find(levels.begin(), levels.end(), base) != levels.end();
  };
  if (has(Base::Causal) || has(Base::ParallelSnapshotIsolation)) {
    add_past(out, has(Base::ParallelSnapshotIsolation));
  }
  for (std::size_t t = 1; t < size(); ++t) {
    add_sight(levels[t - 1], t, out);
    add_freshness(levels[t - 1], t, out);
  }
  return out;
}

/// past is (so + wr)+; at parallel-snapshot-isolation it also orders writers.
void HistoryEncoding::add_past(std::vector<Term>& out, bool sees_conflicts) {
  for (std::size_t a = 1; a < size(); ++a) {
    for (std::size_t b = 1; b < size(); ++b) {
      if (a == b) continue;
      out.push_back(t_.implies(past_[a][b], precedes_[a][b]));
      out.push_back(t_.implies(reads_from(b, a), past_[a][b]));
      if (sees_conflicts && a < b) {
        out.push_back(
            t_.implies(conflict(a, b), t_.any_of({past_[a][b], past_[b][a]})));
      }
      for (std::size_t c = 1; c < size(); ++c) {
        if (c == a || c == b) continue;
        out.push_back(
            t_.implies(t_.all_of({past_[a][b], past_[b][c]}), past_[a][c]));
      }
    }
  }
}

/// What t must see.
void HistoryEncoding::add_sight(Base level, std::size_t t,
                                std::vector<Term>& out) {
  if (level < Base::ReadAtomic) return;
  for (std::size_t a = 1; a < size(); ++a) {
    if (a == t) continue;
    const Term sees = sees_[a][t];
    out.push_back(t_.implies(sees, precedes_[a][t]));
    if (level == Base::Serializable) {
      out.push_back(t_.implies(precedes_[a][t], sees));
      continue;
    }
    out.push_back(t_.implies(reads_from(t, a), sees));
    if (level == Base::Causal || level == Base::ParallelSnapshotIsolation) {
      out.push_back(t_.implies(past_[a][t], sees));
    }
    if (level == Base::SnapshotIsolation) {
      out.push_back(
          t_.implies(t_.all_of({conflict(a, t), precedes_[a][t]}), sees));
    }
    if (level != Base::Prefix && level != Base::SnapshotIsolation) continue;
    for (std::size_t b = 1; b < size(); ++b) {
      if (b == a || b == t) continue;
      out.push_back(
          t_.implies(t_.all_of({precedes_[a][b], sees_[b][t]}), sees));
    }
  }
}

/// A read takes the last version that its transaction sees.
void HistoryEncoding::add_freshness(Base level, std::size_t t,
                                    std::vector<Term>& out) {
  if (level == Base::ReadCommitted) return;
  std::vector<std::vector<Term>> read_before(size());  // by source
  for (std::size_t r = 0; r < txns_[t].reads.size(); ++r) {
    for (const auto& place : txns_[t].reads[r].places) {
      const Term happens = t_.all_of({runs_[t], place.guard});
      for (const Version& v : versions_[place.key.index]) {
        if (v.txn == t) continue;
        const Term sees = level == Base::MonotonicAtomicView
                              ? t_.any_of(read_before[v.txn])
                              : sees_[v.txn][t];
        if (t_.is_false(sees)) continue;
        for (const Source& s : sources_[t][r]) {
          if (s.txn == v.txn) continue;
          out.push_back(
              t_.implies(t_.all_of({happens, s.chosen, v.guard, sees}),
                         precedes_[v.txn][s.txn]));
        }
      }
    }
    for (const Source& s : sources_[t][r]) {
      read_before[s.txn].push_back(t_.all_of({reads(t, r), s.chosen}));
    }
  }
}

std::vector<Term> HistoryEncoding::pins() {
  std::vector<Term> out;
  for (std::size_t t = 1; t < size(); ++t) {
    for (const GuardedPin& pin : txns_[t].pins) {
      for (const auto& place : txns_[t].reads[pin.read].places) {
        const Term holds =
            t_.all_of({runs_[t], txns_[t].committed, place.guard, pin.guard});
        for (const Version& v : versions_[place.key.index]) {
          if (v.txn == t) continue;
          for (const Source& s : sources_[t][pin.read]) {
            if (s.txn == v.txn) continue;
            out.push_back(t_.negation(
                t_.all_of({holds, s.chosen, v.guard, precedes_[s.txn][v.txn],
                           precedes_[v.txn][t]})));
          }
        }
      }
    }
  }
  return out;
}

std::vector<Term> HistoryEncoding::order_of(
    const std::vector<std::vector<std::uint32_t>>& identical_sessions) {
  const auto first_of = [&](std::uint32_t session) {
    for (std::size_t t = 1; t < size(); ++t) {
      if (txns_[t].session == session) return t;
    }
    return std::size_t{0};
  };
  std::vector<Term> out;
  for (const auto& group : identical_sessions) {
    for (std::size_t i = 0; i + 1 < group.size(); ++i) {
      const std::size_t a = first_of(group[i]);
      const std::size_t b = first_of(group[i + 1]);
      if (a != 0 && b != 0) out.push_back(precedes_[a][b]);
    }
  }
  return out;
}

}  // namespace txscope::symbolic
