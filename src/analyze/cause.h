#pragma once

#include <set>
#include <string>

#include "analyze/analysis.h"

namespace txscope::analyze {

/// What makes two findings one: the first statement of the text that sees too
/// little, or where somebody waits.  Pairs that go wrong there, and rules that
/// break because of it, have one cause.
[[nodiscard]] std::string cause_of(FindingKind kind,
                                   const Counterexample& example);

/// Tables of the statements at which a run goes wrong.
[[nodiscard]] std::set<std::string> tables_at_fault(
    FindingKind kind, const Counterexample& example);

/// What goes wrong, in one sentence: who, on which tables, and how.
[[nodiscard]] std::string sentence_of(const Workload& workload,
                                      FindingKind kind,
                                      const Counterexample& example);
/// What a serial order shows instead; may be empty.
[[nodiscard]] std::string serially(const Counterexample& example);

/// A name for it that stays while the statements stay: their text counts, not
/// where they stand.
[[nodiscard]] std::string stable_id(const Workload& workload, FindingKind kind,
                                    const Counterexample& example);

/// The same for a code with which a statement fails.
[[nodiscard]] std::string stable_error_id(const Workload& workload,
                                          const std::string& code, Span at);

}  // namespace txscope::analyze
