#pragma once

#include <string>
#include <vector>

#include "report/document/document.h"
#include "verb/report.h"
#include "verb/status.h"

namespace txscope::verb {

/// A finding that somebody has seen before.
struct KnownFinding {
  std::string id;
  std::string title;
  std::string mark;  ///< "bug", "accepted", "false"; empty: none
  std::string note;
};

/// What a report says besides what the engines found.
struct DocumentContext {
  std::string command;  ///< as it was typed; may be empty
  StatusOptions status;
  bool has_baseline = false;
  std::vector<KnownFinding> baseline;
};

/// A report as the forms for people and machines want it.
[[nodiscard]] document::Document document_of(const Report& report,
                                             const DocumentContext& context);

/// Findings that were marked as accepted or false do not count any more: sets
/// is_aside of what they violate.
void forget_accepted(const document::Document& document, Report& report);

}  // namespace txscope::verb
