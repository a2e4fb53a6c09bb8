#include "engine/explain.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "check/name_anomaly.h"
#include "engine/footprint.h"
#include "engine/replay.h"
#include "engine/serial.h"

namespace txscope::engine {
namespace {

constexpr std::size_t kMaxOrders = 720;
constexpr std::size_t kMaxSelections = 600;
constexpr std::size_t kMaxNodes = 60'000;
constexpr std::size_t kLookEvery = 32;  // nodes
constexpr std::chrono::milliseconds kTimeForSelections{1500};
constexpr std::chrono::milliseconds kTimeForSchedule{1500};

// All selections with `size` of the calls, in lexicographic order.
std::vector<std::vector<CallRef>> choose(const std::vector<CallRef>& calls,
                                         std::size_t size) {
  std::vector<std::vector<CallRef>> chosen;
  std::vector<char> marks(calls.size(), 0);
  std::fill(marks.begin(), marks.begin() + static_cast<std::ptrdiff_t>(size),
            1);
  do {
    auto& row = chosen.emplace_back();
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (marks[i] != 0) row.push_back(calls[i]);
  } while (chosen.size() < kMaxSelections &&
           std::prev_permutation(marks.begin(), marks.end()));
  return chosen;
}

bool is_avoided(const std::vector<SerialOutcome>& serial,
                std::size_t property) {
  return !serial.empty() && std::none_of(serial.begin(), serial.end(),
                                         [&](const SerialOutcome& outcome) {
                                           return outcome.is_violated[property];
                                         });
}

/// Breadth-first search for the shortest way to a violation; of equally long
/// ones that with the fewest changes between sessions.
class ShortestPath {
 public:
  ShortestPath(Machine& machine, Judge& judge, std::size_t property,
               const Budget& budget)
      : machine_(machine),
        judge_(judge),
        property_(property),
        budget_(budget) {}

