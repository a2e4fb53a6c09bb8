#pragma once

#include <vector>

#include "base/result.h"
#include "model/history.h"

namespace txscope::read {

/// Histories whose registers start with anything, for a format in which they
/// all start with one fixed value: reads of the initial value become reads of
/// the fixed one.
///
/// Invariant.  A renamed read keeps its candidates: nobody writes the value
/// that it saw or the fixed one.  A read of the fixed value that was no read of
/// the initial state would get one more candidate; it is refused.
class InitialValue {
 public:
  [[nodiscard]] static Result<InitialValue> fixed_as(const History& history,
                                                     Atom fixed);

  /// What a read is to be written as.
  [[nodiscard]] Atom seen_by(const Op& read) const {
    return is_renamed_[read.key.index] != 0 &&
                   read.value == history_->initial(read.key)
               ? fixed_
               : read.value;
  }
  /// True if some read is written as another value.
  [[nodiscard]] bool renames() const { return renames_; }

 private:
  InitialValue(const History& history, Atom fixed)
      : history_(&history),
        fixed_(fixed),
        is_renamed_(history.key_count(), 0) {}

  const History* history_;
  Atom fixed_;
  std::vector<std::uint8_t> is_renamed_;  // by key
  bool renames_ = false;
};

}  // namespace txscope::read
