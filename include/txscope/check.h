#pragma once

/// Judging histories of transactions from C++, a file at a time:
///
///     #include <txscope/check.h>
///     using namespace txscope;
///
///     verb::CheckRequest request;
///     request.inputs = {"h.edn"};
///     request.level = "snapshot-isolation";
///     auto report = verb::check(request, Budget::unlimited());
///     std::cout << verb::text(*report);
///
/// or a history in memory, re-checked from the definitions:
///
///     using Kind = observed::Operation::Kind;
///     request.inputs = {"my test"};
///     request.history.emplace();
///     request.history->transactions = {
///         {"alice", {{Kind::Read, "x", {}}, {Kind::Write, "x", 1}}},
///         {"bob", {{Kind::Read, "x", {}}, {Kind::Write, "x", 2}}}};
///     request.certify = true;
///
/// Everything is a value; nothing prints, exits or throws.  A mistake that the
/// caller can repair is an Error with a place in the Result; a budget that
/// ended is Outcome::Undecided.
#include <txscope/history.h>
#include <txscope/listener.h>
#include <txscope/write.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace txscope::verb {

/// Is an observed history allowed at an isolation level?
struct CheckRequest {
  /// Files and directories; "-" is standard input.
  std::vector<std::string> inputs;
  /// The text of the first input, if it is in memory; its name is then only a
  /// name.
  std::optional<std::string> text;
  /// The same as values.
  std::optional<observed::History> history;
  std::string level;         ///< "snapshot-isolation,serializable"; empty: all
  std::string order;         ///< none, session, realtime; empty: session
  std::string input_format;  ///< empty: by looking at the input
  bool judge_aborted = false;
  std::vector<std::string> initial;  ///< KEY=VALUE: initial values
  bool all = false;                  ///< every kind of anomaly, with counts
  bool certify = false;
  bool evidence = false;  ///< include the commit order of what holds
  std::uint64_t jobs = 1;
  /// What is made while histories are processed: formats to be written, and
  /// evidence, which is Report::shown.
  std::vector<std::string> formats = {"text", "json", "evidence"};
  Listener listener;

  [[nodiscard]] bool wants(std::string_view format) const;
  /// Evidence, or one of the formats that present it in their own way.
  [[nodiscard]] bool wants_document() const;
};

/// One finding per history and level.
[[nodiscard]] Result<Report> check(const CheckRequest& request,
                                   const Budget& budget);

}  // namespace txscope::verb
