// How long the weak levels take on generated histories: the ordinary workload
// of the published measurements, and shapes that make checkers quadratic.
//
//   bench_check_weak [transactions [shape]]     default 100000, 8 operations
//                                               each; part of a shape's name
//
// One line per shape: facts alone, then per level the time from the history to
// the verdict, facts included.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "base/budget.h"
#include "check/check.h"
#include "check/facts/facts.h"
#include "generate/simulate.h"

namespace {

using namespace txscope;

struct Shape {
  const char* name;
  generate::Simulation simulation;
  Order order = Order::Session;
};

// Processor time: the checkers have one thread, and others share the machine.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::vector<Shape> shapes(std::uint32_t transactions) {
  generate::Simulation plain;
  plain.level = {Base::Causal, Order::Session};
  plain.workload.transactions = transactions;
  std::vector<Shape> all;
  all.push_back({"causal store", plain});
  generate::Simulation s = plain;
  s.level = {Base::Serializable, Order::Realtime};
  all.push_back({"serializable store", s});
  all.push_back({"... at realtime", s, Order::Realtime});
  all.push_back({"... at order none", s, Order::None});
  s.level = {Base::SnapshotIsolation, Order::Session};
  all.push_back({"snapshot store", s});
  s = plain;
  s.workload.key_choice.kind = generate::KeyChoice::Kind::Zipf;
  all.push_back({"hot keys, zipf 0.99", s});
  s = plain;
  s.workload.read_share = 0;
  all.push_back({"write-only", s});
  s = plain;
  s.workload.sessions = 2;
  all.push_back({"2 long sessions", s});
  s = plain;
  s.workload.sessions = 1000;
  all.push_back({"1000 sessions", s});
  s.workload.key_choice.kind = generate::KeyChoice::Kind::Zipf;
  all.push_back({"1000 sessions, hot", s});
  s = plain;
  s.workload.kind = KeyKind::List;
  all.push_back({"lists", s});
  s = plain;
  s.level = {Base::ReadCommitted, Order::Session};
  all.push_back({"violated at all", s});
  s.level = {Base::ReadAtomic, Order::Session};
  all.push_back({"violated at causal", s});
  s.level = {Base::Causal, Order::None};
  all.push_back({"only without order", s, Order::None});
  return all;
}

void measure(const Shape& shape) {
  const auto history = generate::simulate(shape.simulation);
  if (!history) {
    std::printf("%-20s %s\n", shape.name, history.error().what.c_str());
    return;
  }
  const Budget budget = Budget::unlimited();
  double start = now();
  { const check::Facts facts(*history); }
  std::printf("%-20s %8.3f", shape.name, now() - start);
  for (const Base base : {Base::ReadCommitted, Base::MonotonicAtomicView,
                          Base::ReadAtomic, Base::Causal}) {
    start = now();
    const Verdict verdict = check::check(*history, {base, shape.order}, budget);
    std::printf(" %8.3f %-9s", now() - start,
                std::string(name(verdict.outcome())).c_str());
  }
  std::printf(" %6.0f MB so far\n",
              static_cast<double>(peak_memory()) / 1048576);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const auto transactions = static_cast<std::uint32_t>(
      argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000);
  std::printf("%-20s %8s %-18s %-18s %-18s %-18s\n", "", "facts",
              " read-committed", " monotonic-a.-view", " read-atomic",
              " causal");
  const std::string wanted = argc > 2 ? argv[2] : "";
  for (const Shape& shape : shapes(transactions))
    if (std::string(shape.name).find(wanted) != std::string::npos)
      measure(shape);
}
