#include "check/facts/founding.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/graph.h"

namespace txscope::check {
namespace {

constexpr std::uint32_t kNobodyFirst = 0xffffffffu;

class Founding {
 public:
  Founding(const History& history, const Facts& facts, const OrderIndex& order,
           const Budget& budget)
      : history_(history), facts_(facts), order_(order), budget_(budget) {}

  std::optional<Verdict> run() {
    if (has_open_lists() || !collect()) return std::nullopt;
    place_all();
    if (budget_.spent_now()) return std::nullopt;
    if (!everybody_is_placed()) return violated();
    if (has_lists()) return std::nullopt;  // their order is a question, too
    if (!has_open_outcomes_) return holds();
    overtaken_are_dropped_ = true;
    if (!collect()) return std::nullopt;
    place_all();
    if (!everybody_is_placed()) return std::nullopt;
    return holds();
  }

 private:
  struct Group {  // reads that have the same possible writers
    std::vector<TxnId> waiting;
    TxnId founder = kNone<TxnId>;
  };

  [[nodiscard]] bool has_open_lists() const {
    for (std::uint32_t k = 0; k < history_.key_count(); ++k)
      if (facts_.list_is_open(KeyId(k))) return true;
    return false;
  }
  [[nodiscard]] bool has_lists() const {
    for (std::uint32_t k = 0; k < history_.key_count(); ++k)
      if (history_.kind(KeyId(k)) == KeyKind::List) return true;
    return false;
  }
  [[nodiscard]] bool takes_part(TxnId t) const {
    return facts_.part(t) != Facts::Part::Out;
  }
  // The nearest that must have committed.
  [[nodiscard]] TxnId sure_predecessor(TxnId t) const {
    TxnId before = order_.previous(t);
    while (before != kNone<TxnId> && !facts_.counts(before))
      before = order_.previous(before);
    return before;
  }

  bool collect();
  void wait_for(TxnId t, TxnId writer);
  void place_all();
  void place(TxnId t);
  void settle(TxnId t);
  void pass_moments();
  [[nodiscard]] bool everybody_is_placed() const;
  [[nodiscard]] Verdict holds() const;
  [[nodiscard]] std::optional<Verdict> violated() const;
  [[nodiscard]] std::optional<UnfoundedSet::Member> reason_of(
      TxnId t, TxnId first_to_end) const;

  const History& history_;
  const Facts& facts_;
  const OrderIndex& order_;
  const Budget& budget_;
  bool has_open_outcomes_ = false;
  bool overtaken_are_dropped_ = false;

