#include "robust/serial_runs.h"

#include <algorithm>
#include <cassert>

#include "robust/lens.h"

namespace txscope::robust {
namespace {

/// What one transaction shows: whether it committed, and what it was told.
void show(Lens& lens, const TransactionRun& run, Shown& to) {
  to.push_back(run.end.stop == exec::Stop::Commit ? 1 : 0);
  const std::size_t at = to.size();
  to.push_back(0);
  lens.show(run, to);
  to[at] = static_cast<std::int64_t>(to.size() - at);
}

class OrderRunner {
 public:
  OrderRunner(const exec::Script& script,
              std::span<const exec::InstanceId> active,
              std::uint64_t loop_bound, const Budget& budget)
      : script_(script),
        lens_(make_lens(script, loop_bound, budget)),
        budget_(budget),
        sessions_(by_session(script, active)) {
    next_.resize(sessions_.size());
    shown_.resize(script.instances.size());
    left_ = active.size();
  }

  SerialRuns run() {
    go_on(script_.initial);
    return std::move(out_);
  }

 private:
  void go_on(const std::vector<std::int64_t>& state) {
    if (budget_.spent()) {
      out_.is_complete = false;
      return;
    }
    if (!is_new(state)) return;
    if (left_ == 0) {
      out_.states.insert(state_of(*lens_, state));
      out_.outcomes.insert(all_shown(state_of(*lens_, state)));
      return;
    }
    for (std::size_t s = 0; s < sessions_.size(); ++s) {
      if (next_[s] == sessions_[s].size()) continue;
      step(s, state);
    }
  }

  void step(std::size_t session, const std::vector<std::int64_t>& state) {
    const exec::InstanceId instance = sessions_[session][next_[session]];
    const TransactionRun run =
        run_transaction(lens_->runner(), script_, instance, state);
    if (run.end.stop == exec::Stop::Fault) out_.faults.insert(run.end.pc);
    if (run.end.stop == exec::Stop::Bound) out_.is_complete = false;
    if (!run.is_complete()) return;
    std::vector<std::int64_t> after = state;
    for (const auto& write : run.writes) after[write.key.index] = write.value;
    Shown& shown = shown_[instance.index];
    show(*lens_, run, shown);
    ++next_[session];
    --left_;
    go_on(after);
    ++left_;
    --next_[session];
    shown.clear();
  }

  [[nodiscard]] Shown all_shown(const std::vector<std::int64_t>& state) const {
    Shown all;
    for (const Shown& one : shown_)
      all.insert(all.end(), one.begin(), one.end());
    all.insert(all.end(), state.begin(), state.end());
    return all;
  }

  bool is_new(const std::vector<std::int64_t>& state) {
    Shown key = all_shown(state);
    for (const std::size_t n : next_)
      key.push_back(static_cast<std::int64_t>(n));
    return seen_.insert(std::move(key)).second;
  }

