#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/anomaly.h"
#include "exec/code.h"
#include "model/level.h"
#include "model/program.h"

namespace txscope {

/// One thing that happened, in the order of time of a schedule.
struct ScheduleStep {
  enum class Kind : std::uint8_t {
    Read,
    Write,
    AssertFailed,
    Commit,
    Abort,
    Fault,
  };
  Kind kind = Kind::Read;
  InstanceId instance;
  Span at;  ///< the statement
  KeyId key;
  std::int64_t value = 0;
  InstanceId source;          ///< of a Read: who wrote the value
  bool is_own = false;        ///< a Read of the transaction's own write
  bool is_stale = false;      ///< a Read that misses a version committed before
  PropertyId property;        ///< of AssertFailed
  Fault fault = Fault::None;  ///< of Fault
};

/// The value of a row at the end, and who wrote it.
struct FinalValue {
  KeyId key;
  std::int64_t value = 0;
  InstanceId writer;
};

/// The value of a local that a condition mentions.
struct LocalValue {
  std::string name;  ///< session.label.local
  std::int64_t value = 0;
  std::uint32_t ref = 0;  ///< index into Program::local_refs
};

/// What the transactions of a violation do when run one after the other.
struct SerialRun {
  std::vector<InstanceId> order;
  std::vector<FinalValue> finals;  ///< of the same rows as in the violation
  std::vector<LocalValue> locals;  ///< the same locals
  bool is_violated = false;
};

/// One execution in which something is wrong.
struct Violation {
  enum class Kind : std::uint8_t { Invariant, Assert, Fault };
  Kind kind = Kind::Invariant;
  Base level = Base::Causal;
  std::string name;  ///< of the property; of a fault what it is
  Span at;           ///< the condition, the assert, the failing operator
  std::uint64_t violating = 0;  ///< histories that show it; 0 if not counted

  /// The transactions that are needed to show it, and how many there are.
  std::vector<InstanceId> instances;
  std::size_t all_instances = 0;
  std::vector<ScheduleStep> schedule;
  std::vector<InstanceId> commit_order;  ///< one that shows the level
  std::vector<FinalValue> finals;  ///< of the rows that the invariant mentions
  std::vector<LocalValue> locals;  ///< that the assertion mentions
  std::vector<SerialRun> serial;   ///< all orders, or none if there are many
  /// Every serial order avoids it.
  bool is_avoided_serially = false;
  /// The first level that refuses the history, and its name for that.
  std::optional<Base> refused_by;
  /// What went wrong when the interpreter followed the schedule; never set
  /// unless txscope itself is wrong.
  std::optional<std::string> replay_problem;
  Anomaly anomaly;
};

}  // namespace txscope
