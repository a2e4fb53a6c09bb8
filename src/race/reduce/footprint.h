#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>

namespace txscope::race {

/// What a step touches, as far as the order of two steps of different requests
/// can matter.
///
/// A plain read sees what was committed before it; so it depends on commits,
/// not on locks or on what is not committed yet.  Two steps that lock depend on
/// each other, and on what gives locks back.  Who moves rows depends on others
/// who do.
class Footprint {
 public:
  enum class Access : std::uint8_t {
    Reads,      ///< what is committed
    Locks,      ///< locks, or writes for later
    Shares,     ///< locks in a way that others of this kind do not mind
    Publishes,  ///< commits writes, which gives locks back
    Unlocks,    ///< gives locks back
    Moves,      ///< puts a row behind the others, where somebody sees that
  };
  struct Touch {
    /// A table, or "" for everything there is.
    std::string object;
    /// Of the table; empty: all rows.
    std::string row;
    Access access = Access::Reads;

    friend auto operator<=>(const Touch&, const Touch&) = default;
  };

  /// Depends on everything that touches anything.
  [[nodiscard]] static Footprint of_everything();

  void add(Touch touch) { touches_.insert(std::move(touch)); }
  void add(const Footprint& other) {
    touches_.insert(other.touches_.begin(), other.touches_.end());
    is_everything_ = is_everything_ || other.is_everything_;
  }
  [[nodiscard]] const std::set<Touch>& touches() const { return touches_; }
  [[nodiscard]] bool is_everything() const { return is_everything_; }
  [[nodiscard]] bool depends_on(const Footprint& other) const;

 private:
  std::set<Touch> touches_;
  bool is_everything_ = false;
};

}  // namespace txscope::race
