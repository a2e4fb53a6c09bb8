#include "support/random_history.h"

#include <algorithm>
#include <map>

#include "support/oracle.h"

namespace txscope {
namespace {

using Written = std::int64_t;
constexpr Written kInitialValue = 0;

std::size_t pick(Random& random, std::size_t bound) {
  return static_cast<std::size_t>(random.below(bound));
}

/// What both generators have in common: who runs how many transactions of
/// which operations; reads are filled in later.
class Plan {
 public:
  Plan(const HistoryShape& shape, Random& random)
      : shape_(shape), random_(random) {
    const auto sessions = static_cast<std::size_t>(random.between(
        std::max(1, shape.max_sessions - 1), shape.max_sessions));
    sketch_.sessions.resize(sessions);
    sketch_.judge_aborted = shape.judge_aborted;
    for (int k = 0; k < shape.registers; ++k)
      if (random.chance(shape.no_initial_chance))
        sketch_.initial[k] = std::nullopt;
    const auto txns =
        random.between(std::max(1, shape.max_txns - 2), shape.max_txns);
    for (std::size_t t = 0; t < static_cast<std::size_t>(txns); ++t)
      add_txn(shape.forks && t < sessions ? t : pick(random, sessions));
    if (shape.has_times) add_times();
  }

  Sketch& sketch() { return sketch_; }
  /// Transactions in an order in which they may commit: sessions keep theirs.
  [[nodiscard]] const std::vector<std::size_t>& session_of() const {
    return session_of_;
  }

 private:
  void add_txn(std::size_t session) {
    session_of_.push_back(session);
    Sketch::Txn& txn = sketch_.sessions[session].emplace_back();
    if (random_.chance(shape_.aborted_chance))
      txn.status = Status::Aborted;
    else if (random_.chance(shape_.unknown_chance))
      txn.status = Status::Unknown;
    if (shape_.forks && session_of_.size() <= 4) {
      add_fork_ops(txn, static_cast<int>(session_of_.size()) - 1);
      return;
    }
    if (random_.chance(shape_.plain_chance)) {
      add_plain_ops(txn);
      return;
    }
    const auto ops = random_.between(1, shape_.max_ops);
    for (int o = 0; o < ops; ++o)
      add_op(txn, random_key(), random_.chance(shape_.write_chance));
  }

  // What tells the higher levels apart are transactions that read several keys
  // once, write one, or both; chance seldom makes enough of them.
  void add_plain_ops(Sketch::Txn& txn) {
    const int keys = shape_.registers + shape_.lists;
    const auto written = random_key();
    const bool reads = random_.chance(0.7);
    const bool writes = !reads || random_.chance(0.6);
    const int first = random_key();
    for (int i = 0; reads && i < std::min(keys, shape_.max_ops); ++i)
      add_op(txn, (first + i) % keys, false);
    if (writes) add_op(txn, written, true);
  }

  // Two writers of different keys, then two readers of both: a long fork if
  // each reader sees another one of them.
  void add_fork_ops(Sketch::Txn& txn, int which) {
    const int keys = shape_.registers + shape_.lists;
    if (which < 2) {
      add_op(txn, which % keys, true);
      return;
    }
    add_op(txn, which % keys, false);
    add_op(txn, (which + 1) % keys, false);
  }

  int random_key() {
    return static_cast<int>(pick(
        random_, static_cast<std::size_t>(shape_.registers + shape_.lists)));
  }

  void add_op(Sketch::Txn& txn, int key, bool writes) {
    Sketch::Op& op = txn.ops.emplace_back();
    const bool is_list = key >= shape_.registers;
    op.key = is_list ? shape_.registers - key - 1 : key;
    if (!writes) {
      op.kind = is_list ? OpKind::ReadList : OpKind::Read;
      return;
    }
    op.kind = is_list ? OpKind::Append : OpKind::Write;
    op.value = shape_.repeats_values ? random_.between(1, 2) : ++next_value_;
    if (!is_list && random_.chance(shape_.initial_value_chance))
      op.value = kInitialValue;
  }

  // Commits happen one after the other at times 10, 20, ...; a transaction may
  // have begun any time after the one before it in its session ended, and may
  // take a while to hear of its commit.
  void add_times() {
    std::vector<std::size_t> done(sketch_.sessions.size(), 0);
    std::vector<Written> free(sketch_.sessions.size(), 0);
    Written now = 0;
    for (const std::size_t s : session_of_) {
      now += 10;
      Sketch::Txn& txn = sketch_.sessions[s][done[s]++];
      now = std::max(now, free[s] + 1);
      const Written earliest = std::max<Written>(free[s], now - 40);
      txn.start =
          random_.chance(0.4) ? now - 1 : random_.between(earliest, now - 1);
      const Written end =
          now + (random_.chance(0.4) ? random_.between(0, 25) : 0);
      if (txn.status != Status::Unknown) txn.end = end;
      free[s] = txn.status == Status::Unknown ? now : end;
    }
  }