  std::optional<std::vector<Move>> find(State initial) {
    nodes_.push_back({std::move(initial), 0, {}, 0});
    std::vector<std::size_t> layer = {0};
    while (!layer.empty()) {
      std::vector<std::size_t> next;
      std::unordered_map<Hash128, std::size_t, HashOfHash> known;
      std::optional<std::size_t> goal;
      for (const std::size_t n : layer) {
        const std::vector<Move> moves = machine_.moves(nodes_[n].state);
        if (moves.empty() &&
            judge_.violated(nodes_[n].state, true)[property_] &&
            (!goal || nodes_[n].changes < nodes_[*goal].changes)) {
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
    machine_.apply(state, move, nullptr, happenings);
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

  Machine& machine_;
  Judge& judge_;
  std::size_t property_;
  const Budget& budget_;
  std::vector<Node> nodes_;
};

class Explainer {
 public:
  Explainer(const Surroundings& around, const Profile& profile,
            const sql::MemoryDatabase& initial, std::size_t property,
            const ProfileOptions& options)
      : around_(around),
        application_(around.routines.application()),
        profile_(profile),
        initial_(initial),
        property_(property),
        options_(options) {}

  Counterexample run(const std::vector<Move>& path) {
    Selection selection = Selection::all(application_);
    std::vector<Move> moves = path;
    must_avoid_ = is_avoided(run_serially(selection), property_);
    reduce(selection, moves);
    shorten(selection, moves);
    Counterexample out = describe(selection, moves);
    const std::vector<SerialOutcome> serial = run_serially(selection);
    for (const SerialOutcome& one : serial)
      out.serial.push_back(told(one, selection));
    out.is_avoided_serially = is_avoided(serial, property_);
    name_anomaly(sql::workload_of(application_), {}, around_.budget, out);
    return out;
  }

 private:
  std::vector<SerialOutcome> run_serially(const Selection& selection) const {
    return run_serially_in_all_orders(initial_, application_, selection,
                                      kMaxOrders, around_.budget);
  }

  // The first selection, by size, that shows the violation.
  void reduce(Selection& selection, std::vector<Move>& moves) {
    const std::vector<CallRef> calls = selection.refs();
    const Budget budget = around_.budget.at_most(kTimeForSelections);
    for (std::size_t size = 1; size < calls.size(); ++size) {
      for (const std::vector<CallRef>& chosen : choose(calls, size)) {
        if (budget.spent_now()) return;
        const Selection smaller = Selection::of(application_, chosen);
        if (must_avoid_ && !is_avoided(run_serially(smaller), property_))
          continue;
        if (auto found = search(smaller, budget)) {
          selection = smaller;
          moves = std::move(*found);
          return;
        }
      }
    }
  }

  std::optional<std::vector<Move>> search(const Selection& selection,
                                          const Budget& budget) {
    ProfileOptions options;
    options.reduces = options_.reduces;
    const Surroundings around{around_.routines, around_.rows, budget,
                              around_.own_numbers};
    Machine machine(around, profile_, selection);
    Judge judge(around_.routines, selection, budget);
    Search search(machine, judge, options, budget);
    search.stop_at(property_);
    search.run(machine.initial(initial_));
    if (!search.found()[property_]) return std::nullopt;
    return search.found()[property_]->path;
  }

  void shorten(const Selection& selection, std::vector<Move>& moves) {
    const Budget budget = around_.budget.at_most(kTimeForSchedule);
    const Surroundings around{around_.routines, around_.rows, budget,
                              around_.own_numbers};
    Machine machine(around, profile_, selection);
    Judge judge(around_.routines, selection, budget);
    ShortestPath shortest(machine, judge, property_, budget);
    if (auto path = shortest.find(machine.initial(initial_)))
      moves = std::move(*path);
  }

  Counterexample describe(const Selection& selection,
                          const std::vector<Move>& moves) {
    Replayed run = replay(application_, profile_, selection, property_, moves,
                          around_.routines.loop_bound(), around_.budget);
    const sql::Property& property = application_.properties[property_];
    Counterexample out;
    out.kind = property.kind == PropertyKind::Invariant
                   ? Counterexample::Kind::Invariant
                   : Counterexample::Kind::Assert;
    out.level = profile_.name;
    out.name = property.name;
    out.property = PropertyId(property_);
    out.at = property.at;
    out.value = run.value;
    out.calls = selection.refs();
    out.all_calls = Selection::all(application_).refs().size();
    out.steps = std::move(run.steps);
    out.variables = std::move(run.variables);
    out.replay_problem = std::move(run.problem);
    for (const TableId table : tables()) {
      if (table.index >= run.final_uses.size()) break;  // the budget ended
      out.finals.push_back({application_.schema.at(table).name,
                            std::move(run.final_uses[table.index])});
    }
    return out;
  }

  /// The tables that the property mentions.
  [[nodiscard]] std::vector<TableId> tables() const {
    const Footprint print = footprint_of(
        application_, application_.properties[property_].condition);
    std::vector<TableId> tables;
    for (std::size_t t = 0; t < print.reads.size(); ++t)
      if (print.reads[t]) tables.emplace_back(t);
    return tables;
  }

  [[nodiscard]] SerialRun told(const SerialOutcome& serial,
                               const Selection& selection) const {
    SerialRun out;
    // A session in `order` runs its next call among those that are needed.
    std::vector<std::size_t> next(selection.calls.size());
    for (const std::uint32_t s : serial.order) {
      const CallRef call{s, selection.calls[s][next[s]++]};
      out.order.push_back(call);
      if (!serial.ends[s][call.call].is_committed) out.aborted.push_back(call);
    }
    for (const TableId table : tables()) {
      FinalTable rows{application_.schema.at(table).name, {}};
      for (const sql::Row& row : serial.final[table.index])
        rows.rows.push_back({"", row, std::nullopt, false, false});
      out.finals.push_back(std::move(rows));
    }
    out.is_violated = serial.is_violated[property_];
    return out;
  }

  const Surroundings& around_;
  const sql::Application& application_;
  const Profile& profile_;
  const sql::MemoryDatabase& initial_;
  const std::size_t property_;
  const ProfileOptions& options_;
  bool must_avoid_ = false;
};

}  // namespace

Counterexample explain_violation(const Surroundings& around,
                                 const Profile& profile,
                                 const sql::MemoryDatabase& initial,
                                 std::size_t property,
                                 const std::vector<Move>& path,
                                 const ProfileOptions& options) {
  return Explainer(around, profile, initial, property, options).run(path);
}

}  // namespace txscope::engine
