#include "generate/replicated_store.h"

#include <algorithm>
#include <cassert>

namespace txscope::generate {
namespace {

constexpr std::uint32_t kNothing = 0xffffffffu;

bool writes(const RunningTxn& txn) {
  return std::any_of(txn.ops.begin(), txn.ops.end(),
                     [](const SimulatedOp& op) { return !op.is_read(); });
}

}  // namespace

ReplicatedStore::ReplicatedStore(Level level, std::uint32_t sessions,
                                 std::uint32_t replicas, Random& random)
    : order_(level.order),
      detects_conflicts_(level.base == Base::SnapshotIsolation ||
                         level.base == Base::ParallelSnapshotIsolation),
      max_lag_(std::max(8u, 2 * sessions)),
      random_(random),
      replicas_(std::max(1u, replicas)),
      versions_(1),
      first_version_{1},
      commits_of_(std::max(1u, replicas)),
      last_commit_(sessions, 0) {
  spread_ = Spread::AtAnyTime;
  reads_ = Reads::AtBegin;
  switch (level.base) {
    case Base::Serializable:
      spread_ = Spread::InCommitOrder;
      reads_ = Reads::AtCommit;
      break;
    case Base::SnapshotIsolation:
    case Base::Prefix: spread_ = Spread::InCommitOrder; break;
    case Base::ParallelSnapshotIsolation:
    case Base::Causal: spread_ = Spread::AfterCauses; break;
    case Base::ReadAtomic: break;
    case Base::MonotonicAtomicView: reads_ = Reads::OneByOne; break;
    case Base::ReadCommitted:
    case Base::ReadUncommitted: reads_ = Reads::Anywhere; break;
  }
  ends_when_spread_ = order_ == Order::Realtime &&
                      spread_ != Spread::InCommitOrder &&
                      reads_ == Reads::AtBegin;
  for (Replica& replica : replicas_)
    replica.received.assign(replicas_.size(), 0);
}

std::span<const std::int64_t> ReplicatedStore::list(std::uint32_t key) const {
  return lists_[key];
}

StepEnd ReplicatedStore::step(RunningTxn& txn, std::int64_t now) {
  switch (txn.phase) {
    case RunningTxn::Phase::New:
      begin(txn, now);
      txn.phase = RunningTxn::Phase::Running;
      return StepEnd::Ran;
    case RunningTxn::Phase::Running:
      if (reads_ >= Reads::OneByOne && txn.next_op < txn.ops.size()) {
        const std::uint32_t op = txn.next_op++;
        run_read(
            txn, op,
            reads_ == Reads::Anywhere
                ? static_cast<std::uint32_t>(random_.below(replicas_.size()))
                : txn.replica);
        return StepEnd::Ran;
      }
      return commit(txn, now);
    case RunningTxn::Phase::Committed: txn.end = now; return spread_needs(txn);
  }
  return StepEnd::Ended;
}

void ReplicatedStore::begin(RunningTxn& txn, std::int64_t now) {
  txn.replica =
      order_ == Order::None
          ? static_cast<std::uint32_t>(random_.below(replicas_.size()))
          : txn.session % static_cast<std::uint32_t>(replicas_.size());
  for (const SimulatedOp& op : txn.ops) add_key(op.key);
  begin_at(txn, now);
  if (reads_ == Reads::AtBegin) run_all(txn);
}

void ReplicatedStore::begin_at(RunningTxn& txn, std::int64_t now) {
  txn.start = now;
  if (order_ == Order::Realtime && spread_ == Spread::InCommitOrder)
    catch_up(txn.replica);
}

void ReplicatedStore::run_all(RunningTxn& txn) {
  txn.seen.resize(txn.ops.size());
  for (std::size_t i = 0; i < txn.ops.size(); ++i) {
    txn.seen[i] = version_at(txn.replica, txn.ops[i].key);
    run_read(txn, i, txn.replica);
  }
}

void ReplicatedStore::run_read(RunningTxn& txn, std::size_t i,
                               std::uint32_t replica) {
  SimulatedOp& op = txn.ops[i];
  if (!op.is_read()) return;
  const SimulatedOp* own = txn.own_write(op.key, i);
  if (own != nullptr && op.kind == OpKind::Read)
    op.value = own->value;
  else
    op.value = versions_[version_at(replica, op.key)].value;
}

StepEnd ReplicatedStore::commit(RunningTxn& txn, std::int64_t now) {
  const bool is_effective = takes_effect(txn.fate) && writes(txn);
  if (reads_ == Reads::AtCommit) {
    if (writes(txn) || order_ == Order::Realtime) catch_up(txn.replica);
    run_all(txn);
  } else if (is_effective && detects_conflicts_ && has_conflict(txn)) {
    // Begin again, now with every version that it conflicts with.
    begin_at(txn, now);
    for (const SimulatedOp& op : txn.ops)
      if (!op.is_read() && latest_[op.key] != 0)
        deliver(txn.replica, versions_[latest_[op.key]].commit);
    run_all(txn);
  }
  if (is_effective) install(txn);
  txn.end = now + 1;
  if (!ends_when_spread_) return StepEnd::Ended;
  const auto& received = replicas_[txn.replica].received;
  txn.needs.assign(received.begin(), received.end());
  txn.phase = RunningTxn::Phase::Committed;
  return StepEnd::Ran;
}

bool ReplicatedStore::has_conflict(const RunningTxn& txn) const {
  for (std::size_t i = 0; i < txn.ops.size(); ++i)
    if (!txn.ops[i].is_read() && txn.seen[i] != latest_[txn.ops[i].key])
      return true;
  return false;
}

void ReplicatedStore::install(RunningTxn& txn) {
  const std::uint32_t c = commit_count();
  for (std::size_t i = 0; i < txn.ops.size(); ++i) {
    const SimulatedOp& op = txn.ops[i];
    if (op.is_read()) continue;
    std::int64_t value = op.value;
    if (op.kind == OpKind::Append) {
      lists_[op.key].push_back(op.value);
      value = static_cast<std::int64_t>(lists_[op.key].size());
    }
    // Only the last write per key is a version; earlier ones are replaced.
    Version& newest = versions_[latest_[op.key]];
    if (latest_[op.key] != 0 && newest.commit == c) {
      newest.value = value;
      continue;
    }
    const std::uint32_t previous = latest_[op.key];
    latest_[op.key] = static_cast<std::uint32_t>(versions_.size());
    versions_.push_back({op.key, c, previous, value});
  }
  first_version_.push_back(static_cast<std::uint32_t>(versions_.size()));
  origin_.push_back(txn.replica);
  commits_of_[txn.replica].push_back(c);
  last_commit_[txn.session] = c + 1;
  for (Replica& replica : replicas_) replica.has.push_back(0);
  // Elements before its appends must be here first, and so become causes.
  if (spread_ == Spread::AfterCauses) {
    for (std::uint32_t v = first_version_[c]; v < first_version_[c + 1]; ++v)
      if (!lists_[versions_[v].key].empty() && versions_[v].previous != 0)
        deliver(txn.replica, versions_[versions_[v].previous].commit);
    const auto& received = replicas_[txn.replica].received;
    causes_.insert(causes_.end(), received.begin(), received.end());
  }
  deliver(txn.replica, c);
  spread_some(txn.replica);
}

// Every commit brings about one delivery to every other replica on average.
// Replicas that keep an order get them in bursts, and lag in between.  The
// others get recent commits first, so that some old ones stay missing.
void ReplicatedStore::spread_some(std::uint32_t origin) {
  constexpr std::uint64_t kBurst = 8;
  constexpr std::uint32_t kRecent = 3;
  const bool in_bursts = spread_ != Spread::AtAnyTime;
  for (std::uint32_t r = 0; r < replicas_.size(); ++r) {
    if (r == origin) continue;
    const Replica& replica = replicas_[r];
    std::uint64_t count = random_.below(3);
    if (in_bursts) count = random_.below(kBurst) == 0 ? kBurst : 0;
    for (; count > 0 && replica.low < commit_count(); --count) {
      const std::uint32_t backlog = commit_count() - replica.low;
      std::uint32_t c = replica.low;
      if (spread_ == Spread::AfterCauses)
        c += static_cast<std::uint32_t>(
            random_.below(std::min(backlog, max_lag_)));
      else if (spread_ == Spread::AtAnyTime)
        c += backlog - 1 -
             static_cast<std::uint32_t>(
                 random_.below(std::min(backlog, kRecent)));
      if (!replica.has[c]) deliver(r, c);
    }
    while (commit_count() - replica.low > 2 * max_lag_) deliver(r, replica.low);
  }
}

// One more replica gets what the transaction's end depends on; it ends when
// every replica has it.
StepEnd ReplicatedStore::spread_needs(RunningTxn& txn) {
  const bool counts_causes = spread_ == Spread::AfterCauses;
  const std::uint32_t own = last_commit_[txn.session];
  const auto count = static_cast<std::uint32_t>(replicas_.size());
  const auto first = static_cast<std::uint32_t>(random_.below(count));
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t r = (first + i) % count;
    Replica& replica = replicas_[r];
    bool lacked = false;
    if (own != 0 && !replica.has[own - 1]) {
      deliver(r, own - 1);
      lacked = true;
    }
    for (std::uint32_t o = 0; counts_causes && o < count; ++o) {
      while (replica.received[o] < txn.needs[o]) {
        deliver(r, commits_of_[o][replica.received[o]]);
        lacked = true;
      }
    }
    if (lacked) return StepEnd::Ran;
  }
  return StepEnd::Ended;
}

