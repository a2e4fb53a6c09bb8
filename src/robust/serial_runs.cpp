#include "robust/serial_runs.h"

#include <algorithm>
#include <map>

namespace txscope::robust {
namespace {

/// What one transaction shows: whether it committed, and the values it read.
void show(bool is_committed, std::span<const std::int64_t> values, Shown& to) {
  to.push_back(is_committed ? 1 : 0);
  to.push_back(static_cast<std::int64_t>(values.size()));
  to.insert(to.end(), values.begin(), values.end());
}

class OrderRunner {
 public:
  OrderRunner(const Script& script, std::span<const InstanceId> active,
              std::uint64_t loop_bound, const Budget& budget)
      : script_(script),
        runner_(script.make_runner(loop_bound, budget)),
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
      out_.states.insert(state);
      out_.outcomes.insert(all_shown(state));
      return;
    }
    for (std::size_t s = 0; s < sessions_.size(); ++s) {
      if (next_[s] == sessions_[s].size()) continue;
      step(s, state);
    }
  }

  void step(std::size_t session, const std::vector<std::int64_t>& state) {
    const InstanceId instance = sessions_[session][next_[session]];
    const TransactionRun run =
        run_transaction(*runner_, script_, instance, state);
    if (run.end.stop == Stop::Fault) out_.faults.insert(run.end.pc);
    if (run.end.stop == Stop::Bound) out_.is_complete = false;
    if (!run.is_complete()) return;
    std::vector<std::int64_t> after = state;
    for (const auto& write : run.writes) after[write.key.index] = write.value;
    std::vector<std::int64_t> values;
    for (const auto& read : run.reads) values.push_back(read.value);
    Shown& shown = shown_[instance.index];
    show(run.end.stop == Stop::Commit, values, shown);
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

  const Script& script_;
  std::unique_ptr<Runner> runner_;
  const Budget& budget_;
  std::vector<std::vector<InstanceId>> sessions_;
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

std::vector<std::vector<InstanceId>> by_session(
    const Script& script, std::span<const InstanceId> active) {
  std::vector<std::vector<InstanceId>> sessions(script.session_count());
  for (const InstanceId i : active) {
    sessions[script.instances[i.index].session].push_back(i);
  }
  return sessions;
}

TransactionRun run_transaction(Runner& runner, const Script& script,
                               InstanceId instance,
                               std::span<const std::int64_t> state) {
  TransactionRun out;
  out.slots.resize(script.max_slots);
  std::map<std::uint32_t, std::int64_t> own;
  out.end = runner.start(instance, out.slots.data());
  for (;;) {
    if (out.end.stop == Stop::Read) {
      const auto mine = own.find(out.end.key.index);
      std::int64_t value = 0;
      if (mine != own.end()) {
        value = mine->second;
      } else {
        value = state[out.end.key.index];
        out.reads.push_back({out.end.key, value});
      }
      out.end = runner.answer(out.end.pc, value, out.slots.data());
    } else if (out.end.stop == Stop::Write) {
      own[out.end.key.index] = out.end.value;
      out.end = runner.resume(out.end.pc, out.slots.data());
    } else {
      break;
    }
  }
  if (out.end.stop == Stop::Commit) {
    for (const auto& [key, value] : own) {
      out.writes.push_back({KeyId(key), value});
    }
  }
  return out;
}

SerialRuns run_all_orders(const Script& script,
                          std::span<const InstanceId> active,
                          std::uint64_t loop_bound, const Budget& budget) {
  return OrderRunner(script, active, loop_bound, budget).run();
}

Shown outcome_of(const ExploredHistory& history,
                 std::span<const std::int64_t> finals) {
  using Kind = ExploredHistory::Event::Kind;
  Shown out;
  std::vector<std::int64_t> values;
  for (const auto& txn : history.txns) {
    values.clear();
    for (const auto& event : txn.events) {
      if (event.kind == Kind::Read) values.push_back(event.value);
    }
    show(txn.is_committed, values, out);
  }
  out.insert(out.end(), finals.begin(), finals.end());
  return out;
}

}  // namespace txscope::robust
