#include "explore/decider.h"

#include <algorithm>

namespace txscope::explore {

template <std::size_t V>
bool Decider<V>::load(const DeciderInput<V>& input, Base level) {
  input_ = &input;
  graph_ = level == Base::Prefix                      ? Graph::Prefix
           : level == Base::ParallelSnapshotIsolation ? Graph::Parallel
           : level == Base::SnapshotIsolation         ? Graph::Snapshot
           : level == Base::Serializable              ? Graph::Serial
                                                      : Graph::Plain;
  pairs_.clear();
  if (graph_ != Graph::Plain) {
    for (std::uint32_t key = 0; key < input.writers.size(); ++key) {
      const Bits<V>& writers = input.writers[key];
      writers.for_each([&](std::size_t a) {
        writers.for_each([&](std::size_t b) {
          if (a < b) {
            pairs_.push_back({static_cast<std::uint16_t>(a),
                              static_cast<std::uint16_t>(b), key});
          }
        });
      });
    }
  }
  if (states_.empty()) states_.emplace_back();
  depth_ = 0;
  node_count_ = input.before.size() * (is_split() ? 2 : 1);
  state().before.assign(node_count_, {});
  state().is_decided.assign(pairs_.size(), 0);
  if (is_split()) {
    close_split();
  } else {
    close_whole();
  }
  if (graph_ == Graph::Plain || graph_ == Graph::Parallel) return propagate();
  // What was read from init, somebody overwrote later.
  for (const auto& read : input.reads) {
    if (read.source != 0) continue;
    const bool impossible =
        input.writers[read.key].any_of([&](std::size_t writer) {
          return writer != read.reader &&
                 !add_edge(start_node(read.reader), commit_node(writer));
        });
    if (impossible) return false;
  }
  return propagate();
}

template <std::size_t V>
void Decider<V>::close_whole() {
  for (const std::uint16_t t : input_->members) {
    state().before[t] = input_->before[t];
  }
}

/// so and wr go from commits to starts; so does, for snapshot, what is forced
/// between writers of a key, which for prefix goes from commit to commit.
template <std::size_t V>
void Decider<V>::close_split() {
  // A closed relation is ordered by the number of predecessors.
  order_ = input_->members;
  std::sort(order_.begin(), order_.end(),
            [this](std::uint16_t a, std::uint16_t b) {
              return input_->before[a].count() < input_->before[b].count();
            });
  auto& before = state().before;
  before[commit_node(0)].set(start_node(0));
  const auto include = [&](std::size_t node, std::size_t t) {
    before[node] |= before[commit_node(t)];
    before[node].set(commit_node(t));
  };
  for (const std::uint16_t t : order_) {
    const Bits<V>& at_start =
        graph_ == Graph::Snapshot ? input_->before[t] : input_->past[t];
    at_start.for_each([&](std::size_t a) { include(start_node(t), a); });
    before[commit_node(t)] = before[start_node(t)];
    before[commit_node(t)].set(start_node(t));
    input_->before[t].for_each(
        [&](std::size_t a) { include(commit_node(t), a); });
  }
}

template <std::size_t V>
void Decider<V>::push() {
  if (depth_ + 1 == states_.size()) states_.emplace_back();
  states_[depth_ + 1].before = states_[depth_].before;
  states_[depth_ + 1].is_decided = states_[depth_].is_decided;
  ++depth_;
}

template <std::size_t V>
bool Decider<V>::may_add(std::size_t from, std::size_t to) const {
  return from != to && !state().before[from].test(to);
}

template <std::size_t V>
bool Decider<V>::add_edge(std::size_t from, std::size_t to) {
  if (!may_add(from, to)) return false;
  auto& before = state().before;
  if (before[to].test(from)) return true;
  Bits<V> all = before[from];
  all.set(from);
  before[to] |= all;
  for (Bits<V>& node : before) {
    if (node.test(to)) node |= all;
  }
  return true;
}

template <std::size_t V>
bool Decider<V>::may_order(std::size_t a, std::size_t b,
                           std::uint32_t key) const {
  const std::size_t second =
      graph_ == Graph::Snapshot ? start_node(b) : commit_node(b);
  if (!may_add(commit_node(a), second)) return false;
  if (graph_ == Graph::Plain || graph_ == Graph::Parallel) return true;
  for (const auto& read : input_->reads) {
    if (read.key == key && read.source == a && read.reader != b &&
        !may_add(start_node(read.reader), commit_node(b))) {
      return false;
    }
  }
  return true;
}

/// a before b, both writing the key: ww, and rw from all that read from a.
template <std::size_t V>
bool Decider<V>::order_writers(std::size_t a, std::size_t b,
                               std::uint32_t key) {
  const std::size_t second =
      graph_ == Graph::Snapshot ? start_node(b) : commit_node(b);
  if (!add_edge(commit_node(a), second)) return false;
  if (graph_ == Graph::Plain || graph_ == Graph::Parallel) return true;
  for (const auto& read : input_->reads) {
    if (read.key == key && read.source == a && read.reader != b &&
        !add_edge(start_node(read.reader), commit_node(b))) {
      return false;
    }
  }
  return true;
}

template <std::size_t V>
bool Decider<V>::propagate() {
  for (bool changed = true; changed;) {
    changed = false;
    if (graph_ == Graph::Parallel && !propagate_visible(changed)) return false;
    if (!propagate_pairs(changed)) return false;
  }
  return true;
}

template <std::size_t V>
bool Decider<V>::propagate_pairs(bool& changed) {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (state().is_decided[i]) continue;
    const Pair& pair = pairs_[i];
    const bool forward = may_order(pair.a, pair.b, pair.key);
    const bool backward = may_order(pair.b, pair.a, pair.key);
    if (forward && backward) continue;
    if (!forward && !backward) return false;
    state().is_decided[i] = 1;
    changed = true;
    if (!(forward ? order_writers(pair.a, pair.b, pair.key)
                  : order_writers(pair.b, pair.a, pair.key))) {
      return false;
    }
  }
  return true;
}

