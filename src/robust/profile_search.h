#pragma once

#include "engine/explore_profile.h"
#include "robust/counterexample.h"
#include "robust/question.h"

namespace txscope::robust {

struct ProfileAnswer {
  Answer answer = Answer::Undecided;
  std::string why;  ///< undecided: what ended the search
  std::uint64_t outcomes = 0;
  std::optional<Counterexample> counterexample;
};

/// Whether everything that an engine shows is also shown by the transactions
/// that committed, run one after the other in some order that keeps sessions.
///
/// Definition.  Outcome: what each statement of a committed transaction gave,
/// and the final rows; state: the final rows.  A transaction that aborted has
/// no effect and is left out of the order, whatever it saw.  What a sequence
/// gives is no transaction's doing: serial runs draw other numbers, so an
/// application that shows such numbers may be called not robust for them.
/// Method.  All outcomes of the engine; for each set of committed transactions
/// all orders, run by the same engine as one session.
[[nodiscard]] Result<ProfileAnswer> search_profile(
    const sql::Application& application, const engine::Profile& profile,
    Notion notion, std::uint64_t loop_bound, const Budget& budget);

}  // namespace txscope::robust
