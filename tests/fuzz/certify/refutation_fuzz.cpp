#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "certify/certify.h"
#include "check/check.h"
#include "support/fuzz.h"
#include "support/litmus.h"
#include "support/oracle.h"
#include "support/random_history.h"

namespace txscope {
namespace {

template <class T>
const T& pick(Random& random, const std::vector<T>& items) {
  return items[static_cast<std::size_t>(random.below(items.size()))];
}

/// Makes up evidence that looks like a refutation: cycles of edges each of
/// which might be there, bad reads, case splits that are mostly complete.
class Forger {
 public:
  Forger(const History& history, Random& random)
      : h_(history), random_(random) {
    for (std::size_t t = 1; t < h_.size(); ++t) txns_.push_back(TxnId(t));
    for (std::size_t i = 0; i < h_.ops().size(); ++i)
      (h_.at(OpId(i)).is_read() ? reads_ : writes_).push_back(OpId(i));
    add_edges();
  }

  Refutation forge() {
    Refutation refutation;
    split({}, static_cast<int>(random_.below(3)), refutation);
    if (random_.chance(0.3)) add_lemmas(refutation);
    return refutation;
  }

 private:
  bool writes(TxnId t, KeyId k) const {
    for (const Op& op : h_.ops(t))
      if (op.key == k && op.is_write()) return true;
    return false;
  }
  WriteOrderReason random_reason() {
    return static_cast<WriteOrderReason>(random_.below(5));
  }
  OpId random_read_of(KeyId k) {
    std::vector<OpId> found;
    for (const OpId op : reads_)
      if (h_.at(op).key == k) found.push_back(op);
    return found.empty() ? kNone<OpId> : pick(random_, found);
  }

  void add_edges() {
    for (const TxnId a : txns_)
      for (const TxnId b : txns_) {
        if (a == b) continue;
        if (h_.at(a).session == h_.at(b).session && a < b)
          edges_.push_back({a, b, EdgeKind::Session});
        if (h_.at(a).end != Txn::kNoTime && h_.at(a).end < h_.at(b).start)
          edges_.push_back({a, b, EdgeKind::Realtime});
        for (std::size_t k = 0; k < h_.key_count(); ++k)
          if (writes(a, KeyId(k)) && writes(b, KeyId(k)))
            for (int i = 0; i < 3; ++i)
              edges_.push_back({a, b, EdgeKind::WriteOrder, KeyId(k),
                                kNone<OpId>, random_reason(),
                                random_read_of(KeyId(k))});
      }
    for (const OpId read : reads_)
      for (const TxnId other : txns_) {
        const TxnId reader = h_.txn_of(read);
        const KeyId key = h_.at(read).key;
        if (!writes(other, key)) continue;
        edges_.push_back({other, reader, EdgeKind::ReadsFrom, key, read});
        for (int i = 0; i < 3; ++i)
          edges_.push_back({reader, other, EdgeKind::AntiDependency, key, read,
                            random_reason(), random_read_of(key)});
      }
  }

  void split(std::vector<Assumption> path, int depth, Refutation& out) {
    if (depth == 0) {
      out.cases.push_back({std::move(path), contradiction()});
      return;
    }
    for (Assumption& answer : answers()) {
      if (random_.chance(0.03)) continue;
      path.push_back(answer);
      split(path, depth - 1, out);
      path.pop_back();
    }
  }

  // Cases in any number and order, and a few lemmas, the last one empty.
  void add_lemmas(Refutation& out) {
    for (std::uint64_t more = random_.below(4); more > 0; --more)
      split({}, 1, out);
    for (std::uint64_t count = random_.below(3); count > 0; --count) {
      Lemma& lemma = out.lemmas.emplace_back();
      for (const Assumption& answer : answers())
        if (random_.chance(0.6)) lemma.push_back({answer, random_.chance(0.5)});
    }
    out.lemmas.emplace_back();
  }

