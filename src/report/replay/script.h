#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/statement_schedule.h"

namespace txscope::report {

/// Forms that a schedule can be written in, to be run without txscope.
enum class ScriptForm : std::uint8_t {
  Sql,              ///< the statements in order, each with its session
  Psql,             ///< to be typed into one terminal per session
  IsolationTester,  ///< a spec of PostgreSQL's isolation tests
  Pytest,           ///< a test that fails as long as the schedule goes through
};
[[nodiscard]] Result<ScriptForm> parse_script_form(std::string_view name);

/// What is sent in which order, as every form needs it.
struct SentScript {
  using Rows = StatementSchedule::Rows;
  /// A statement that is really sent, once: a wait and its end are one.
  struct Sent {
    std::size_t session = 0;
    std::string sql;
    std::string begin;    ///< before it; empty: the transaction is open
    std::string comment;  ///< what it gave
    bool waits = false;
    bool fails = false;
  };
  std::string title;
  std::vector<std::string> setup;  ///< statements, in order
  std::vector<std::string> sessions;
  std::vector<Sent> sent;
  /// In SQL, with its name; empty: nothing is asked.
  std::string condition;
  std::string condition_name;
  std::vector<std::pair<std::string, Rows>> finals;
};

[[nodiscard]] std::string written(const SentScript& script, ScriptForm form);

}  // namespace txscope::report
