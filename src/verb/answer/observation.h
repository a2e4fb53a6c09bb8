#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/budget.h"
#include "model/level.h"
#include "model/product/profile.h"
#include "model/program.h"
#include "model/sql/application.h"
#include "model/workload.h"

namespace txscope::verb {

/// What transactions do in executions that were looked at: the ground on which
/// "holds" stands, or does not.
///
/// Method.  The executions of one level, one after the other, until everything
/// has been seen once: every transaction commits, every statement finds a row,
/// two sessions meet.  Nearly always the first few show it.  What was never
/// seen is said to be so only if these were all executions; after kMostLooked
/// nothing is said.
struct Observation {
  static constexpr std::size_t kMostLooked = 256;

  bool is_complete = false;  ///< others would show nothing new
  std::size_t executions = 0;
  std::map<CallRef, bool> commits;             ///< in some execution
  std::map<CallRef, std::string> abort_codes;  ///< of those that abort
  /// Two sessions use one row, and one of them changes it.
  bool sessions_meet = false;
  /// Rules of which something changes what they look at, by PropertyId.
  std::vector<bool> is_moved;
  /// Rules of which some execution has all transactions and variables that they
  /// name, by PropertyId: others are true for want of them.
  std::vector<bool> is_judged;
  /// Statements that ran, by their place: whether one found or changed a row.
  struct Ran {
    bool has_found = false;
    bool is_write = false;
    Span at;
  };
  std::map<std::uint32_t, Ran> statements;

  [[nodiscard]] std::uint64_t committing() const;
  [[nodiscard]] bool finds_rows() const;
};

/// Of an application's rules, whether a session may write what they look at.
[[nodiscard]] std::vector<bool> moved_rules(
    const sql::Application& application);

[[nodiscard]] Observation observe(const Program& program, Base level,
                                  std::uint64_t loop_bound,
                                  const Budget& budget);
[[nodiscard]] Observation observe(const sql::Application& application,
                                  const Profile& profile,
                                  std::uint64_t loop_bound,
                                  const Budget& budget);

}  // namespace txscope::verb
