#pragma once

/// What transactions can do when they run at once, from C++:
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
/// Every engine returns the same Answer; a Workload names what is in it.
#include <txscope/report.h>  // IWYU pragma: export

#include "engine/search/explore_profile.h"  // IWYU pragma: export
#include "explore/explore.h"                // IWYU pragma: export
#include "model/answer.h"                   // IWYU pragma: export
#include "model/product/profile.h"          // IWYU pragma: export
#include "model/workload.h"                 // IWYU pragma: export
#include "read/sql/sql.h"                   // IWYU pragma: export
#include "read/txn/txn.h"                   // IWYU pragma: export
#include "verb/explore.h"                   // IWYU pragma: export