  std::vector<Assumption> answers() {
    using Kind = Assumption::Kind;
    const TxnId a = pick(random_, txns_);
    const TxnId b = pick(random_, txns_);
    switch (random_.below(4)) {
      case 0:
        return {{Kind::Committed, a, {}, {}, {}, 0},
                {Kind::Aborted, a, {}, {}, {}, 0}};
      case 1: {
        if (reads_.empty()) break;
        const OpId read = pick(random_, reads_);
        std::vector<Assumption> all;
        for (std::size_t t = 0; t < h_.size(); ++t)
          if ((t == 0 || writes(TxnId(t), h_.at(read).key)) &&
              random_.chance(0.8))
            all.push_back({Kind::Writer, TxnId(t), {}, read, {}, 0});
        if (all.empty()) break;
        return all;
      }
      case 2: {
        if (writes_.empty()) break;
        const OpId append = pick(random_, writes_);
        const auto position = static_cast<std::uint32_t>(random_.below(3));
        std::vector<Assumption> all;
        for (const OpId op : writes_)
          if (h_.at(op).key == h_.at(append).key &&
              h_.at(op).value == h_.at(append).value)
            all.push_back({Kind::Element, {}, {}, op, h_.at(op).key, position});
        return all;
      }
      default: break;
    }
    return {{Kind::Before, a, b, {}, {}, 0}, {Kind::Before, b, a, {}, {}, 0}};
  }

  std::variant<Cycle, BadRead, UnfoundedSet> contradiction() {
    if (!reads_.empty() && random_.chance(0.2)) return unfounded();
    if (!reads_.empty() && random_.chance(0.2)) {
      BadRead bad{static_cast<BadReadKind>(random_.below(6)),
                  pick(random_, reads_), kNone<OpId>};
      if (random_.chance(0.5)) bad.other = OpId(random_.below(h_.ops().size()));
      return bad;
    }
    for (int attempt = 0; attempt < 20; ++attempt)
      if (Cycle cycle = random_walk(); !cycle.empty()) return cycle;
    return Cycle{};
  }

  // Some transactions, each with one of its reads or one before it.
  UnfoundedSet unfounded() {
    UnfoundedSet set;
    for (const TxnId t : txns_) {
      if (t == History::kInitial || random_.chance(0.3)) continue;
      UnfoundedSet::Member member{t, kNone<OpId>, kNone<TxnId>};
      for (const OpId read : reads_)
        if (h_.txn_of(read) == t && random_.chance(0.6)) member.read = read;
      if (member.read == kNone<OpId>) member.after = pick(random_, txns_);
      set.members.push_back(member);
    }
    std::sort(set.members.begin(), set.members.end(),
              [](const auto& a, const auto& b) { return a.txn < b.txn; });
    return set;
  }

  // A walk along plausible edges that came back to where it began.
  Cycle random_walk() {
    Cycle walk;
    if (edges_.empty()) return walk;
    walk.push_back(pick(random_, edges_));
    while (walk.back().to != walk.front().from) {
      std::vector<Edge> next;
      for (const Edge& edge : edges_)
        if (edge.from == walk.back().to &&
            (edge.to == walk.front().from || random_.chance(0.3)))
          next.push_back(edge);
      if (next.empty() || walk.size() == 5) return {};
      walk.push_back(pick(random_, next));
    }
    return walk;
  }

  const History& h_;
  Random& random_;
  std::vector<TxnId> txns_;
  std::vector<OpId> reads_;
  std::vector<OpId> writes_;
  std::vector<Edge> edges_;
};

/// One small change to a refutation.
class Mutator {
 public:
  Mutator(const History& history, Random& random)
      : h_(history), random_(random) {}

  void mutate(Refutation& refutation) {
    if (refutation.cases.empty()) return;
    auto& cases = refutation.cases;
    const auto i = static_cast<std::size_t>(random_.below(cases.size()));
    switch (random_.below(6)) {
      case 0:
        cases.erase(cases.begin() + static_cast<std::ptrdiff_t>(i));
        return;
      case 1:
        if (!cases[i].assume.empty()) cases[i].assume.pop_back();
        return;
      case 2:
        if (!cases[i].assume.empty()) {
          Assumption& last = cases[i].assume.back();
          std::swap(last.a, last.b);
        }
        return;
      default: mutate(cases[i].contradiction);
    }
  }

 private:
  TxnId random_txn() { return TxnId(random_.below(h_.size())); }
  OpId random_op() { return OpId(random_.below(h_.ops().size())); }

  void mutate(UnfoundedSet& set) {
    if (set.members.empty()) return;
    const auto i = static_cast<std::size_t>(random_.below(set.members.size()));
    switch (random_.below(3)) {
      case 0:
        set.members.erase(set.members.begin() + static_cast<std::ptrdiff_t>(i));
        return;
      case 1: set.members[i].read = random_op(); return;
      default: set.members[i].after = random_txn();
    }
  }

