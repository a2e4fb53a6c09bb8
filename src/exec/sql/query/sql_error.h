#pragma once

#include <string>
#include <variant>

#include "model/program.h"

namespace txscope::sql {

/// An error that the database reports; it aborts the transaction.
struct SqlError {
  std::string sqlstate;  ///< "23505"
  std::string message;   ///< as PostgreSQL words it
  Span at;               ///< what was evaluated; line 0: unknown
  /// PostgreSQL would have gone on and we cannot (a numeric with more digits
  /// than fit, a recursion too deep): no outcome of the program, the answer is
  /// undecided.
  bool is_ours = false;

  friend bool operator==(const SqlError& a, const SqlError& b) {
    return a.sqlstate == b.sqlstate && a.message == b.message &&
           a.is_ours == b.is_ours;
  }
};

/// The store could not go on now, or the budget is spent: the statement has no
/// effect and is to be run again from its start.
struct Interrupted {};

template <class T>
using Evaluated = std::variant<T, SqlError, Interrupted>;

}  // namespace txscope::sql
