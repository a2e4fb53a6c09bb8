#include "race/run/claims.h"

namespace txscope::race {

std::string trace_id(std::size_t request) {
  const std::string number = std::to_string(request + 1);
  return "74787363" + std::string(24 - number.size(), '0') + number;
}

Actor* Claims::owner_of(const Lane& lane) {
  for (Actor& actor : actors_)
    if (actor.owns(lane)) return &actor;
  return nullptr;
}

void Claims::look_at(Lane& lane, std::size_t running) {
  if (lane.state() != Lane::State::Parked) {
    release(lane);
    return;
  }
  if (!claimed_.insert(&lane).second) return;
  Actor* owner = owner_of(lane);
  if (owner != nullptr && lane.transaction() != 'I') return;
  Actor& claimant = claimant_of(lane, owner, running);
  if (&claimant == owner) return;
  if (owner != nullptr) owner->remove(lane);
  claimant.add(lane);
}

Actor& Claims::claimant_of(const Lane& lane, Actor* owner,
                           std::size_t running) {
  for (const Statement& statement : lane.parked().statements)
    for (Actor& actor : actors_)
      if (statement.sql.find(trace_id(actor.request)) != std::string::npos)
        return actor;
  const auto is_on_its_way = [&](Actor& actor) {
    return actor.is_on_its_way() ||
           (&actor == owner && actor.process && !actor.process->has_ended());
  };
  if (owner != nullptr && is_on_its_way(*owner)) return *owner;
  if (is_on_its_way(actors_[running])) return actors_[running];
  for (Actor& actor : actors_)
    if (is_on_its_way(actor)) return actor;
  return owner != nullptr ? *owner : actors_[running];
}

}  // namespace txscope::race
