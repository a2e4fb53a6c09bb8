#pragma once

/// Can a rule break at a level, for any input?
///
///     #include <txscope/verify.h>
///     using namespace txscope;
///
///     verb::VerifyRequest request;
///     request.input = "bank.txn";
///     request.level = "snapshot-isolation";
///     auto report = verb::verify(request, Budget::unlimited());
///     if (!report) return tell(report.error());   // file, line, hint
///     std::cout << verb::text(*report);
#include <txscope/listener.h>
#include <txscope/write.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/budget.h"
#include "base/result.h"

namespace txscope::verb {

/// Can a rule break at a level, for any input?
struct VerifyRequest {
  std::string input;                ///< a `.txn` program or SQL
  std::optional<std::string> text;  ///< else the file is read
  std::string dialect;              ///< of SQL; empty: it is recognized
  std::string level;                ///< as of explore; empty: all of theory
  /// Which transactions need serializable if the others run at this one.
  std::string levels_needed;
  std::string integers;    ///< bounded or unbounded
  bool inductive = false;  ///< from any values for which the invariants hold
  bool evidence = false;   ///< of what holds, as SMT-LIB 2
  std::uint64_t loop_bound = 1000;
  std::uint64_t jobs = 1;
  Listener listener;
};

/// One finding per level and rule.
[[nodiscard]] Result<Report> verify(const VerifyRequest& request,
                                    const Budget& budget);

}  // namespace txscope::verb
