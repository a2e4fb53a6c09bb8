#pragma once

/// Protocols written in TLA+, from C++:
///
///     #include <txscope/model.h>
///     using namespace txscope;
///
///     verb::ModelRequest request;
///     request.input = "TwoPhase.tla";
///     auto report = verb::model(request, Budget::unlimited());
///     std::cout << verb::text(*report);
///
/// or with the trace as values:
///
///     ModelRequest asked;
///     asked.spec = "TwoPhase.tla";
///     const auto result = check_model(asked, Budget::unlimited());
///     if (result && result->outcome == Outcome::Violated)
///       show(result->trace);
#include <txscope/report.h>  // IWYU pragma: export

#include "tla/model.h"   // IWYU pragma: export
#include "verb/model.h"  // IWYU pragma: export
