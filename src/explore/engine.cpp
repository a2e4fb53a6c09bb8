#include "explore/engine.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "base/striped_table.h"
#include "base/work_pool.h"

namespace txscope::explore {
namespace {

constexpr std::uint64_t kReportEvery = 4096;  // leaves between two reports

/// 128 bits, of which 0 stand for nothing.
struct Fingerprint {
  std::uint64_t a = 0;
  std::uint64_t b = 0;

  void add(std::uint64_t value) {
    a = (a ^ value) * 0x9e3779b97f4a7c15ull;
    a ^= a >> 29;
    b = (b + value) * 0xbf58476d1ce4e5b9ull;
    b ^= b >> 32;
  }
  [[nodiscard]] bool is_empty() const { return a == 0 && b == 0; }
  [[nodiscard]] std::uint64_t place() const { return a; }
  [[nodiscard]] bool is_same(const Fingerprint& other) const {
    return a == other.a && b == other.b;
  }
};

template <std::size_t W>
std::vector<std::uint16_t> ascending(const HistorySearch<W>& search) {
  std::vector<std::uint16_t> ids(search.history().order.begin(),
                                 search.history().order.end());
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// The same for two leaves iff their histories are the same: transactions,
/// events in program order (kind and key) and sources of reads.
template <std::size_t W>
Fingerprint fingerprint(const HistorySearch<W>& search) {
  Fingerprint print{0x243f6a8885a308d3ull, 0x13198a2e03707344ull};
  for (const std::uint16_t t : ascending(search)) {
    print.add(t);
    print.add(static_cast<std::uint64_t>(search.history().progress[t]));
    for (const auto& event : search.log(t)) {
      print.add(event.key.index * 4u + static_cast<unsigned>(event.kind));
      print.add(event.source);
    }
  }
  return print;
}

template <std::size_t W>
ExploredHistory to_history(const HistorySearch<W>& search, Base level) {
  ExploredHistory out;
  out.level = level;
  for (const std::uint16_t t : ascending(search)) {
    ExploredHistory::Txn txn;
    txn.instance = exec::InstanceId(t);
    txn.is_committed = search.history().progress[t] == Progress::Committed;
    for (const auto& event : search.log(t)) {
      using Kind = ExploredHistory::Event::Kind;
      const Kind kind = event.kind == EventKind::Read      ? Kind::Read
                        : event.kind == EventKind::OwnRead ? Kind::OwnRead
                                                           : Kind::Write;
      txn.events.push_back(
          {kind, event.key, event.value, exec::InstanceId(event.source)});
    }
    out.txns.push_back(std::move(txn));
  }
  return out;
}

/// The threads of one search.
class ThreadSource : public WorkSource {
 public:
  explicit ThreadSource(unsigned jobs) : pool_(jobs) {
    pool_.give({});  // the whole of the work
  }
  std::optional<WorkItem> take() override { return pool_.take(); }
  bool is_wanted() override { return pool_.is_wanted(); }
  void give(WorkItem item) override { pool_.give(std::move(item)); }
  void stop() override { pool_.stop(); }
  bool was_stopped() override { return pool_.was_stopped(); }

 private:
  WorkPool<WorkItem> pool_;
};

template <std::size_t W, std::size_t V>
class Engine {
 public:
  Engine(const exec::Script& script, const EngineTask& task,
         const Budget& budget)
      : script_(script),
        task_(task),
        budget_(budget),
        threads_(std::max(1u, task.jobs)) {
    result_.counts.resize(task.levels.size());
    for (LevelCounts& counts : result_.counts) {
      counts.violating.resize(script.properties);
    }
    has_finding_.resize(task.levels.size());
  }

  EngineResult run() {
    const unsigned jobs =
        task_.algorithm == Algorithm::Dfs ? 1 : std::max(1u, task_.jobs);
    if (task_.source != nullptr) {
      if (!work(task_.source)) task_.source->stop();
      result_.is_finished = !task_.source->was_stopped();
    } else if (jobs == 1) {
      result_.is_finished = work(nullptr);
    } else {
      std::vector<std::thread> threads;
      for (unsigned i = 0; i < jobs; ++i) {
        threads.emplace_back([this] {
          if (!work(&threads_)) threads_.stop();
        });
      }
      for (std::thread& thread : threads) thread.join();
      result_.is_finished = !threads_.was_stopped();
    }
    std::sort(result_.findings.begin(), result_.findings.end(),
              [](const Finding& x, const Finding& y) {
                return key_of(x) < key_of(y);
              });
    return std::move(result_);
  }

 private:
  static std::tuple<Base, bool, std::uint32_t, std::uint32_t> key_of(
      const Finding& f) {
    const auto& property = f.target.property;
    return {f.level, !property, property ? property->index : 0, f.target.pc};
  }

  /// One worker, until there is no work.  False if it was made to stop.
  bool work(WorkSource* source) {
    const Budget budget(budget_);  // a copy: threads would share its counter
    typename HistorySearch<W>::Options options;
    options.level = task_.explored;
    options.loop_bound = task_.loop_bound;
    options.is_naive = task_.algorithm == Algorithm::Dfs;
    for (const exec::InstanceId i : task_.active) options.active.set(i.index);
    HistorySearch<W> search(script_, options, budget);
    typename LeafJudge<W, V>::OnHistory on_history;
    if (task_.on_history) {
      on_history = [this](const HistorySearch<W>& leaf, Base level) {
        const std::lock_guard lock(mutex_);
        task_.on_history(to_history(leaf, level));
      };
    }
    LeafJudge<W, V> judge(
        script_, {task_.levels, task_.counts_all, task_.observed}, budget,
        [this](const HistorySearch<W>& leaf, const LeafFinding& finding) {
          keep(leaf, finding);
        },
        std::move(on_history));
    const bool remembers =
        task_.self_check || task_.algorithm == Algorithm::Dfs;
    std::uint64_t reported = 0;
    SearchCounts last;
    const auto report = [&] {
      const std::lock_guard lock(mutex_);
      progress_.end_states += judge.end_states() - reported;
      progress_.explored += search.counts().explored - last.explored;
      reported = judge.end_states();
      last = search.counts();
      if (task_.on_progress) task_.on_progress(progress_);
    };
    const auto on_leaf = [&](const HistorySearch<W>& leaf) {
      if (remembers && !remember(leaf)) return true;
      judge.leaf(leaf);
      if (leaf.counts().leaves % kReportEvery == 0) report();
      return !is_over(leaf.counts().explored);
    };
    std::function<void(HistorySearch<W>&)> on_idle;
    if (source != nullptr) {
      on_idle = [this, source](HistorySearch<W>& s) {
        WorkItem item;
        if (source->is_wanted() && s.give_away(item))
          source->give(std::move(item));
        if (task_.source != nullptr && source->was_stopped())
          stopped_.store(true);
      };
    }
    bool finished = true;
    if (source == nullptr) {
      finished = search.run({}, on_leaf);
    } else {
      while (finished) {
        const std::optional<WorkItem> item = source->take();
        if (!item) break;
        finished = search.run(*item, on_leaf, on_idle);
      }
    }
    merge(search.counts(), judge, budget.reason());
    return finished;
  }

  bool remember(const HistorySearch<W>& leaf) {
    if (seen_.insert(fingerprint(leaf))) return true;
    const std::lock_guard lock(mutex_);
    ++result_.duplicates;
    return false;
  }

  /// Whether enough is known, or enough was spent.
  bool is_over(std::uint64_t explored) {
    if (stopped_.load(std::memory_order_relaxed)) return true;
    const bool enough = task_.enough && explored > *task_.enough &&
                        missing_.load(std::memory_order_relaxed) == 0;
    const bool limited = task_.limit && explored > *task_.limit;
    const bool is_vain =
        script_.is_outgrown() || (task_.wants_end && task_.wants_end());
    if (enough || limited || is_vain) stopped_.store(true);
    return enough || limited || is_vain;
  }

  void keep(const HistorySearch<W>& leaf, const LeafFinding& found) {
    const std::lock_guard lock(mutex_);
    Finding finding;
    finding.level = found.level;
    finding.target = {found.property, found.property ? 0 : found.pc};
    if (task_.target && *task_.target != finding.target) return;
    const auto known = std::find_if(
        result_.findings.begin(), result_.findings.end(),
        [&](const Finding& f) { return key_of(f) == key_of(finding); });
    const auto size_of = [](const HistorySearch<W>& s) {
      std::size_t events = 0;
      for (const std::uint16_t t : s.history().order) events += s.log(t).size();
      return events;
    };
    if (known != result_.findings.end()) {
      if (!task_.wants_shortest) return;
      std::size_t& best =
          sizes_[static_cast<std::size_t>(known - result_.findings.begin())];
      if (size_of(leaf) >= best) return;
      best = size_of(leaf);
      known->history = leaf.leaf_item();
      return;
    }
    sizes_.push_back(size_of(leaf));
    finding.history = leaf.leaf_item();
    result_.findings.push_back(std::move(finding));
    if (found.property && is_witness(*found.property)) return;
    const auto level = static_cast<std::size_t>(
        std::find(task_.levels.begin(), task_.levels.end(), found.level) -
        task_.levels.begin());
    has_finding_[level] = true;
    missing_.store(static_cast<unsigned>(
        std::count(has_finding_.begin(), has_finding_.end(), false)));
  }

  /// Something that has to exist: finding it violates nothing.
  bool is_witness(PropertyId property) const {
    return std::any_of(script_.conditions.begin(), script_.conditions.end(),
                       [&](const exec::Script::Condition& c) {
                         return c.property == property &&
                                c.kind == PropertyKind::Exists;
                       });
  }

  void merge(const SearchCounts& counts, const LeafJudge<W, V>& judge,
             Spent spent) {
    const std::lock_guard lock(mutex_);
    if (spent != Spent::Nothing) result_.spent = spent;
    result_.search.explored += counts.explored;
    result_.search.blocked += counts.blocked;
    result_.search.leaves += counts.leaves;
    result_.end_states += judge.end_states();
    for (std::size_t i = 0; i < result_.counts.size(); ++i) {
      LevelCounts& to = result_.counts[i];
      const LevelCounts& from = judge.counts()[i];
      to.histories += from.histories;
      to.filtered += from.filtered;
      to.discarded += from.discarded;
      to.faulted += from.faulted;
      to.cut += from.cut;
      for (std::size_t p = 0; p < to.violating.size(); ++p) {
        to.violating[p] += from.violating[p];
      }
      for (const auto& [outcome, count] : from.outcomes)
        to.outcomes[outcome] += count;
    }
  }

  const exec::Script& script_;
  const EngineTask& task_;
  const Budget& budget_;
  ThreadSource threads_;
  std::atomic<bool> stopped_{false};
  std::atomic<unsigned> missing_{~0u};  // levels without a finding
  StripedTable<Fingerprint> seen_;

  std::mutex mutex_;  // guards what follows
  EngineResult result_;
  ExploreProgress progress_;
  std::vector<std::size_t> sizes_;  // of the findings' histories
  std::vector<bool> has_finding_;   // by level
};

}  // namespace

EngineResult run_engine(const exec::Script& script, const EngineTask& task,
                        const Budget& budget) {
  const std::size_t n = script.instances.size();
  if (n <= 32) return Engine<1, 1>(script, task, budget).run();
  if (n <= 64) return Engine<1, 2>(script, task, budget).run();
  return Engine<64, 128>(script, task, budget).run();
}

}  // namespace txscope::explore
