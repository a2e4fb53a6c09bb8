#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "tla/model.h"
#include "tla/trace.h"
#include "tla/worker.h"

namespace txscope::tla {

/// Breadth-first exploration of a state space.
///
/// Method.  Level by level: every worker expands states of the current level
/// and keeps the successors that the common fingerprint set has not seen.  A
/// level is finished even if something was found on it, and the finding with
/// the least property and fingerprint is reported; so counts, depth and trace
/// are the same for any number of workers.
/// Cost.  16 bytes and a third for each distinct state, plus two levels of
/// rows of values.
class Search {
 public:
  Search(const Module& root, const Config& config, Loader& loader,
         const ModelRequest& request, const Budget& budget,
         const std::function<void(const ModelProgress&)>& progress);
  /// Throws Fault.
  ModelResult run(ModelResult* so_far);

 private:
  void check_assumptions(ModelResult& result);
  bool explore(ModelResult& result);
  void simulate(ModelResult& result);
  void check_postconditions(ModelResult& result);
  [[nodiscard]] std::optional<std::int64_t> fact(std::string_view name) const;
  void add_up(ModelResult& result);
  std::optional<Finding> take_finding();
  void report(ModelResult& result, const Finding& finding);
  void check_liveness(ModelResult& result);
  void report_progress();
  void name_checks(ModelResult& result) const;
  void show_way_to_error(const Worker& worker);
  void finish_trace(ModelResult& result, Trace trace);
  void add_history(ModelResult& result, const std::vector<Value>& state);

  const ModelRequest& request_;
  const Budget& budget_;
  const std::function<void(const ModelProgress&)>& progress_;
  std::size_t queue_ = 0;
  std::uint32_t depth_ = 0;
  std::uint64_t distinct_before_ = 0;
  std::chrono::steady_clock::time_point reported_;
  std::chrono::steady_clock::time_point started_ =
      std::chrono::steady_clock::now();
  ModelResult* so_far_ = nullptr;
  Shared shared_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace txscope::tla
