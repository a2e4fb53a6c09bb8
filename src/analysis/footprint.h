#pragma once

#include <vector>

#include "model/sql/application.h"

namespace txscope::analysis {

/// The tables that something may look at and change, whatever happens.
struct Footprint {
  std::vector<bool> reads;
  std::vector<bool> writes;  ///< also by foreign keys that cascade
  std::vector<bool> draws;   ///< sequences, by expressions
  bool remembers = false;    ///< currval(), lastval()
};

[[nodiscard]] Footprint footprint_of(const sql::Application& application,
                                     const sql::DbStatement& statement);
/// Of a routine and those that it calls.
[[nodiscard]] Footprint footprint_of(const sql::Application& application,
                                     sql::RoutineId routine);

/// Whether currval() or lastval() is asked by what sessions run.
[[nodiscard]] bool remembers(const sql::Application& application);

}  // namespace txscope::analysis
