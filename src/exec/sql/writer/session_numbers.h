#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace txscope::sql {

/// The numbers that sequences gave to one session: of each the last.  A
/// rollback takes none of them back.
class SessionNumbers {
 public:
  void note(std::uint32_t sequence, std::int64_t number) {
    std::erase_if(all_, [&](const auto& one) { return one.first == sequence; });
    all_.emplace_back(sequence, number);
  }
  /// Of that sequence; without one, of whichever was asked last.
  [[nodiscard]] std::optional<std::int64_t> last(
      std::optional<std::uint32_t> sequence) const {
    for (auto one = all_.rbegin(); one != all_.rend(); ++one)
      if (!sequence || one->first == *sequence) return one->second;
    return std::nullopt;
  }
  /// Sequence and number, in the order of asking.
  [[nodiscard]] const auto& all() const { return all_; }
  void clear() { all_.clear(); }

 private:
  std::vector<std::pair<std::uint32_t, std::int64_t>> all_;
};

/// A store that knows them: currval() and lastval().
class RemembersNumbers {
 public:
  struct Remembered {
    bool is_known = false;  ///< false: an earlier transaction may have asked
    std::optional<std::int64_t> number = std::nullopt;  ///< none: nobody asked
  };
  virtual ~RemembersNumbers() = default;
  /// See SessionNumbers::last().
  [[nodiscard]] virtual Remembered last_number(
      std::optional<std::uint32_t> sequence) = 0;
};

}  // namespace txscope::sql
