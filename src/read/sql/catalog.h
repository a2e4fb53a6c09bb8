#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/sql/application.h"

namespace txscope::sql {

/// Of a table or a result; as PostgreSQL has it.
inline constexpr std::size_t kMostColumns = 1600;

/// What callers know of a routine.
struct Signature {
  struct Parameter {
    std::string name;  ///< may be empty
    Type type;
    bool is_in = true;
    bool is_out = false;
    std::optional<Expr> default_value;
  };
  std::string name;
  RoutineId id;
  bool is_function = false;
  Volatility volatility = Volatility::Volatile;
  /// It reads or writes tables, itself or through others.
  bool touches_tables = false;
  std::vector<Parameter> parameters;
  Type result;
  Span at;

  /// Its calls have a place of their own in the order of events.
  [[nodiscard]] bool must_be_lifted() const {
    return volatility == Volatility::Volatile && touches_tables;
  }
};

/// Everything that a statement may name.
struct Catalog {
  Schema schema;
  std::vector<Signature> routines;  ///< indexed by RoutineId
  /// By name; add_table() and add_routine() keep them.
  std::unordered_map<std::string, TableId> table_ids;
  std::unordered_map<std::string, RoutineId> routine_ids;
  /// Names of constraints and indexes.
  std::unordered_set<std::string> constraint_names;

  void add_table(Table table);
  void add_routine(Signature signature);
  [[nodiscard]] std::optional<TableId> table(std::string_view name) const;
  [[nodiscard]] const Signature* routine(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> table_names() const;
};

/// The number of the column of this name.
[[nodiscard]] std::optional<std::uint32_t> column_of(const Table& table,
                                                     std::string_view name);
[[nodiscard]] std::vector<std::string> column_names(const Table& table);

/// "did you mean 'x'?", or, if nothing is near, all there are, if these are
/// few; `what` they are (columns), empty: no list.
[[nodiscard]] std::string hint_among(std::string_view word,
                                     const std::vector<std::string>& candidates,
                                     std::string_view what);

}  // namespace txscope::sql
