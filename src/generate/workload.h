#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "generate/key_picker.h"
#include "model/history.h"

namespace txscope::generate {

/// What the clients of a simulated database do: how many of them, what their
/// transactions look like, which keys they touch.
struct SimulatedLoad {
  std::uint32_t sessions = 20;
  std::uint32_t transactions = 10000;  ///< in all, shared out evenly
  std::uint32_t min_operations = 8;    ///< per transaction
  std::uint32_t max_operations = 8;
  std::uint32_t keys = 10000;  ///< lists: keys in use at a time
  KeyChoice key_choice;
  double read_share = 0.5;  ///< of operations; 0 is write-only
  KeyKind kind = KeyKind::Register;
  /// Registers and list elements take values from [0, distinct_values), so
  /// they repeat; 0 makes every value of the history unique.
  std::uint32_t distinct_values = 0;
  /// A list that has grown this long is left alone and a fresh one takes its
  /// place, so that reads do not grow without bound.
  std::uint32_t max_list_length = 64;
  double aborted_share = 0;  ///< of transactions, rolled back by the client
  double unknown_share = 0;  ///< of transactions, half of which took effect
};

/// The first number in a SimulatedLoad that makes no sense.
[[nodiscard]] Result<Done> check_workload(const SimulatedLoad& workload);

/// An operation of a simulated transaction.  `value` is what a Write writes or
/// an Append appends; once it has run, what a Read saw; of a ReadList the
/// number of elements it saw that the transaction had not appended itself.
struct SimulatedOp {
  OpKind kind = OpKind::Read;
  std::uint32_t key = 0;
  std::int64_t value = 0;

  [[nodiscard]] bool is_read() const {
    return kind == OpKind::Read || kind == OpKind::ReadList;
  }
};

enum class Fate : std::uint8_t { Commits, Aborts, Vanishes, CommitsUnseen };

/// True if the transaction takes effect, whatever its client is told.
[[nodiscard]] inline bool takes_effect(Fate fate) {
  return fate == Fate::Commits || fate == Fate::CommitsUnseen;
}

/// Draws transactions of a SimulatedLoad one after the other.
class Planner {
 public:
  Planner(const SimulatedLoad& workload, Random& random);

  void plan(std::vector<SimulatedOp>& ops, Fate& fate);

 private:
  std::int64_t fresh_value();
  std::uint32_t list_slot_to_key(std::uint32_t slot, bool appends);

  const SimulatedLoad& workload_;
  Random& random_;
  KeyPicker picker_;
  std::int64_t last_value_ = 0;
  // Lists only: the key now in each slot, and its planned length.
  std::vector<std::uint32_t> slot_key_;
  std::vector<std::uint32_t> slot_length_;
  std::uint32_t next_key_ = 0;
};

}  // namespace txscope::generate
