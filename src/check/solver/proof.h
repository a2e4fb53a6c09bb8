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

  /// A clause that was given, or a cycle of the graph.
  Step add_axiom(std::span<const Lit> clause) {
    begins_.push_back({static_cast<std::uint32_t>(words_.size()),
                       static_cast<std::uint32_t>(clause.size()), true});
    for (const Lit lit : clause) words_.push_back(lit.code);
    return last();
  }
  /// A clause that follows from others; forgets them afterwards.
  Step add_derived(std::vector<Step>& from) {
    std::sort(from.begin(), from.end());
    from.erase(std::unique(from.begin(), from.end()), from.end());
    begins_.push_back({static_cast<std::uint32_t>(words_.size()),
                       static_cast<std::uint32_t>(from.size()), false});
    words_.insert(words_.end(), from.begin(), from.end());
    from.clear();
    return last();
  }
  /// The variables of all axioms behind the given steps, ascending.
  [[nodiscard]] std::vector<Var> core(std::vector<Step> roots) const {
    std::vector<bool> seen(begins_.size());
    std::vector<Var> vars;
    while (!roots.empty()) {
      const Step s = roots.back();
      roots.pop_back();
      if (seen[s]) continue;
      seen[s] = true;
      const Begin& b = begins_[s];
      for (std::uint32_t i = b.first; i < b.first + b.size; ++i) {
        if (b.is_axiom)
          vars.push_back(words_[i] >> 1);
        else
          roots.push_back(words_[i]);
      }
    }
    std::sort(vars.begin(), vars.end());
    vars.erase(std::unique(vars.begin(), vars.end()), vars.end());
    return vars;
  }

 private:
  struct Begin {
    std::uint32_t first;
    std::uint32_t size;
    bool is_axiom;
  };
  [[nodiscard]] Step last() const {
    return static_cast<Step>(begins_.size() - 1);
  }
  std::vector<Begin> begins_;
  std::vector<std::uint32_t> words_;
};

}  // namespace txscope::sat
