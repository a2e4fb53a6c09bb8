#include "race/outcome/outcome.h"

namespace txscope::race {

bool Outcome::is_same(const Outcome& other) const {
  if (state != other.state || requests.size() != other.requests.size())
    return false;
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (!requests[i].is_same(other.requests[i])) return false;
  return true;
}

const char* name_of(Outcome::Class kind) {
  switch (kind) {
    case Outcome::Class::Serial: return "serial";
    case Outcome::Class::Survivors: return "survivors";
    case Outcome::Class::Anomaly: break;
  }
  return "anomaly";
}

std::size_t switches(const std::vector<Event>& events) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < events.size(); ++i)
    count += events[i].choice.request != events[i - 1].choice.request ? 1 : 0;
  return count;
}

}  // namespace txscope::race
