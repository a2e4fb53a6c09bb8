#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "race/outcome/rules.h"
#include "race/outcome/state.h"
#include "race/run/run.h"

namespace txscope::race {

/// An order of requests, or of some of them, by number.
using Order = std::vector<std::size_t>;

/// What can be seen when all requests have ended.
struct Outcome {
  enum class Class : std::uint8_t {
    Serial,     ///< of running the requests one after the other
    Survivors,  ///< some failed or gave up and left nothing; the others serial
    Anomaly,    ///< neither
  };
  State state;
  std::vector<RequestEnd> requests;
  BrokenRules broken_rules;
  Class kind = Class::Anomaly;
  std::vector<Order> orders;  ///< serial runs that end so
  bool state_is_serial = false;
  std::size_t schedules = 0;
  RunTrace example;  ///< with the fewest switches between requests

  [[nodiscard]] bool is_same(const Outcome& other) const;
};

[[nodiscard]] const char* name_of(Outcome::Class kind);

/// How often another request goes on while the one before could have.
[[nodiscard]] std::size_t switches(const std::vector<Event>& events);

}  // namespace txscope::race
