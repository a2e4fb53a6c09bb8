#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "check/anomaly/all_anomalies.h"
#include "model/anomaly.h"
#include "model/history.h"
#include "model/verdict.h"

namespace txscope::report {

/// The verdicts on one history, ready to be shown.
struct CheckReport {
  struct Row {
    Verdict verdict;
    /// Set if it is violated only because this weaker level is: "also
    /// violated".
    std::optional<Level> follows_from;
  };
  std::string input;
  const History* history = nullptr;
  /// Position among the histories of the input, from 1; 0 if it is alone.
  std::size_t number = 0;
  std::vector<Row> rows;       ///< weakest level first
  bool with_evidence = false;  ///< with the strategies; in JSON orders
  bool is_certified = false;   ///< every verdict was re-checked
  /// Every kind of anomaly, if they were asked for.
  std::optional<check::AllAnomalies> all;
  /// The same at a glance, where nobody asked and a document is made.
  std::optional<check::AllAnomalies> counted;
  /// One of several inputs: what holds is told in short.
  bool is_one_of_many = false;
  /// Reading did not come to its end: `history` is empty.
  bool is_unread = false;
  /// It comes from a tester of databases: advice is for whoever builds one.
  bool is_for_builders = false;
};

/// What a history has in it.
struct HistoryCounts {
  explicit HistoryCounts(const History& history);
  std::uint64_t committed = 0;
  std::uint64_t aborted = 0;
  std::uint64_t unknown = 0;  ///< transactions whose outcome nobody knows
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;  ///< and appends
};

/// As nothing_committed.h has it; empty if what aborted is judged, too.
[[nodiscard]] std::string nothing_committed(const History& history);

/// The name of what is violated in a row, with the order that it needs: where
/// the same base holds at a lesser order, it is that of the row.
[[nodiscard]] Anomaly anomaly_of(const CheckReport& report,
                                 const Verdict& verdict);

/// One line: "VIOLATED: dirty read from read-committed up (session order)".
[[nodiscard]] std::string check_headline(const CheckReport& report);
/// For people: verdict first, then the transactions, why, and where to go on.
[[nodiscard]] std::string check_text(const CheckReport& report);
/// An array with one element of "results" per level.
[[nodiscard]] nlohmann::ordered_json check_json(const CheckReport& report);
/// The cycles of the violated levels of one history, for dot_graph().
[[nodiscard]] std::string check_dot_part(const CheckReport& report);

/// An assumption of a case in words: "a#1 is before b#1".
[[nodiscard]] std::string describe(const History& history,
                                   const Assumption& assumption);
/// The same, or that it is not so.
[[nodiscard]] std::string describe(const History& history,
                                   const Literal& literal);

}  // namespace txscope::report
