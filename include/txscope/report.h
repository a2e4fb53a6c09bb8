#pragma once

/// What every verb returns, how to write it, and its exit status:
///
///     #include <txscope/report.h>
///     using namespace txscope;
///
///     for (const verb::Finding& finding : report.findings)
///       for (const std::size_t i : finding.shown)
///         if (auto* run =
///                 std::get_if<evidence::Run>(&report.shown[i].evidence))
///           for (const evidence::Step& step : run->steps)
///             std::cout << run->lanes[step.lane] << ": " << step.text << "\n";
///     std::cout << verb::text(report);     // or json, dot, written
///     return verb::status_of(report);      // 0, 1, 2 or 3
#include <txscope/checked.h>
#include <txscope/evidence.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/outcome.h"

namespace txscope::verb {

/// What one finding is about; `--fail-on` chooses by it.
enum class About : std::uint8_t {
  Rule,      ///< what the user wrote: invariant, assert, exists, PROPERTY
  Serial,    ///< as if one after the other; robustness
  Deadlock,  ///< no cycle of waits; a model never gets stuck
  Error,     ///< transactions fail with an error that no rule describes
  Level,     ///< a history or a log at an isolation level
};

/// One question and its outcome: a row of a report, whatever the verb.
struct Finding {
  std::string input;     ///< the file
  std::string level;     ///< "snapshot-isolation", "postgresql:serializable"
  std::string order;     ///< session, realtime, none; empty: there is none
  std::string property;  ///< the rule's name; empty: the level as a whole
  About about = About::Rule;
  Outcome outcome = Outcome::Undecided;
  std::string why;  ///< if undecided, the reason; if violated, the anomaly
  Place where;      ///< of the rule, if it has a place
  /// If it holds: why nothing was checked, as in "no transaction ever
  /// commits"; empty: something was.
  std::string vacuous_because;
  /// If it holds: which part of the input was not checked, as in "3 of 40
  /// statements were not understood"; empty: all was.
  std::string partial_because;
  /// It is reported, but does not count for the exit status: it follows from
  /// another finding, or explains another one.
  bool is_aside = false;
  std::vector<std::size_t> shown;  ///< its evidence in Report::shown
};

/// What the engines found, in their own types; for the writers.
struct Detail;

/// What every verb returns.  text(), json() and dot() of write.h write it;
/// status_of() of status.h gives its exit status.
struct Report {
  std::string verb;                 ///< "check", "explore", ..
  std::vector<std::string> inputs;  ///< as they were named
  std::vector<Finding> findings;    ///< in the order of the report
  /// Evidence: runs, refutations, traces, formulas, orders.  One may show
  /// several findings.
  std::vector<evidence::Shown> shown;
  Checked checked;
  std::vector<std::string> notes;  ///< sentences that a reader should know
  /// For verbs that do something (record, convert, generate): what was done, in
  /// complete lines.
  std::string summary;
  /// The inputs that could not be read; the others were judged.
  std::vector<Error> problems;
  /// What ended the verb early; earlier findings are in the report.
  std::optional<Error> failure;
  double seconds = 0;
  std::shared_ptr<const Detail> detail;  ///< null: the verb judges nothing
};

}  // namespace txscope::verb
