#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "verb/listener.h"
#include "verb/report.h"

namespace txscope::verb {

/// Is an observed history allowed at an isolation level?
struct CheckRequest {
  /// Files and directories; "-" is standard input.
  std::vector<std::string> inputs;
  /// The first input's text, if it is in memory: then its name only names it.
  std::optional<std::string> text;
  std::string level;         ///< "snapshot-isolation,serializable"; empty: all
  std::string order;         ///< none, session, realtime; empty: session
  std::string input_format;  ///< empty: by looking at the input
  bool judge_aborted = false;
  std::vector<std::string> initial;  ///< KEY=VALUE: how registers start
  bool all = false;                  ///< every kind of anomaly, and how often
  bool certify = false;
  bool evidence = false;  ///< JSON has the commit order of what holds
  std::uint64_t jobs = 1;
  /// What is written while histories come and go.
  std::vector<std::string> formats = {"text", "json"};
  Listener listener;

  [[nodiscard]] bool wants(std::string_view format) const;
  /// One of the formats that are written from a document.
  [[nodiscard]] bool wants_document() const;
};

/// One finding per history and level.
[[nodiscard]] Result<Report> check(const CheckRequest& request,
                                   const Budget& budget);

}  // namespace txscope::verb