  void mutate(std::variant<Cycle, BadRead, UnfoundedSet>& contradiction) {
    if (auto* set = std::get_if<UnfoundedSet>(&contradiction))
      return mutate(*set);
    if (auto* bad = std::get_if<BadRead>(&contradiction)) {
      if (random_.chance(0.5))
        bad->kind = static_cast<BadReadKind>(random_.below(6));
      else
        bad->read = random_op();
      return;
    }
    Cycle& cycle = std::get<Cycle>(contradiction);
    if (cycle.empty()) return;
    Edge& edge = cycle[static_cast<std::size_t>(random_.below(cycle.size()))];
    switch (random_.below(7)) {
      case 0: edge.from = random_txn(); break;
      case 1: edge.to = random_txn(); break;
      case 2: edge.kind = static_cast<EdgeKind>(random_.below(5)); break;
      case 3: edge.read = random_op(); break;
      case 4:
        edge.reason = static_cast<WriteOrderReason>(random_.below(5));
        break;
      case 5: edge.forced_by = random_op(); break;
      default: std::swap(edge.from, edge.to); break;
    }
  }

  const History& h_;
  Random& random_;
};

/// Counts what certify() accepts, and fails if it accepts a refutation of
/// something that holds.
struct Campaign {
  int accepted = 0;
  int rejected = 0;
  int wrong = 0;  ///< claims that were false

  void claim(const History& history, const OracleAnswers& answers, Level level,
             const Refutation& refutation) {
    const certify::Certificate certificate =
        certify::certify(history, {level, refutation});
    ++(certificate ? accepted : rejected);
    wrong += answers.allows(level);
    EXPECT_EQ(certificate.is_valid, certificate.why_not.empty());
    EXPECT_FALSE(certificate && answers.allows(level))
        << "a refutation of " << describe(level) << " is accepted\n"
        << to_litmus(history);
  }
};

TEST(RefutationFuzz, NeverAcceptsAForgeryOfWhatHolds) {
  Random random(fuzz_seed(21));
  Campaign campaign;
  for (int round = 0; round < fuzz_rounds(1500); ++round) {
    const History history = random_small_history(random).build();
    const OracleAnswers answers = oracle(history);
    Forger forger(history, random);
    for (int i = 0; i < 10; ++i) {
      const Refutation refutation = forger.forge();
      for (const Base base : all_bases())
        campaign.claim(history, answers,
                       {base, kOrders[random.below(kOrderCount)]}, refutation);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(campaign.wrong, campaign.rejected / 4);
  // The forgeries are good: now and then one is a proof.
  EXPECT_GT(campaign.accepted, fuzz_rounds(300));
}

// A true refutation, claimed for other levels, for other histories, and after
// small changes.
TEST(RefutationFuzz, NeverAcceptsATrueRefutationOfSomethingElse) {
  Random random(fuzz_seed(22));
  Campaign campaign;
  for (int round = 0; round < fuzz_rounds(3000); ++round) {
    const Sketch sketch = random_small_history(random);
    const History history = sketch.build();
    const OracleAnswers answers = oracle(history);
    const Level level{static_cast<Base>(random.below(kBaseCount)),
                      kOrders[random.below(kOrderCount)]};
    const Verdict verdict = check::check(history, level, Budget::unlimited());
    if (verdict.outcome() != Outcome::Violated) continue;
    for (const Base base : all_bases())
      for (const Order order : kOrders)
        campaign.claim(history, answers, {base, order}, verdict.refutation());

    Mutator mutator(history, random);
    for (int i = 0; i < 5; ++i) {
      Refutation changed = verdict.refutation();
      for (std::uint64_t n = random.below(3) + 1; n > 0; --n)
        mutator.mutate(changed);
      for (const Base base : all_bases())
        campaign.claim(history, answers, {base, level.order}, changed);
    }

    // The same evidence for a history in which one read is another.
    Sketch other = sketch;
    for (auto& session : other.sessions)
      for (auto& txn : session)
        for (auto& op : txn.ops)
          if (op.kind == OpKind::Read && random.chance(0.3))
            op.value = random.between(0, 3);
    const History changed = other.build();
    if (oracle_cost(changed) > 20'000) continue;
    const OracleAnswers others = oracle(changed);
    for (const Base base : all_bases())
      campaign.claim(changed, others, {base, level.order},
                     verdict.refutation());
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(campaign.wrong, campaign.rejected / 10);
  EXPECT_GT(campaign.accepted, fuzz_rounds(3000));
}

}  // namespace
}  // namespace txscope
