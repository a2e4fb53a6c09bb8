#pragma once

/// Protocols written in TLA+, from C++:
///
///     #include <txscope/model.h>
///     using namespace txscope;
///
///     verb::ModelRequest request;
///     request.input = "TwoPhase.tla";
///     auto report = verb::model(request, Budget::unlimited());
///     std::cout << verb::text(*report);
///
/// or with the trace as values:
///
///     ModelRequest asked;
///     asked.spec = "TwoPhase.tla";
///     const auto result = check_model(asked, Budget::unlimited());
///     if (result && result->outcome == Outcome::Violated)
///       show(result->trace);
#include <txscope/listener.h>
#include <txscope/write.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace txscope::verb {

/// Does a TLA+ specification keep its properties?
struct ModelRequest {
  std::string input;                 ///< the module
  std::string config;                ///< empty: the .cfg beside it
  std::vector<std::string> include;  ///< directories to look for modules in
  std::uint64_t depth = 0;           ///< breadth-first levels; 0: all
  std::uint64_t simulate = 0;  ///< random behaviours instead of all states
  bool no_deadlock = false;
  bool literal = false;     ///< levels of module Txscope as they are written
  bool all_values = false;  ///< every variable of every state of a trace
  bool coverage = false;
  std::string dump;        ///< a file for the graph: .dot or .json
  std::string trace;       ///< a file for the trace, as TLC writes it
  std::string checkpoint;  ///< where to put a search that a budget ends
  std::string resume;      ///< such a file to go on from
  std::string disk;        ///< a directory for states beyond the memory
  /// What the process may have, so that waiting states go to disk in time.
  std::optional<std::uint64_t> memory_bytes;
  std::uint64_t jobs = 1;
  std::uint64_t processes = 0;  ///< that share nothing, instead of jobs
  std::uint64_t seed = 1;
  Listener listener;
};

/// Writes the translation of a module's PlusCal algorithm into its file, in
/// place of an older one; the file changes whole or not at all.  False if it is
/// there already.
[[nodiscard]] Result<bool> translate_pluscal(const std::string& path);

/// One finding per property; what could not be evaluated is the report's
/// failure, behind the states that led there.
[[nodiscard]] Result<Report> model(const ModelRequest& request,
                                   const Budget& budget);

}  // namespace txscope::verb