  const HistoryShape& shape_;
  Random& random_;
  Sketch sketch_;
  std::vector<std::size_t> session_of_;
  Written next_value_ = 0;
};

/// Everything that was ever written to each key.
std::map<int, std::vector<Written>> written_values(const Sketch& sketch) {
  std::map<int, std::vector<Written>> values;
  for (const auto& session : sketch.sessions)
    for (const auto& txn : session)
      for (const auto& op : txn.ops)
        if (op.kind == OpKind::Write || op.kind == OpKind::Append)
          values[op.key].push_back(op.value);
  return values;
}

/// Answers a read with anything that was written, or hardly ever with
/// something that was not.
void answer_at_random(Sketch::Op& op, const std::vector<Written>& values,
                      Random& random) {
  if (op.kind == OpKind::Read) {
    op.value = kInitialValue;
    if (!values.empty() && random.chance(0.8))
      op.value = values[pick(random, values.size())];
    if (random.chance(0.03)) op.value = 99;
    return;
  }
  std::vector<Written> elements = values;
  if (random.chance(0.2))
    for (std::size_t i = elements.size(); i > 1; --i)
      std::swap(elements[i - 1], elements[pick(random, i)]);
  elements.resize(pick(random, elements.size() + 1));
  if (random.chance(0.03)) elements.push_back(99);
  op.elements = std::move(elements);
}

/// A store in which a transaction sees a set of earlier ones.
class Store {
 public:
  Store(const HistoryShape& shape, Level level, Random& random)
      : shape_(shape), level_(level), random_(random), plan_(shape, random) {}

  Sketch run() {
    std::vector<std::size_t> done(plan_.sketch().sessions.size(), 0);
    for (const std::size_t s : plan_.session_of()) {
      Sketch::Txn& txn = plan_.sketch().sessions[s][done[s]++];
      txns_.push_back({&txn, s, {}});
      execute(txns_.size() - 1);
    }
    if (shape_.chaos > 0) add_chaos();
    return std::move(plan_.sketch());
  }

 private:
  using Seen = std::vector<bool>;  ///< by position in txns_
  struct Running {
    Sketch::Txn* txn;
    std::size_t session;
    Seen sees;
  };

  bool has_visible_writes(std::size_t t) const {
    const Status status = txns_[t].txn->status;
    return status == Status::Committed ||
           (status == Status::Unknown && t % 2 == 0);
  }
  static bool writes(const Sketch::Txn& txn, int key) {
    return std::any_of(txn.ops.begin(), txn.ops.end(), [&](const auto& op) {
      return op.key == key &&
             (op.kind == OpKind::Write || op.kind == OpKind::Append);
    });
  }
  bool is_ordered(std::size_t a, std::size_t b) const {
    if (level_.order == Order::None) return false;
    if (txns_[a].session == txns_[b].session) return true;
    return level_.order == Order::Realtime && shape_.has_times &&
           txns_[a].txn->end != Txn::kNoTime &&
           txns_[a].txn->end < txns_[b].txn->start;
  }
  bool write_a_common_key(std::size_t a, std::size_t b) const {
    for (const auto& op : txns_[a].txn->ops)
      if (writes(*txns_[a].txn, op.key) && writes(*txns_[b].txn, op.key))
        return true;
    return false;
  }

  void execute(std::size_t t) {
    Seen& sees = txns_[t].sees;
    sees.assign(t, false);
    const bool grows_later = level_.base == Base::ReadCommitted ||
                             level_.base == Base::ReadUncommitted ||
                             level_.base == Base::MonotonicAtomicView;
    if (!grows_later) {
      for (std::size_t a = 0; a < t; ++a)
        if (is_ordered(a, t) || random_.chance(0.4)) sees[a] = true;
      close(t);
    }
    for (std::size_t o = 0; o < txns_[t].txn->ops.size(); ++o) {
      if (grows_later) {
        if (level_.base != Base::MonotonicAtomicView) sees.assign(t, false);
        for (std::size_t a = 0; a < t; ++a)
          if (random_.chance(0.4)) sees[a] = true;
      }
      answer(t, o);
    }
  }

  // Adds what the level says is seen as well.
  void close(std::size_t t) {
    Seen& sees = txns_[t].sees;
    const Base base = level_.base;
    const bool no_conflicts = base == Base::ParallelSnapshotIsolation ||
                              base == Base::SnapshotIsolation;
    if (no_conflicts)
      for (std::size_t a = 0; a < t; ++a)
        if (write_a_common_key(a, t)) sees[a] = true;
    if (base == Base::Serializable) sees.assign(t, true);
    for (std::size_t a = t; a-- > 0;) {
      if (!sees[a]) continue;
      if (base == Base::Prefix || base == Base::SnapshotIsolation)
        std::fill(sees.begin(), sees.begin() + static_cast<long>(a), true);
      if (base == Base::Causal || base == Base::ParallelSnapshotIsolation)
        for (std::size_t b = 0; b < a; ++b)
          if (txns_[a].sees[b]) sees[b] = true;
    }
  }

