// How long it takes to certify a verdict, next to how long to find it.
//
//   bench_certify [transactions]     default 100000, 8 operations each
//
// One line per kind of history and level: outcome, seconds to check, seconds to
// certify.  The history has the level, or the next weaker one.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "certify/certify.h"
#include "check/check.h"
#include "generate/simulate.h"

namespace {

using namespace txscope;

// Processor time: others share the machine.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void measure(const char* shape, const generate::Simulation& simulation,
             Level level) {
  const auto history = generate::simulate(simulation);
  if (!history) return;
  double start = now();
  const Verdict verdict = check::check(
      *history, level,
      Budget(Budget::Limits{std::chrono::milliseconds(60'000), std::nullopt}));
  const double checked = now() - start;
  start = now();
  const certify::Certificate certificate = certify::certify(*history, verdict);
  std::printf("%-12s %-44s %-9s %7.2f %7.2f %s\n", shape,
              describe(level).c_str(),
              std::string(name(verdict.outcome())).c_str(), checked,
              now() - start, certificate.why_not.c_str());
  std::fflush(stdout);
}

void measure_all(const char* shape, generate::Simulation simulation) {
  for (const Base base : all_bases()) {
    if (base < Base::MonotonicAtomicView) continue;
    simulation.level = {base, Order::Session};
    measure(shape, simulation, simulation.level);
  }
  simulation.level = {Base::Causal, Order::Session};
  measure(shape, simulation, {Base::Serializable, Order::Session});
  simulation.level = {Base::Serializable, Order::Realtime};
  for (const Base base : {Base::ReadAtomic, Base::Causal,
                          Base::SnapshotIsolation, Base::Serializable})
    measure(shape, simulation, {base, Order::Realtime});
  measure(shape, simulation, {Base::Causal, Order::None});
}

}  // namespace

int main(int argc, char** argv) {
  generate::Simulation plain;
  plain.workload.transactions =
      argc > 1 ? static_cast<std::uint32_t>(std::atoi(argv[1])) : 100'000;
  std::printf("%-12s %-44s %-9s %7s %7s\n", "history", "level", "verdict",
              "check", "certify");
  measure_all("registers", plain);
  generate::Simulation lists = plain;
  lists.workload.kind = KeyKind::List;
  measure_all("lists", lists);
  generate::Simulation many = plain;
  many.workload.sessions = 1000;
  measure_all("1000 sess.", many);
  generate::Simulation hot = plain;
  hot.workload.key_choice.kind = generate::KeyChoice::Kind::Zipf;
  measure_all("zipf", hot);
}
