#include "base/graph.h"
#include "tla/liveness/labels.h"

namespace txscope::tla {
namespace {

/// What weak fairness says about a component as a whole.
struct WeakSide {
  bool is_ever_disabled = false;
  bool is_taken = false;
};

Components components_of(const StateGraph& graph) {
  std::vector<Arc> arcs;
  arcs.reserve(graph.edge_count());
  for (Labels::Index s = 0; s < graph.size(); ++s)
    for (const Labels::Index t : graph.next(s))
      if (s != t) arcs.push_back({s, t});
  return strong_components(Graph(graph.size(), arcs));
}

}  // namespace

/// A behaviour ends in one component of the graph.  If that is a single state,
/// nothing changes any more, so no fairness condition may be enabled there;
/// else no weak one may be enabled in all of its states and taken by none of
/// its steps, which then is true of all of its parts.  No property plays a part
/// in this, so it is found once for all of them.
const std::vector<bool>& Labels::lasting() {
  if (lasting_) return *lasting_;
  const Components parts = components_of(graph_);
  const auto sizes = parts.sizes();
  std::vector<bool> is_fair(parts.count, true);
  for (const Fair& fair : fairness()) {
    if (fair.is_strong) continue;
    std::vector<WeakSide> sides(parts.count);
    for (Index s = 0; s < graph_.size(); ++s) {
      WeakSide& side = sides[parts.of[s]];
      if (!fair.enabled[s]) side.is_ever_disabled = true;
      std::size_t edge = graph_.first_edge(s);
      for (const Index t : graph_.next(s)) {
        if (parts.of[t] == parts.of[s] && fair.taken[edge])
          side.is_taken = true;
        ++edge;
      }
    }
    for (std::size_t i = 0; i < sides.size(); ++i)
      if (!sides[i].is_ever_disabled && !sides[i].is_taken) is_fair[i] = false;
  }
  const std::vector<bool>& is_enabling = enabling();
  lasting_.emplace(graph_.size());
  lasting_count_ = 0;
  for (Index s = 0; s < graph_.size(); ++s) {
    const auto part = parts.of[s];
    (*lasting_)[s] = sizes[part] > 1 ? is_fair[part] : !is_enabling[s];
    if ((*lasting_)[s]) ++lasting_count_;
  }
  return *lasting_;
}

}  // namespace txscope::tla
