#include "robust/single_delay.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "robust/serial_runs.h"

namespace txscope::robust {
namespace {

enum class Flag : std::uint8_t { None, Loaded, Stored };

class DelayFinder {
 public:
  DelayFinder(const exec::Script& script,
              std::span<const exec::InstanceId> active,
              std::uint64_t loop_bound, const Budget& budget)
      : script_(script),
        runner_(script.make_runner(loop_bound, budget)),
        budget_(budget),
        sessions_(by_session(script, active)) {
    next_.resize(sessions_.size());
  }

  DelaySearch run() {
    go_on(script_.initial);
    out_.is_finished = out_.odd || budget_.reason() == Spent::Nothing;
    if (out_.odd) out_.is_inapplicable = false;
    return std::move(out_);
  }

 private:
  using State = std::vector<std::int64_t>;

  [[nodiscard]] bool is_over() {
    return out_.odd || out_.is_inapplicable || budget_.spent();
  }
  [[nodiscard]] std::optional<exec::InstanceId> next(
      std::size_t session) const {
    if (next_[session] == sessions_[session].size()) return std::nullopt;
    return sessions_[session][next_[session]];
  }

  /// The serial prefix.
  void go_on(const State& state) {
    if (is_over() || !is_new(state, nullptr, seen_)) return;
    ++out_.states;
    for (std::size_t s = 0; s < sessions_.size() && !is_over(); ++s) {
      const auto instance = next(s);
      if (!instance) continue;
      const TransactionRun& run = step(*instance, state);
      if (is_over()) return;
      delay(s, run, state);
      if (is_over()) return;
      publish_and(s, run, state, [&](const State& after) { go_on(after); });
    }
  }

  TransactionRun step(exec::InstanceId instance, const State& state) {
    TransactionRun run = run_transaction(*runner_, script_, instance, state);
    if (!run.is_complete()) out_.is_inapplicable = true;
    return run;
  }

  /// Runs the rest with the session's next transaction done and visible.
  template <class F>
  void publish_and(std::size_t session, const TransactionRun& run,
                   const State& state, F&& then) {
    State after = state;
    for (const auto& write : run.writes) after[write.key.index] = write.value;
    path_.push_back({sessions_[session][next_[session]], run});
    ++next_[session];
    then(after);
    --next_[session];
    path_.pop_back();
  }

  /// The session's next transaction is the delayed one.
  void delay(std::size_t session, const TransactionRun& run,
             const State& state) {
    if (run.writes.empty() || run.reads.empty()) return;
    delayed_ = sessions_[session][next_[session]];
    delayed_run_ = run;
    delayed_at_ = path_.size();
    ++next_[session];
    Chain chain;
    chain.flags.resize(script_.initial.size());
    chain.joined.resize(sessions_.size());
    for (const auto& read : run.reads) {
      chain.flags[read.key.index] = Flag::Loaded;
    }
    chain_seen_.clear();
    grow(session, state, chain);
    --next_[session];
  }

  struct Chain {
    std::vector<Flag> flags;
    std::vector<bool> joined;  // by session
  };

  void grow(std::size_t stopped, const State& state, const Chain& chain) {
    if (is_over() || !is_new(state, &chain, chain_seen_)) return;
    ++out_.states;
    for (std::size_t s = 0; s < sessions_.size() && !is_over(); ++s) {
      const auto instance = next(s);
      if (s == stopped || !instance) continue;
      const TransactionRun run = step(*instance, state);
      if (is_over()) return;
      if (writes_delayed(run) || !joins(s, run, chain)) continue;
      publish_and(s, run, state, [&](const State& after) {
        if (reads_delayed(run)) {
          finish(after);
          return;
        }
        grow(stopped, after, extended(s, run, chain));
      });
    }
  }

