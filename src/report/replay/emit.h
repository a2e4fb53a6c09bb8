#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/statement_schedule.h"

namespace txscope {

/// Forms that a schedule can be written in, to be run without txscope.
enum class ScriptForm : std::uint8_t {
  Sql,              ///< the statements in order, each with its session
  Psql,             ///< to be typed into one terminal per session
  IsolationTester,  ///< a spec of PostgreSQL's isolation tests
  Pytest,           ///< a test that fails as long as the schedule goes through
};
[[nodiscard]] std::optional<ScriptForm> parse_script_form(
    std::string_view name);

/// An Error where the form does not speak the product.
[[nodiscard]] Result<std::string> emitted(const StatementSchedule& schedule,
                                          ScriptForm form);

}  // namespace txscope