  const exec::Script& script_;
  std::unique_ptr<Lens> lens_;
  const Budget& budget_;
  std::vector<std::vector<exec::InstanceId>> sessions_;
  std::vector<std::size_t> next_;
  std::size_t left_ = 0;
  std::vector<Shown> shown_;  // by instance
  std::unordered_set<Shown, ShownHash> seen_;
  SerialRuns out_;
};

}  // namespace

std::size_t ShownHash::operator()(const Shown& shown) const {
  std::uint64_t hash = 0x243f6a8885a308d3ull;
  for (const std::int64_t value : shown) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

std::vector<std::vector<exec::InstanceId>> by_session(
    const exec::Script& script, std::span<const exec::InstanceId> active) {
  std::vector<std::vector<exec::InstanceId>> sessions(script.session_count());
  for (const exec::InstanceId i : active) {
    sessions[script.instances[i.index].session].push_back(i);
  }
  return sessions;
}

TransactionRun run_transaction(exec::Runner& runner, const exec::Script& script,
                               exec::InstanceId instance,
                               std::span<const std::int64_t> state) {
  return run_transaction(runner, script, instance,
                         [&](KeyId key) { return state[key.index]; });
}

namespace {

/// The read of a row that its first own write began from; none: it was not
/// read.
std::optional<std::size_t> base_of(const TransactionRun& run,
                                   const TransactionRun::Write& write) {
  std::optional<std::size_t> base;
  for (std::size_t i = 0; i < run.reads.size(); ++i) {
    if (run.reads[i].key != write.key) continue;
    base = i;
    if (run.reads[i].pc == write.pcs.front()) break;
  }
  return base;
}

}  // namespace

TransactionRun run_transaction(exec::Runner& runner, const exec::Script& script,
                               exec::InstanceId instance,
                               const ReadAnswer& answer) {
  TransactionRun out;
  out.slots.resize(script.max_slots);
  std::map<std::uint32_t, TransactionRun::Write> own;
  out.end = runner.start(instance, out.slots.data());
  for (;;) {
    if (out.end.stop == exec::Stop::Read) {
      const auto mine = own.find(out.end.key.index);
      std::int64_t value = 0;
      if (mine != own.end()) {
        value = mine->second.value;
        if (const auto base = base_of(out, mine->second))
          out.own_reads.push_back({*base,
                                   {out.end.key, out.reads[*base].value,
                                    out.end.pc, mine->second.pcs}});
      } else {
        value = answer(out.end.key);
        out.reads.push_back({out.end.key, value, out.end.pc});
      }
      out.end = runner.answer(out.end.pc, value, out.slots.data());
    } else if (out.end.stop == exec::Stop::Write) {
      TransactionRun::Write& write = own[out.end.key.index];
      write.key = out.end.key;
      write.value = out.end.value;
      write.pcs.push_back(out.end.pc);
      out.end = runner.resume(out.end.pc, out.slots.data());
    } else {
      break;
    }
  }
  if (out.end.stop == exec::Stop::Commit) {
    for (const auto& [key, write] : own) out.writes.push_back(write);
  }
  return out;
}

TransactionRun run_again(exec::Runner& runner, const exec::Script& script,
                         const explore::ExploredHistory::Txn& txn) {
  std::vector<std::int64_t> values;
  for (const auto& event : txn.events) {
    if (event.kind == explore::ExploredHistory::Event::Kind::Read)
      values.push_back(event.value);
  }
  std::size_t next = 0;
  return run_transaction(runner, script, txn.instance, [&](KeyId) {
    assert(next < values.size() && "it reads what it read");
    return values[next++];
  });
}

void append(exec::InstanceId instance, const TransactionRun& run,
            const LatestWriters& read, LatestWriters& latest, Execution& to) {
  using Event = explore::ExploredHistory::Event;
  explore::ExploredHistory::Txn txn;
  txn.instance = instance;
  txn.is_committed = run.end.stop == exec::Stop::Commit;
  for (const auto& r : run.reads) {
    const auto source = read.find(r.key.index);
    txn.events.push_back({Event::Kind::Read, r.key, r.value,
                          source == read.end() ? exec::kInit : source->second});
  }
  for (const auto& w : run.writes) {
    txn.events.push_back({Event::Kind::Write, w.key, w.value, exec::kInit});
  }
  for (const auto& w : run.writes) latest[w.key.index] = instance;
  to.commit_order.push_back(instance);
  to.history.txns.push_back(std::move(txn));
}

SerialRuns run_all_orders(const exec::Script& script,
                          std::span<const exec::InstanceId> active,
                          std::uint64_t loop_bound, const Budget& budget) {
  return OrderRunner(script, active, loop_bound, budget).run();
}

Shown outcome_of(const exec::Script& script, Lens& lens,
                 const explore::ExploredHistory& history,
                 std::span<const std::int64_t> finals) {
  Shown out;
  for (const auto& txn : history.txns)
    show(lens, run_again(lens.runner(), script, txn), out);
  const Shown state = state_of(lens, finals);
  out.insert(out.end(), state.begin(), state.end());
  return out;
}

Shown state_of(Lens& lens, std::span<const std::int64_t> finals) {
  Shown out(finals.begin(), finals.end());
  lens.forget_names(out);
  return out;
}

namespace {

class SerialExecutions {
 public:
  SerialExecutions(const exec::Script& script,
                   std::span<const exec::InstanceId> active, Lens& lens,
                   const Budget& budget,
                   const std::function<void(const Execution&)>& on_execution)
      : script_(script),
        lens_(lens),
        budget_(budget),
        on_execution_(on_execution),
        sessions_(by_session(script, active)),
        next_(sessions_.size()),
        left_(active.size()) {}

  bool run() {
    go_on(script_.initial);
    return is_complete_;
  }

 private:
  struct Ran {
    exec::InstanceId instance;
    TransactionRun run;
  };

  void go_on(const std::vector<std::int64_t>& state) {
    if (budget_.spent()) is_complete_ = false;
    if (!is_complete_) return;
    if (left_ == 0) return tell();
    for (std::size_t s = 0; s < sessions_.size(); ++s) {
      if (next_[s] == sessions_[s].size()) continue;
      const exec::InstanceId instance = sessions_[s][next_[s]];
      TransactionRun run =
          run_transaction(lens_.runner(), script_, instance, state);
      if (run.end.stop == exec::Stop::Bound) is_complete_ = false;
      if (!run.is_complete()) continue;
      std::vector<std::int64_t> after = state;
      for (const auto& write : run.writes) after[write.key.index] = write.value;
      path_.push_back({instance, std::move(run)});
      ++next_[s];
      --left_;
      go_on(after);
      ++left_;
      --next_[s];
      path_.pop_back();
    }
  }

  void tell() {
    Execution execution;
    LatestWriters latest;
    for (const Ran& ran : path_)
      append(ran.instance, ran.run, latest, latest, execution);
    std::sort(
        execution.history.txns.begin(), execution.history.txns.end(),
        [](const auto& a, const auto& b) { return a.instance < b.instance; });
    on_execution_(execution);
  }

  const exec::Script& script_;
  Lens& lens_;
  const Budget& budget_;
  const std::function<void(const Execution&)>& on_execution_;
  const std::vector<std::vector<exec::InstanceId>> sessions_;
  std::vector<std::size_t> next_;
  std::size_t left_;
  std::vector<Ran> path_;
  bool is_complete_ = true;
};

}  // namespace

bool for_each_serial_execution(
    const exec::Script& script, std::span<const exec::InstanceId> active,
    Lens& lens, const Budget& budget,
    const std::function<void(const Execution&)>& on_execution) {
  return SerialExecutions(script, active, lens, budget, on_execution).run();
}

}  // namespace txscope::robust
