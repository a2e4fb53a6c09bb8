#include "robust/execution.h"

#include <algorithm>
#include <map>

#include "robust/dependence.h"

namespace txscope::robust {
namespace {

using EventKind = explore::ExploredHistory::Event::Kind;

/// Who writes a row, in the order of commits, and what.
class Writers {
 public:
  struct Writer {
    exec::InstanceId instance;
    std::int64_t value = 0;
  };
  Writers(const exec::Script& script, const Execution& of) : script_(script) {
    std::map<exec::InstanceId, std::size_t> place;
    for (std::size_t i = 0; i < of.commit_order.size(); ++i)
      place[of.commit_order[i]] = i;
    for (const auto& txn : of.history.txns) collect(txn);
    for (auto& [key, list] : by_key_) {
      std::sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
        return place.at(a.instance) < place.at(b.instance);
      });
    }
  }

  [[nodiscard]] const std::map<std::uint32_t, std::vector<Writer>>& by_key()
      const {
    return by_key_;
  }
  /// How many writers of the key there are up to and with `source`.
  [[nodiscard]] std::size_t up_to(KeyId key, exec::InstanceId source) const {
    const std::span<const Writer> list = of(key);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i].instance == source) return i + 1;
    return 0;
  }
  [[nodiscard]] std::span<const Writer> of(KeyId key) const {
    const auto found = by_key_.find(key.index);
    if (found == by_key_.end()) return {};
    return found->second;
  }
  [[nodiscard]] std::int64_t before(KeyId key, std::size_t i) const {
    return i == 0 ? script_.initial[key.index] : of(key)[i - 1].value;
  }

 private:
  void collect(const explore::ExploredHistory::Txn& txn) {
    if (!txn.is_committed) return;
    for (const auto& event : txn.events) {
      if (event.kind != EventKind::Write) continue;
      auto& list = by_key_[event.key.index];
      if (list.empty() || list.back().instance != txn.instance)
        list.push_back({txn.instance, event.value});
      else
        list.back().value = event.value;
    }
  }

  const exec::Script& script_;
  std::map<std::uint32_t, std::vector<Writer>> by_key_;
};