  std::unordered_map<const TxnId*, std::uint32_t> group_of_set_;
  std::vector<Group> groups_;
  // Groups that a transaction may found, as rows.
  std::vector<std::vector<std::uint32_t>> founds_;
  std::vector<std::vector<TxnId>> followers_;  // of known writers and sessions
  std::vector<std::uint32_t> missing_;         // by transaction
  std::vector<std::uint8_t> is_placed_;
  std::vector<std::uint8_t> is_dropped_;
  std::vector<TxnId> order_of_placing_;
  std::size_t next_ = 0;
  // Realtime: who leaves each moment, and how many it still waits for.
  std::vector<std::uint32_t> moment_missing_;
  std::vector<std::vector<TxnId>> moment_waiting_;
  std::uint32_t passed_ = 0;
};

bool Founding::collect() {
  const std::size_t size = history_.size();
  group_of_set_.clear();
  groups_.clear();
  founds_.assign(size, {});
  followers_.assign(size, {});
  missing_.assign(size, 0);
  is_placed_.assign(size, 0);
  is_dropped_.assign(size, 0);
  order_of_placing_.clear();
  next_ = 0;
  passed_ = 0;
  moment_missing_.assign(order_.moment_count(), 0);
  moment_waiting_.assign(order_.moment_count(), {});
  for (const BadRead& bad : facts_.bad_reads_if_committed())
    ++missing_[history_.txn_of(bad.read).index];
  for (std::uint32_t i = 1; i < size; ++i) {
    const TxnId t(i);
    if (budget_.spent()) return false;
    if (!takes_part(t)) continue;
    has_open_outcomes_ |= !facts_.counts(t);
    if (const TxnId before = sure_predecessor(t); before != kNone<TxnId>)
      wait_for(t, before);
    if (const auto m = order_.moment_before(t); m != OrderIndex::kNoMoment) {
      moment_waiting_[m].push_back(t);
      ++missing_[i];
    }
    if (const auto m = order_.moment_after(t);
        m != OrderIndex::kNoMoment && facts_.counts(t))
      ++moment_missing_[m];
    for (const Facts::Read& read : facts_.reads(t)) {
      if (read.writer != kNone<TxnId>) {
        wait_for(t, read.writer);
        continue;
      }
      const auto set = facts_.candidates(read.op);
      const auto [place, is_new] = group_of_set_.try_emplace(
          set.data(), static_cast<std::uint32_t>(groups_.size()));
      if (is_new) {
        groups_.emplace_back();
        for (const TxnId w : set) founds_[w.index].push_back(place->second);
      }
      groups_[place->second].waiting.push_back(t);
      ++missing_[i];
    }
  }
  return true;
}

void Founding::wait_for(TxnId t, TxnId writer) {
  if (writer == History::kInitial) return;
  followers_[writer.index].push_back(t);
  ++missing_[t.index];
}

void Founding::place_all() {
  place(History::kInitial);
  pass_moments();
  for (std::uint32_t i = 1; i < history_.size(); ++i)
    if (takes_part(TxnId(i)) && missing_[i] == 0) place(TxnId(i));
  while (next_ < order_of_placing_.size() && !budget_.spent())
    settle(order_of_placing_[next_++]);
}

void Founding::place(TxnId t) {
  if (is_placed_[t.index] != 0 || is_dropped_[t.index] != 0) return;
  is_placed_[t.index] = 1;
  order_of_placing_.push_back(t);
  if (!overtaken_are_dropped_) return;
  for (TxnId before = order_.previous(t);
       before != kNone<TxnId> && !facts_.counts(before);
       before = order_.previous(before))
    if (is_placed_[before.index] == 0) is_dropped_[before.index] = 1;
}

// What may follow because t has been placed.
void Founding::settle(TxnId t) {
  const auto one_less = [&](TxnId waiting) {
    if (--missing_[waiting.index] == 0) place(waiting);
  };
  for (const TxnId follower : followers_[t.index]) one_less(follower);
  for (const std::uint32_t g : founds_[t.index]) {
    if (groups_[g].founder != kNone<TxnId>) continue;
    groups_[g].founder = t;
    for (const TxnId waiting : groups_[g].waiting) one_less(waiting);
  }
  const auto m = order_.moment_after(t);
  if (t == History::kInitial || m == OrderIndex::kNoMoment || !facts_.counts(t))
    return;
  --moment_missing_[m];
  pass_moments();
}

void Founding::pass_moments() {
  while (passed_ < order_.moment_count() && moment_missing_[passed_] == 0) {
    const std::uint32_t m = passed_++;
    for (const TxnId waiting : moment_waiting_[m])
      if (--missing_[waiting.index] == 0) place(waiting);
  }
}

bool Founding::everybody_is_placed() const {
  for (std::uint32_t i = 1; i < history_.size(); ++i)
    if (facts_.counts(TxnId(i)) && is_placed_[i] == 0) return false;
  return true;
}

Verdict Founding::holds() const {
  CommitOrder evidence;
  evidence.order = order_of_placing_;
  for (const TxnId t : order_of_placing_) {
    if (t == History::kInitial) continue;
    for (const Facts::Read& read : facts_.reads(t))
      if (read.writer == kNone<TxnId>)
        evidence.reads_from.push_back(
            {read.op,
             groups_[group_of_set_.at(facts_.candidates(read.op).data())]
                 .founder});
  }
  for (std::uint32_t i = 1; i < history_.size(); ++i)
    if (history_.at(TxnId(i)).status == Status::Unknown)
      evidence.outcomes.push_back({TxnId(i), is_placed_[i] != 0});
  return {Level{Base::ReadCommitted, order_.order()}, std::move(evidence)};
}

// Why t cannot be placed; nothing if an open outcome is to blame in a way that
// no member of a set can say.
std::optional<UnfoundedSet::Member> Founding::reason_of(
    TxnId t, TxnId first_to_end) const {
  for (const Facts::Read& read : facts_.reads(t)) {
    const bool waits =
        read.writer != kNone<TxnId>
            ? is_placed_[read.writer.index] == 0
            : groups_[group_of_set_.at(facts_.candidates(read.op).data())]
                      .founder == kNone<TxnId>;
    if (waits) return UnfoundedSet::Member{t, read.op, kNone<TxnId>};
  }
  if (const TxnId before = sure_predecessor(t);
      before != kNone<TxnId> && is_placed_[before.index] == 0)
    return UnfoundedSet::Member{t, kNone<OpId>, before};
  if (first_to_end != kNone<TxnId> && order_.precedes(first_to_end, t))
    return UnfoundedSet::Member{t, kNone<OpId>, first_to_end};
  for (const BadRead& bad : facts_.bad_reads_if_committed())
    if (history_.txn_of(bad.read) == t && bad.kind != BadReadKind::Internal &&
        bad.kind != BadReadKind::Incompatible)
      return UnfoundedSet::Member{t, bad.read, kNone<TxnId>};
  return std::nullopt;
}

std::optional<Verdict> Founding::violated() const {
  TxnId first_to_end = kNone<TxnId>;
  for (std::uint32_t i = 1; i < history_.size(); ++i)
    if (facts_.counts(TxnId(i)) && is_placed_[i] == 0 &&
        order_.moment_after(TxnId(i)) != OrderIndex::kNoMoment &&
        (first_to_end == kNone<TxnId> ||
         order_.moment_after(TxnId(i)) < order_.moment_after(first_to_end)))
      first_to_end = TxnId(i);

  std::vector<UnfoundedSet::Member> all;
  std::vector<std::uint32_t> number(history_.size(), kNobodyFirst);
  for (std::uint32_t i = 1; i < history_.size(); ++i) {
    if (!takes_part(TxnId(i)) || is_placed_[i] != 0) continue;
    const auto why = reason_of(TxnId(i), first_to_end);
    if (!why) return std::nullopt;
    number[i] = static_cast<std::uint32_t>(all.size());
    all.push_back(*why);
  }
  // A member needs all possible writers of its read; reads with the same ones
  // share a node.  A component that needs nothing outside is a set by itself.
  std::vector<Arc> arcs;
  const auto node_of_group = [&](std::uint32_t g) {
    return static_cast<Node>(all.size() + g);
  };
  std::vector<std::uint8_t> is_drawn(groups_.size(), 0);
  for (Node n = 0; n < all.size(); ++n) {
    if (all[n].after != kNone<TxnId>) {
      arcs.push_back({n, number[all[n].after.index]});
      continue;
    }
    for (const Facts::Read& read : facts_.reads(all[n].txn)) {
      if (read.op != all[n].read) continue;
      if (read.writer != kNone<TxnId>) {
        arcs.push_back({n, number[read.writer.index]});
        break;
      }
      const auto set = facts_.candidates(read.op);
      const std::uint32_t g = group_of_set_.at(set.data());
      arcs.push_back({n, node_of_group(g)});
      if (is_drawn[g] != 0) break;
      is_drawn[g] = 1;
      for (const TxnId w : set)
        arcs.push_back({node_of_group(g), number[w.index]});
      break;
    }
  }
  const std::size_t nodes = all.size() + groups_.size();
  const Components parts = strong_components(Graph(nodes, arcs));
  std::vector<std::uint8_t> is_closed(parts.count, 1);
  for (const Arc& arc : arcs)
    if (parts.of[arc.from] != parts.of[arc.to])
      is_closed[parts.of[arc.from]] = 0;
  std::vector<std::uint32_t> members(parts.count, 0);
  std::vector<std::uint8_t> has_sure(parts.count, 0);
  for (Node n = 0; n < all.size(); ++n) {
    ++members[parts.of[n]];
    if (facts_.counts(all[n].txn)) has_sure[parts.of[n]] = 1;
  }
  std::uint32_t best = kNobodyFirst;
  for (std::uint32_t c = 0; c < parts.count; ++c)
    if (is_closed[c] != 0 && has_sure[c] != 0 &&
        (best == kNobodyFirst || members[c] < members[best]))
      best = c;
  UnfoundedSet set;
  for (Node n = 0; n < all.size(); ++n)
    if (best == kNobodyFirst || parts.of[n] == best)
      set.members.push_back(all[n]);
  return Verdict{Level{Base::ReadCommitted, order_.order()},
                 Refutation{{Case{{}, std::move(set)}}}};
}

}  // namespace

std::optional<Verdict> check_founding(const History& history,
                                      const Facts& facts,
                                      const OrderIndex& order,
                                      const Budget& budget) {
  return Founding(history, facts, order, budget).run();
}

}  // namespace txscope::check
