#pragma once

/// What every verb returns, how it is written, and what it means to a shell:
///
///     #include <txscope/report.h>
///     using namespace txscope;
///
///     for (const verb::Finding& finding : report.findings)
///       if (finding.outcome == Outcome::Violated)
///         std::cerr << finding.level << ": " << finding.property << "\n";
///     std::cout << verb::text(report);   // verb::json(report),
///     verb::dot(report) return verb::status_of(report);    // 0, 1, 2 or 3
#include "base/budget.h"    // IWYU pragma: export
#include "base/result.h"    // IWYU pragma: export
#include "verb/checked.h"   // IWYU pragma: export
#include "verb/listener.h"  // IWYU pragma: export
#include "verb/report.h"    // IWYU pragma: export
#include "verb/status.h"    // IWYU pragma: export
#include "verb/write.h"     // IWYU pragma: export
