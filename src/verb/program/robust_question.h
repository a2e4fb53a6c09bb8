#pragma once

#include <optional>
#include <string>

#include "model/product/profile.h"
#include "robust/proof/prover.h"
#include "robust/question.h"
#include "robust/result.h"
#include "robust/search.h"
#include "txscope/robust.h"
#include "verify/sql/input_choices.h"

namespace txscope::verb {

/// What the call asks, with the defaults filled in.
struct RobustQuestion {
  Base level = Base::SnapshotIsolation;
  const Profile* profile = nullptr;  ///< instead of a level
  robust::Notion notion = robust::Notion::Trace;
  bool has_notion = false;
  bool is_application = false;  ///< in SQL: proofs are by results
  std::optional<robust::Granularity> granularity;
  robust::Method method = robust::Method::Auto;

  std::uint64_t loop_bound = 1000;

  [[nodiscard]] std::string against() const {
    return std::string(profile != nullptr ? profile->name : name(level));
  }
  [[nodiscard]] robust::SearchQuestion search(robust::Notion by) const;
  /// To be filled in by the search, and by the proof.
  [[nodiscard]] robust::RobustResult searched(robust::Notion by) const;
  [[nodiscard]] robust::RobustResult proved() const;
  /// Inputs that may show something, of an application that leaves some open.
  [[nodiscard]] Result<std::unique_ptr<verify::InputChoices>> choices(
      const sql::Application& application, robust::Notion by,
      const Budget& budget) const;
  /// The pivot's level in the theorem that fits the question.
  [[nodiscard]] std::optional<robust::PivotLevel> pivot() const;
};

[[nodiscard]] Result<RobustQuestion> asked_of(const RobustRequest& request,
                                              bool is_application);

}  // namespace txscope::verb
