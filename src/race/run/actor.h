#pragma once

#include <optional>
#include <string>
#include <vector>

#include "race/run/process.h"
#include "race/run/schedule.h"
#include "race/wire/lane.h"
#include "race/wire/sockets.h"

namespace txscope::race {

/// A request at work: its process and its connections.
struct Actor {
  std::size_t request = 0;
  Listener listener;
  std::optional<Process> process;
  std::vector<Lane*> lanes;              ///< null: another's now
  std::vector<std::size_t> errors_seen;  ///< per lane
  std::string last_error;
  bool shares_lanes = false;  ///< of an application; they stay when it ends
  Stillness stillness;
  bool is_outside = false;   ///< waits for something but the database
  bool was_outside = false;  ///< before, in this run

  void add(Lane& lane);
  void remove(const Lane& lane);
  [[nodiscard]] bool owns(const Lane& lane) const;

  [[nodiscard]] bool has(Lane::State state) const;
  [[nodiscard]] bool has(std::size_t number, Lane::State state) const {
    return lanes[number] != nullptr && lanes[number]->state() == state;
  }
  [[nodiscard]] bool has_ended() const;
  /// On its way to its next step, or to its end.
  [[nodiscard]] bool is_on_its_way() const;
  /// Between two steps, as far as its connections say.
  [[nodiscard]] bool is_moving() const;
  /// Whether nothing is to be expected of it unless others go on; lanes at
  /// work are judged by what they wait for.
  [[nodiscard]] bool is_quiet() const;
  [[nodiscard]] bool listens() const;

  /// What its connections are like now, and what failed there since the last
  /// event.
  void tell(Event& event);

 private:
  [[nodiscard]] LaneStatus status_of(std::size_t number) const;
  void tell_errors(std::size_t number, Event& event);
};

}  // namespace txscope::race
