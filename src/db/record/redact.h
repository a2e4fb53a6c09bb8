#pragma once

#include <cstdint>
#include <string>

#include "db/lexeme.h"
#include "db/record/log.h"

namespace txscope::db {

/// Replaces values by tokens.  The same text is the same token throughout a
/// log, different texts are different ones, and texts compare as before: a
/// token begins with the order-preserving part.  Numbers, booleans and NULL
/// stay, since SQL computes with them.
class Redactor {
 public:
  explicit Redactor(std::uint64_t key) : key_(key) {}

  void redact(LoggedTransaction& transaction) const;
  /// Literals in the setup, and the rows of the initial state.
  void redact(LogHeader& header) const;

 private:
  void redact(LoggedStatement& statement) const;
  [[nodiscard]] Cell token(const Cell& cell, ColumnType type) const;
  [[nodiscard]] std::string without_literals(const std::string& sql) const;
  [[nodiscard]] std::string without_literals(const std::string& sql,
                                             CodeIn code) const;

  std::uint64_t key_;
};

}  // namespace txscope::db
