#pragma once

/// What transactions can do when they run concurrently, from C++:
///
///     #include <txscope/explore.h>
///     using namespace txscope;
///
///     verb::ExploreRequest request;
///     request.input = "shop.sql";
///     request.level = "postgresql:read-committed";
///     auto report = verb::explore(request, Budget::unlimited());
///     std::cout << verb::text(*report);
///
/// or a program at a level, with the engine's own answer:
///
///     auto program = read_txn("bank.txn", text);
///     ExploreOptions options;
///     options.levels = {Base::SnapshotIsolation};
///     auto answers = explore(*program, options, Budget::unlimited());
///     for (const Answer& answer : *answers)            // one per level
///       show(answer.level, answer.outcome, answer.counterexamples);
///
///     auto shop = read_sql("shop.sql", text);          // applications in SQL
///     auto profile = parse_profile("postgresql:read-committed");
///     auto answer = engine::explore_profile(*shop, **profile, {}, budget);
///
/// Every engine returns the same Answer; a Workload has the names in it.
#include <txscope/listener.h>
#include <txscope/write.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/budget.h"
#include "base/result.h"

namespace txscope::verb {

/// What can these transactions do at a level?
struct ExploreRequest {
  std::string input;                ///< a `.txn` program or SQL
  std::optional<std::string> text;  ///< without it, the file is read
  /// "causal,serializable", "postgresql:read-committed", "mariadb"; empty: all
  /// theoretical levels, for SQL those of PostgreSQL.
  std::string level;
  /// For SQL: postgresql, mysql or mariadb; empty: it is recognized.
  std::string dialect;
  std::string algorithm;  ///< dpor or dfs
  std::uint64_t loop_bound = 1000;
  bool all = false;         ///< decide and count every rule
  bool count = false;       ///< only count: no rule is needed, none can fail
  bool outcomes = false;    ///< list how executions can end
  bool certify = false;     ///< replay and re-check what is reported
  bool self_check = false;  ///< count histories that are found twice
  std::string histories;    ///< a file for every history; empty: none
  std::uint64_t jobs = 1;
  std::uint64_t seed = 1;  ///< for the estimate in the progress line
  Listener listener;
};

/// One finding per level and rule; at an engine's level also for what is
/// checked for every application.
[[nodiscard]] Result<Report> explore(const ExploreRequest& request,
                                     const Budget& budget);

}  // namespace txscope::verb
