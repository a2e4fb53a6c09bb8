#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "model/sql/log.h"
#include "read/input.h"

namespace txscope::logs {

/// Reads a log of SQL transactions (docs/formats.md), line by line, so that it
/// is never in memory as a whole.
class LogReader {
 public:
  /// Reads the first line.
  [[nodiscard]] static Result<LogReader> open(read::Input input);
  LogReader(LogReader&&) noexcept;
  ~LogReader();

  [[nodiscard]] const sql::LogHeader& header() const;
  /// The next transaction; none at the end.  A last line without its end that
  /// is no JSON is where the writer died: the log ends before it, see is_cut().
  [[nodiscard]] Result<std::optional<sql::LogTransaction>> next();
  [[nodiscard]] bool is_cut() const;
  /// Of the header and the transactions that were read: what they are, as their
  /// lines have them.
  [[nodiscard]] std::string digest() const;
  [[nodiscard]] const std::string& name() const;

 private:
  struct Parts;
  explicit LogReader(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace txscope::logs