/// Of the writers that a reader sees, its source is the last.
template <std::size_t V>
bool Decider<V>::propagate_visible(bool& changed) {
  for (const auto& read : input_->reads) {
    Bits<V> seen = input_->writers[read.key] & state().before[read.reader];
    seen.reset(read.source);
    if (read.source != 0) seen -= state().before[read.source];
    if (seen.none()) continue;
    if (read.source == 0) return false;
    changed = true;
    if (seen.any_of([&](std::size_t writer) {
          return !add_edge(writer, read.source);
        })) {
      return false;
    }
  }
  return true;
}

template <std::size_t V>
bool Decider<V>::solve(bool wants_order) {
  const std::size_t base = depth_;
  guesses_.clear();
  for (;;) {
    if (budget_.spent()) {
      depth_ = base;
      return false;
    }
    bool possible = propagate();
    if (possible) {
      const auto& decided = state().is_decided;
      const auto open = std::find(decided.begin(), decided.end(), 0);
      if (open == decided.end()) {
        if (wants_order) solved_ = state().before;
        depth_ = base;
        return true;
      }
      const auto guess = static_cast<std::size_t>(open - decided.begin());
      guesses_.push_back(guess);
      push();
      state().is_decided[guess] = 1;
      possible =
          order_writers(pairs_[guess].a, pairs_[guess].b, pairs_[guess].key);
    }
    while (!possible) {
      if (depth_ == base) return false;
      --depth_;
      const std::size_t guess = guesses_.back();
      guesses_.pop_back();
      state().is_decided[guess] = 1;
      possible =
          order_writers(pairs_[guess].b, pairs_[guess].a, pairs_[guess].key);
    }
  }
}

template <std::size_t V>
Bits<V> Decider<V>::last_candidates(std::uint32_t key) const {
  Bits<V> last = input_->writers[key];
  input_->writers[key].for_each([&](std::size_t t) {
    const Bits<V>& before = state().before[commit_node(t)];
    input_->writers[key].for_each([&](std::size_t a) {
      if (a != t && before.test(commit_node(a))) last.reset(a);
    });
  });
  return last;
}

template <std::size_t V>
bool Decider<V>::push_last(std::uint32_t key, std::size_t writer) {
  push();
  const bool impossible = input_->writers[key].any_of([&](std::size_t t) {
    return t != writer && !order_writers(t, writer, key);
  });
  return !impossible && propagate();
}

template <std::size_t V>
bool Decider<V>::push_order(std::uint32_t key, std::size_t first,
                            std::size_t second) {
  push();
  return order_writers(first, second, key) && propagate();
}

template class Decider<1>;
template class Decider<2>;
template class Decider<128>;

}  // namespace txscope::explore
