#pragma once

/// Can a rule break at a level, for any input?
///
///     #include <txscope/verify.h>
///     using namespace txscope;
///
///     verb::VerifyRequest request;
///     request.input = "bank.txn";
///     request.level = "snapshot-isolation";
///     auto report = verb::verify(request, Budget::unlimited());
///     if (!report) return tell(report.error());   // file, line, hint
///     std::cout << verb::text(*report);
#include <txscope/report.h>  // IWYU pragma: export

#include "verb/verify.h"  // IWYU pragma: export
