#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "certify/reading.h"
#include "model/evidence.h"
#include "model/level.h"

namespace txscope::certify {

/// What is known for certain in one branch of a refutation: in every execution
/// of the history that agrees with the branch's assumptions.
///
/// A transaction *counts* if it takes part in every such execution: kInitial,
/// the committed ones, aborted ones that are judged (as readers only), and
/// unknown ones that are assumed to have committed or that somebody who counts
/// must have read from.
///
/// The writer of a read is known if it is assumed, or if only one transaction
/// can have written the value; the same for the append behind the element of a
/// list.  The elements of a list are those of any of its reads that count.
/// At read uncommitted reads of registers say nothing, not even who committed.
class Branch {
 public:
  /// Without assumptions.
  Branch(const Reading& reading, Level level);
  Branch(const Branch& root, std::span<const Assumption> assumptions);

  [[nodiscard]] const Reading& reading() const { return reading_; }
  [[nodiscard]] const History& history() const { return reading_.history(); }
  [[nodiscard]] Level level() const { return level_; }

  [[nodiscard]] bool counts(TxnId t) const { return (*counts_)[t.index] != 0; }
  /// Whether t counts, and has a version of k that others can see.
  [[nodiscard]] bool writes(TxnId t, KeyId k) const {
    return t == History::kInitial || (counts(t) && reading_.writes(t, k));
  }
  [[nodiscard]] bool is_assumed_before(TxnId a, TxnId b) const {
    return before_.contains({a, b});
  }

  /// Whose last write has the value that a register read returned.
  [[nodiscard]] std::vector<TxnId> candidates(
      const Reading::External& read) const;
  /// The same without those who began after the reader had ended, where the
  /// level's order is that of time: who may have written it.
  [[nodiscard]] std::vector<TxnId> possible_writers(
      const Reading::External& read) const;
  /// The transaction that an external read takes its value from, if known.
  [[nodiscard]] std::optional<TxnId> writer(
      const Reading::External& read) const;

  /// The longest read of a list by a transaction that counts, or null.
  [[nodiscard]] const Reading::External* longest_read(KeyId k) const;
  /// Appends that may be behind an element of `read`.
  [[nodiscard]] std::vector<OpId> element_candidates(
      const Reading::External& read, std::uint32_t position) const;
  /// The transaction behind that element, if known.
  [[nodiscard]] std::optional<TxnId> element_writer(
      const Reading::External& read, std::uint32_t position) const;
  /// (a, b) in (order + wr)+, of transactions that count.
  [[nodiscard]] bool happens_before(TxnId a, TxnId b) const;
  [[nodiscard]] bool is_in_session_order(TxnId a, TxnId b) const;
  [[nodiscard]] bool is_in_real_time(TxnId a, TxnId b) const;
  [[nodiscard]] bool is_in_order(TxnId a, TxnId b) const {
    return is_in_session_order(a, b) || is_in_real_time(a, b);
  }
  /// Whether t reads from `from`, by an operation before `end` (kNone: by any).
  [[nodiscard]] bool reads_from(TxnId t, TxnId from, OpId end) const;

 private:
  void find_who_counts();
  void sort_by_end();
  [[nodiscard]] bool search_happens_before(TxnId a, TxnId b) const;
  [[nodiscard]] bool may_commit(TxnId t) const {
    return history().at(t).status != Status::Aborted &&
           !assumed_aborted_.contains(t);
  }

  const Reading& reading_;
  Level level_;
  std::set<std::pair<TxnId, TxnId>> before_;
  std::map<OpId, TxnId> writer_;
  std::set<TxnId> assumed_committed_;
  std::set<TxnId> assumed_aborted_;
  std::map<std::pair<KeyId, std::uint32_t>, OpId> element_;
  std::map<OpId, std::uint32_t> position_;  // the inverse of element_
  /// Shared with the root while the assumptions do not change them.
  std::shared_ptr<const std::vector<std::uint8_t>> counts_;
  std::shared_ptr<const std::vector<TxnId>> by_end_;
  std::shared_ptr<std::map<std::pair<TxnId, TxnId>, bool>> happens_before_;
};

}  // namespace txscope::certify
