#pragma once

#include <deque>
#include <span>
#include <vector>

#include "audit/attempt/choices.h"
#include "audit/tables/view.h"

namespace txscope::audit {

/// Which states the statements of one routine see, and of the triggers that
/// they fire: a fresh one each, never older than the one before.
///
/// Method.  A statement's state is a choice among the points from the last
/// one's on, the latest first.  Once it is over, states that differ in nothing
/// that it looked at are one choice, which counts as the oldest of them: that
/// leaves most to the statements after it.  Where others ran inside of it, the
/// state is the one that was chosen, and each is a choice of its own.
/// One run of a routine has one of these; the choices outlive it.
class StatementPoints {
 public:
  StatementPoints(const Tables& tables, std::span<const Position> points,
                  std::size_t first, Choices& choices)
      : tables_(tables), points_(points), low_(first), choices_(choices) {}

  /// A statement begins: the number to end it with.
  std::size_t begin();
  /// The state that it sees, and where to note what it looks at.
  [[nodiscard]] Position at(std::size_t statement) const {
    return points_[statements_[statement].point];
  }
  [[nodiscard]] Visited& visited(std::size_t statement) {
    return statements_[statement].visited;
  }
  /// What it does is the same on whatever state has the rows that it visits.
  void settle(std::size_t statement) {
    statements_[statement].is_settled = true;
  }
  /// It is over; it had to wait for who left `waited_for`.
  void end(std::size_t statement, Position waited_for);
  /// Whoever begins from now on sees what was committed there.
  void wait_for(Position at);

  /// How many statements there were.
  [[nodiscard]] std::size_t size() const { return statements_.size(); }
  /// The oldest point that a statement after all of these may see.
  [[nodiscard]] std::size_t low() const { return low_; }

 private:
  struct One {
    std::size_t choice = 0;
    std::size_t first = 0;  ///< the oldest point that it could have seen
    std::size_t point = 0;
    bool has_inner = false;
    bool is_settled = false;
    Visited visited;
  };

  /// The oldest state that is like the one that a statement saw.
  [[nodiscard]] Position first_like(const One& one) const;

  const Tables& tables_;
  std::span<const Position> points_;
  std::size_t low_;
  Choices& choices_;
  std::deque<One> statements_;     // stay where they are
  std::vector<std::size_t> open_;  // those that have not ended
};

}  // namespace txscope::audit
