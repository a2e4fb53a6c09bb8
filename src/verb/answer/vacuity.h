#pragma once

#include <string>
#include <vector>

#include "model/answer.h"
#include "txscope/checked.h"
#include "txscope/report.h"
#include "verb/answer/observation.h"

namespace txscope::verb {

/// Fills in what the answers rest on, and marks findings that hold of nothing.
///
/// Definition.  A level's answer is vacuous if it holds although there is no
/// execution, no rule, no transaction that commits, no row that a statement
/// finds, or no rule over anything that changes.  Where only a part is so, the
/// part is named (Checked::partly).
void judge_vacuity(const Workload& workload, const std::vector<Answer>& answers,
                   const Observation& seen, Report& report);

/// Why "as if one after the other" says nothing of these sessions; empty: it
/// says something, or nobody knows.
[[nodiscard]] std::string why_nothing_concurrent(std::size_t sessions,
                                                 const Observation& seen);
/// Why nothing that holds says anything; empty: something may.
[[nodiscard]] std::string why_nothing_happens(const Observation& seen);

/// Why rules that hold say nothing; empty: they say something.
[[nodiscard]] std::string why_idle(const Workload& workload,
                                   const Observation& seen);

/// What of the sessions and rules was not put to the test, a clause each.
[[nodiscard]] std::vector<std::string> unchecked_parts(const Workload& workload,
                                                       const Observation& seen);

inline constexpr const char* kNoExecution = "there is no complete execution";
inline constexpr const char* kNoneAssumed = "no execution satisfies assume";

/// Marks every finding that holds as vacuous.
void mark_all_vacuous(const std::string& because, Report& report);

}  // namespace txscope::verb