std::uint32_t ReplicatedStore::version_at(std::uint32_t replica,
                                          std::uint32_t key) const {
  return replicas_[replica].version[key];
}

void ReplicatedStore::catch_up(std::uint32_t replica) {
  while (replicas_[replica].low < commit_count())
    deliver(replica, replicas_[replica].low);
}

// Delivers a commit after everything it has to wait for.  What is missing is
// always an earlier commit, so this ends.
void ReplicatedStore::deliver(std::uint32_t replica, std::uint32_t commit) {
  stack_.assign(1, commit);
  while (!stack_.empty()) {
    const std::uint32_t c = stack_.back();
    if (replicas_[replica].has[c]) {
      stack_.pop_back();
      continue;
    }
    const std::uint32_t first = missing(replica, c);
    if (first == kNothing) {
      apply(replica, c);
      stack_.pop_back();
    } else {
      assert(first < c && "a commit waits for earlier ones only");
      stack_.push_back(first);
    }
  }
}

std::uint32_t ReplicatedStore::missing(std::uint32_t replica,
                                       std::uint32_t c) const {
  const Replica& here = replicas_[replica];
  if (spread_ == Spread::InCommitOrder)
    return here.low < c ? here.low : kNothing;
  if (spread_ == Spread::AfterCauses) {
    const auto needed = causes(c);
    for (std::size_t o = 0; o < needed.size(); ++o)
      if (here.received[o] < needed[o]) return commits_of_[o][here.received[o]];
  }
  for (std::uint32_t v = first_version_[c]; v < first_version_[c + 1]; ++v) {
    const Version& version = versions_[v];
    if (!lists_[version.key].empty() &&
        here.version[version.key] < version.previous)
      return versions_[version.previous].commit;
  }
  return kNothing;
}

void ReplicatedStore::apply(std::uint32_t replica, std::uint32_t c) {
  Replica& here = replicas_[replica];
  for (std::uint32_t v = first_version_[c]; v < first_version_[c + 1]; ++v) {
    std::uint32_t& shown = here.version[versions_[v].key];
    shown = std::max(shown, v);
  }
  here.has[c] = 1;
  ++here.received[origin_[c]];
  while (here.low < commit_count() && here.has[here.low]) ++here.low;
}

void ReplicatedStore::add_key(std::uint32_t key) {
  if (key < latest_.size()) return;
  const std::size_t size = std::max<std::size_t>(key + 1, latest_.size() * 2);
  latest_.resize(size, 0);
  lists_.resize(size);
  for (Replica& replica : replicas_) replica.version.resize(size, 0);
}

}  // namespace txscope::generate
