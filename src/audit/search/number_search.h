#pragma once

#include "audit/attempt/load.h"
#include "audit/search/search.h"

namespace txscope::audit {

/// Searches a log under every way in which the database can have drawn the
/// numbers that were not shown when they were drawn.
///
/// Definition.  A generated id is any fresh number, the same for the statement
/// that drew it wherever that stands in the order.  The log is explained if it
/// is with some numbers.
/// Method.  Ids are symbols that unify at most once: each is one of the numbers
/// that stand in the log, which no other of its sequence is, or none of them,
/// and then which one makes no difference.  Each choice is fixed in a copy of
/// the log, which is searched.
/// Exact where it says something; Undecided if there are more than 4,096
/// choices, or one of them is undecided and none holds.
[[nodiscard]] Found search_numbers(const LoadedLog& log,
                                   const AuditLevel& level,
                                   const Budget& budget,
                                   std::uint64_t most_tries);

/// What the statements of these have drawn, for the evidence.
[[nodiscard]] std::vector<GivenIds> given_ids(const std::vector<Txn>& txns,
                                              const NextIds& ids);

}  // namespace txscope::audit
