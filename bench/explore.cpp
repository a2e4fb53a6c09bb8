// Histories per second for every program of tests/programs, and how the naive
// search compares.
//
//     bench_explore [folder] [seconds per search, default 10]
//
// Columns: the level, its histories, calls of EXPLORE per history, histories
// per second of processor time, the speed-up of two jobs, and the naive search:
// its end states per distinct history and its time over that of the optimal
// one.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "explore/explore.h"
#include "read/txn/txn.h"

namespace {

using namespace txscope;

double limit = 10;

struct Run {
  Answer level;
  double seconds = 0;
  double cpu_seconds = 0;
};

Run run(const Program& program, Base level, explore::Algorithm algorithm,
        unsigned jobs) {
  explore::ExploreOptions options;
  options.levels = {level};
  options.all = true;
  options.explains = false;
  options.algorithm = algorithm;
  options.jobs = jobs;
  // Short searches are repeated: a single one is below the clock's noise.
  Run out;
  int rounds = 0;
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  do {
    const Budget budget(
        {std::chrono::milliseconds(static_cast<std::int64_t>(limit * 1000)),
         std::nullopt});
    out.level = explore::explore(program, options, budget)->at(0);
    ++rounds;
    out.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
  } while (out.seconds < 0.05 && rounds < 1000);
  out.seconds /= rounds;
  out.cpu_seconds =
      static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC / rounds;
  return out;
}

void bench(const std::string& name, const Program& program) {
  for (const Base level : {Base::ReadCommitted, Base::Causal,
                           Base::SnapshotIsolation, Base::Serializable}) {
    const Run one = run(program, level, explore::Algorithm::Dpor, 1);
    if (!one.level.is_complete) {
      std::printf("%-24s %-20s more than %.0f s\n", name.c_str(),
                  std::string(txscope::name(level)).c_str(), limit);
      continue;
    }
    const Run two = run(program, level, explore::Algorithm::Dpor, 2);
    const Run naive = run(program, level, explore::Algorithm::Dfs, 1);
    const double end_states = static_cast<double>(one.level.counts.end_states);
    std::printf(
        "%-24s %-20s %9llu histories %6.1f calls each %9.0f/s  2 jobs x%.2f",
        name.c_str(), std::string(txscope::name(level)).c_str(),
        static_cast<unsigned long long>(one.level.counts.histories),
        static_cast<double>(one.level.counts.explored) /
            std::max(1.0, end_states),
        end_states / one.cpu_seconds, one.seconds / two.seconds);
    if (naive.level.is_complete) {
      const double found =
          static_cast<double>(naive.level.counts.duplicates) + end_states;
      std::printf("  naive: %7.1f per history, time x%.1f\n",
                  found / std::max(1.0, end_states),
                  naive.cpu_seconds / one.cpu_seconds);
    } else {
      std::printf("  naive: more than %.0f s, time x%.0f or worse\n", limit,
                  limit / one.seconds);
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder = argc > 1 ? argv[1] : "tests/programs";
  if (argc > 2) limit = std::atof(argv[2]);
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".txn") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    const auto program = read::read_txn(path.string(), text.str());
    if (!program) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(),
                   program.error().what.c_str());
      return 2;
    }
    bench(fs::relative(path, folder).replace_extension("").string(), *program);
  }
  std::printf("peak memory %.1f MB\n",
              static_cast<double>(peak_memory()) / (1024 * 1024));
  return 0;
}
