#include "generate/simulate.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "generate/dirty_store.h"
#include "generate/replicated_store.h"

namespace txscope::generate {
namespace {

std::unique_ptr<Store> make_store(const Simulation& s, Random& random) {
  if (s.level.base == Base::ReadUncommitted)
    return std::make_unique<DirtyStore>();
  const std::uint32_t sessions = s.workload.sessions;
  return std::make_unique<ReplicatedStore>(
      s.level, sessions, std::clamp(s.replicas, 1u, sessions), random);
}

// Writes finished transactions into the builder.
class Recorder {
 public:
  Recorder(const Simulation& simulation, const Store& store,
           HistoryBuilder& builder)
      : simulation_(simulation), store_(store), builder_(builder) {
    builder_.set_default_initial(builder_.atoms().of_int(0));
    for (std::uint32_t s = 1; s <= simulation.workload.sessions; ++s)
      sessions_.push_back(builder_.session(builder_.atoms().of_int(s)));
  }

  void record(const RunningTxn& txn) {
    builder_.begin(sessions_[txn.session]);
    if (simulation_.has_times) builder_.set_times(txn.start, txn.end);
    for (std::size_t i = 0; i < txn.ops.size(); ++i) record(txn, i);
    switch (txn.fate) {
      case Fate::Commits: builder_.end(Status::Committed); break;
      case Fate::Aborts: builder_.end(Status::Aborted); break;
      case Fate::Vanishes:
      case Fate::CommitsUnseen: builder_.end(Status::Unknown); break;
    }
  }

 private:
  void record(const RunningTxn& txn, std::size_t i) {
    const SimulatedOp& op = txn.ops[i];
    const KeyId key = key_of(op.key);
    const Atom value = builder_.atoms().of_int(op.value);
    switch (op.kind) {
      case OpKind::Read: builder_.read(key, value); return;
      case OpKind::Write: builder_.write(key, value); return;
      case OpKind::Append: builder_.append(key, value); return;
      case OpKind::ReadList: break;
    }
    elements_.clear();
    for (const std::int64_t element :
         store_.list(op.key).first(static_cast<std::size_t>(op.value)))
      elements_.push_back(builder_.atoms().of_int(element));
    for (std::size_t j = 0; j < i; ++j)
      if (txn.ops[j].key == op.key && txn.ops[j].kind == OpKind::Append)
        elements_.push_back(builder_.atoms().of_int(txn.ops[j].value));
    builder_.read_list(key, elements_);
  }

  // A key enters the history when it is first used.
  KeyId key_of(std::uint32_t key) {
    if (key >= keys_.size()) keys_.resize(2 * key + 16, kNone<KeyId>);
    if (keys_[key] == kNone<KeyId>)
      keys_[key] = builder_.key(builder_.atoms().of_int(key));
    return keys_[key];
  }

  const Simulation& simulation_;
  const Store& store_;
  HistoryBuilder& builder_;
  std::vector<SessionId> sessions_;
  std::vector<KeyId> keys_;
  std::vector<Atom> elements_;
};

// A session and how many transactions it has still to end.
struct Client {
  RunningTxn txn;
  std::uint32_t remaining = 0;
  bool is_idle = true;
};

// Gives the sessions their turns, at random.  One that waits rests until some
// transaction ends; a few are woken then, so waiting costs little even where
// nearly everybody waits.
class Scheduler {
 public:
  Scheduler(const SimulatedLoad& workload, Random& random)
      : random_(random), clients_(workload.sessions) {
    for (std::uint32_t s = 0; s < workload.sessions; ++s) {
      clients_[s].txn.session = s;
      clients_[s].remaining = workload.transactions / workload.sessions +
                              (s < workload.transactions % workload.sessions);
      if (clients_[s].remaining > 0) awake_.push_back(s);
    }
  }

  void run(Planner& planner, Store& store, Recorder& recorder) {
    for (std::int64_t now = 1; !awake_.empty(); now += 2) {
      const std::size_t turn = random_.below(awake_.size());
      Client& client = clients_[awake_[turn]];
      if (client.is_idle) {
        client.is_idle = false;
        client.txn.renew();
        planner.plan(client.txn.ops, client.txn.fate);
      }
      const StepEnd progress = store.step(client.txn, now);
      if (progress == StepEnd::Ran) continue;
      if (progress == StepEnd::Waits) {
        move(awake_, turn, &asleep_);
        continue;
      }
      recorder.record(client.txn);
      client.is_idle = true;
      if (--client.remaining == 0) move(awake_, turn, nullptr);
      for (int woken = 0; woken < 4 && !asleep_.empty(); ++woken)
        move(asleep_, random_.below(asleep_.size()), &awake_);
    }
  }

 private:
  using Sessions = std::vector<std::uint32_t>;
  static void move(Sessions& from, std::size_t place, Sessions* to) {
    if (to != nullptr) to->push_back(from[place]);
    from[place] = from.back();
    from.pop_back();
  }

  Random& random_;
  std::vector<Client> clients_;
  Sessions awake_;
  Sessions asleep_;
};

}  // namespace

Result<Done> simulate(const Simulation& simulation, HistoryBuilder& builder) {
  if (auto checked = check_workload(simulation.workload); !checked)
    return checked;
  Random random(simulation.seed);
  Planner planner(simulation.workload, random);
  const std::unique_ptr<Store> store = make_store(simulation, random);
  Recorder recorder(simulation, *store, builder);
  Scheduler(simulation.workload, random).run(planner, *store, recorder);
  return Done{};
}

Result<History> simulate(const Simulation& simulation) {
  HistoryBuilder builder("generated");
  if (auto done = simulate(simulation, builder); !done) return done.error();
  return std::move(builder).finish();
}

}  // namespace txscope::generate
