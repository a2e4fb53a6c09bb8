#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/level.h"
#include "model/program.h"

namespace txscope::testing {

/// What a program can do at a level, by brute force from the definitions: own
/// interpreter of the tree, all orders of transactions, all sources of reads,
/// all commit orders.  Shares no code with the engines.  Exponential.
struct OracleLevel {
  std::set<std::string> histories;
  std::map<std::string, std::uint64_t> violating;  ///< by "kind name"
  std::set<std::uint32_t> fault_lines;             ///< of errors it can show
};

/// Nothing if there is too much to do (more than `limit` executions).
[[nodiscard]] std::optional<std::map<Base, OracleLevel>> oracle(
    const Program& program, std::size_t limit);

}  // namespace txscope::testing
