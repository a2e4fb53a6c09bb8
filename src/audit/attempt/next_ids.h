#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "audit/attempt/execute.h"
#include "audit/attempt/id_use.h"

namespace txscope::audit {

/// Numbers that a statement of a log has drawn from sequences.
struct GivenIds {
  std::uint64_t line = 0;  ///< of its transaction
  std::size_t statement = 0;
  std::vector<std::int64_t> ids;
};

/// Numbers for generated ids that nobody observed: the next of the sequence.
///
/// With what the log tells of numbers (`use`) a statement draws the same
/// whenever it is run.  Without it one that is run again draws new ones, and it
/// may be gone before the next is run.
class NextIds final : public GeneratedIds {
 public:
  /// What a statement has drawn, in the order of drawing.
  struct Draw {
    std::uint32_t sequence = 0;
    std::int64_t number = 0;
  };
  using Draws = std::map<const sql::LogStatement*, std::vector<Draw>>;

  NextIds(std::vector<std::int64_t> next, std::vector<std::int64_t> increments,
          const IdUse* use = nullptr, bool has_guessed = false)
      : next_(std::move(next)),
        increments_(std::move(increments)),
        use_(use),
        has_guessed_(has_guessed) {}

  /// From now on a statement draws the same whenever it is run, also without
  /// knowing what the log tells; it must stay where it is.
  void keep() { keeps_ = true; }
  /// From now on numbers stand nowhere in the log: an id is a symbol that is
  /// equal to itself only.
  void avoid_named() { avoids_named_ = true; }
  std::int64_t next(std::uint32_t sequence, const sql::LogStatement& by,
                    std::size_t nth) override;
  /// Whether another number, or another time, might have led elsewhere.
  [[nodiscard]] bool has_guessed() const { return has_guessed_ || has_told_; }
  /// Of what was guessed, whether numbers are part of it.
  [[nodiscard]] bool has_drawn() const { return has_told_; }
  /// Whether anything was drawn.
  [[nodiscard]] bool has_any() const { return has_any_; }
  [[nodiscard]] const std::vector<std::int64_t>& next() const { return next_; }
  [[nodiscard]] const Draws& draws() const { return draws_; }

 private:
  std::int64_t fresh(std::uint32_t sequence);

  std::vector<std::int64_t> next_;
  std::vector<std::int64_t> increments_;
  const IdUse* use_;
  Draws draws_;
  bool keeps_ = false;
  bool avoids_named_ = false;
  bool has_guessed_ = false;
  bool has_told_ = false;
  bool has_any_ = false;
};

}  // namespace txscope::audit
