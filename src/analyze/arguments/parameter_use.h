#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analyze/arguments/variable_origin.h"
#include "model/sql/application.h"

namespace txscope::analyze {

/// What a routine does with a parameter, as far as its text tells.
struct ParameterUse {
  std::set<ColumnRef> equals;   ///< rows are looked for by it
  std::set<ColumnRef> inserts;  ///< a new row gets it
  std::set<ColumnRef> bounds;   ///< it is compared with: stock >= p_quantity
  /// Constants that it is compared with for equality, by the routine or by a
  /// CHECK of a column that gets it: IF p_kind = 'debit'.
  std::set<sql::Value> constants;
  bool is_tested_for_null = false;
  /// Of a text: what it is cast to.
  sql::Type as = {};
  /// Of JSON: the members that are taken out of it, by name; of a row its
  /// fields, by position.
  std::map<std::string, std::unique_ptr<ParameterUse>> members;
  /// Of an array, of JSON or not: its items.
  std::unique_ptr<ParameterUse> items;

  [[nodiscard]] ParameterUse& member(const std::string& name);
  [[nodiscard]] ParameterUse& item();
  /// Adds what another routine does with it.
  void absorb(const ParameterUse& other);
};

/// By parameter, from 0, then by Application::settings.  Calls of other
/// routines are followed.
[[nodiscard]] std::vector<ParameterUse> parameter_uses(
    const sql::Application& application, sql::RoutineId routine);

}  // namespace txscope::analyze
