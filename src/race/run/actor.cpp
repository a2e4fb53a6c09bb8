#include "race/run/actor.h"

#include <algorithm>

namespace txscope::race {

void Actor::add(Lane& lane) {
  auto free = std::find(lanes.begin(), lanes.end(), nullptr);
  if (free == lanes.end()) {
    errors_seen.push_back(0);
    free = lanes.insert(free, nullptr);
  }
  *free = &lane;
  errors_seen[static_cast<std::size_t>(free - lanes.begin())] =
      lane.errors().size();
}

void Actor::remove(const Lane& lane) {
  for (Lane*& one : lanes)
    if (one == &lane) one = nullptr;
}

bool Actor::owns(const Lane& lane) const {
  return std::find(lanes.begin(), lanes.end(), &lane) != lanes.end();
}

bool Actor::has(Lane::State state) const {
  return std::any_of(lanes.begin(), lanes.end(), [&](const Lane* lane) {
    return lane != nullptr && lane->state() == state;
  });
}

bool Actor::has_ended() const {
  return process && process->has_ended() &&
         std::all_of(lanes.begin(), lanes.end(), [&](const Lane* lane) {
           return lane == nullptr || lane->state() == Lane::State::Gone ||
                  (shares_lanes && lane->state() == Lane::State::Idle);
         });
}

bool Actor::is_on_its_way() const {
  return process && !has_ended() && !has(Lane::State::Parked) &&
         !has(Lane::State::Working);
}

bool Actor::is_moving() const {
  return has(Lane::State::Starting) || has(Lane::State::Closing) ||
         std::any_of(lanes.begin(), lanes.end(), [](const Lane* lane) {
           return lane != nullptr && lane->is_victim();
         });
}

bool Actor::is_quiet() const {
  if (!process || has_ended()) return true;
  if (is_moving()) return false;
  return has(Lane::State::Parked) || has(Lane::State::Working) || is_outside;
}

bool Actor::listens() const {
  return std::any_of(lanes.begin(), lanes.end(), [](const Lane* lane) {
    return lane != nullptr && lane->listens();
  });
}

void Actor::tell(Event& event) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i] == nullptr) continue;
    tell_errors(i, event);
    event.after.push_back(status_of(i));
  }
}

LaneStatus Actor::status_of(std::size_t number) const {
  const Lane& lane = *lanes[number];
  return {request,
          number,
          lane.transaction(),
          lane.state() == Lane::State::Working,
          lane.state() == Lane::State::Gone,
          lane.isolation(),
          lane.has_ended()};
}

void Actor::tell_errors(std::size_t number, Event& event) {
  const auto& errors = lanes[number]->errors();
  for (std::size_t& seen = errors_seen[number]; seen < errors.size(); ++seen) {
    last_error = errors[seen];
    event.errors.emplace_back(request, last_error);
  }
}

}  // namespace txscope::race
