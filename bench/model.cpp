// States per second of `txscope model`, and how that compares with TLC.
//
// The models of github.com/TimSoethout/tla-ci are read from
// $TXSCOPE_TLA_SPECS/tla-ci, if that is there; the seconds of TLC 2.15, one
// worker, were taken on 2 shared cores of an AMD EPYC, start-up included.
//     bench_model [LARGEST_GENERATED [JOBS]]
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/budget.h"
#include "tla/model.h"

namespace fs = std::filesystem;
using namespace txscope;

namespace {

struct Row {
  const char* name;
  const char* module;
  const char* transactions;
  const char* resources;
  bool symmetry;
  std::uint64_t generated;  // 0: unknown, or it stops at a violation
  double tlc_seconds;
};

constexpr Row kRows[] = {
    {"1x1", "ClientCentric2PL_MC", "{t1}", "{r1}", true, 332, 1.0},
    {"1x2", "ClientCentric2PL_MC", "{t1}", "{r1,r2}", true, 10117, 1.1},
    {"2x1", "ClientCentric2PL_MC", "{t1,t2}", "{r1}", true, 3038, 1.2},
    {"3x1", "ClientCentric2PL_MC", "{t1,t2,t3}", "{r1}", true, 17295, 1.5},
    {"2x2", "ClientCentric2PL_MC", "{t1,t2}", "{r1,r2}", true, 201051, 4.9},
    {"1x3", "ClientCentric2PL_MC", "{t1}", "{r1,r2,r3}", true, 203271, 4.9},
    {"Bug 2x2", "ClientCentric2PLBug_MC", "{t1,t2}", "{r1,r2}", true, 317664,
     12.8},
    {"Bug 3x2", "ClientCentric2PLBug_MC", "{t1,t2,t3}", "{r1,r2}", true,
     1000000, 14.4},
    {"2x2 plain", "ClientCentric2PL_MC", "{t1,t2}", "{r1,r2}", false, 779894,
     10.8},
    {"3x2", "ClientCentric2PL_MC", "{t1,t2,t3}", "{r1,r2}", true, 2367272,
     40.7},
    {"2x3", "ClientCentric2PL_MC", "{t1,t2}", "{r1,r2,r3}", true, 10368777,
     139.5},
    {"3x3", "ClientCentric2PL_MC", "{t1,t2,t3}", "{r1,r2,r3}", true, 1000000000,
     12120},
};

std::string slurp(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The published model with other constants.
std::string prepare(const fs::path& from, const fs::path& to, const Row& row) {
  fs::remove_all(to);
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from))
    if (entry.path().extension() == ".tla") fs::copy(entry, to);
  const fs::path spec = to / (std::string(row.module) + ".tla");
  std::string text = slurp(spec);
  text =
      std::regex_replace(text, std::regex("mc_transactions == [^\n]*"),
                         std::string("mc_transactions == ") + row.transactions);
  text = std::regex_replace(text, std::regex("mc_resources == [^\n]*"),
                            std::string("mc_resources == ") + row.resources);
  std::ofstream(spec) << text;
  std::string config = slurp(from / (std::string(row.module) + ".cfg"));
  if (!row.symmetry)
    config = std::regex_replace(config, std::regex("SYMMETRY [^\n]*"), "");
  std::ofstream(to / (std::string(row.module) + ".cfg")) << config;
  return spec.string();
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t largest =
      argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 3'000'000;
  const char* specs = std::getenv("TXSCOPE_TLA_SPECS");
  if (specs == nullptr || !fs::exists(fs::path(specs) / "tla-ci")) {
    std::puts("set TXSCOPE_TLA_SPECS to a directory that holds tla-ci");
    return 0;
  }
  const fs::path scratch = fs::temp_directory_path() /
                           ("txscope-bench-model-" + std::to_string(getpid()));
  std::puts(
      "model       generated    distinct  depth     s   cpu s  states/s   "
      "TLC s   times TLC");
  for (const Row& row : kRows) {
    if (row.generated > largest) continue;
    ModelRequest request;
    request.spec = prepare(fs::path(specs) / "tla-ci", scratch, row);
    request.jobs =
        argc > 2 ? static_cast<std::uint32_t>(std::atoi(argv[2])) : 1;
    const auto begin = std::chrono::steady_clock::now();
    const double cpu = cpu_seconds();
    const auto result = check_model(request, Budget::unlimited());
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
    if (!result) {
      std::printf("%s: %s\n", row.name, result.error().what.c_str());
      continue;
    }
    std::printf("%-9s %11lu %11lu %6u %6.2f %7.2f %9.0f %7.1f %8.1f\n",
                row.name, result->generated, result->distinct, result->depth,
                seconds, cpu_seconds() - cpu,
                static_cast<double>(result->generated) / seconds,
                row.tlc_seconds, row.tlc_seconds / seconds);
    std::fflush(stdout);
  }
  std::printf("peak memory %.0f MB\n",
              static_cast<double>(peak_memory()) / 1e6);
  fs::remove_all(scratch);
  return 0;
}
