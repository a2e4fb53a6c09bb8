// Who read what from whom, and what was overwritten afterwards: the arrows of a
// run, and the cycle of its transactions.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "report/document/from_engines.h"

namespace txscope::report::document {
namespace {

using Happened = txscope::Step;

bool writes(const Happened& step, const std::string& key) {
  return std::any_of(step.writes.begin(), step.writes.end(),
                     [&](const RowUse& use) { return use.key == key; });
}

std::set<CallRef> committed_calls(const std::vector<Happened>& steps) {
  std::set<CallRef> calls;
  for (const Happened& step : steps)
    if (step.kind == Happened::Kind::Commit) calls.insert(step.call);
  return calls;
}

/// Who made which version of a row, in the order of commit.  A version may be
/// written before it is read and still come after what the reader saw.
class Versions {
 public:
  struct Made {
    CallRef call;
    std::size_t step = 0;  ///< its first write of the row
  };

  explicit Versions(const std::vector<Happened>& run) {
    for (const Happened& commit : run) {
      if (commit.kind != Happened::Kind::Commit) continue;
      for (std::size_t s = 0; s < run.size(); ++s)
        if (run[s].call == commit.call && run[s].attempt == commit.attempt)
          for (const RowUse& use : run[s].writes)
            add(use.key, {commit.call, s});
    }
  }

  /// The version that came after that of `writer`; none: it was the last.
  [[nodiscard]] const Made* after(const std::string& row,
                                  const std::optional<CallRef>& writer) const {
    const auto known = rows_.find(row);
    if (known == rows_.end()) return nullptr;
    auto next = known->second.begin();
    const auto own = std::find_if(
        next, known->second.end(),
        [&](const Made& one) { return writer && one.call == *writer; });
    if (own != known->second.end()) next = own + 1;
    return next == known->second.end() ? nullptr : &*next;
  }

 private:
  void add(const std::string& row, Made made) {
    std::vector<Made>& all = rows_[row];
    if (all.empty() || all.back().call != made.call) all.push_back(made);
  }

  std::map<std::string, std::vector<Made>> rows_;
};

/// Why transactions of a run come one before another.
class Dependencies {
 public:
  Dependencies(const Workload& workload, const Counterexample& example)
      : workload_(workload), example_(example) {
    const std::set<CallRef> committed = committed_calls(example.steps);
    calls_.assign(committed.begin(), committed.end());
    find_versions();
    for (const Happened& step : example.steps) {
      if (!committed.contains(step.call)) continue;
      for (const RowUse& read : step.reads) add_read(step.call, read);
    }
    for (const auto& [key, writers] : versions_)
      for (std::size_t i = 1; i < writers.size(); ++i)
        add(writers[i - 1], writers[i], "ww", key,
            name(writers[i]) + " overwrote the " + key + " of " +
                name(writers[i - 1]));
  }

  std::vector<Edge> smallest_cycle() const {
    std::vector<Edge> best;
    for (const CallRef start : calls_) {
      std::vector<Edge> cycle = cycle_through(start);
      if (cycle.empty()) continue;
      if (best.empty() || cycle.size() < best.size()) best = std::move(cycle);
    }
    return best;
  }

 private:
  [[nodiscard]] std::string name(CallRef call) const {
    return workload_.name(call);
  }

  /// Who wrote which key, in the order in which versions follow.
  void find_versions() {
    std::vector<CallRef> order = example_.commit_order;
    if (order.empty())
      for (const Happened& step : example_.steps)
        if (step.kind == Happened::Kind::Commit) order.push_back(step.call);
    for (const CallRef call : order)
      for (const Happened& step : example_.steps) {
        if (step.call != call) continue;
        for (const RowUse& write : step.writes) {
          std::vector<CallRef>& writers = versions_[write.key];
          if (std::find(writers.begin(), writers.end(), call) == writers.end())
            writers.push_back(call);
        }
      }
  }

