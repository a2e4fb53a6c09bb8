#pragma once

#include <string>
#include <vector>

#include "model/sql/application.h"
#include "robust/repair.h"

namespace txscope::robust {

/// Constraints that an application may have forgotten to declare, as ALTER
/// TABLE at the end of its text: UNIQUE over columns by which rows are looked
/// for before others are inserted, and foreign keys that columns have by their
/// names.  Whether one is true of the data, and whether it helps, is to be
/// tried.
[[nodiscard]] std::vector<Edit> constraint_edits(
    const sql::Application& application, const std::string& text);

}  // namespace txscope::robust
