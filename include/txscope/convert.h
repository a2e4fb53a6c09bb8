#pragma once

/// Translates histories between formats:
///
///     #include <txscope/convert.h>
///     using namespace txscope;
///
///     verb::ConvertRequest request;
///     request.input = "history.edn";
///     request.to = "jsonl";
///     request.write = [](std::string_view piece) { std::cout << piece; };
///     auto report = verb::convert(request, Budget::unlimited());
#include <txscope/report.h>  // IWYU pragma: export

#include "verb/convert.h"  // IWYU pragma: export
