#pragma once

/// Makes histories:
///
///     #include <txscope/generate.h>
///     using namespace txscope;
///
///     verb::GenerateRequest request;
///     request.level = "causal";
///     request.write = [](std::string_view piece) { std::cout << piece; };
///     auto report = verb::generate(request, Budget::unlimited());
#include <txscope/report.h>  // IWYU pragma: export

#include "verb/generate.h"  // IWYU pragma: export
