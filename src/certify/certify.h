#pragma once

#include <string>

#include "base/result.h"
#include "model/history.h"
#include "model/verdict.h"

namespace txscope::certify {

/// Whether the evidence of a verdict really proves it, from the definitions
/// alone: shares no code with the checkers.
struct Certificate {
  bool is_valid = false;
  std::string why_not;  ///< what is wrong with the evidence
  explicit operator bool() const { return is_valid; }
};

/// An Undecided verdict claims nothing and is always valid.
[[nodiscard]] Certificate certify(const History& history,
                                  const Verdict& verdict);

}  // namespace txscope::certify
