#pragma once

/// Runs a workload on a real database, or listens, and writes a log:
///
///     #include <txscope/record.h>
///     using namespace txscope;
///
///     verb::RecordRequest request;
///     request.workload = "bank";
///     request.db = "sqlite:bank.db";
///     request.output = "log.jsonl";
///     auto report = verb::record(request, Budget::unlimited());
#include <txscope/report.h>  // IWYU pragma: export

#include "verb/record.h"  // IWYU pragma: export
