#pragma once

#include <algorithm>
#include <vector>

#include "engine/identity/session_marks.h"
#include "engine/server/hash_set.h"
#include "engine/server/naming.h"

namespace txscope::engine {

/// Sessions that are alike may change places: of the states that this makes of
/// each other a search needs one.
///
/// Source.  Clarke, Enders, Filkorn and Jha, Exploiting Symmetry in Temporal
/// Logic Model Checking, FMSD 1996; Ip and Dill, Better Verification Through
/// Symmetry, FMSD 1996 (scalarsets).
/// Method.  Sessions of a group are sorted by what can be told of them without
/// names; the state is hashed with the names that this gives.  Where two look
/// the same either may come first: then a state may be kept twice, which costs
/// time only.
class Exchange {
 public:
  explicit Exchange(const SessionMarks& marks, std::size_t sessions)
      : groups_(marks.groups()), sessions_(sessions) {}

  /// The names of the state that stands for this one and those like it.
  [[nodiscard]] Naming names(const State& state) const;
  /// What the sessions saw, whatever their names, for those that may change
  /// places.
  [[nodiscard]] Hash128 outcome(const State& state) const;
  /// Calls `on(Hash128)` for every outcome that changing places makes of it.
  template <class On>
  void for_each_outcome(const State& state, const On& on) const;
  /// Likewise for the committed rows.
  template <class On>
  void for_each_final(const State& state, const On& on) const;

 private:
  /// A session and what it looks like.
  struct Look {
    Hash128 look;
    SessionNo session = 0;
  };
  using Places = std::vector<std::vector<Look>>;  ///< by group

  /// Those of each group that may change places, sorted by `look_of`.
  template <class LookOf>
  [[nodiscard]] Places places(const State& state, const LookOf& look_of) const;
  /// Every different way to put the looks of each group into its places.
  template <class On>
  static void for_each_way(Places& places, std::size_t group, const On& on);

  std::vector<std::vector<SessionNo>> groups_;
  std::size_t sessions_;
};

/// The outcome of a run: what each session saw.
[[nodiscard]] Hash128 outcome_of(const State& state);

// Implementation.

template <class LookOf>
Exchange::Places Exchange::places(const State& state,
                                  const LookOf& look_of) const {
  Places all;
  for (const auto& group : groups_) {
    auto& row = all.emplace_back();
    for (const SessionNo s : group)
      if ((state.recognized & only(s)) == 0) row.push_back({look_of(s), s});
    std::stable_sort(row.begin(), row.end(), [](const Look& a, const Look& b) {
      return a.look < b.look;
    });
  }
  return all;
}

template <class On>
void Exchange::for_each_way(Places& places, std::size_t group, const On& on) {
  if (group == places.size()) return on();
  const auto less = [](const Look& a, const Look& b) {
    return a.look < b.look;
  };
  auto& row = places[group];
  std::sort(row.begin(), row.end(), less);
  do {
    for_each_way(places, group + 1, on);
  } while (std::next_permutation(row.begin(), row.end(), less));
}

template <class On>
void Exchange::for_each_outcome(const State& state, const On& on) const {
  Places ways =
      places(state, [&](SessionNo s) { return state.sessions[s].seen; });
  // The places of a group that its looks go to, in ascending order.
  Places at = ways;
  for (auto& row : at)
    std::sort(row.begin(), row.end(), [](const Look& a, const Look& b) {
      return a.session < b.session;
    });
  std::vector<Hash128> seen;
  for (const SessionState& session : state.sessions)
    seen.push_back(session.seen);
  for_each_way(ways, 0, [&] {
    for (std::size_t g = 0; g < ways.size(); ++g)
      for (std::size_t i = 0; i < ways[g].size(); ++i)
        seen[at[g][i].session] = ways[g][i].look;
    Mixer mixer;
    for (const Hash128& one : seen) mixer.add(one);
    on(mixer.done());
  });
}

template <class On>
void Exchange::for_each_final(const State& state, const On& on) const {
  bool is_mixed = false;  // some row has marks of several
  for (const auto& table : state.tables)
    table->records.for_each_touched([&](std::size_t, const Record& record) {
      if (const StoredRow* row = record.committed())
        for (const RowMark& mark : row->marks)
          is_mixed |= mark.session != row->marks.front().session;
    });
  const auto look_of = [&](SessionNo s) {
    if (is_mixed) return Hash128{s, 0};
    Hash128 rows;
    for (std::size_t t = 0; t < state.tables.size(); ++t) {
      const Records& all = state.tables[t]->records;
      all.for_each_touched([&](std::size_t, const Record& record) {
        const StoredRow* row = record.committed();
        if (row == nullptr || row->marks.empty() ||
            row->marks.front().session != s) {
          return;
        }
        Mixer one(row->unmarked);
        one.add(t);
        for (const RowMark& mark : row->marks)
          one.add(std::uint64_t{mark.column} << 32 | mark.which);
        rows += one.done();
      });
    }
    return rows;
  };
  Places ways = places(state, look_of);
  Places at = ways;
  for (auto& row : at)
    std::sort(row.begin(), row.end(), [](const Look& a, const Look& b) {
      return a.session < b.session;
    });
  for_each_way(ways, 0, [&] {
    Naming names(sessions_);
    for (std::size_t g = 0; g < ways.size(); ++g)
      for (std::size_t i = 0; i < ways[g].size(); ++i)
        names.rename(ways[g][i].session, at[g][i].session);
    on(hash_of_committed(state, names));
  });
}

}  // namespace txscope::engine
