#pragma once

#include <cstdint>
#include <vector>

#include "audit/tables/tables.h"

namespace txscope::audit {

/// The states of an order that is being looked for: after the setup and after
/// each commit that changed something, the last of which can be taken back.
class StateStack {
 public:
  explicit StateStack(const Tables& initial);

  [[nodiscard]] const Tables& tables() const { return tables_; }
  /// Ascending, from kSetup.
  [[nodiscard]] const std::vector<Position>& points() const { return points_; }
  [[nodiscard]] Position last() const { return points_.back(); }
  /// Which of the points is the first not before a position.
  [[nodiscard]] std::size_t index_of(Position at) const;

  /// Puts effects, which are not empty, and gives new rows their numbers.
  void put(Effects& effects);
  /// Takes back what was put last.
  void undo(const Effects& effects);

  // What tells what orders have led to, as hashes.

  /// All versions that were made, in any order.
  [[nodiscard]] std::uint64_t versions() const { return versions_; }
  /// The states from one of the points on: what each has and which rows were
  /// written to get there; of the first what it has counts, not who made it.
  [[nodiscard]] std::uint64_t since(std::size_t first) const;

 private:
  struct Mark {
    std::uint64_t state = 0;     ///< what it has
    std::uint64_t keys = 0;      ///< which were written to get there
    std::uint64_t versions = 0;  ///< that were made until then
  };

  [[nodiscard]] std::uint64_t keys_hash(const Effects& effects) const;

  Tables tables_;
  std::vector<Position> points_;
  std::vector<Mark> marks_;  // by point
  std::uint64_t versions_ = 0;
};

}  // namespace txscope::audit
