#pragma once

/// May these transactions leave serializable?
///
///     #include <txscope/robust.h>
///     using namespace txscope;
///
///     verb::RobustRequest request;
///     request.input = "smallbank.sql";
///     request.against = "postgresql:repeatable-read";
///     auto report = verb::robust(request, Budget::unlimited());
#include <txscope/report.h>  // IWYU pragma: export

#include "verb/robust.h"  // IWYU pragma: export
