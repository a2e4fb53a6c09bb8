#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "check/solver/literal.h"

namespace txscope::sat {

/// Which clauses every learned clause came from, so that a refutation can be
/// traced back to the few given clauses and cycles that it needs.
class Proof {
 public:
  using Step = std::uint32_t;

  /// A clause that was given, or a cycle of the graph, and the nodes that it
  /// speaks of.
  Step add_axiom(std::span<const Lit> clause,
                 std::span<const std::uint32_t> nodes) {
    begins_.push_back({words_.size(), static_cast<std::uint32_t>(clause.size()),
                       static_cast<std::uint32_t>(nodes.size()), true});
    for (const Lit lit : clause) words_.push_back(lit.code);
    words_.insert(words_.end(), nodes.begin(), nodes.end());
    return last();
  }
  /// A clause that follows from others; forgets them afterwards.
  Step add_derived(std::vector<Step>& from) {
    sort_and_unique(from);
    begins_.push_back(
        {words_.size(), static_cast<std::uint32_t>(from.size()), 0, false});
    words_.insert(words_.end(), from.begin(), from.end());
    from.clear();
    return last();
  }
  /// What the axioms behind the given steps speak of.
  struct Core {
    std::vector<Var> vars;                          ///< ascending
    std::vector<std::vector<std::uint32_t>> paths;  ///< the nodes of each axiom
  };
  [[nodiscard]] Core core(std::vector<Step> roots) const {
    std::vector<bool> seen(begins_.size());
    Core core;
    while (!roots.empty()) {
      const Step s = roots.back();
      roots.pop_back();
      if (seen[s]) continue;
      seen[s] = true;
      const Begin& b = begins_[s];
      for (std::size_t i = b.first; i < b.first + b.size; ++i) {
        if (b.is_axiom)
          core.vars.push_back(words_[i] >> 1);
        else
          roots.push_back(words_[i]);
      }
      if (b.nodes == 0) continue;
      const auto nodes = words_.begin() + static_cast<long>(b.first + b.size);
      core.paths.emplace_back(nodes, nodes + b.nodes);
    }
    sort_and_unique(core.vars);
    return core;
  }

 private:
  struct Begin {
    std::size_t first;
    std::uint32_t size;
    std::uint32_t nodes;
    bool is_axiom;
  };
  static void sort_and_unique(std::vector<std::uint32_t>& items) {
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
  }
  [[nodiscard]] Step last() const {
    return static_cast<Step>(begins_.size() - 1);
  }
  std::vector<Begin> begins_;
  std::vector<std::uint32_t> words_;
};

}  // namespace txscope::sat
