#pragma once

/// May these transactions leave serializable?
///
///     #include <txscope/robust.h>
///     using namespace txscope;
///
///     verb::RobustRequest request;
///     request.input = "smallbank.sql";
///     request.against = "postgresql:repeatable-read";
///     auto report = verb::robust(request, Budget::unlimited());
#include <txscope/listener.h>
#include <txscope/write.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/budget.h"
#include "base/result.h"

namespace txscope::verb {

/// May these transactions leave serializable?
struct RobustRequest {
  std::string input;                ///< a `.txn` program or SQL
  std::optional<std::string> text;  ///< else the file is read
  std::string dialect;              ///< of SQL; empty: it is recognized
  /// The level to leave serializable for; of SQL also an engine's.  Empty:
  /// snapshot-isolation.
  std::string against;
  std::string notion;       ///< trace, view, history, outcome or state
  std::string granularity;  ///< row, column or result
  std::string method;       ///< search, proof or auto
  bool allocate = false;    ///< the weakest level of every transaction instead
  bool no_repairs = false;
  std::uint64_t loop_bound = 1000;
  Listener listener;
};

/// The first finding answers what was asked; others say what it means.
[[nodiscard]] Result<Report> robust(const RobustRequest& request,
                                    const Budget& budget);

}  // namespace txscope::verb
