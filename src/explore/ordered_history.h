#pragma once

#include <cstdint>
#include <vector>

#include "exec/script.h"
#include "explore/bits.h"

namespace txscope::explore {

/// How far a transaction of an execution has come, and how it ended.
enum class Progress : std::uint8_t {
  Absent,
  Pending,
  Committed,
  Aborted,
  Discarded,  ///< an assumption failed; like aborted, and its session stops
  Faulted,    ///< an error of the program; likewise
  Cut,        ///< a bound was reached; likewise
};

enum class EventKind : std::uint8_t {
  Read,     ///< external, from `source`
  OwnRead,  ///< of an earlier write of the same transaction
  Write,
};

/// One event of a transaction's log.
template <std::size_t W>
struct Logged {
  KeyId key;
  std::uint32_t pc = 0;
  std::int64_t value = 0;
  Bits<W> past;  ///< of a Read: the causal past of its transaction before it
  std::uint16_t source = 0;
  EventKind kind = EventKind::Read;
};

/// A history of a program, and the order `<` in which its transactions were
/// added (Bouajjani, Enea, Roman-Calvo, PLDI 2023, Section 4).  At most one
/// transaction is pending, and it is the last: so `<` is a list of logs.
/// Everything is indexed by InstanceId; the logs themselves and the slots are
/// in the arenas of the search, where several histories share them.
template <std::size_t W>
struct OrderedHistory {
  struct Log {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  std::vector<std::uint16_t> order;     ///< without init
  std::vector<std::uint16_t> position;  ///< in `order`, plus 1; init has 0
  std::vector<Progress> progress;
  std::vector<Log> log;
  std::vector<std::uint32_t> slots;   ///< where they start in the arena
  std::vector<std::uint32_t> end_pc;  ///< the instruction that ended it
  std::vector<Bits<W>> past;     ///< predecessors in (so + wr)+, init included
  std::vector<Bits<W>> sources;  ///< whom it reads from
  std::vector<Bits<W>> before;   ///< predecessors in (so + wr + forced)+
  Bits<W> present;
  Bits<W> committed;
  Bits<W> stopped;  ///< transactions whose session stopped before them
  bool is_pending = false;

  explicit OrderedHistory(std::size_t instances)
      : position(instances),
        progress(instances),
        log(instances),
        slots(instances),
        end_pc(instances),
        past(instances),
        sources(instances),
        before(instances) {
    order.reserve(instances);
    present.set(0);
    committed.set(0);
    progress[0] = Progress::Committed;
  }
};

}  // namespace txscope::explore
