#include <algorithm>

#include "smt/substitution.h"
#include "symbolic/encoding/encoding.h"

namespace txscope::symbolic {

using smt::Term;

namespace {
constexpr std::size_t kMostOrders = 400;
}

/// All serial orders of an encoding's transactions, compared with its
/// execution.
class SerialOrders {
 public:
  SerialOrders(HistoryEncoding& execution, Notion notion, const SameRow& same)
      : e_(execution), t_(execution.t_), notion_(notion), same_(same) {
    for (std::size_t t = 1; t < e_.size(); ++t) {
      const bool is_new =
          t == 1 || e_.txns_[t - 1].session != e_.txns_[t].session;
      if (is_new) sessions_.push_back({t, t});
      sessions_.back().end = t + 1;
    }
  }

  /// Nothing: too many.
  std::optional<std::vector<Term>> likenesses() {
    std::vector<Row> state;
    for (const auto& columns : e_.initial_) {
      state.push_back({t_.integer(0), columns});
    }
    go_on(state, t_.boolean(true));
    if (orders_ > kMostOrders) return std::nullopt;
    return std::move(out_);
  }

 private:
  /// A row as transactions so far have left it.
  struct Row {
    Term writer;  ///< an integer; 0 is the initial one
    std::vector<Term> values;
  };
  struct Session {
    std::size_t next;
    std::size_t end;
  };

  void go_on(const std::vector<Row>& state, Term like) {
    // What differs already differs in the end.
    if (t_.is_false(like)) ++orders_;
    if (t_.is_false(like) || orders_ > kMostOrders) return;
    bool is_over = true;
    for (Session& session : sessions_) {
      if (session.next == session.end) continue;
      is_over = false;
      std::vector<Row> after = state;
      const Term still = run(session.next++, after);
      go_on(after, t_.all_of({like, still}));
      --session.next;
    }
    if (!is_over) return;
    ++orders_;
    out_.push_back(t_.all_of({like, ends_like(state)}));
  }

  /// Runs one transaction; whether it does what it does in the execution.
  Term run(std::size_t t, std::vector<Row>& state) {
    const GuardedTxn& txn = e_.txns_[t];
    smt::Substitution here(t_);
    std::vector<Term> sources;
    for (const GuardedRead& read : txn.reads) {
      if (read.places.size() == 1) take(read, state, here);
    }
    for (const GuardedRead& read : txn.reads) {
      if (read.places.size() > 1) take(read, state, here);
      sources.push_back(taken(read, state, here).writer);
    }
    std::vector<Term> like = {here(txn.finished),
                              t_.negation(here(txn.beyond))};
    if (notion_ == Notion::Outcome)
      like.push_back(t_.equal(txn.committed, here(txn.committed)));
    for (std::size_t r = 0; r < txn.reads.size(); ++r) {
      like.push_back(reads_like(t, r, here, sources[r]));
    }
    for (std::size_t k = 0; k < state.size(); ++k) {
      const auto* version = e_.version(t, KeyId(k));
      if (version == nullptr) continue;
      const Term writes = here(version->guard);
      state[k].writer = t_.choose(writes, number(t), state[k].writer);
      for (std::size_t c = 0; c < state[k].values.size(); ++c) {
        state[k].values[c] =
            t_.choose(writes, here(version->values[c]), state[k].values[c]);
      }
    }
    return t_.all_of(like);
  }

  /// The row that a read finds.
  Row taken(const GuardedRead& read, const std::vector<Row>& state,
            smt::Substitution& here) {
    Row out = state[read.places[0].key.index];
    for (std::size_t p = 1; p < read.places.size(); ++p) {
      const Term is_here = here(read.places[p].guard);
      const Row& row = state[read.places[p].key.index];
      out.writer = t_.choose(is_here, row.writer, out.writer);
      for (std::size_t c = 0; c < out.values.size(); ++c)
        out.values[c] = t_.choose(is_here, row.values[c], out.values[c]);
    }
    return out;
  }

  void take(const GuardedRead& read, const std::vector<Row>& state,
            smt::Substitution& here) {
    const Row row = taken(read, state, here);
    for (std::size_t c = 0; c < read.values.size(); ++c) {
      if (t_.op(read.values[c]) == smt::Op::Variable)
        here.set(read.values[c], row.values[c]);
    }
  }

  Term reads_like(std::size_t t, std::size_t r, smt::Substitution& here,
                  Term source) {
    if (notion_ == Notion::State) return t_.boolean(true);
    const GuardedRead& read = e_.txns_[t].reads[r];
    std::vector<Term> any;
    for (const auto& place : read.places) any.push_back(place.guard);
    const Term happens = t_.any_of(any);
    Term same = t_.boolean(true);
    if (notion_ == Notion::Outcome) {
      std::vector<Term> values;
      for (const Term v : read.values) values.push_back(here(v));
      same = is_same(read.values, values);
    } else {
      Term own = t_.integer(0);
      for (const auto& s : e_.sources_[t][r])
        own = t_.choose(s.chosen, number(s.txn), own);
      same = t_.equal(own, source);
    }
    return t_.all_of(
        {t_.equal(happens, here(happens)), t_.implies(happens, same)});
  }

  Term ends_like(const std::vector<Row>& state) {
    if (notion_ == Notion::History) return t_.boolean(true);
    std::vector<Term> like;
    for (std::size_t k = 0; k < state.size(); ++k) {
      if (e_.versions_[k].empty()) continue;
      if (notion_ == Notion::View) {
        Term last = t_.integer(0);
        for (const auto& v : e_.versions_[k])
          last = t_.choose(e_.is_last(v, KeyId(k)), number(v.txn), last);
        like.push_back(t_.equal(last, state[k].writer));
      } else {
        like.push_back(is_same(e_.final_values(KeyId(k)), state[k].values));
      }
    }
    return t_.all_of(like);
  }

  Term is_same(const std::vector<Term>& a, const std::vector<Term>& b) {
    if (same_) return same_(a, b);
    std::vector<Term> all;
    for (std::size_t c = 0; c < a.size(); ++c)
      all.push_back(t_.equal(a[c], b[c]));
    return t_.all_of(all);
  }

  Term number(std::size_t t) {
    return t_.integer(static_cast<std::int64_t>(t));
  }

  HistoryEncoding& e_;
  smt::Terms& t_;
  const Notion notion_;
  const SameRow& same_;
  std::vector<Session> sessions_;
  std::size_t orders_ = 0;
  std::vector<Term> out_;
};

std::optional<Term> HistoryEncoding::is_unlike_serial(Notion notion,
                                                      const SameRow& same) {
  const auto orders = SerialOrders(*this, notion, same).likenesses();
  if (!orders) return std::nullopt;
  return t_.negation(t_.any_of(*orders));
}

}  // namespace txscope::symbolic
