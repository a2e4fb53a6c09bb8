#pragma once

/// Makes happen on a real database what a report tells, or writes it as a
/// script.
///
///     #include <txscope/replay.h>
///     using namespace txscope;
///
///     verb::ReplayRequest request;
///     request.input = "finding.json";  // of explore, verify, analyze, race, ..
///     auto report = verb::replay(request, Budget::unlimited());
#include <txscope/report.h>  // IWYU pragma: export

#include "verb/replay.h"  // IWYU pragma: export
