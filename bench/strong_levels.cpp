// Times the engine of the strong levels on simulated histories of several
// shapes:  bench_strong_levels [transactions [shape [level [order]]]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "check/engines.h"
#include "generate/simulate.h"

namespace {

using namespace txscope;

struct Shape {
  const char* name;
  generate::SimulatedLoad workload;
  Level made_at{Base::Serializable, Order::Session};
};

std::vector<Shape> shapes(std::uint32_t transactions) {
  generate::SimulatedLoad plain;
  plain.transactions = transactions;
  plain.keys = transactions;
  std::vector<Shape> all;
  all.push_back({"plain", plain});
  generate::SimulatedLoad hot = plain;
  hot.key_choice.kind = generate::KeyChoice::Kind::Zipf;
  all.push_back({"zipf", hot});
  generate::SimulatedLoad few = plain;
  few.keys = 100;
  all.push_back({"100-keys", few});
  generate::SimulatedLoad writes = plain;
  writes.read_share = 0;
  all.push_back({"write-only", writes});
  generate::SimulatedLoad many = plain;
  many.sessions = 1000;
  all.push_back({"1000-sessions", many});
  generate::SimulatedLoad lone = plain;
  lone.sessions = 2;
  all.push_back({"2-sessions", lone});
  generate::SimulatedLoad lists = plain;
  lists.kind = KeyKind::List;
  lists.keys = std::max(1u, transactions / 100);
  all.push_back({"lists", lists});
  Shape si{"si-made", plain, {Base::SnapshotIsolation, Order::Session}};
  si.workload.keys = std::max(1u, transactions / 10);
  all.push_back(si);
  Shape psi{"psi-made",
            si.workload,
            {Base::ParallelSnapshotIsolation, Order::Session}};
  all.push_back(psi);
  Shape prefix{"prefix-made", si.workload, {Base::Prefix, Order::Session}};
  all.push_back(prefix);
  Shape causal{"causal-made", si.workload, {Base::Causal, Order::Session}};
  all.push_back(causal);
  return all;
}

// Of this process: other programs on the machine do not count.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void measure(const Shape& shape, const History& history, Level level) {
  const double start = cpu_seconds();
  const check::Facts facts(history);
  const check::OrderIndex order(history, facts, level.order);
  const double facts_time = cpu_seconds() - start;
  Budget budget(Budget::Limits{std::chrono::milliseconds(120000), {}});
  const Verdict verdict =
      check::check_by_search(history, facts, order, level, budget);
  std::string how;
  if (verdict.outcome() == Outcome::Violated)
    how = " (" + std::to_string(verdict.refutation().cases.size()) + " cases)";
  std::printf("%-14s %-44s %s%s: %.3f s (facts %.3f), peak %llu MB\n",
              shape.name, describe(level).c_str(),
              std::string(name(verdict.outcome())).c_str(), how.c_str(),
              cpu_seconds() - start, facts_time,
              static_cast<unsigned long long>(peak_memory() >> 20));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const auto transactions = static_cast<std::uint32_t>(
      argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10000);
  for (const Shape& shape : shapes(transactions)) {
    if (argc > 2 && std::strcmp(argv[2], "all") != 0 &&
        std::strcmp(argv[2], shape.name) != 0)
      continue;
    generate::Simulation simulation;
    simulation.level = shape.made_at;
    simulation.workload = shape.workload;
    simulation.has_times = argc > 4 && std::strcmp(argv[4], "realtime") == 0;
    auto history = generate::simulate(simulation);
    if (!history) {
      std::printf("%s: %s\n", shape.name, history.error().what.c_str());
      continue;
    }
    auto order = Order::Session;
    if (argc > 4) order = *parse_order(argv[4]);
    for (const Base base : {Base::Serializable, Base::SnapshotIsolation,
                            Base::Prefix, Base::ParallelSnapshotIsolation})
      if (argc <= 3 || std::strcmp(argv[3], "all") == 0 ||
          parse_level(argv[3])->base == base)
        measure(shape, *history, {base, order});
  }
}
