#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <variant>

#include "audit/pass/timed_order.h"
#include "audit/rows/row_history.h"
#include "audit/rows/wanted_rows.h"
#include "audit/search/search.h"

namespace txscope::audit {

/// Looks for an explanation in an order that something suggests; that there is
/// none proves nothing.

/// One pass in an order of the transactions, by their lines; of those without a
/// place, by time.
using Places = std::unordered_map<std::uint64_t, std::int64_t>;
[[nodiscard]] std::optional<Found> follow(const LoadedLog& log,
                                          const AuditLevel& level,
                                          const Places& places,
                                          const Budget& budget);

/// What explains a log as if transactions had run one after the other explains
/// it at every level: they are answered by the state before them.
[[nodiscard]] std::optional<Found> follow_serially(const LoadedLog& log,
                                                   const AuditLevel& level,
                                                   const Budget& budget);

/// The order that a real database's times leave open.
[[nodiscard]] std::optional<Found> follow_times(const LoadedLog& log,
                                                const AuditLevel& level,
                                                const WantedRows& wanted,
                                                const TimedSearch& search,
                                                const Budget& budget);

/// Where rows of several states may be seen together, all that their history
/// tells is that writers commit before who reads from them: an order of that,
/// or those that can only have read from each other.
[[nodiscard]] std::variant<Places, Found> founded(const LoadedLog& log,
                                                  const RowHistory& rows);

}  // namespace txscope::audit
