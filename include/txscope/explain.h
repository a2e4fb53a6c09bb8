#pragma once

/// What a level, an anomaly or a term means:
///
///     #include <txscope/explain.h>
///     using namespace txscope;
///
///     auto report = verb::explain({"write-skew"});
///     std::cout << verb::text(*report);
#include <txscope/report.h>  // IWYU pragma: export

#include "verb/explain.h"  // IWYU pragma: export