  [[nodiscard]] bool writes_delayed(const TransactionRun& run) const {
    return std::any_of(run.writes.begin(), run.writes.end(),
                       [&](const auto& w) { return is_delayed(w.key); });
  }
  [[nodiscard]] bool reads_delayed(const TransactionRun& run) const {
    return std::any_of(run.reads.begin(), run.reads.end(),
                       [&](const auto& r) { return is_delayed(r.key); });
  }
  [[nodiscard]] bool is_delayed(KeyId key) const {
    return std::any_of(delayed_run_.writes.begin(), delayed_run_.writes.end(),
                       [&](const auto& w) { return w.key == key; });
  }
  [[nodiscard]] static bool joins(std::size_t session,
                                  const TransactionRun& run,
                                  const Chain& chain) {
    if (chain.joined[session]) return true;
    return std::any_of(run.reads.begin(), run.reads.end(),
                       [&](const auto& r) {
                         return chain.flags[r.key.index] == Flag::Stored;
                       }) ||
           std::any_of(run.writes.begin(), run.writes.end(),
                       [&](const auto& w) {
                         return chain.flags[w.key.index] != Flag::None;
                       });
  }
  [[nodiscard]] static Chain extended(std::size_t session,
                                      const TransactionRun& run,
                                      const Chain& chain) {
    Chain out = chain;
    out.joined[session] = true;
    for (const auto& write : run.writes) {
      out.flags[write.key.index] = Flag::Stored;
    }
    for (const auto& read : run.reads) {
      Flag& flag = out.flags[read.key.index];
      if (flag == Flag::None) flag = Flag::Loaded;
    }
    return out;
  }

  using Seen = std::unordered_set<Shown, ShownHash>;
  bool is_new(const State& state, const Chain* chain, Seen& seen) const {
    Shown key(state.begin(), state.end());
    for (const std::size_t n : next_)
      key.push_back(static_cast<std::int64_t>(n));
    if (chain != nullptr) {
      for (const Flag flag : chain->flags) {
        key.push_back(static_cast<std::int64_t>(flag));
      }
      for (const bool joined : chain->joined) key.push_back(joined ? 1 : 0);
    }
    return seen.insert(std::move(key)).second;
  }

  /// A cycle is closed: the delayed transaction commits, the rest follows.
  void finish(const State& state) {
    const std::size_t size = path_.size();
    std::vector<std::size_t> next = next_;
    State now = state;
    for (const auto& write : delayed_run_.writes) {
      now[write.key.index] = write.value;
    }
    std::vector<Ran> rest;
    for (std::size_t s = 0; s < sessions_.size(); ++s) {
      for (; next[s] < sessions_[s].size(); ++next[s]) {
        Ran ran{sessions_[s][next[s]],
                run_transaction(*runner_, script_, sessions_[s][next[s]], now)};
        if (!ran.run.is_complete()) {
          out_.is_inapplicable = true;
          return;
        }
        for (const auto& write : ran.run.writes) {
          now[write.key.index] = write.value;
        }
        rest.push_back(std::move(ran));
      }
    }
    if (!can_commit(rest)) {
      out_.is_inapplicable = true;
      return;
    }
    Execution odd;
    odd.history.level = Base::SnapshotIsolation;
    LatestWriters latest;
    LatestWriters early;
    for (std::size_t i = 0; i < size; ++i) {
      if (i == delayed_at_) early = latest;
      append(path_[i].instance, path_[i].run, latest, latest, odd);
    }
    if (delayed_at_ == size) early = latest;
    append(delayed_, delayed_run_, early, latest, odd);
    for (const Ran& ran : rest)
      append(ran.instance, ran.run, latest, latest, odd);
    std::sort(
        odd.history.txns.begin(), odd.history.txns.end(),
        [](const auto& a, const auto& b) { return a.instance < b.instance; });
    out_.odd = std::move(odd);
  }

  struct Ran {
    exec::InstanceId instance;
    TransactionRun run;
  };

  bool can_commit(const std::vector<Ran>& rest) const {
    std::vector<const std::int64_t*> all;
    const auto take = [&](const TransactionRun& run) {
      if (run.end.stop == exec::Stop::Commit) all.push_back(run.slots.data());
    };
    for (const Ran& ran : path_) take(ran.run);
    take(delayed_run_);
    for (const Ran& ran : rest) take(ran.run);
    return runner_->can_commit(all);
  }

  const exec::Script& script_;
  std::unique_ptr<exec::Runner> runner_;
  const Budget& budget_;
  std::vector<std::vector<exec::InstanceId>> sessions_;
  std::vector<std::size_t> next_;  // by session
  std::vector<Ran> path_;          // published, in order
  exec::InstanceId delayed_;
  TransactionRun delayed_run_;
  std::size_t delayed_at_ = 0;
  Seen seen_;
  Seen chain_seen_;
  DelaySearch out_;
};

}  // namespace

DelaySearch find_delay(const exec::Script& script,
                       std::span<const exec::InstanceId> active,
                       std::uint64_t loop_bound, const Budget& budget) {
  return DelayFinder(script, active, loop_bound, budget).run();
}

}  // namespace txscope::robust
