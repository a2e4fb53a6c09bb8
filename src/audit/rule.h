#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace txscope::audit {

/// What the statements of a transaction may see, and when it may commit.  `co`
/// is the commit order, S_i the state after its first i transactions;
/// transaction i is the one in question.  docs/audit.md has it in words.
enum class Rule : std::uint8_t {
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

[[nodiscard]] constexpr bool is_of_mariadb(Rule rule) {
  return rule == Rule::MariadbReadCommitted ||
         rule == Rule::MariadbRepeatableRead || rule == Rule::MariadbSnapshot;
}

/// Whether each statement sees a state of its own.
[[nodiscard]] constexpr bool is_by_statement(Rule rule) {
  return rule == Rule::ReadCommitted || rule == Rule::PostgresReadCommitted ||
         is_of_mariadb(rule);
}

/// A level that a log can be held against.
struct AuditLevel {
  Rule rule = Rule::Serializable;
  bool is_strict = false;  ///< co respects real time, snapshots are not stale
  std::string name;        ///< canonical, without the order
};

/// "snapshot-isolation", "strict-serializable", "postgresql:read-committed".
/// `order` (session, realtime; may be empty) must not contradict the name.
[[nodiscard]] Result<AuditLevel> parse_audit_level(std::string_view name,
                                                   std::string_view order);
/// Those that `all` means, weakest first.
[[nodiscard]] std::vector<AuditLevel> all_audit_levels();

}  // namespace txscope::audit
