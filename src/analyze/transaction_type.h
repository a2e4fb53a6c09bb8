#pragma once

#include <string>
#include <vector>

#include "analysis/footprint.h"
#include "model/sql/application.h"

namespace txscope::analyze {

/// What a call gives: values for the routine's parameters, then, if it gives
/// any, for the settings of its session (Application::settings).
using Arguments = std::vector<sql::Value>;

/// Something that an application runs as one transaction.
struct TransactionType {
  std::string name;  ///< unique in the application
  sql::RoutineId routine;
  analysis::Footprint footprint;
  /// Arguments to try, those that commit when nobody else is there first.
  std::vector<Arguments> choices;
  /// With some choice it changes a row when nobody else is there; else what was
  /// tried with it shows nothing.
  bool changes_something = false;
  /// Why it was not looked at; empty: it was.
  std::string not_checked;
};

/// The procedures of an application, the functions that write, and what its
/// sessions run; without trigger functions and without routines that only
/// others call.
[[nodiscard]] std::vector<TransactionType> transaction_types(
    const sql::Application& application);

/// The call of a routine with these.
[[nodiscard]] sql::Call call_with(const sql::Application& application,
                                  sql::RoutineId routine,
                                  const Arguments& arguments);

/// Whether they can meet at all: one writes a table that the other reads or
/// writes.
[[nodiscard]] bool can_meet(const TransactionType& a, const TransactionType& b);

}  // namespace txscope::analyze
