#pragma once

#include <string>
#include <string_view>

#include "db/session.h"

namespace txscope::db {

/// Appends a string in quotes.  What is no UTF-8 becomes U+FFFD.
void append_json_text(std::string& out, std::string_view text);
/// Appends a cell as the JSON value that its type asks for.
void append_json_cell(std::string& out, const Cell& cell, ColumnType type);

}  // namespace txscope::db
