#pragma once

#include <cstdint>

#include "base/result.h"
#include "generate/workload.h"
#include "model/history_builder.h"
#include "model/level.h"

namespace txscope::generate {

struct Simulation {
  Level level;  ///< what the simulated database guarantees
  SimulatedLoad workload;
  bool has_times = true;  ///< record start and end of every transaction
  /// More replicas than sessions are of no use.
  std::uint32_t replicas = 4;
  std::uint64_t seed = 1;
};

/// Runs a workload on a simulated database of the level and records what its
/// clients see.  Sessions take turns at random, one step at a time, so their
/// transactions overlap.  The history has the level by construction; of every
/// stronger one it has the anomalies as soon as there is contention (few keys
/// for the number of sessions).  The same Simulation gives the same history.
///
/// Registers start as 0, keys are the integers from 0, sessions from 1.
/// Start and end are ticks of the simulation; at an order less than realtime
/// they say when things happened, not what had to be seen.
///
/// Memory besides the history: 8 bytes per operation and 4 per key and
/// replica.  A million transactions of 8 operations take about 2 seconds.
[[nodiscard]] Result<Done> simulate(const Simulation& simulation,
                                    HistoryBuilder& builder);
[[nodiscard]] Result<History> simulate(const Simulation& simulation);

}  // namespace txscope::generate
