#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/product/log_rule.h"

namespace txscope::audit {

using Rule = LogRule;

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
  /// Where transactions see snapshots, or statements do: commits are in the
  /// order of their times, and a snapshot has what was committed when its
  /// transaction began.  At serializable an order that explains need not be
  /// that of the commits, so nothing follows.
  bool is_exact = false;
  /// Of single transactions: they ran on a standby.
  bool is_on_standby = false;

  /// Whether the order of commits is known.
  [[nodiscard]] bool has_order() const {
    return is_exact && rule != Rule::Serializable;
  }
};

/// A transaction that sees one state sees the one when it began.
[[nodiscard]] constexpr bool has_one_snapshot(Rule rule) {
  return rule == Rule::Snapshot || rule == Rule::Prefix ||
         rule == Rule::PostgresRepeatableRead;
}

/// "snapshot-isolation", "strict-serializable", "postgresql:read-committed", in
/// any spelling.  `order` (session, realtime; may be empty) must not contradict
/// the name.
[[nodiscard]] Result<AuditLevel> parse_audit_level(std::string_view name,
                                                   std::string_view order);
/// The same of one that may name several: "pg" means all levels of PostgreSQL
/// that a log can be held against.
[[nodiscard]] Result<std::vector<AuditLevel>> parse_audit_levels(
    std::string_view name, std::string_view order);
/// Those that `all` means, weakest first.
[[nodiscard]] std::vector<AuditLevel> all_audit_levels();

}  // namespace txscope::audit
