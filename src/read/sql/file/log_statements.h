#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "model/sql/log.h"

namespace txscope::sql {

/// Reads the SQL of a log: its setup, then statement by statement what ran on
/// the tables.  Parameters $1, $2, ... have the types that their places ask
/// for, as PostgreSQL infers them.
class LogStatements {
 public:
  /// The tables and the rows that a log starts from.  `file` names it in
  /// messages.
  [[nodiscard]] static Result<LogStatements> open(const std::string& file,
                                                  const sql::LogHeader& header);
  LogStatements(LogStatements&&) noexcept;
  ~LogStatements();

  /// Schema and setup statements of the log.
  [[nodiscard]] const sql::Application& setup() const;
  /// One statement.  What the fragment does not have is `Unsupported`, with the
  /// reason.
  [[nodiscard]] sql::ReadStatement read(const std::string& sql) const;

 private:
  struct Parts;
  explicit LogStatements(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace txscope::sql