class DependencyGraph {
 public:
  DependencyGraph(const exec::Script& script, const Execution& of,
                  const Dependence* dependence)
      : writers_(script, of), dependence_(dependence) {
    for (const auto& [key, list] : writers_.by_key()) {
      for (std::size_t i = 0; i + 1 < list.size(); ++i) {
        for (std::size_t j = i + 1; j < list.size(); ++j) {
          add({list[i].instance, list[j].instance, Dependency::Follows,
               KeyId(key)});
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
    std::vector<exec::InstanceId> queue = {first.to};
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
    for (exec::InstanceId at = first.from; at != first.to;) {
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
  void add_reads(const explore::ExploredHistory::Txn& txn) {
    std::size_t number = 0;
    for (const auto& event : txn.events) {
      if (event.kind != EventKind::Read) continue;
      const std::size_t read = number++;
      const auto list = writers_.of(event.key);
      add_read(txn.instance, event, [&](std::size_t i) {
        return dependence_ == nullptr ||
               dependence_->depends(txn.instance, read, list[i].instance,
                                    writers_.before(event.key, i));
      });
      if (dependence_ == nullptr) continue;
      for (const auto& own : dependence_->own_reads(txn.instance)) {
        if (own.first != read) continue;
        add_read(txn.instance, event, [&](std::size_t i) {
          return dependence_->depends(txn.instance, own.second,
                                      list[i].instance,
                                      writers_.before(event.key, i));
        });
      }
    }
  }
  template <class Depends>
  void add_read(exec::InstanceId reader,
                const explore::ExploredHistory::Event& event,
                const Depends& depends) {
    const auto list = writers_.of(event.key);
    const std::size_t seen = writers_.up_to(event.key, event.source);
    const auto counts = [&](std::size_t i) {
      return list[i].instance != reader && depends(i);
    };
    // Those before the last one precede it, by ww.
    for (std::size_t i = seen; i-- > 0;) {
      if (!counts(i)) continue;
      add({list[i].instance, reader, Dependency::Reads, event.key});
      break;
    }
    for (std::size_t i = seen; i < list.size(); ++i)
      if (counts(i))
        add({reader, list[i].instance, Dependency::Misses, event.key});
  }
  /// One edge of each kind between two transactions is enough.
  void add(const DependencyEdge& edge) {
    auto& leaving = edges_[edge.from.index];
    const bool is_known = std::any_of(
        leaving.begin(), leaving.end(),
        [&](const auto& e) { return e.to == edge.to && e.kind == edge.kind; });
    if (!is_known) leaving.push_back(edge);
  }

  const Writers writers_;
  const Dependence* dependence_;
  std::map<std::uint32_t, std::vector<DependencyEdge>> edges_;  // by node
};

std::size_t misses(const std::vector<DependencyEdge>& cycle) {
  return static_cast<std::size_t>(std::count_if(
      cycle.begin(), cycle.end(),
      [](const DependencyEdge& e) { return e.kind == Dependency::Misses; }));
}

void start_at(exec::InstanceId first, std::vector<DependencyEdge>& cycle) {
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

std::optional<exec::InstanceId> delayed_transaction(
    const std::vector<DependencyEdge>& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const DependencyEdge& in = cycle[(i + cycle.size() - 1) % cycle.size()];
    if (in.kind == Dependency::Misses && cycle[i].kind == Dependency::Misses) {
      return cycle[i].from;
    }
  }
  return std::nullopt;
}

std::vector<DependencyEdge> find_cycle(const exec::Script& script,
                                       const Execution& of,
                                       const Dependence* dependence) {
  const DependencyGraph graph(script, of, dependence);
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

namespace {

/// Statements that read rows of their own transaction are counted from here.
constexpr std::int64_t kOwnReads = std::int64_t{1} << 32;

std::vector<std::int64_t> last_writers(const Writers& writers,
                                       const Execution& of,
                                       const Dependence& dependence,
                                       bool has_last) {
  std::vector<std::int64_t> out;
  for (const auto& txn : of.history.txns) {
    out.push_back(-1 - static_cast<std::int64_t>(txn.instance.index));
    const auto statements = dependence.statements(txn.instance);
    std::size_t number = 0;
    for (const auto& event : txn.events) {
      if (event.kind != EventKind::Read) continue;
      const std::size_t read = number++;
      const auto list = writers.of(event.key);
      const auto tell = [&](std::int64_t statement, const auto& depends) {
        for (std::size_t i = writers.up_to(event.key, event.source); i-- > 0;) {
          if (list[i].instance == txn.instance || !depends(i)) continue;
          out.push_back(statement);
          out.push_back(static_cast<std::int64_t>(event.key.index));
          out.push_back(static_cast<std::int64_t>(list[i].instance.index));
          break;
        }
      };
      tell(statements[read], [&](std::size_t i) {
        return dependence.depends(txn.instance, read, list[i].instance,
                                  writers.before(event.key, i));
      });
      const auto& own_reads = dependence.own_reads(txn.instance);
      for (std::size_t o = 0; o < own_reads.size(); ++o) {
        if (own_reads[o].first != read) continue;
        tell(kOwnReads + static_cast<std::int64_t>(o), [&](std::size_t i) {
          return dependence.depends(txn.instance, own_reads[o].second,
                                    list[i].instance,
                                    writers.before(event.key, i));
        });
      }
    }
  }
  if (!has_last) return out;
  for (const auto& [key, list] : writers.by_key()) {
    out.push_back(static_cast<std::int64_t>(key));
    out.push_back(static_cast<std::int64_t>(list.back().instance.index));
  }
  return out;
}

}  // namespace

std::vector<std::vector<std::int64_t>> reads_from(const exec::Script& script,
                                                  const Execution& of,
                                                  Dependence& dependence,
                                                  Granularity finest,
                                                  bool has_last) {
  const Writers writers(script, of);
  std::vector<std::vector<std::int64_t>> out;
  for (const Granularity granularity :
       {Granularity::Row, Granularity::Column, Granularity::Result}) {
    if (granularity > finest) break;
    dependence.set_granularity(granularity);
    out.push_back(last_writers(writers, of, dependence, has_last));
    out.back().push_back(static_cast<std::int64_t>(granularity));
  }
  return out;
}

}  // namespace txscope::robust
