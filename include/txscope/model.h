#pragma once

/// Protocols written in TLA+, from C++:
///
///     #include <txscope/model.h>
///     using namespace txscope;
///
///     ModelRequest request;
///     request.spec = "TwoPhase.tla";
///     const auto result = check_model(request, Budget::unlimited());
///     if (result && result->outcome == Outcome::Violated)
///       show(result->trace);
#include "tla/model.h"  // IWYU pragma: export
