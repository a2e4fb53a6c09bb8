#pragma once

/// What can go wrong in an application, and which fix works?
///
///     #include <txscope/analyze.h>
///     using namespace txscope;
///
///     verb::AnalyzeRequest request;
///     request.inputs = {"migrations", "queries.sql"};
///     auto report = verb::analyze(request, Budget::unlimited());
///     std::cout << verb::text(*report);
#include <txscope/report.h>  // IWYU pragma: export

#include "verb/analyze.h"  // IWYU pragma: export
