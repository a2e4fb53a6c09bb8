#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/search/serial_sense.h"
#include "engine/server/server.h"

namespace txscope::engine {

/// Whether the end of a run is one that the transactions which committed in it
/// also reach one after the other, in some order that keeps sessions.
///
/// Definition.  SerialSense says what has to be the same.  A transaction that
/// aborted has no effect and is left out, whatever it saw. What a sequence
/// gives is nobody's doing: one after the other a transaction gets the numbers
/// that it got in the run. Method.  The serial runs as a graph, made as it is
/// asked for: a node is who has run and the rows then, an edge the next
/// transaction with what it is told.  An outcome is looked for along edges that
/// tell the same. Invariant.  A node stands for all serial runs that lead to
/// it: what a transaction does then depends on the committed rows alone.
class SerialOutcomes {
 public:
  SerialOutcomes(const Surroundings& around, const Profile& profile,
                 const Selection& selection, const sql::MemoryDatabase& initial,
                 SerialSense sense);

  /// None: there are too many serial runs, one cannot be followed, or the
  /// budget is spent.
  [[nodiscard]] std::optional<bool> contains(const State& end);

 private:
  struct Edge {
    bool is_committed = false;
    Hash128 results;
    std::size_t to = 0;
  };
  struct Node {
    State state;
    std::unordered_map<Hash128, Edge, HashOfHash> edges;
  };
  /// A call to be run, by its position in the session.
  struct Next {
    SessionNo session;
    std::uint32_t call;
  };

  [[nodiscard]] std::vector<Next> open_calls(const State& reached,
                                             const State& end) const;
  /// None: it cannot be followed.
  [[nodiscard]] std::optional<Edge> run(std::size_t from, Next next,
                                        const State& end);

  const Surroundings& around_;
  Server server_;
  const SerialSense sense_;
  std::vector<Node> nodes_;
  std::unordered_map<Hash128, std::size_t, HashOfHash> known_;
};

/// Runs the session's next call alone; false: it cannot be followed.
bool run_alone(Server& server, State& state, SessionNo s,
               std::vector<TraceStep>* trace);

}  // namespace txscope::engine