  void add_read(CallRef reader, const RowUse& read) {
    if (read.is_own) return;
    if (read.writer && *read.writer != reader)
      add(*read.writer, reader, "wr", read.key,
          name(reader) + " read the " + read.key + " of " + name(*read.writer));
    const auto writers = versions_.find(read.key);
    if (writers == versions_.end()) return;
    auto next = writers->second.begin();
    if (read.writer) {
      const auto at = std::find(next, writers->second.end(), *read.writer);
      if (at == writers->second.end()) return;
      next = at + 1;
    }
    if (next != writers->second.end() && *next == reader) return;
    if (next == writers->second.end()) return;
    add(reader, *next, "rw", read.key,
        name(reader) + " read " + read.key + " before " + name(*next) +
            " changed it");
  }

  void add(CallRef from, CallRef to, std::string kind, std::string key,
           std::string reason) {
    if (from == to) return;
    auto& edge = edges_[from][to];
    if (!edge.kind.empty()) return;
    edge = {name(from), name(to), std::move(kind), std::move(key),
            std::move(reason)};
  }

  /// Breadth first.
  [[nodiscard]] std::vector<Edge> cycle_through(CallRef start) const {
    std::map<CallRef, CallRef> before;
    std::deque<CallRef> queue = {start};
    while (!queue.empty()) {
      const CallRef now = queue.front();
      queue.pop_front();
      const auto edges = edges_.find(now);
      if (edges == edges_.end()) continue;
      for (const auto& [to, edge] : edges->second) {
        if (to == start) return way(start, now, before);
        if (before.emplace(to, now).second) queue.push_back(to);
      }
    }
    return {};
  }
  [[nodiscard]] std::vector<Edge> way(
      CallRef start, CallRef last,
      const std::map<CallRef, CallRef>& before) const {
    std::vector<Edge> cycle = {edges_.at(last).at(start)};
    for (CallRef at = last; at != start;) {
      const CallRef from = before.at(at);
      cycle.push_back(edges_.at(from).at(at));
      at = from;
    }
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }

  const Workload& workload_;
  const Counterexample& example_;
  std::vector<CallRef> calls_;
  std::map<std::string, std::vector<CallRef>> versions_;
  std::map<CallRef, std::map<CallRef, Edge>> edges_;
};

}  // namespace

void ArrowList::add(Arrow::Kind kind, std::size_t from, std::size_t to,
                    const std::string& row) {
  std::vector<std::string>& rows = known_[{from, to, kind}];
  if (std::find(rows.begin(), rows.end(), row) == rows.end())
    rows.push_back(row);
}

std::vector<Arrow> ArrowList::done() const {
  std::vector<Arrow> out;
  for (const auto& [ends, rows] : known_) {
    std::string label;
    for (std::size_t i = 0; i < rows.size() && i < 3; ++i)
      label += (i > 0 ? ", " : "") + rows[i];
    if (rows.size() > 3)
      label += " and " + std::to_string(rows.size() - 3) + " more";
    const auto& [from, to, kind] = ends;
    out.push_back({kind, from, to, label});
  }
  return out;
}

std::vector<Arrow> arrows_of(
    const std::vector<Happened>& run,
    const std::vector<std::optional<std::size_t>>& shown) {
  const Versions versions(run);
  ArrowList arrows;
  std::set<std::tuple<CallRef, std::string, CallRef>> drawn;
  const auto draw = [&](Arrow::Kind kind, std::size_t from, std::size_t to,
                        const std::string& row) {
    if (shown[from] && shown[to])
      arrows.add(kind, *shown[from], *shown[to], row);
  };
  for (std::size_t s = 0; s < run.size(); ++s) {
    for (const RowUse& read : run[s].reads) {
      if (read.is_own) continue;
      if (read.writer && read.writer->session != run[s].call.session) {
        for (std::size_t w = run.size(); w-- > 0;)
          if (run[w].call == *read.writer && writes(run[w], read.key)) {
            draw(Arrow::Kind::ReadsFrom, w, s, read.key);
            break;
          }
      }
      const Versions::Made* next = versions.after(read.key, read.writer);
      if (next == nullptr || next->call.session == run[s].call.session)
        continue;
      if (drawn.insert({run[s].call, read.key, next->call}).second)
        draw(Arrow::Kind::Overwritten, s, next->step, read.key);
    }
  }
  return arrows.done();
}

std::vector<Edge> cycle_of(const Workload& workload,
                           const Counterexample& example) {
  return Dependencies(workload, example).smallest_cycle();
}

}  // namespace txscope::report::document
