#pragma once

/// Judging histories of transactions from C++, a file at a time:
///
///     #include <txscope/check.h>
///     using namespace txscope;
///
///     verb::CheckRequest request;
///     request.inputs = {"h.edn"};
///     request.level = "snapshot-isolation";
///     auto report = verb::check(request, Budget::unlimited());
///     std::cout << verb::text(*report);
///
/// or one history at one level, with the evidence:
///
///     auto source = open_history("h.edn", {});        // or open_history_text,
///     auto history = (*source)->next();               // or a HistoryBuilder
///     const Level level{Base::SnapshotIsolation, Order::Session};
///     const Verdict verdict = check(**history, level, Budget::unlimited());
///     if (verdict.outcome() == Outcome::Violated) show(verdict.refutation());
///     assert(certify(**history, verdict));
///
/// Everything is a value; nothing prints, exits or throws.  What the caller can
/// repair is a Result with an Error that has a place; a budget that ended is
/// Outcome::Undecided.
#include <txscope/report.h>  // IWYU pragma: export

#include "certify/certify.h"                // IWYU pragma: export
#include "check/check.h"                    // IWYU pragma: export
#include "check/ladder.h"                   // IWYU pragma: export
#include "model/history_builder.h"          // IWYU pragma: export
#include "model/level.h"                    // IWYU pragma: export
#include "model/verdict.h"                  // IWYU pragma: export
#include "read/histories/history_source.h"  // IWYU pragma: export
#include "verb/check.h"                     // IWYU pragma: export
