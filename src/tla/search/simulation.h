#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tla/search/worker.h"

namespace txscope::tla {

/// Random behaviours, as TLC's -simulate: from a random initial state to a
/// random successor each, until the depth, a deadlock or a violation.  The seed
/// and the number of a behaviour decide all of it, so that any number of ranks
/// gets the same ones.
class Simulation {
 public:
  /// Computes the initial states.
  Simulation(Worker& worker, Shared& shared, std::uint64_t seed,
             std::uint32_t depth);
  [[nodiscard]] bool has_start() const { return !starts_.empty(); }

  enum class End : std::uint8_t { Done, Found, Failed, Stopped };
  struct Ran {
    End end = End::Done;
    std::uint64_t generated = 0;
    std::uint32_t depth = 0;
  };
  /// What is wrong is in the worker's `finding` afterwards.  Throws Fault and
  /// Stopped.
  void run(std::uint64_t number, const Budget& budget);
  /// The same without throwing.
  Ran attempt(std::uint64_t number, const Budget& budget);
  /// The states of the behaviour that ran last.
  [[nodiscard]] const std::vector<std::vector<Value>>& path() const {
    return path_;
  }

 private:
  [[nodiscard]] std::vector<std::size_t> allowed(const StateRows& all);
  [[nodiscard]] std::vector<Value> state_of(const StateRows& all,
                                            std::size_t i) const;
  void look_at_last();

  Worker& worker_;
  Shared& shared_;
  std::uint64_t seed_;
  std::uint32_t depth_;
  std::size_t width_;
  StateRows initial_;
  StateRows found_;
  std::vector<std::size_t> starts_;
  std::vector<std::vector<Value>> path_;
};

[[nodiscard]] std::string packed(const std::vector<Simulation::Ran>& runs);
[[nodiscard]] std::vector<Simulation::Ran> unpacked_runs(
    std::string_view bytes);

}  // namespace txscope::tla
