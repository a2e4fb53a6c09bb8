#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "check/ladder.h"
#include "model/history.h"
#include "model/verdict.h"

namespace txscope {

/// What to check: a TLA+ module and its configuration.
struct ModelRequest {
  std::string spec;                   ///< path of the .tla file
  std::optional<std::string> config;  ///< else the .cfg beside it
  std::vector<std::string> include;   ///< further directories of modules
  std::uint32_t jobs = 1;
  std::optional<bool> check_deadlock;  ///< else what the configuration says
  std::optional<std::uint32_t> max_depth;
  /// This many random behaviours of at most max_depth states (100 if it is not
  /// given) instead of all states.
  std::optional<std::uint64_t> simulate;
  std::uint64_t seed = 1;  ///< of whatever is random
  /// Memory for states that wait, in bytes; what is more goes to disk.
  std::optional<std::uint64_t> queue_bytes;
  /// Values that no state needs are freed beyond so many bytes;
  /// with 0 after every level.
  std::uint64_t value_bytes = std::uint64_t{64} << 20u;
  /// Where to write a search that a budget or the user ends.
  std::optional<std::string> checkpoint;
  std::optional<std::string> resume;  ///< such a file to go on from
  bool wants_coverage = false;
  bool wants_graph = false;  ///< also if something is violated
  /// False: the levels of module Txscope are evaluated as they are written.
  bool use_natives = true;
};

struct ModelProgress {
  std::uint64_t generated = 0;
  std::uint64_t distinct = 0;
  std::uint64_t queue = 0;
  std::uint32_t depth = 0;
};

/// What was found to be broken.
enum class ModelViolation : std::uint8_t {
  None,
  Assumption,
  Invariant,
  ActionProperty,  ///< a step that [][A]_v forbids
  Liveness,        ///< a lasso that the property forbids
  Deadlock,
  Postcondition,
  Impossible,  ///< what has to be possible never happens
  Assertion,   ///< an Assert, or PlusCal's assert, is false
};

/// A message of a protocol: an element of a variable that holds a set of
/// records.
struct TraceMessage {
  std::string text;
  std::size_t sent_at = 0;  ///< index of the state that first has it
};

/// One state of a trace, with the step that led to it.
struct TraceState {
  std::string action;   ///< "Send(p1)"; empty for the initial state
  std::string process;  ///< "p1"; empty if the action has no parameter
  Place place;          ///< of the action's definition
  Place source;         ///< of its label in the PlusCal text, if it is one
  struct Binding {
    std::string variable;
    std::string value;
    bool changed = false;
    /// What changed, one line each: `pc[p1] = "wait"`, `msgs gains m`.
    std::vector<std::string> changes;
  };
  std::vector<Binding> values;
  /// The same as JSON: what each variable's name stands for.
  std::vector<std::pair<std::string, std::string>> json;
  /// Parameters of the action with their values as JSON.
  std::vector<std::pair<std::string, std::string>> arguments;
  std::vector<TraceMessage> sent;      ///< by this step
  std::vector<TraceMessage> received;  ///< without which it was impossible
};

/// How often what was evaluated; lines count formulas that begin there.
struct ModelCoverage {
  struct Action {
    std::string name;
    Place place;
    std::uint64_t generated = 0;
    std::uint64_t distinct = 0;  ///< states that it was the first to reach
  };
  struct Line {
    Place place;
    std::string text;
    std::uint64_t count = 0;
  };
  std::vector<Action> actions;
  std::vector<Line> lines;
};

/// All reachable states and steps, without symmetry.
struct ModelGraph {
  struct State {
    bool is_initial = false;
    std::vector<std::string> values;  ///< by variable, in TLA+
    std::vector<std::string> json;
  };
  struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::string action;
  };
  std::vector<std::string> variables;
  std::vector<State> states;
  std::vector<Edge> edges;
};

/// The answer about a model.
struct ModelResult {
  Outcome outcome = Outcome::Undecided;
  ModelViolation violation = ModelViolation::None;
  std::string property;  ///< the violated one
  std::string message;   ///< what a failed assertion says
  Place property_place;
  std::uint64_t generated = 0;  ///< as TLC counts them
  std::uint64_t distinct = 0;   ///< up to symmetry
  std::uint32_t depth = 0;      ///< breadth-first levels
  std::uint64_t assumptions = 0;
  double collision_probability = 0;  ///< that a state was missed
  Spent spent = Spent::Nothing;
  bool is_cut_by_depth = false;
  /// A CONSTRAINT or ACTION_CONSTRAINT left something out.
  bool is_cut_by_constraint = false;
  bool checks_deadlock = false;
  std::uint64_t assertions = 0;  ///< how often an Assert was true
  std::uint64_t conditions = 0;  ///< POSTCONDITIONs and the like
  std::vector<TraceState> trace;
  std::optional<std::size_t> loop;  ///< where the lasso goes back to
  /// The transactions behind a violated invariant that judges some, and what
  /// `check` says about them.
  std::shared_ptr<const History> history;
  std::vector<LadderRow> levels;
  std::vector<std::string> printed;
  std::string emptiness;         ///< why "holds" says nothing; else empty
  std::uint64_t behaviours = 0;  ///< that were simulated
  std::vector<std::string> invariants;  ///< names of what was checked
  std::vector<std::string> properties;
  std::vector<std::string> notes;  ///< e.g. a stale PlusCal translation
  std::string checkpoint;          ///< that was written; else empty
  std::optional<ModelCoverage> coverage;
  std::optional<ModelGraph> graph;
};

/// Explores the state space.  An Error if the specification or its
/// configuration is wrong, or cannot be evaluated; then `so_far`, if given,
/// gets the behaviour up to the state that could not be.
[[nodiscard]] Result<ModelResult> check_model(
    const ModelRequest& request, const Budget& budget,
    const std::function<void(const ModelProgress&)>& progress = {},
    ModelResult* so_far = nullptr);

/// The text of a file of TLA+ with the translation of its PlusCal algorithm in
/// it.
[[nodiscard]] Result<std::string> translated_module(const std::string& path);

}  // namespace txscope
