#pragma once

#include <string>
#include <vector>

#include "report/document/document.h"
#include "txscope/write.h"

namespace txscope::verb {

/// A report as the forms for people and machines want it.
[[nodiscard]] report::document::Document document_of(
    const Report& report, const DocumentContext& context);

/// What the engine's part says: findings with ids that differ, and tables.
[[nodiscard]] report::document::Document engine_document(const Report& report);

/// The ids of what shows how a question was answered.
[[nodiscard]] std::vector<std::string> shown_by(
    const report::document::Document& document, const Finding& finding);

/// Findings that were marked as accepted or false do not count any more: sets
/// is_aside of what they violate.
void forget_accepted(const report::document::Document& document,
                     Report& report);

}  // namespace txscope::verb
