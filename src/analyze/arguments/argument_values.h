#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/arguments/parameter_use.h"
#include "exec/sql/memory/database.h"

namespace txscope::analyze {

/// Which of the values that are there arguments take.
struct Taking {
  bool takes_all = true;    ///< of a number that bounds: all that is there
  bool is_swapped = false;  ///< the second row's before the first one's
  bool is_new = false;      ///< what creates rows takes values that no row has
  std::map<ColumnRef, std::size_t> taken = {};  ///< of a column, so far
};

/// Values for parameters, made of what their routine does with them and of the
/// rows that are there: of JSON an object with the members that are taken out
/// of it, of an array items that name different rows.
class ArgumentValues {
 public:
  ArgumentValues(const sql::Application& application,
                 const sql::MemoryDatabase& initial)
      : application_(application), initial_(initial) {}

  [[nodiscard]] sql::Value value(const ParameterUse& use, const sql::Type& type,
                                 Taking& taking);
  /// For a setting of the session, a text; NULL if it names nobody.
  [[nodiscard]] sql::Value setting(const ParameterUse& use, Taking& taking);

 private:
  using Values = std::vector<sql::Value>;

  sql::Value scalar(const ParameterUse& use, const sql::Type& type,
                    Taking& taking);
  sql::Value row(const ParameterUse& use, const sql::Type& type,
                 Taking& taking);
  Values items(const ParameterUse& use, const sql::Type& type, Taking& taking);
  std::string json(const ParameterUse& use, Taking& taking);
  [[nodiscard]] sql::Type type_of_columns(const ParameterUse& use) const;

  const Values& values_of(ColumnRef column);
  [[nodiscard]] sql::Value new_value(ColumnRef column,
                                     const sql::Type& type) const;
  [[nodiscard]] bool is_key(ColumnRef column) const;
  [[nodiscard]] std::optional<ColumnRef> parent(ColumnRef column) const;
  [[nodiscard]] ColumnRef root(ColumnRef column) const;

  const sql::Application& application_;
  const sql::MemoryDatabase& initial_;
  std::map<ColumnRef, Values> seen_;
};

}  // namespace txscope::analyze
