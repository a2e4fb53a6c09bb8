#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "model/program.h"
#include "smt/terms.h"

namespace txscope::verify {

/// One read or write that a transaction may do.
struct SymbolicEvent {
  enum class Kind : std::uint8_t { Read, Write };
  Kind kind = Kind::Read;
  TableId table;
  Span at;
  /// When it happens.  Of a read: and no own write of the row comes before it,
  /// so that its value is another transaction's.
  smt::Term guard;
  smt::Term index;  ///< of the row; 0 if the table has no key
  smt::Term value;  ///< written; of a read an unknown, the value it is given
};

/// A transaction for all inputs and everything that it may read.  Where paths
/// meet again their values are merged, so this grows with the program and its
/// loops, not with the number of paths.  Exactly one of the five ends is true.
struct Summary {
  std::vector<SymbolicEvent> events;  ///< in program order
  smt::Term committed;
  smt::Term aborted;
  smt::Term faulted;    ///< overflow, division by zero, bad index, ...
  smt::Term discarded;  ///< by an assume
  smt::Term cut;        ///< a loop has more rounds than were unrolled
  std::map<PropertyId, smt::Term> failures;  ///< asserts that fail
  std::vector<smt::Term> locals;             ///< at the end, by LocalId
  std::vector<smt::Term> assigned;           ///< whether they have a value
};

struct SummaryOptions {
  bool is_unbounded = false;  ///< integers never overflow
  std::uint64_t rounds = 8;   ///< of a loop whose end depends on unknowns
  std::uint64_t constant_rounds = 1000;  ///< of a `while` over constants
  std::size_t max_events = 20000;        ///< more are cut
  /// What an external read of a row returns, where that is known.
  std::function<std::optional<smt::Term>(TableId, smt::Term index)> fixed;
};

[[nodiscard]] Summary summarize(smt::Terms& terms, const Program& program,
                                TransactionId transaction,
                                std::span<const smt::Term> arguments,
                                const SummaryOptions& options,
                                const Budget& budget);

}  // namespace txscope::verify
