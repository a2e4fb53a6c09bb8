#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/sql/statement.h"
#include "read/sql/schema/catalog.h"

namespace txscope::sql {

/// The variables that a statement may name.
class Names {
 public:
  struct Found {
    std::uint32_t slot = 0;
    Type type;
    std::string field = {};  ///< of a record
  };

  virtual ~Names() = default;
  /// The variable of this name, which may have parts (record.field,
  /// block.variable); fails if it is there but cannot be used, unless the name
  /// is that of a column, too.
  [[nodiscard]] virtual std::optional<Found> find(
      std::span<const std::string> name, Span at, bool is_column) const = 0;
  /// The fields of a record that is named as a whole; empty: it is none.
  [[nodiscard]] virtual std::vector<Found> record(const std::string&,
                                                  Span) const {
    return {};
  }
  /// When such a record is none at all: OLD of an INSERT.
  [[nodiscard]] virtual std::optional<Expr> is_no_record(const std::string&,
                                                         Span) const {
    return std::nullopt;
  }
  /// The rows of this name, which are no table's.
  [[nodiscard]] virtual std::shared_ptr<const Query> rows(
      const std::string&) const {
    return nullptr;
  }
  /// $1, $2, ...
  [[nodiscard]] virtual std::optional<Found> parameter(std::uint32_t) const {
    return std::nullopt;
  }
  /// The subscripts of this array begin with 0 (TG_ARGV).
  [[nodiscard]] virtual bool counts_from_zero(std::uint32_t) const {
    return false;
  }
  /// A name that is a column and a variable is a column (LANGUAGE sql);
  /// otherwise it is a mistake (PL/pgSQL).
  [[nodiscard]] virtual bool column_wins() const { return false; }
  [[nodiscard]] virtual std::vector<std::string> candidates() const {
    return {};
  }
};

/// Takes calls of functions that have their own statements out of expressions.
class Lifter {
 public:
  virtual ~Lifter() = default;
  /// The slot that will hold the call's value when the expression is evaluated.
  [[nodiscard]] virtual std::uint32_t lift(const Signature& function,
                                           std::vector<Expr> arguments,
                                           Span at) = 0;
  /// The slot that will hold the row of these values.
  [[nodiscard]] virtual std::uint32_t lift_row(std::vector<Expr> fields,
                                               Type type, Span at) = 0;
  /// The same for a lock that a function asks for.
  [[nodiscard]] virtual std::uint32_t lift_lock(
      ExplicitLock lock, Type type, std::vector<DbStatement::Mention> mentions,
      Span at) = 0;
  /// The slot that will hold MySQL's ROW_COUNT().
  [[nodiscard]] virtual std::uint32_t lift_row_count(Span) { return 0; }
};

}  // namespace txscope::sql
