#pragma once

#include <optional>
#include <string>

#include "cli/options.h"
#include "engine/profile.h"
#include "robust/question.h"

namespace txscope::cli {

/// What the call asks, with the defaults filled in.
struct RobustQuestion {
  Base level = Base::SnapshotIsolation;
  const engine::Profile* profile = nullptr;  ///< instead of a level
  robust::Notion notion = robust::Notion::Trace;
  bool has_notion = false;
  std::optional<robust::Granularity> granularity;
  robust::Method method = robust::Method::Auto;

  [[nodiscard]] std::string against() const {
    return std::string(profile != nullptr ? profile->name : name(level));
  }
};

[[nodiscard]] Result<RobustQuestion> asked_of(const Options& options,
                                              bool is_application);

}  // namespace txscope::cli
