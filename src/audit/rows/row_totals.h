#pragma once

#include <functional>
#include <string>

#include "audit/attempt/rule.h"
#include "audit/rows/row_versions.h"

namespace txscope::audit {

/// Where an answer is wrong whatever the order of transactions: why, and what
/// it would have to be.
using OnImpossible =
    std::function<void(std::uint32_t txn, std::size_t statement,
                       std::string why, std::string expected)>;

/// COUNT and SUM over a whole table, held against what the setup left and all
/// that the transactions of the log add to it.
void check_totals(const LoadedLog& log, const RowVersions& rows, Rule rule,
                  const OnImpossible& on_impossible);

}  // namespace txscope::audit
