#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "race/wire/flight.h"

namespace txscope::race {

/// What may happen next: a request's parked flight goes on, or the deadlock
/// that it is in ends with its failure.
struct Choice {
  enum class Kind : std::uint8_t { Step, Victim };
  Kind kind = Kind::Step;
  std::size_t request = 0;
  std::size_t lane = 0;  ///< of this request's connections

  friend auto operator<=>(const Choice&, const Choice&) = default;
};

using Schedule = std::vector<Choice>;

/// What a transaction asks for at most, as far as anybody said so.
enum class Isolation : std::uint8_t { Committed, Snapshot, Serializable };

/// A connection when everything had come to rest.
struct LaneStatus {
  std::size_t request = 0;
  std::size_t lane = 0;
  /// As the server says: 'I' none, 'T' in one, 'E' in one that failed.
  char transaction = 'I';
  bool is_waiting = false;  ///< for a lock
  bool is_gone = false;
  Isolation isolation = Isolation::Committed;
  /// A transaction ended in this event, even if the next one is open already:
  /// BEGIN is no step.
  bool has_ended = false;
};

/// What a choice led to.
struct Event {
  Choice choice;
  /// What its connection had let through before, since its last step: BEGIN.
  std::vector<Statement> before;
  std::vector<Statement> statements;
  bool waits = false;  ///< it did not answer before the next choice
  /// SQLSTATEs that came back, by request: of this statement, or of others
  /// that had waited.
  std::vector<std::pair<std::size_t, std::string>> errors;
  std::vector<LaneStatus> after;
};

}  // namespace txscope::race
