#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "check/solver/literal.h"

namespace txscope::check::sat {

/// Which clauses every learned clause came from, so that a refutation can be
/// traced back to the few given clauses and cycles that it needs.  What the
/// learned clauses say is remembered if somebody wants to tell them.
class Proof {
 public:
  using Step = std::uint32_t;

  void keep_lemmas() { keeps_lemmas_ = true; }

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
  /// The same, of a clause that others may want to see.
  Step add_lemma(std::vector<Step>& from, std::span<const Lit> clause) {
    const Step s = add_derived(from);
    if (!keeps_lemmas_) return s;
    lemmas_.push_back(
        {s, lemma_words_.size(), static_cast<std::uint32_t>(clause.size())});
    lemma_words_.insert(lemma_words_.end(), clause.begin(), clause.end());
    return s;
  }

  struct Axiom {
    std::vector<Lit> clause;
    std::vector<std::uint32_t> nodes;
  };
  /// All that the given steps rest on; lemmas in the order they were learned.
  struct Story {
    std::vector<Axiom> axioms;
    std::vector<std::vector<Lit>> lemmas;
  };
  [[nodiscard]] Story story(std::vector<Step> roots) const {
    const auto seen = behind(std::move(roots));
    Story story;
    for (Step s = 0; s < begins_.size(); ++s) {
      const Begin& b = begins_[s];
      if (!seen[s] || !b.is_axiom) continue;
      Axiom axiom;
      for (std::size_t i = b.first; i < b.first + b.size; ++i) {
        axiom.clause.emplace_back();
        axiom.clause.back().code = words_[i];
      }
      const auto nodes = words_.begin() + static_cast<long>(b.first + b.size);
      axiom.nodes.assign(nodes, nodes + b.nodes);
      story.axioms.push_back(std::move(axiom));
    }
    for (const Lemma& lemma : lemmas_) {
      if (!seen[lemma.step]) continue;
      const auto first = lemma_words_.begin() + static_cast<long>(lemma.first);
      story.lemmas.emplace_back(first, first + lemma.size);
    }
    return story;
  }

  /// What the axioms behind the given steps speak of.
  struct Core {
    std::vector<Var> vars;                          ///< ascending
    std::vector<std::vector<std::uint32_t>> paths;  ///< the nodes of each axiom
  };
  [[nodiscard]] Core core(std::vector<Step> roots) const {
    const auto seen = behind(std::move(roots));
    Core core;
    for (Step s = 0; s < begins_.size(); ++s) {
      const Begin& b = begins_[s];
      if (!seen[s] || !b.is_axiom) continue;
      for (std::size_t i = b.first; i < b.first + b.size; ++i)
        core.vars.push_back(words_[i] >> 1);
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
  struct Lemma {
    Step step;
    std::size_t first;  // of lemma_words_
    std::uint32_t size;
  };
  // The steps that these rest on, and they themselves.
  [[nodiscard]] std::vector<bool> behind(std::vector<Step> roots) const {
    std::vector<bool> seen(begins_.size());
    while (!roots.empty()) {
      const Step s = roots.back();
      roots.pop_back();
      if (seen[s]) continue;
      seen[s] = true;
      const Begin& b = begins_[s];
      if (b.is_axiom) continue;
      for (std::size_t i = b.first; i < b.first + b.size; ++i)
        roots.push_back(words_[i]);
    }
    return seen;
  }
  static void sort_and_unique(std::vector<std::uint32_t>& items) {
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
  }
  [[nodiscard]] Step last() const {
    return static_cast<Step>(begins_.size() - 1);
  }
  std::vector<Begin> begins_;
  std::vector<std::uint32_t> words_;
  bool keeps_lemmas_ = false;
  std::vector<Lemma> lemmas_;
  std::vector<Lit> lemma_words_;
};

}  // namespace txscope::check::sat