  void answer(std::size_t t, std::size_t o) {
    auto& ops = txns_[t].txn->ops;
    Sketch::Op& read = ops[o];
    if (read.kind == OpKind::Read) {
      read.value = kInitialValue;
      for (std::size_t a = 0; a < t; ++a)
        if (txns_[t].sees[a] && has_visible_writes(a))
          for (const auto& op : txns_[a].txn->ops)
            if (op.kind == OpKind::Write && op.key == read.key)
              read.value = op.value;
      for (std::size_t i = 0; i < o; ++i)
        if (ops[i].kind == OpKind::Write && ops[i].key == read.key)
          read.value = ops[i].value;
    } else if (read.kind == OpKind::ReadList) {
      // All versions up to the last one seen: lists have no holes.
      std::size_t end = 0;
      for (std::size_t a = 0; a < t; ++a)
        if (txns_[t].sees[a] && has_visible_writes(a) &&
            writes(*txns_[a].txn, read.key))
          end = a + 1;
      read.elements.clear();
      for (std::size_t a = 0; a < end; ++a)
        if (has_visible_writes(a))
          collect(*txns_[a].txn, read, ~std::size_t{0});
      collect(*txns_[t].txn, read, o);
    }
  }
  static void collect(const Sketch::Txn& txn, Sketch::Op& read,
                      std::size_t before) {
    for (std::size_t i = 0; i < std::min(before, txn.ops.size()); ++i)
      if (txn.ops[i].kind == OpKind::Append && txn.ops[i].key == read.key)
        read.elements.push_back(txn.ops[i].value);
  }

  void add_chaos() {
    const auto values = written_values(plan_.sketch());
    for (const Running& running : txns_)
      for (auto& op : running.txn->ops)
        if ((op.kind == OpKind::Read || op.kind == OpKind::ReadList) &&
            random_.chance(shape_.chaos)) {
          const auto found = values.find(op.key);
          answer_at_random(
              op,
              found == values.end() ? std::vector<Written>() : found->second,
              random_);
        }
  }

  const HistoryShape& shape_;
  Level level_;
  Random& random_;
  Plan plan_;
  std::vector<Running> txns_;
};

}  // namespace

HistoryShape random_shape(Random& random) {
  HistoryShape shape;
  shape.max_sessions = static_cast<int>(random.between(2, 5));
  shape.max_txns = static_cast<int>(random.between(4, 7));
  shape.max_ops = static_cast<int>(random.between(2, 5));
  shape.forks = random.chance(0.15);
  if (shape.forks) shape.max_sessions = 5;
  const auto keys = static_cast<int>(random.between(shape.forks ? 2 : 1, 3));
  shape.lists =
      random.chance(0.35) ? static_cast<int>(random.between(1, keys)) : 0;
  shape.registers = keys - shape.lists;
  shape.write_chance = 0.3 + 0.4 * random.real();
  shape.plain_chance = random.chance(0.5) ? 1 : 0;
  shape.repeats_values = random.chance(0.3);
  shape.initial_value_chance = random.chance(0.2) ? 0.3 : 0;
  shape.no_initial_chance = random.chance(0.1) ? 0.5 : 0;
  shape.aborted_chance = random.chance(0.2) ? 0.3 : 0;
  shape.unknown_chance = random.chance(0.2) ? 0.3 : 0;
  shape.judge_aborted = random.chance(0.3);
  shape.has_times = random.chance(0.5);
  shape.chaos = random.chance(0.4) ? 0.15 : 0;
  return shape;
}

Sketch random_history(const HistoryShape& shape, Random& random) {
  Plan plan(shape, random);
  const auto values = written_values(plan.sketch());
  for (auto& session : plan.sketch().sessions)
    for (auto& txn : session) {
      std::map<int, Written> own;
      for (auto& op : txn.ops) {
        if (op.kind == OpKind::Write) own[op.key] = op.value;
        if (op.kind != OpKind::Read && op.kind != OpKind::ReadList) continue;
        const auto found = values.find(op.key);
        answer_at_random(
            op, found == values.end() ? std::vector<Written>() : found->second,
            random);
        if (own.contains(op.key) && random.chance(0.9)) op.value = own[op.key];
      }
    }
  return std::move(plan.sketch());
}

Sketch simulated_history(const HistoryShape& shape, Level level,
                         Random& random) {
  return Store(shape, level, random).run();
}

Sketch random_small_history(Random& random) {
  for (;;) {
    const HistoryShape shape = random_shape(random);
    auto base = static_cast<Base>(random.below(kBaseCount));
    if (shape.forks)
      base =
          random.chance(0.5) ? Base::Causal : Base::ParallelSnapshotIsolation;
    const auto order = static_cast<Order>(random.below(kOrderCount));
    Sketch sketch = !shape.forks && random.chance(0.3)
                        ? random_history(shape, random)
                        : simulated_history(shape, {base, order}, random);
    constexpr double kAffordable = 20000;
    if (oracle_cost(sketch.build()) <= kAffordable) return sketch;
  }
}

}  // namespace txscope
