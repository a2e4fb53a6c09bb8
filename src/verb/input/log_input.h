#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "audit/audit.h"
#include "read/logs/definitions.h"
#include "read/logs/log_reader.h"
#include "read/sql/file/log_statements.h"

namespace txscope::verb {

/// A log of SQL transactions as the auditor wants it.
class OpenLog {
 public:
  [[nodiscard]] static Result<std::unique_ptr<OpenLog>> open(
      const std::string& path);
  /// One that grows, until `is_over`.
  [[nodiscard]] static Result<std::unique_ptr<OpenLog>> follow(
      const std::string& path, std::function<bool()> is_over);

  [[nodiscard]] const sql::LogHeader& header() const { return header_; }
  [[nodiscard]] const audit::LogInput& input() const { return input_; }
  [[nodiscard]] bool is_cut() const;

  /// A definition (CREATE, ALTER, ..) was read that cannot be run.
  [[nodiscard]] bool has_met_definition() const { return has_met_definition_; }
  /// Puts definitions into the setup (logs::LogDefinitions), and starts again;
  /// false: there is none of which that may be done.
  [[nodiscard]] Result<bool> move_definitions();

 private:
  [[nodiscard]] static Result<std::unique_ptr<OpenLog>> of(
      const std::string& path, Result<logs::LogReader> reader);
  OpenLog(logs::LogReader reader, sql::LogStatements statements,
          std::string path);

  logs::LogReader reader_;
  std::optional<logs::LogReader> second_;
  sql::LogHeader header_;
  std::unique_ptr<sql::LogStatements> statements_;
  std::optional<logs::LogDefinitions> definitions_;
  bool has_met_definition_ = false;
  audit::LogInput input_;
};

/// Whether a file is one.
[[nodiscard]] bool is_log(const std::string& path);

}  // namespace txscope::verb
