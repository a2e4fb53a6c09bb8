#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/sql/statement_log.h"

namespace txscope::logs {

/// Builds a StatementLog while a reader goes through a file.  Comments of a
/// statement that tell whose it is (sqlcommenter, marginalia) become its
/// request and its route.
class LogBuilder {
 public:
  LogBuilder(std::string file, std::string format, sql::Dialect dialect);

  /// A statement of a session; it can be changed until the next one comes.
  sql::LoggedStatement& add(std::uint64_t line, const std::string& session,
                            std::string text);
  void end_session(std::uint64_t line, const std::string& session);
  /// The last statement of the session has failed.
  void mark_failed(const std::string& session);
  /// The last statement of the session; null: there is none.
  [[nodiscard]] sql::LoggedStatement* last_of(const std::string& session);
  /// What follows belongs to this request until the next call.
  void set_request(std::string request, std::string route);
  void skip(std::uint64_t line);

  [[nodiscard]] sql::StatementLog& log() { return log_; }
  /// Sorted by time where all statements have one and `by_time`.
  [[nodiscard]] sql::StatementLog finish(bool by_time = false);

 private:
  [[nodiscard]] std::uint32_t session_of(const std::string& name);

  sql::StatementLog log_;
  std::map<std::string, std::uint32_t> sessions_;
  std::vector<std::optional<std::size_t>> last_;  ///< by session
  std::string request_;
  std::string route_;
};

/// Microseconds of "2026-11-18 11:40:24.123 UTC", "161106  1:33:11",
/// "2026-11-18T11:40:24.1Z", "20261118 11:40:24" at the beginning of a text.
[[nodiscard]] std::optional<std::int64_t> log_time(std::string_view text);

[[nodiscard]] std::string_view trim(std::string_view text);
/// 'it''s'
[[nodiscard]] std::string sql_quoted(std::string_view text);

}  // namespace txscope::logs
