#pragma once

#include <cstdint>

#include "tla/value/value.h"

namespace txscope::tla {

struct Def;

/// A successor on its way to whoever knows whether it is new.
struct Candidate {
  std::uint64_t fingerprint = 0;
  std::uint64_t parent = 0;
  const Def* action = nullptr;  ///< if actions are counted
  bool is_in_model = true;
};

/// Where a worker's states go if its own set is not the only one.
class Router {
 public:
  virtual ~Router() = default;
  /// Whether this rank has to know states of this fingerprint.
  [[nodiscard]] virtual bool is_mine(std::uint64_t fingerprint) const = 0;
  /// True if it has taken care of the successor; else the worker asks its set.
  virtual bool take(const Candidate& successor, const Value* row) = 0;
  /// Called between two batches: states of other ranks may be handed over.
  virtual void pump() = 0;
  /// Whether this rank counts what every rank evaluates.
  [[nodiscard]] virtual bool counts_common() const = 0;
};

}  // namespace txscope::tla
