#pragma once

#include <array>
#include <numeric>

#include "engine/identity/session_marks.h"
#include "engine/server/state.h"

namespace txscope::engine {

/// Other numbers for the sessions of a state: those of one that is the same but
/// for an exchange of sessions that are alike (SessionMarks).
class Naming {
 public:
  Naming() { std::iota(to_.begin(), to_.end(), SessionNo{0}); }
  /// `sessions`: how many, where each draws numbers of its own from
  /// SessionMarks::kFar on.
  explicit Naming(std::size_t sessions) : Naming() { sessions_ = sessions; }
  void rename(SessionNo from, SessionNo to) {
    to_[from] = to;
    is_same_ = is_same_ && from == to;
  }

  [[nodiscard]] SessionNo of(SessionNo s) const {
    return s < kMaxSessions ? to_[s] : s;
  }
  [[nodiscard]] SessionSet of(SessionSet set) const {
    if (is_same_) return set;
    SessionSet renamed = 0;
    for (; set != 0; set &= set - 1)
      renamed |= only(to_[static_cast<SessionNo>(__builtin_ctzll(set))]);
    return renamed;
  }
  [[nodiscard]] Hash128 of(const StoredRow& row) const {
    if (row.marks.empty()) return row.hash;
    Mixer mixer(row.unmarked);
    for (const RowMark& mark : row.marks) {
      mixer.add(std::uint64_t{mark.column} << 8 | to_[mark.session]);
      mixer.add(mark.which);
    }
    return mixer.done();
  }
  /// A number that a session has drawn: of its own, which of them.
  [[nodiscard]] std::uint64_t of_drawn(std::int64_t number) const {
    if (sessions_ == 0 || number < SessionMarks::kFar)
      return static_cast<std::uint64_t>(number);
    return static_cast<std::uint64_t>(number - SessionMarks::kFar) / sessions_;
  }

 private:
  std::size_t sessions_ = 0;  ///< 0: numbers are what they are
  std::array<SessionNo, kMaxSessions> to_{};
  bool is_same_ = true;
};

}  // namespace txscope::engine
