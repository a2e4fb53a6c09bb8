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
  std::string checkpoint;  ///< where to save a search that a budget ends
  std::string resume;      ///< such a file to continue from
  std::string disk;        ///< a directory for states beyond the memory
  /// The memory of the process, so that waiting states go to disk in time.
  std::optional<std::uint64_t> memory_bytes;
  std::uint64_t jobs = 1;
  std::uint64_t processes = 0;  ///< which share nothing, instead of jobs
  std::uint64_t seed = 1;
  Listener listener;
};

/// Writes the translation of a module's PlusCal algorithm into its file,
/// replacing an older one; the file changes as a whole or not at all.  False if
/// the translation is up to date.
[[nodiscard]] Result<bool> translate_pluscal(const std::string& path);

/// One finding per property.  If something could not be evaluated, it is the
/// failure of the report, after the states that led there.
[[nodiscard]] Result<Report> model(const ModelRequest& request,
                                   const Budget& budget);

}  // namespace txscope::verb
