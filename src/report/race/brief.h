#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "race/outcome/state.h"

namespace txscope::report {

// What ORMs and real databases make long, in few words; JSON and HTML have the
// whole.

/// A statement whose SELECT lists many columns: "SELECT "a"."id", .. 14 columns
/// FROM "a" WHERE ..".
[[nodiscard]] std::string brief_statement(const std::string& sql);
/// The rows of a table in the end: all of a small one, of a large one those
/// that came and went.
[[nodiscard]] std::string brief_rows(const race::State& rows,
                                     const race::State& before);
/// "a.id, b.id": a name that many tables have is said once.
[[nodiscard]] std::vector<std::string> brief_columns(
    const std::vector<std::string>& columns);

}  // namespace txscope::report
