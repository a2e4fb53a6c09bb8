#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tla/ranks/checkpoint_directory.h"
#include "tla/ranks/disk_set.h"
#include "tla/ranks/outbox.h"
#include "tla/ranks/rank_report.h"
#include "tla/search/router.h"
#include "tla/search/worker.h"
#include "transport/group.h"

namespace txscope::tla::ranks {

/// What is asked of a search on ranks besides the specification.
struct RankOptions {
  std::optional<std::uint32_t> depth;
  std::optional<std::uint64_t> memory_bytes;  ///< of each rank
  std::optional<std::string> disk;            ///< a directory
  std::optional<std::uint64_t> disk_memory;   ///< for states seen lately
  std::optional<std::string> checkpoint;      ///< a directory
  std::optional<std::string> resume;          ///< a directory
  std::uint64_t identity = 0;                 ///< of the specification
};

/// How far a rank is.
struct RankStatus {
  std::uint64_t generated = 0;
  std::uint64_t distinct = 0;
  std::uint64_t waiting = 0;
  std::uint64_t bytes_sent = 0;
};

/// Breadth-first search on ranks that share nothing.
///
/// Source.  Stern and Dill, "Parallelizing the Murphi verifier" (CAV 1997):
/// each state has an owner, which follows from its fingerprint. Method.  Level
/// by level: a rank expands the states that it owns and sends the successors to
/// their owners, in batches; the last batch of a level says so.  Once a rank
/// has that of all others, it knows its next level; one round in which each
/// tells all others what it has (RankReport) ends the level, and all decide
/// alike how to go on. Invariant.  Which states are on a level, and the least
/// parent of each, do not depend on the number of ranks or on what arrives
/// first; so counts, depth, verdict and trace are those of a search in one
/// process.
class RankSearch : public Router {
 public:
  /// The worker is this rank's only one.  Throws Fault.
  RankSearch(transport::Group& group,
             const std::vector<std::unique_ptr<Worker>>& workers,
             Shared& shared, RankOptions options, FindSource find_source);

  enum class End : std::uint8_t {
    Explored,
    Found,    ///< report().finding
    Failed,   ///< report().error
    Stopped,  ///< by a budget, or by report().trouble
    TooDeep,
  };
  /// All ranks call it and return the same.  Throws transport::Lost.
  End explore();
  /// Brings what the workers recorded to rank 0.  All ranks call it.
  void collect_graph();

  /// Of all ranks, at the end of the last level.
  [[nodiscard]] const RankReport& report() const { return sum_; }
  [[nodiscard]] const std::vector<RankReport>& reports() const {
    return reports_;
  }
  /// The numbers of the other ranks added up, at the end of the last level.
  [[nodiscard]] const RankReport& elsewhere() const { return elsewhere_; }
  /// States that this rank has seen.
  [[nodiscard]] std::uint64_t distinct_here() const {
    return disk_ ? disk_->size() : shared_.seen.size();
  }
  /// The latest of each rank; on rank 0.
  [[nodiscard]] const std::vector<RankStatus>& statuses();
  [[nodiscard]] std::uint32_t depth() const { return depth_; }
  /// Of what was found, or of what could not be evaluated: the fingerprints
  /// from an initial state on.
  [[nodiscard]] const std::vector<std::uint64_t>& path() const { return path_; }
  /// What action was first to reach states of this rank, by action_key(), as
  /// far as the worker does not count it.
  [[nodiscard]] const std::unordered_map<std::uint64_t, std::uint64_t>&
  distinct_by_action() const {
    return distinct_by_action_;
  }

  bool is_mine(std::uint64_t fingerprint) const override;
  bool take(const Candidate& successor, const Value* row) override;
  void pump() override;
  bool counts_common() const override { return group_.rank() == 0; }

 private:
  /// First byte of a message.
  enum class Tag : char { Batch = 'b', Stop = 's', Status = 'p', Graph = 'g' };

  void guarded(const std::function<void()>& run);
  [[nodiscard]] unsigned owner_of(std::uint64_t fingerprint) const;
  void run_level(std::vector<Block> level);
  void receive(bool waits);
  void take_message(unsigned from, std::string_view bytes);
  void take_batch(const Batch& batch);
  void accept(const SentState& state, std::span<const Value> row);
  void add_to_graph(std::string_view bytes);
  void stop_all();
  void look_at_memory();
  void tell_status();
  [[nodiscard]] RankStatus status() const;
  void exchange_reports();
  [[nodiscard]] std::vector<std::uint64_t> way_to(std::uint64_t fingerprint);

  // rank_checkpoint.cpp
  void open_checkpoint();
  [[nodiscard]] bool is_checkpoint_due() const;
  void save();
  void write_part(std::uint64_t part);
  void restore();
  template <class Visit>
  void for_each_seen(const Visit& visit) const;

  transport::Group& group_;
  const std::vector<std::unique_ptr<Worker>>& workers_;
  Worker& worker_;
  Shared& shared_;
  RankOptions options_;
  FindSource find_source_;
  Outbox outbox_;
  std::unique_ptr<DiskSet> disk_;
  std::uint32_t depth_ = 0;
  unsigned ended_ = 0;     // other ranks that have sent all of this level
  bool has_told_ = false;  // the others to stop
  bool is_out_of_memory_ = false;
  std::uint64_t pumps_ = 0;
  std::vector<Block> next_;
  std::uint64_t waiting_ = 0;  // states of this level at its beginning
  std::optional<RankError> error_;
  std::string trouble_;
  std::vector<RankReport> reports_;
  RankReport sum_;
  RankReport elsewhere_;
  std::vector<RankStatus> statuses_;
  std::chrono::steady_clock::time_point told_at_{};
  std::vector<std::uint64_t> path_;
  std::unordered_map<std::uint64_t, std::uint64_t> distinct_by_action_;

  std::unique_ptr<CheckpointDirectory> directory_;
  Manifest before_;    // of the run that this one goes on from, on rank 0
  Manifest manifest_;  // of this run, and of the one it goes on from
  std::uint64_t next_part_ = 1;
  std::uint32_t saved_level_ = 0;
  std::chrono::steady_clock::time_point saved_at_{};
  std::chrono::steady_clock::duration saving_took_{};
};

/// A number for the place of an action, the same on all ranks.
[[nodiscard]] std::uint64_t action_key(std::string_view file,
                                       std::uint64_t line,
                                       std::uint64_t column);

}  // namespace txscope::tla::ranks
