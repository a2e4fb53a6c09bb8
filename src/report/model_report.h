#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "report/check_report.h"
#include "tla/model.h"

namespace txscope::report {

/// The answer about one model, ready to be shown.
struct ModelReport {
  std::string input;
  const ModelResult* result = nullptr;
  double seconds = 0;
  bool all_values = false;  ///< every variable of every state, not just changes
};

/// For people: verdict first, then the trace, the chart of messages and, if
/// isolation was violated, the history with its cycle.
[[nodiscard]] std::string model_text(const ModelReport& report);
/// Just the states of the trace, before a state that could not be evaluated.
[[nodiscard]] std::string model_trace_text(const ModelReport& report);
/// The trace, and the cycle of transactions behind it, for Graphviz.
[[nodiscard]] std::string model_dot(const ModelReport& report);
/// What `check` says of the transactions in the last state; there are some.
[[nodiscard]] CheckReport observed_report(const ModelResult& result);
/// The one element of "results".
[[nodiscard]] nlohmann::ordered_json model_json(const ModelReport& report);

/// The trace in the format of TLC's -dumpTrace json, which -loadTrace json and
/// other tools of TLA+ read.
[[nodiscard]] std::string model_tlc_trace(const ModelResult& result);
/// The graph of all states, for Graphviz.
[[nodiscard]] std::string model_graph_dot(const ModelGraph& graph);
[[nodiscard]] std::string model_graph_json(const ModelGraph& graph);

/// A message in short: "VoteCommit id=t1 rm=r2" of a record.
[[nodiscard]] std::string short_message(std::string_view text);

/// The trace as a message sequence chart: a lane for each process, time
/// downwards, 80 columns where the number of processes allows it.  Empty if
/// no step has a process.
[[nodiscard]] std::string model_chart(const ModelResult& result);

}  // namespace txscope::report
