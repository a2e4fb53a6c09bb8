#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "explore/explore.h"
#include "model/program.h"

namespace txscope {

/// What `explore` found out about one program, ready to be shown.
struct ExploreReport {
  std::string input;
  const Program* program = nullptr;
  const Code* code = nullptr;
  const ExploreResult* result = nullptr;
  std::uint64_t loop_bound = 0;
  bool all = false;  ///< every property was decided
};

/// For people: verdicts first, then the schedule of a violation in the user's
/// own statements, the state it ends in, and what serial orders give.
[[nodiscard]] std::string explore_text(const ExploreReport& report);
/// An array with one element of "results" per level.
[[nodiscard]] nlohmann::ordered_json explore_json(const ExploreReport& report);
/// The history of each level's first violation, for Graphviz.
[[nodiscard]] std::string explore_dot(const ExploreReport& report);
/// One of them, as the graph of that number.
[[nodiscard]] std::string violation_dot(const ExploreReport& report,
                                        const Violation& violation,
                                        std::size_t number);
/// A history as lines of txscope's own format: a header, then a transaction
/// each.  Every written value is a version of its own; "values" has the
/// program's values in the same order.
[[nodiscard]] std::string history_lines(const Program& program,
                                        const Code& code,
                                        const ExploredHistory& history);

/// One violation: lanes, final state, serial orders.  Part of explore_text.
[[nodiscard]] std::string violation_text(const ExploreReport& report,
                                         const Violation& violation);
/// The same as an element of "violations".
[[nodiscard]] nlohmann::ordered_json violation_json(const Program& program,
                                                    const Code& code,
                                                    const Violation& violation);
/// The schedule with one lane per session.
[[nodiscard]] std::string lanes_text(const Program& program, const Code& code,
                                     const Violation& violation);

}  // namespace txscope
