#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "generate/store.h"
#include "model/level.h"

namespace txscope::generate {

/// A simulated database of a few replicas, among which committed transactions
/// spread one by one, each as a whole.  Every session talks to one replica (at
/// order none: to any).  Commits are numbered as they happen; where versions
/// of a key compete, the later commit wins.  The commit order of the level's
/// definition is the order of the numbers, read-only transactions in between.
///
/// What makes the level:
///
///   base                  a commit spreads       reads        written keys
///   serializable          in commit order        at commit    -
///   snapshot-isolation    in commit order        at begin     unchanged since
///   prefix                in commit order        at begin     -
///   parallel-snapshot     after what it depends  at begin     unchanged since
///   causal                after what it depends  at begin     -
///   read-atomic           at any time            at begin     -
///   monotonic-atomic-view at any time            one by one   -
///   read-committed        at any time            one by one, each anywhere
///
/// "at commit": the replica is brought up to date first, unless the
/// transaction only reads and the order is not realtime.  "unchanged since":
/// no version that the snapshot lacks, anywhere; otherwise the transaction is
/// run again, at once and without interruption, so contention costs at most
/// one retry each; its failed attempt leaves no trace.
///
/// Realtime order: a replica that spreads in commit order catches up before
/// each transaction; elsewhere a transaction ends only when all replicas have
/// what it wrote (where causes count: all it may have seen, too).
///
/// Lists: a version is a length.  An append waits for the elements before it,
/// at every replica, so that whatever a replica shows is a prefix.
class ReplicatedStore : public Store {
 public:
  ReplicatedStore(Level level, std::uint32_t sessions, std::uint32_t replicas,
                  Random& random);

  StepEnd step(RunningTxn& txn, std::int64_t now) override;
  [[nodiscard]] std::span<const std::int64_t> list(
      std::uint32_t key) const override;

 private:
  enum class Spread : std::uint8_t { InCommitOrder, AfterCauses, AtAnyTime };
  enum class Reads : std::uint8_t { AtCommit, AtBegin, OneByOne, Anywhere };

  // A version of a key.  Versions are numbered from 1 in commit order, 0 is
  // the initial one, so the winner of two versions is the greater.
  struct Version {
    std::uint32_t key;
    std::uint32_t commit;
    std::uint32_t previous;  // version of the key
    std::int64_t value;      // of a list: its length
  };
  struct Replica {
    std::vector<std::uint32_t> version;   // by key
    std::vector<std::uint8_t> has;        // by commit
    std::uint32_t low = 0;                // the first commit it lacks
    std::vector<std::uint32_t> received;  // commits, by the replica they began
  };

  [[nodiscard]] std::uint32_t commit_count() const {
    return static_cast<std::uint32_t>(first_version_.size() - 1);
  }
  [[nodiscard]] std::span<const std::uint32_t> causes(std::uint32_t c) const {
    return std::span(causes_).subspan(c * replicas_.size(), replicas_.size());
  }
  [[nodiscard]] std::uint32_t version_at(std::uint32_t replica,
                                         std::uint32_t key) const;

  void begin(RunningTxn& txn, std::int64_t now);
  void begin_at(RunningTxn& txn, std::int64_t now);
  void run_read(RunningTxn& txn, std::size_t op, std::uint32_t replica);
  void run_all(RunningTxn& txn);
  StepEnd commit(RunningTxn& txn, std::int64_t now);
  [[nodiscard]] bool has_conflict(const RunningTxn& txn) const;
  void install(RunningTxn& txn);
  void spread_some(std::uint32_t origin);
  StepEnd spread_needs(RunningTxn& txn);

  void deliver(std::uint32_t replica, std::uint32_t commit);
  void catch_up(std::uint32_t replica);
  [[nodiscard]] std::uint32_t missing(std::uint32_t replica,
                                      std::uint32_t commit) const;
  void apply(std::uint32_t replica, std::uint32_t commit);
  void add_key(std::uint32_t key);

  Order order_;
  Spread spread_;
  Reads reads_;
  bool detects_conflicts_;
  bool ends_when_spread_;
  std::uint32_t max_lag_;
  Random& random_;

  std::vector<Replica> replicas_;
  std::vector<Version> versions_;             // [0] stands for every initial
  std::vector<std::uint32_t> first_version_;  // by commit, and one beyond
  std::vector<std::uint32_t> causes_;         // rows: received, at commit
  std::vector<std::uint32_t> origin_;         // by commit
  std::vector<std::vector<std::uint32_t>> commits_of_;  // by origin
  std::vector<std::uint32_t> latest_;  // version by key, anywhere
  std::vector<std::vector<std::int64_t>> lists_;
  std::vector<std::uint32_t> last_commit_;  // by session, plus one
  std::vector<std::uint32_t> stack_;
};

}  // namespace txscope::generate
