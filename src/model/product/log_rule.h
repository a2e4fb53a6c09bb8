#pragma once

#include <cstdint>

namespace txscope {

/// What the statements of a logged transaction may see, and when it may
/// commit.  `co` is the commit order, S_i the state after its first i
/// transactions; transaction i is the one in question.  docs/audit.md has it
/// in words.
enum class LogRule : std::uint8_t {
  Serializable,   ///< all on S_(i-1)
  Snapshot,       ///< all on one S_s; no key of it written in s+1 .. i-1
  Prefix,         ///< all on one S_s
  ReadCommitted,  ///< each statement and row: any version of S_0 .. S_(i-1)
  PostgresReadCommitted,
  PostgresRepeatableRead,  ///< Snapshot, but by row and not by key
  MariadbReadCommitted,
  MariadbRepeatableRead,
  MariadbSnapshot,
};

}  // namespace txscope
