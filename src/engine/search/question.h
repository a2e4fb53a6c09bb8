#pragma once

#include <cstdint>

#include "model/answer.h"

namespace txscope::engine {

/// What is looked for among the runs of an application: one whose end violates
/// a property, or something that is asked of every application.
struct Question {
  std::optional<Builtin> builtin;  ///< none: the property
  std::size_t property = 0;

  [[nodiscard]] static Question about(std::size_t property) {
    return {std::nullopt, property};
  }
  [[nodiscard]] static Question about(Builtin builtin) { return {builtin, 0}; }
};

}  // namespace txscope::engine
