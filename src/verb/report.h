#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/verdict.h"
#include "verb/checked.h"

namespace txscope::verb {

/// What one finding is about; `--fail-on` chooses by it.
enum class About : std::uint8_t {
  Rule,      ///< what the user wrote: invariant, assert, exists, PROPERTY
  Serial,    ///< as if one after the other; robustness
  Deadlock,  ///< nobody waits in a circle; a model never gets stuck
  Error,     ///< transactions fail with an error that is nobody's rule
  Level,     ///< a history or a log at an isolation level
};

/// One question and its outcome: a row of a report, whatever the verb.
struct Finding {
  std::string input;     ///< the file
  std::string level;     ///< "snapshot-isolation", "postgresql:serializable"
  std::string property;  ///< the rule's name; empty: the level as a whole
  About about = About::Rule;
  Outcome outcome = Outcome::Undecided;
  std::string why;  ///< of what is undecided; the anomaly of what is violated
  Place where;      ///< of the rule, if it has a place
  /// Of what holds: why that says nothing, as in "no transaction ever
  /// commits"; empty: it says something.
  std::string vacuous_because;
  /// Of what holds: which part of the input it is not about, as in "3 of 40
  /// statements were not understood"; empty: it is about all.
  std::string partial_because;
  /// It is told, but does not count for the exit status: it follows from
  /// another finding, or says what another one means.
  bool is_aside = false;
};

/// What the engines found, with all evidence; defined in verb/detail.h.
struct Detail;

/// What every verb hands back.  text(), json() and dot() of verb/write.h show
/// it; status_of() of verb/status.h says what it means to a shell.
struct Report {
  std::string verb;                 ///< "check", "explore", ..
  std::vector<std::string> inputs;  ///< as they were named
  std::vector<Finding> findings;    ///< in the order of the report
  Checked checked;
  std::vector<std::string> notes;  ///< sentences that a reader should know
  /// Of verbs that do something (record, convert, generate): what was done, in
  /// whole lines.
  std::string summary;
  /// What could not be read, of several inputs; the others were judged.
  std::vector<Error> problems;
  /// What ended the verb early; what was found before is there.
  std::optional<Error> failure;
  double seconds = 0;
  std::shared_ptr<const Detail> detail;  ///< null: the verb judges nothing
};

}  // namespace txscope::verb
