#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// Which function a name means, and those of identity, numbers, locks and
/// MySQL.
class Functions : public Room {
 public:
  using Room::Room;

  std::optional<Expr> number_function(const PgQuery__FuncCall& node,
                                      std::string_view name, Span at);
  Expr func_call(const PgQuery__FuncCall& node);
  [[noreturn]] void unknown_function(std::string_view name,
                                     const std::vector<Expr>& args, Span at);
  [[nodiscard]] Expr setting(std::string_view name, Span at);

 private:
  [[nodiscard]] Expr claim(std::string_view member, const Type& type, Span at);
  std::optional<Expr> identity_function(const PgQuery__FuncCall& node,
                                        std::string_view name, Span at);
  std::optional<Expr> password_function(const PgQuery__FuncCall& node,
                                        std::string_view name, Span at);
  std::optional<Expr> builtin(const PgQuery__FuncCall& node,
                              std::string_view name, Span at);
  std::optional<Expr> mysql_function(const PgQuery__FuncCall& node,
                                     std::string_view name, Span at);
  std::optional<Expr> mysql_session_function(std::string_view name,
                                             NodeList args, Span at);
  Expr mysql_concat(std::vector<Expr> parts, Span at);
  Expr call_as(const PgQuery__FuncCall& node, std::string_view name);
  /// GET_LOCK() and RELEASE_LOCK(); nothing: another function.
  std::optional<Expr> mysql_lock(const PgQuery__FuncCall& node,
                                 std::string_view name, Span at);
  /// What the lock tells, where it has been taken before the statement.
  Expr lifted_lock(ExplicitLock lock, std::size_t mentioned,
                   const PgQuery__FuncCall& node);
  /// pg_advisory_xact_lock(...) and the like; nothing: another function.
  std::optional<Expr> lock_function(const PgQuery__FuncCall& node,
                                    std::string_view name, Span at);

  bool is_renamed_ = false;  // the function has our name already
};

}  // namespace txscope::sql::analyzer
