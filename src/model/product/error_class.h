#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/product/product.h"

namespace txscope {

/// What an error of a product means for the transaction that met it.
enum class ErrorClass : std::uint8_t {
  Serialization,        ///< somebody else was faster; nothing is left
  Deadlock,             ///< it was the victim
  LockTimeout,          ///< it waited long enough
  LockNotAvailable,     ///< it asked not to wait (NOWAIT)
  Cancelled,            ///< by a time-out, by somebody, or by the server's end
  Disconnected,         ///< the connection is gone
  InFailedTransaction,  ///< not even looked at, because one before it failed
  Unique,
  ForeignKey,
  NotNull,
  Check,
  Constraint,  ///< one of the four; the product does not say which
};

/// A code of a product: a row of the only table of them.
struct ErrorRow {
  Product product;
  ErrorClass is;
  /// As the product's clients see it: SQLSTATE, number, name.
  std::string_view code;
  std::string_view message = {};  ///< what the server says, where we say it
  /// The number that logs may have in place of it; 0: none.
  std::int32_t number = 0;
  /// The server has undone the whole transaction, and not only a statement or
  /// what came after a savepoint.
  bool takes_all = false;
};

[[nodiscard]] std::span<const ErrorRow> error_rows();

/// The code by which a product says so: the first in the table.  There is one.
[[nodiscard]] const ErrorRow& error_of(Product product, ErrorClass is);

/// What any product means by this code: no two mean different things by one.
[[nodiscard]] const ErrorRow* find_error(std::string_view code);
/// The same by the number in a log.
[[nodiscard]] const ErrorRow* find_error(std::int64_t number);

/// The same transaction may succeed when it is tried again: a serialization
/// failure, a deadlock, a lock that was not to be had in time.
[[nodiscard]] bool is_transient(std::string_view code);

/// A correct database may answer so at any time, whatever the others do: all
/// of that, a lock that is taken, an end by time-out or of the connection.
[[nodiscard]] bool is_always_possible(ErrorClass is);
[[nodiscard]] bool is_constraint(ErrorClass is);

/// SQLSTATE of the SQL standard, in which statements are evaluated whatever the
/// product; WriteRules say what a product calls it.
namespace sqlstate {
inline constexpr const char* kConnectionClass = "08";
inline constexpr const char* kConstraintClass = "23";
inline constexpr const char* kConstraint = "23000";
inline constexpr const char* kNotNull = "23502";
inline constexpr const char* kForeignKey = "23503";
inline constexpr const char* kUnique = "23505";
inline constexpr const char* kCheck = "23514";
inline constexpr const char* kSerialization = "40001";
inline constexpr const char* kQueryCanceled = "57014";
}  // namespace sqlstate

}  // namespace txscope
