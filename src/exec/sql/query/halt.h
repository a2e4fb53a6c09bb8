#pragma once

#include <string>
#include <utility>

#include "exec/sql/query/sql_error.h"
#include "model/sql/value/value.h"

namespace txscope::sql {

/// What ended an evaluation: the first error, or an interruption.  Everything
/// evaluated after it gives a value that nobody looks at, so only loops and
/// what has effects need to ask; this is cheaper than an exception (a search
/// interrupts at every read) and shorter than a Result per value.
class Halt {
 public:
  [[nodiscard]] bool is_set() const { return state_ != State::None; }
  [[nodiscard]] bool is_error() const { return state_ == State::Error; }

  /// NULL, for `return halt.raise(...)`.
  Value raise(const char* sqlstate, std::string message) {
    set({sqlstate, std::move(message), {}, false});
    return {};
  }
  /// For what PostgreSQL can and we cannot.
  Value raise_ours(std::string message) {
    set({"54000", std::move(message), {}, true});
    return {};
  }
  void set(SqlError error) {
    if (is_set()) return;
    state_ = State::Error;
    error_ = std::move(error);
  }
  void interrupt() {
    if (!is_set()) state_ = State::Interrupted;
  }
  /// The innermost place wins.
  void place(Span at) {
    if (is_error() && error_.at.line == 0) error_.at = at;
  }
  void clear() { state_ = State::None; }
  [[nodiscard]] const SqlError& error() const { return error_; }

  /// The value, unless something ended its evaluation.
  template <class T>
  [[nodiscard]] Evaluated<T> result(T value) const {
    if (state_ == State::None) return Evaluated<T>(std::move(value));
    if (state_ == State::Error) return Evaluated<T>(error_);
    return Evaluated<T>(Interrupted{});
  }

 private:
  enum class State : unsigned char { None, Error, Interrupted };
  State state_ = State::None;
  SqlError error_;
};

}  // namespace txscope::sql
