#include "check/weak/order.h"

#include <algorithm>

#include "check/check.h"

namespace txscope::check {
namespace {

bool has_end(const Txn& t) { return t.end != Txn::kNoTime; }
bool has_start(const Txn& t) { return t.start != Txn::kNoTime; }

}  // namespace

OrderIndex::OrderIndex(const History& history, const Facts& facts, Order order)
    : history_(&history), order_(order) {
  previous_.assign(history.size(), kNone<TxnId>);
  next_.assign(history.size(), kNone<TxnId>);
  if (order == Order::None) return;
  for (const Session& s : history.sessions()) {
    TxnId before = kNone<TxnId>;
    for (TxnId t = s.first; t < s.end; ++t.index) {
      if (facts.part(t) == Facts::Part::Out) continue;
      previous_[t.index] = before;
      if (before != kNone<TxnId>) next_[before.index] = t;
      before = t;
    }
  }
  if (order == Order::Realtime) place_moments(facts);
}

// Sorts the ends; b is after the first k of them if they are before its start.
// Each k that occurs becomes a moment; the others would have no use.
void OrderIndex::place_moments(const Facts& facts) {
  const auto txns = history_->txns();
  std::vector<std::int64_t> ends;
  for (std::size_t t = 1; t < txns.size(); ++t)
    if (facts.part(TxnId(t)) != Facts::Part::Out && has_end(txns[t]))
      ends.push_back(txns[t].end);
  std::sort(ends.begin(), ends.end());
  const auto count_below = [&](std::int64_t time) {
    return static_cast<std::uint32_t>(
        std::lower_bound(ends.begin(), ends.end(), time) - ends.begin());
  };

  before_.assign(txns.size(), kNoMoment);
  after_.assign(txns.size(), kNoMoment);
  std::vector<std::uint32_t> moment(ends.size() + 1, kNoMoment);
  for (std::size_t t = 1; t < txns.size(); ++t) {
    if (facts.part(TxnId(t)) == Facts::Part::Out || !has_start(txns[t]))
      continue;
    const std::uint32_t k = count_below(txns[t].start);
    if (k == 0) continue;
    before_[t] = k;
    moment[k] = 0;
  }
  for (auto& m : moment)
    if (m != kNoMoment) m = moment_count_++;
  // The moment that a given end enters: the first that counts it.
  std::vector<std::uint32_t> next_moment(ends.size() + 1, kNoMoment);
  for (std::size_t k = ends.size(); k > 0; --k)
    next_moment[k - 1] = moment[k] != kNoMoment ? moment[k] : next_moment[k];
  for (std::size_t t = 1; t < txns.size(); ++t) {
    if (before_[t] != kNoMoment) before_[t] = moment[before_[t]];
    if (facts.part(TxnId(t)) != Facts::Part::Out && has_end(txns[t]))
      after_[t] = next_moment[count_below(txns[t].end)];
  }
}

bool OrderIndex::precedes(TxnId a, TxnId b) const {
  if (a == b || b == History::kInitial) return false;
  if (a == History::kInitial) return true;
  if (order_ == Order::None) return false;
  const Txn& first = history_->at(a);
  const Txn& second = history_->at(b);
  if (first.session == second.session && a < b) return true;
  return order_ == Order::Realtime && has_end(first) && has_start(second) &&
         first.end < second.start;
}

std::optional<Error> missing_times(const History& history) {
  for (const Session& s : history.sessions()) {
    std::int64_t last = INT64_MIN;
    TxnId owner = kNone<TxnId>;
    for (TxnId t = s.first; t < s.end; ++t.index) {
      const Txn& txn = history.at(t);
      if (txn.status == Status::Committed && (!has_start(txn) || !has_end(txn)))
        return Error{history.place(t),
                     "committed transaction " + history.name(t) + " has no " +
                         (has_start(txn) ? "end" : "start") + " time",
                     "realtime order needs a start and an end for every "
                     "committed transaction; use --order session without them",
                     ""};
      if (has_start(txn) && txn.start < last)
        return Error{
            history.place(t),
            "transactions " + history.name(owner) + " and " + history.name(t) +
                " of session " + history.name(txn.session) + " overlap in time",
            "a session runs one transaction at a time: " + history.name(owner) +
                " (" + to_string(history.place(owner)) + ") ends at " +
                std::to_string(last) + ", " + history.name(t) + " starts at " +
                std::to_string(txn.start),
            ""};
      const std::int64_t until = has_end(txn) ? txn.end : txn.start;
      if (until != Txn::kNoTime && until >= last) {
        last = until;
        owner = t;
      }
    }
  }
  return std::nullopt;
}

}  // namespace txscope::check
