#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "tla/model.h"
#include "tla/ranks/rank_search.h"
#include "tla/search/trace.h"
#include "tla/search/worker.h"

namespace txscope::tla {

/// Breadth-first exploration of a state space.
///
/// Method.  Level by level: every worker expands states of the current level
/// and keeps the successors that the common fingerprint set has not seen.  A
/// level is finished even if something was found on it, and the finding with
/// the least property and fingerprint is reported; so counts, depth and trace
/// are the same for any number of workers.
/// Cost.  16 bytes and a third for each distinct state, plus two levels of
/// rows of values, as far as they are not put aside on disk.
class ModelSearch {
 public:
  ModelSearch(const Module& root, const Config& config, Loader& loader,
              const ModelRequest& request, const Budget& budget,
              const std::function<void(const ModelProgress&)>& progress,
              transport::Group* group = nullptr);
  /// Throws Fault.
  ModelResult run(ModelResult* so_far);
  /// What a rank other than 0 does; rank 0 runs, and tells.  Throws Fault.
  void serve();

 private:
  void check_assumptions(ModelResult& result);

  // exploration.cpp
  bool explore(ModelResult& result);
  bool run_level(std::vector<Block> level, ModelResult& result);
  void finish_exploration(ModelResult& result);
  void restore(std::vector<Block>& level);
  void save(std::deque<Block> rest, ModelResult& result);
  std::vector<Block> take_next();
  [[nodiscard]] std::uint64_t identity_of(const Loader& loader,
                                          bool check_deadlock) const;
  void report_progress();
  std::optional<Finding> take_finding();

  // on_ranks.cpp
  ranks::RankSearch::End explore_together();
  bool explore_on_ranks(ModelResult& result);
  void add_other_ranks(ModelResult& result) const;
  void report_ranks();

  // simulate.cpp
  void simulate(ModelResult& result);
  void share_what_was_seen(ModelResult& result);

  void check_postconditions(ModelResult& result);
  void check_possible(ModelResult& result);
  [[nodiscard]] std::optional<std::int64_t> fact(std::string_view name) const;
  [[nodiscard]] std::uint64_t generated() const;
  [[nodiscard]] std::uint64_t distinct() const;
  void add_up(ModelResult& result);
  void say_what_was_checked(ModelResult& result) const;
  void tell(ModelResult& result, const Finding& finding) const;
  void decided(const ModelResult& result) const;
  void report(ModelResult& result, const Finding& finding);
  void show_path(ModelResult& result, const std::vector<std::uint64_t>& path);
  void show_path_to_error(const std::vector<std::uint64_t>& path);
  // infinite.cpp
  void check_liveness(ModelResult& result);
  [[nodiscard]] bool wants_record() const;

  void add_graph(ModelResult& result);
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
  transport::Group* group_;  // null: alone
  std::unique_ptr<ranks::RankSearch> on_ranks_;
  std::vector<std::string> rank_coverage_;
  bool is_resumed_ = false;  // in the middle of a level
  bool is_explored_ = false;
  std::uint64_t identity_ = 0;  // of the specification, for checkpoints
  std::vector<std::unique_ptr<Worker>> workers_;
  Loader& loader_;
};

}  // namespace txscope::tla
