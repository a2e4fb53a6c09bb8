// A model on 1, 2 and 4 processes of this machine: what it costs, what is sent,
// how even the load is; and what that says about more.
//     bench_scale SPEC.tla [CONFIG.cfg]
//
// The prediction is a model, not a measurement.  With W the processor seconds
// of one rank, S successors that are sent and B bytes, all from the runs here:
//     T(R) = imbalance * (W + S(R) * cost) / R      work, and packing states
//          + B(R) / R / bandwidth                   what a rank sends
//          + depth * (ceil(log2 R) + 1) * latency   last batches and rounds
// S(R) = S(2) * 2 * (R - 1) / R: a successor falls to another rank with
// probability (R - 1) / R.  cost is what two processes took more than one, for
// each state sent.
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>

#include "base/budget.h"
#include "tla/model.h"

using namespace txscope;

namespace {

struct Measured {
  double wall = 0;
  double user = 0;
  double sent = 0;
  double bytes = 0;
  double imbalance = 1;
  ModelResult result;
};

double user_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& t : {usage.ru_utime, usage.ru_stime})
      sum +=
          static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  }
  return sum;
}

bool measure(ModelRequest request, std::uint32_t ranks, Measured& measured) {
  request.ranks = ranks;
  const double before = user_seconds();
  const auto began = std::chrono::steady_clock::now();
  auto result = check_model(request, Budget::unlimited());
  const std::chrono::duration<double> past =
      std::chrono::steady_clock::now() - began;
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().what.c_str());
    return false;
  }
  measured.wall = past.count();
  measured.user = user_seconds() - before;
  double most = 0;
  for (const RankUse& rank : result->ranks) {
    measured.sent += static_cast<double>(rank.states_sent);
    measured.bytes += static_cast<double>(rank.bytes_sent);
    most = std::max(most, static_cast<double>(rank.generated));
  }
  const auto generated =
      static_cast<double>(std::max<std::uint64_t>(1, result->generated));
  if (ranks > 0) measured.imbalance = most * ranks / generated;
  std::printf("%5u %9.2f %9.2f %12llu %8.1f %10.1f %9.2f\n", ranks,
              measured.wall, measured.user,
              static_cast<unsigned long long>(result->distinct),
              100 * measured.sent / generated,
              measured.sent > 0 ? measured.bytes / measured.sent : 0,
              measured.imbalance);
  measured.result = std::move(*result);
  return true;
}

void predict(const Measured& one, const Measured& two, const Measured& four) {
  struct Net {
    const char* name;
    double latency;
    double bandwidth;
  };
  const double cost =
      two.sent > 0 ? std::max(0.0, two.user - one.user) / two.sent : 0;
  std::printf(
      "\npredicted seconds (and of the ideal), %.2f us per state sent\n",
      cost * 1e6);
  std::printf("ranks");
  constexpr Net kNets[] = {{"1 Gbit/s, 50 us", 50e-6, 0.125e9},
                           {"10 Gbit/s, 20 us", 20e-6, 1.25e9},
                           {"100 Gbit/s, 2 us", 2e-6, 12.5e9}};
  for (const Net& net : kNets) std::printf("  %18s", net.name);
  std::printf("\n");
  for (const unsigned ranks : {2u, 4u, 8u, 64u, 512u}) {
    std::printf("%5u", ranks);
    const double share = 2.0 * (ranks - 1) / ranks;
    const double sent = two.sent * share;
    const double bytes = two.bytes * share;
    for (const Net& net : kNets) {
      const double seconds =
          std::max(two.imbalance, four.imbalance) * (one.user + sent * cost) /
              ranks +
          bytes / ranks / net.bandwidth +
          one.result.depth * (std::bit_width(ranks - 1) + 1) * net.latency;
      std::printf("  %9.2f (%3.0f %%)", seconds,
                  100 * one.user / ranks / seconds);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "bench_scale SPEC.tla [CONFIG.cfg]\n");
    return 2;
  }
  ModelRequest request;
  request.spec = argv[1];
  if (argc > 2) request.config = argv[2];
  std::printf(
      "ranks   wall, s  user+sys      distinct  sent, %%  bytes/sent"
      "  busiest\n");
  Measured alone;
  Measured one;
  Measured two;
  Measured four;
  if (!measure(request, 0, alone) || !measure(request, 1, one) ||
      !measure(request, 2, two) || !measure(request, 4, four))
    return 1;
  predict(one, two, four);
}
