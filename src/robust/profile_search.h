#pragma once

#include "engine/search/explore_profile.h"
#include "robust/counterexample.h"
#include "robust/question.h"

namespace txscope::robust {

struct ProfileAnswer {
  Outcome answer = Outcome::Undecided;
  std::string why;  ///< undecided: what ended the search
  std::uint64_t outcomes = 0;
  std::optional<Counterexample> counterexample;
};

/// Whether everything that an engine shows is also shown by the transactions
/// that committed, run one after the other in some order that keeps sessions.
///
/// Definition and method: engine/serial_outcomes.h, in the sense that belongs
/// to the notion (outcome or state).
[[nodiscard]] Result<ProfileAnswer> search_profile(
    const sql::Application& application, const Profile& profile, Notion notion,
    std::uint64_t loop_bound, const Budget& budget);

}  // namespace txscope::robust
