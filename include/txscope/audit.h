#pragma once

/// Did the database answer these SQL transactions correctly?
///
///     #include <txscope/audit.h>
///     using namespace txscope;
///
///     verb::AuditRequest request;
///     request.input = "log.jsonl";
///     auto report = verb::audit(request, Budget::unlimited());
#include <txscope/report.h>  // IWYU pragma: export

#include "verb/audit.h"  // IWYU pragma: export
