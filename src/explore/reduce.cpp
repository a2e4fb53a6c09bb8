#include <algorithm>
#include <set>

#include "explore/explain.h"

namespace txscope::explore {
namespace {

constexpr std::size_t kMaxExhaustive = 16;       // transactions
constexpr std::uint64_t kEffort = 4'000'000;     // calls in all
constexpr std::uint64_t kOneEffort = 1'000'000;  // calls for one subset
constexpr std::uint64_t kFullEffort = 200'000;   // calls for the whole program

class Reducer {
 public:
  Reducer(const exec::Script& script, const Finding& finding,
          std::uint64_t loop_bound, const Budget& budget)
      : script_(script),
        finding_(finding),
        loop_bound_(loop_bound),
        budget_(budget) {}

  std::vector<exec::InstanceId> run() {
    std::vector<exec::InstanceId> all;
    for (std::size_t i = 1; i < script_.instances.size(); ++i)
      all.emplace_back(i);
    must_avoid_ = finding_.level != Base::Serializable &&
                  search(all, Base::Serializable, kFullEffort).findings.empty();
    if (all.size() <= kMaxExhaustive) {
      for (std::size_t size = 0; size < all.size(); ++size) {
        for (const auto& subset : subsets(all, size)) {
          if (effort_ > kEffort || budget_.spent_now()) return greedy(all);
          if (shows(subset)) return subset;
        }
      }
      return all;
    }
    return greedy(all);
  }

 private:
  using Instances = std::vector<exec::InstanceId>;

  /// Subsets of a size, those with fewer sessions first.
  [[nodiscard]] std::vector<Instances> subsets(const Instances& all,
                                               std::size_t size) const {
    std::vector<Instances> out;
    std::vector<bool> chosen(all.size());
    std::fill_n(chosen.begin(), size, true);
    do {
      Instances subset;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (chosen[i]) subset.push_back(all[i]);
      }
      out.push_back(std::move(subset));
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
    std::stable_sort(out.begin(), out.end(),
                     [this](const Instances& a, const Instances& b) {
                       return sessions(a) < sessions(b);
                     });
    return out;
  }
  [[nodiscard]] std::size_t sessions(const Instances& instances) const {
    std::set<std::uint32_t> distinct;
    for (const exec::InstanceId i : instances) {
      distinct.insert(script_.instances[i.index].session);
    }
    return distinct.size();
  }

  Instances greedy(Instances now) {
    const auto without = [&](auto&& drops) {
      Instances rest;
      for (const exec::InstanceId i : now) {
        if (!drops(i)) rest.push_back(i);
      }
      if (rest.size() == now.size() || budget_.spent_now()) return false;
      if (!shows(rest)) return false;
      now = std::move(rest);
      return true;
    };
    for (std::uint32_t s = 0; s < script_.session_count(); ++s) {
      without([&](exec::InstanceId i) {
        return script_.instances[i.index].session == s;
      });
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const exec::InstanceId drop : Instances(now)) {
        changed |= without([&](exec::InstanceId i) { return i == drop; });
      }
    }
    return now;
  }

  bool shows(const Instances& subset) {
    const EngineResult result = search(subset, finding_.level, kOneEffort);
    if (result.findings.empty()) return false;
    return !must_avoid_ || is_avoided_serializably(subset);
  }

  bool is_avoided_serializably(const Instances& subset) {
    const EngineResult result = search(subset, Base::Serializable, kOneEffort);
    return result.is_finished && result.findings.empty();
  }

  EngineResult search(const Instances& subset, Base level,
                      std::uint64_t limit) {
    EngineTask task;
    task.explored = std::min(level, Base::Causal);
    task.levels = {level};
    task.active = subset;
    task.loop_bound = loop_bound_;
    task.counts_all = false;
    task.target = finding_.target;
    task.enough = 0;
    task.limit = limit;
    EngineResult result = run_engine(script_, task, budget_);
    effort_ += result.search.explored + 100;
    return result;
  }

  const exec::Script& script_;
  const Finding& finding_;
  const std::uint64_t loop_bound_;
  const Budget& budget_;
  bool must_avoid_ = false;
  std::uint64_t effort_ = 0;
};

}  // namespace

std::vector<exec::InstanceId> reduce(const exec::Script& script,
                                     const Finding& finding,
                                     std::uint64_t loop_bound,
                                     const Budget& budget) {
  return Reducer(script, finding, loop_bound, budget).run();
}

}  // namespace txscope::explore
