#include "robust/execution.h"

#include <algorithm>
#include <map>

namespace txscope::robust {
namespace {

using EventKind = ExploredHistory::Event::Kind;

class DependencyGraph {
 public:
  DependencyGraph(const Script& script, const Execution& of) {
    for (std::size_t i = 0; i < of.commit_order.size(); ++i) {
      place_[of.commit_order[i].index] = i + 1;
    }
    for (const auto& txn : of.history.txns) collect_writes(txn);
    for (auto& [key, list] : writers_) {
      std::sort(list.begin(), list.end(), [this](InstanceId a, InstanceId b) {
        return place(a) < place(b);
      });
      for (std::size_t i = 0; i + 1 < list.size(); ++i) {
        for (std::size_t j = i + 1; j < list.size(); ++j) {
          add({list[i], list[j], Dependency::Follows, KeyId(key)});
        }
      }
    }
    for (const auto& txn : of.history.txns) add_reads(txn);
    for (const auto& a : of.history.txns) {
      for (const auto& b : of.history.txns) {
        if (a.instance < b.instance &&
            script.instances[a.instance.index].session ==
                script.instances[b.instance.index].session) {
          add({a.instance, b.instance, Dependency::Session, std::nullopt});
        }
      }
    }
  }

  /// The shortest way from `to` back to the start of `first`, and `first`.
  [[nodiscard]] std::vector<DependencyEdge> close(
      const DependencyEdge& first) const {
    std::map<std::uint32_t, DependencyEdge> came;  // by node: the edge to it
    std::vector<InstanceId> queue = {first.to};
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const auto leaving = edges_.find(queue[at].index);
      if (leaving == edges_.end()) continue;
      for (const DependencyEdge& edge : leaving->second) {
        if (edge.to == first.to || came.contains(edge.to.index)) continue;
        came.emplace(edge.to.index, edge);
        queue.push_back(edge.to);
      }
    }
    if (!came.contains(first.from.index)) return {};
    std::vector<DependencyEdge> cycle;
    for (InstanceId at = first.from; at != first.to;) {
      cycle.push_back(came.at(at.index));
      at = cycle.back().from;
    }
    cycle.push_back(first);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }

  [[nodiscard]] std::vector<DependencyEdge> edges() const {
    std::vector<DependencyEdge> all;
    for (const auto& [from, leaving] : edges_) {
      all.insert(all.end(), leaving.begin(), leaving.end());
    }
    return all;
  }

 private:
  [[nodiscard]] std::size_t place(InstanceId t) const {
    return t == kInit ? 0 : place_.at(t.index);
  }
  void collect_writes(const ExploredHistory::Txn& txn) {
    if (!txn.is_committed) return;
    for (const auto& event : txn.events) {
      if (event.kind != EventKind::Write) continue;
      auto& list = writers_[event.key.index];
      if (list.empty() || list.back() != txn.instance) {
        list.push_back(txn.instance);
      }
    }
  }
  void add_reads(const ExploredHistory::Txn& txn) {
    for (const auto& event : txn.events) {
      if (event.kind != EventKind::Read) continue;
      if (event.source != kInit) {
        add({event.source, txn.instance, Dependency::Reads, event.key});
      }
      const auto list = writers_.find(event.key.index);
      if (list == writers_.end()) continue;
      for (const InstanceId writer : list->second) {
        if (writer == txn.instance || place(writer) <= place(event.source)) {
          continue;
        }
        add({txn.instance, writer, Dependency::Misses, event.key});
      }
    }
  }
  /// One edge of each kind between two transactions is enough.
  void add(const DependencyEdge& edge) {
    auto& leaving = edges_[edge.from.index];
    const bool is_known = std::any_of(
        leaving.begin(), leaving.end(),
        [&](const auto& e) { return e.to == edge.to && e.kind == edge.kind; });
    if (!is_known) leaving.push_back(edge);
  }

  std::map<std::uint32_t, std::size_t> place_;  // in the commit order, from 1
  std::map<std::uint32_t, std::vector<InstanceId>> writers_;    // by key
  std::map<std::uint32_t, std::vector<DependencyEdge>> edges_;  // by node
};

std::size_t misses(const std::vector<DependencyEdge>& cycle) {
  return static_cast<std::size_t>(std::count_if(
      cycle.begin(), cycle.end(),
      [](const DependencyEdge& e) { return e.kind == Dependency::Misses; }));
}

void start_at(InstanceId first, std::vector<DependencyEdge>& cycle) {
  const auto at =
      std::find_if(cycle.begin(), cycle.end(),
                   [&](const DependencyEdge& e) { return e.from == first; });
  std::rotate(cycle.begin(), at, cycle.end());
}

}  // namespace

std::string_view name(Dependency kind) {
  switch (kind) {
    case Dependency::Session: return "so";
    case Dependency::Reads: return "wr";
    case Dependency::Follows: return "ww";
    case Dependency::Misses: return "rw";
  }
  return "";
}

std::optional<InstanceId> delayed_transaction(
    const std::vector<DependencyEdge>& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const DependencyEdge& in = cycle[(i + cycle.size() - 1) % cycle.size()];
    if (in.kind == Dependency::Misses && cycle[i].kind == Dependency::Misses) {
      return cycle[i].from;
    }
  }
  return std::nullopt;
}

std::vector<DependencyEdge> find_cycle(const Script& script,
                                       const Execution& of) {
  const DependencyGraph graph(script, of);
  std::vector<DependencyEdge> best;
  for (const DependencyEdge& edge : graph.edges()) {
    auto cycle = graph.close(edge);
    if (cycle.empty()) continue;
    const auto size = [](const auto& c) {
      return std::pair(c.size(), misses(c));
    };
    if (best.empty() || size(cycle) < size(best)) best = std::move(cycle);
  }
  if (const auto pivot = delayed_transaction(best)) start_at(*pivot, best);
  return best;
}

}  // namespace txscope::robust
