#include "engine/search/shortest_path.h"

#include <algorithm>
#include <unordered_map>

namespace txscope::engine {
namespace {

constexpr std::size_t kMaxNodes = 60'000;
constexpr std::size_t kLookEvery = 32;  // nodes

class ShortestPath {
 public:
  ShortestPath(Server& server, const IsGoal& is_goal, const Budget& budget)
      : server_(server), is_goal_(is_goal), budget_(budget) {}

  std::optional<std::vector<Move>> find(State initial) {
    nodes_.push_back({std::move(initial), 0, {}, 0});
    std::vector<std::size_t> layer = {0};
    while (!layer.empty()) {
      std::vector<std::size_t> next;
      std::unordered_map<Hash128, std::size_t, HashOfHash> known;
      std::optional<std::size_t> goal;
      for (const std::size_t n : layer) {
        const std::vector<Move> moves = server_.moves(nodes_[n].state);
        if (moves.empty() &&
            (!goal || nodes_[n].changes < nodes_[*goal].changes) &&
            is_goal_(nodes_[n].state)) {
          goal = n;
        }
        for (const Move& move : moves) extend(n, move, next, known);
        nodes_[n].state = State();
        // A node is large, so memory is looked at more often than usual.
        const bool is_spent = nodes_.size() % kLookEvery == 0
                                  ? budget_.spent_now()
                                  : budget_.spent();
        if (nodes_.size() > kMaxNodes || is_spent) return std::nullopt;
      }
      if (goal) return path_to(*goal);
      layer = std::move(next);
    }
    return std::nullopt;
  }

 private:
  struct Node {
    State state;
    std::size_t parent;
    Move move;
    std::uint32_t changes;  ///< between sessions
  };

  void extend(std::size_t from, Move move, std::vector<std::size_t>& next,
              std::unordered_map<Hash128, std::size_t, HashOfHash>& known) {
    State state = nodes_[from].state;
    Happenings happenings;
    server_.apply(state, move, nullptr, happenings);
    if (!happenings.undecided.empty()) return;
    const bool is_change =
        from != 0 && nodes_[from].move.session != move.session;
    const std::uint32_t changes = nodes_[from].changes + (is_change ? 1 : 0);
    Mixer mixer(hash_of(state));
    mixer.add(move.session);
    const Hash128 key = mixer.done();
    const auto [entry, is_new] = known.try_emplace(key, nodes_.size());
    if (is_new) {
      next.push_back(nodes_.size());
      nodes_.push_back({std::move(state), from, move, changes});
      return;
    }
    Node& node = nodes_[entry->second];
    if (changes < node.changes) {
      node.parent = from;
      node.move = move;
      node.changes = changes;
    }
  }

  [[nodiscard]] std::vector<Move> path_to(std::size_t node) const {
    std::vector<Move> path;
    for (; node != 0; node = nodes_[node].parent)
      path.push_back(nodes_[node].move);
    std::reverse(path.begin(), path.end());
    return path;
  }

  Server& server_;
  const IsGoal& is_goal_;
  const Budget& budget_;
  std::vector<Node> nodes_;
};

}  // namespace

std::optional<std::vector<Move>> shortest_path(Server& server, State initial,
                                               const IsGoal& is_goal,
                                               const Budget& budget) {
  return ShortestPath(server, is_goal, budget).find(std::move(initial));
}

}  // namespace txscope::engine
