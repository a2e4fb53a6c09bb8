#pragma once

/// Protocols written in TLA+, from C++:
///
///     #include <txscope/model.h>
///     using namespace txscope;
///
///     auto result = check_model({.spec = "TwoPhase.tla"},
///     Budget::unlimited()); if (result->outcome == Outcome::Violated)
///     show(result->trace);
#include "tla/model.h"  // IWYU pragma: export
