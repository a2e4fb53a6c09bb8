#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "certify/reading.h"
#include "model/evidence.h"
#include "model/level.h"

namespace txscope::certify {

/// A history with everything chosen that was open: who committed, the total
/// order co, the writer of every external read.  Built from the evidence of a
/// verdict that holds; complaint() says what is wrong with it, if anything:
///   - every unknown transaction has an outcome,
///   - co is a permutation of the transactions that take part,
///   - co contains the order of the level,
///   - from read-committed on: internal reads are right; every external read
///     has a writer that wrote that value last, committed, and is before the
///     reader in co; list reads are what their writers appended, along co.
/// What is left for holds.cpp is the premise of each level.
class Execution {
 public:
  Execution(const Reading& reading, Level level, const CommitOrder& evidence);

  [[nodiscard]] const std::optional<std::string>& complaint() const {
    return complaint_;
  }

  struct Read {
    OpId op;
    KeyId key;
    TxnId writer;
  };

  [[nodiscard]] const Reading& reading() const { return reading_; }
  [[nodiscard]] const History& history() const { return reading_.history(); }
  [[nodiscard]] Order order() const { return level_.order; }
  /// The transactions that take part, along co; the first is kInitial.
  [[nodiscard]] std::span<const TxnId> sequence() const { return sequence_; }
  static constexpr std::uint32_t kOut = 0xffffffffu;
  /// Position in co, or kOut.
  [[nodiscard]] std::uint32_t position(TxnId t) const {
    return position_[t.index];
  }
  [[nodiscard]] bool takes_part(TxnId t) const { return position(t) != kOut; }
  /// Keys whose versions t wrote; an aborted transaction writes nothing.
  [[nodiscard]] std::span<const KeyId> keys(TxnId t) const {
    return reading_.keys(t);
  }
  /// External reads of t, in program order.
  [[nodiscard]] std::span<const Read> reads(TxnId t) const {
    return std::span(reads_).subspan(
        first_read_[t.index], first_read_[t.index + 1] - first_read_[t.index]);
  }
  /// Who wrote k, along co, without kInitial.
  [[nodiscard]] std::span<const TxnId> versions(KeyId k) const {
    return std::span(versions_).subspan(
        first_version_[k.index],
        first_version_[k.index + 1] - first_version_[k.index]);
  }
  /// The last writer of k at or before a position of co, perhaps kInitial.
  [[nodiscard]] TxnId last_writer(KeyId k, std::uint32_t position) const;
  /// The transaction before t in its session, or kInitial; at order none
  /// always kInitial.
  [[nodiscard]] TxnId session_predecessor(TxnId t) const;

  /// Transactions with an end, earliest first, for realtime order.
  [[nodiscard]] std::span<const TxnId> by_end() const { return by_end_; }
  /// How many of those ended before t started; 0 at other orders.
  [[nodiscard]] std::size_t ended_before(TxnId t) const;

  [[nodiscard]] std::string name(TxnId t) const { return history().name(t); }
  [[nodiscard]] std::string describe(OpId op) const;

 private:
  bool fail(std::string why);
  bool take_outcomes(const CommitOrder& evidence);
  bool take_sequence(const CommitOrder& evidence);
  bool contains_order();
  void find_versions();
  bool find_writers(const CommitOrder& evidence);
  std::optional<TxnId> register_writer(const Reading::External& read,
                                       std::optional<TxnId> chosen);
  std::optional<TxnId> list_writer(const Reading::External& read);
  bool is_possible_writer(const Reading::External& read, TxnId writer) const;

  const Reading& reading_;
  Level level_;
  std::optional<std::string> complaint_;
  std::vector<std::uint8_t> committed_;  // by transaction: outcomes applied
  std::vector<TxnId> sequence_;
  std::vector<std::uint32_t> position_;
  std::vector<TxnId> by_end_;
  std::vector<std::uint32_t> first_version_;
  std::vector<TxnId> versions_;
  std::vector<std::uint32_t> first_read_;
  std::vector<Read> reads_;
  /// Per list: its elements along co, where each version ends, and how much
  /// of the shared copy of its reads was compared already.
  struct List {
    std::vector<Atom> elements;
    std::vector<std::uint32_t> ends;
    const Atom* seen = nullptr;
    std::size_t seen_length = 0;
  };
  std::vector<List> lists_;
};

}  // namespace txscope::certify
