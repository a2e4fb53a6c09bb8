#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope::generate {

/// An anomaly that can be planted into a history.
enum class Mutation : std::uint8_t {
  DirtyWrite,
  IncompatibleOrder,
  AbortedRead,
  IntermediateRead,
  ThinAirRead,
  CircularFlow,
  NonMonotonicRead,
  FracturedRead,
  StaleRead,
  StaleReadRealtime,
  CausalityViolation,
  LongFork,
  LostUpdate,
  WriteSkew,
};

[[nodiscard]] std::span<const Mutation> all_mutations();
/// As the dictionary has it: "lost-update", "G0", ...
[[nodiscard]] std::string_view name(Mutation mutation);
/// The weakest level that a history cannot have any more.
[[nodiscard]] Level violated_level(Mutation mutation);
/// Reads a name, in any case and with `_` or blanks for `-`; Adya's names too.
[[nodiscard]] Result<Mutation> parse_mutation(std::string_view text);

struct Mutant {
  History history;
  Level violates;
  std::string what;  ///< which transactions now do what, in a sentence or two
};

/// Plants an anomaly: chosen transactions of the history get an operation or
/// two more, on keys that nobody uses yet, and up to three transactions join
/// them in sessions of their own.  Nothing else changes.
///
/// Because the keys are new, the mutant violates `violates` and every level
/// that implies it, and has every other level that the history had, as far as
/// order none and session order go.  (At realtime order a planted read may
/// miss a write that had ended; only some mutations avoid that.)  If there are
/// times, transactions that join run at the same time as a chosen one.
///
/// The same history, mutation and seed give the same mutant.  An Error if no
/// transaction fits, say because nobody reads from anybody.
[[nodiscard]] Result<Mutant> mutate(const History& history, Mutation mutation,
                                    std::uint64_t seed);

}  // namespace txscope::generate
