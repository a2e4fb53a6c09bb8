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
#include <txscope/write.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace txscope::verb {

/// Translates a history, or what a log says about single rows.
struct ConvertRequest {
  std::string input;
  std::optional<std::string> text;  ///< without it, the file is read
  std::string input_format;         ///< empty: by looking at the input
  bool judge_aborted = false;
  std::vector<std::string> initial;  ///< KEY=VALUE: initial values
  std::string to;    ///< jsonl, edn, plume; empty: by the name of the file
  std::string file;  ///< only the name of the output, for messages
  std::function<void(std::string_view)>
      write;  ///< receives the output in pieces
};

[[nodiscard]] Result<Report> convert(const ConvertRequest& request,
                                     const Budget& budget);

}  // namespace txscope::verb
