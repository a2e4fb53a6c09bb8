#include "tla/search/simulation.h"

#include <algorithm>

#include "base/bytes.h"

namespace txscope::tla {

Simulation::Simulation(Worker& worker, Shared& shared, std::uint64_t seed,
                       std::uint32_t depth)
    : worker_(worker),
      shared_(shared),
      seed_(seed),
      depth_(depth),
      width_(std::max<std::size_t>(1, worker.program().variables().size())),
      initial_(width_),
      found_(width_) {
  worker.evaluator().enumerate_initial(worker.behaviour().init, initial_);
  worker.generated += initial_.rows.size() / width_;
  starts_ = allowed(initial_);
}

std::vector<Value> Simulation::state_of(const StateRows& all,
                                        std::size_t i) const {
  const auto from = all.rows.begin() + static_cast<std::ptrdiff_t>(i * width_);
  return {from, from + static_cast<std::ptrdiff_t>(width_)};
}

/// Those that the constraints allow after the path.
std::vector<std::size_t> Simulation::allowed(const StateRows& all) {
  std::vector<std::size_t> in_model;
  for (std::size_t i = 0; i < all.rows.size() / width_; ++i)
    if (worker_.is_in_model(path_.empty() ? nullptr : path_.back().data(),
                            &all.rows[i * width_]))
      in_model.push_back(i);
  return in_model;
}

/// Checks the last state, and the step to it, and finds its successors.
void Simulation::look_at_last() {
  found_.rows.clear();
  try {
    worker_.check_alone(
        path_.size() < 2 ? nullptr : path_[path_.size() - 2].data(),
        path_.back().data());
    if (worker_.finding || shared_.level >= depth_) return;
    worker_.evaluator().enumerate_successors(worker_.behaviour().next,
                                             path_.back().data(), found_);
    worker_.generated += found_.rows.size() / width_;
    if (found_.rows.empty() && shared_.check_deadlock)
      worker_.finding =
          Finding{ModelViolation::Deadlock, "deadlock", {}, 0, 0, 0, true};
  } catch (const AssertionFault& fault) {
    worker_.finding = failed_assertion(fault);
  }
}

void Simulation::run(std::uint64_t number, const Budget& budget) {
  Random random(scramble(seed_ ^ scramble(number + 1)));
  path_.clear();
  worker_.finding.reset();
  path_.push_back(state_of(initial_, starts_[random.below(starts_.size())]));
  for (shared_.level = 1;; ++shared_.level) {
    if (budget.spent_now()) throw Stopped{};
    look_at_last();
    if (worker_.finding || shared_.level >= depth_) return;
    const std::vector<std::size_t> next = allowed(found_);
    if (next.empty()) return;
    path_.push_back(state_of(found_, next[random.below(next.size())]));
  }
}

Simulation::Ran Simulation::attempt(std::uint64_t number,
                                    const Budget& budget) {
  Ran ran;
  const std::uint64_t before = worker_.generated;
  try {
    run(number, budget);
    if (worker_.finding) ran.end = End::Found;
  } catch (const Fault&) {
    ran.end = End::Failed;
  } catch (const Stopped&) {
    ran.end = End::Stopped;
  }
  ran.generated = worker_.generated - before;
  ran.depth = shared_.level;
  return ran;
}

std::string packed(const std::vector<Simulation::Ran>& runs) {
  ByteWriter to;
  for (const Simulation::Ran& ran : runs) {
    to.number(static_cast<std::uint64_t>(ran.end));
    to.number(ran.generated);
    to.number(ran.depth);
  }
  return to.take();
}

std::vector<Simulation::Ran> unpacked_runs(std::string_view bytes) {
  std::vector<Simulation::Ran> runs;
  for (ByteReader from(bytes); !from.rest().empty() && from.is_good();) {
    Simulation::Ran& ran = runs.emplace_back();
    ran.end = static_cast<Simulation::End>(from.number());
    ran.generated = from.number();
    ran.depth = static_cast<std::uint32_t>(from.number());
  }
  return runs;
}

}  // namespace txscope::tla
