#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "read/logs/statements/log_builder.h"

namespace txscope::logs {

/// One entry of PostgreSQL's log, in whatever form it was written.
struct PostgresEntry {
  std::uint64_t line = 0;
  std::string session;
  std::optional<std::int64_t> time;
  std::string severity;  ///< LOG, ERROR
  std::string message;
  std::string detail;
};

/// Takes what an entry says of statements:
///   statement: .., execute NAME: .., duration: 1.2 ms  statement: ..
///   AUDIT: SESSION,1,1,WRITE,UPDATE,TABLE,public.t,UPDATE ..,<none>  (pgaudit)
///   disconnection: ..
/// and of ERROR that the session's last statement failed.  With durations, the
/// time of an entry is that of the end.
class PostgresMessages {
 public:
  explicit PostgresMessages(LogBuilder& builder) : builder_(builder) {}
  void see(const PostgresEntry& entry);

 private:
  void audit(const PostgresEntry& entry, std::string_view text);
  void statement(const PostgresEntry& entry, std::string_view text);

  LogBuilder& builder_;
  std::string last_audit_;  ///< session and number of pgaudit's last statement
  bool has_statements_ = false;
};

}  // namespace txscope::logs
