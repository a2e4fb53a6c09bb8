// Explores the applications of examples/ and prints how fast.
//
//     bench_sql [folder] [seconds per search, default 10]
//
// Columns: the level; at a theoretical one its histories, the end states per
// second of processor time; at an engine's the distinct outcomes, the states of
// the search and states per second; the time.

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

#include "engine/search/explore_profile.h"
#include "explore/sql/explore_sql.h"
#include "read/sql/sql.h"

namespace {

using namespace txscope;

double limit = 10;

Budget budget() {
  return Budget(
      {std::chrono::milliseconds(static_cast<std::int64_t>(limit * 1000)),
       std::nullopt});
}

double seconds_since(std::clock_t start) {
  return std::max(1e-6,
                  static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
}

void bench_theory(const std::string& name, const sql::Application& application,
                  Base level) {
  explore::ExploreOptions options;
  options.levels = {level};
  options.all = true;
  options.explains = false;
  const std::clock_t start = std::clock();
  const auto result = explore::explore_sql(application, options, budget());
  const double seconds = seconds_since(start);
  if (!result) {
    std::printf("%-12s %s\n", name.c_str(), result.error().what.c_str());
    return;
  }
  const Answer& row = (*result)->answers().front();
  std::printf("%-12s %-28s %9llu histories %9.0f/s %29.3f s%s\n", name.c_str(),
              std::string(txscope::name(level)).c_str(),
              static_cast<unsigned long long>(row.counts.histories),
              static_cast<double>(row.counts.end_states) / seconds, seconds,
              row.is_complete ? "" : " (not all)");
}

void bench_profile(const std::string& name, const sql::Application& application,
                   const Profile& profile) {
  engine::ProfileOptions options;
  options.all = true;
  options.explains = false;
  const std::clock_t start = std::clock();
  const auto result =
      engine::explore_profile(application, profile, options, budget());
  const double seconds = seconds_since(start);
  if (!result) {
    std::printf("%-12s %s\n", name.c_str(), result.error().what.c_str());
    return;
  }
  std::printf("%-12s %-28s %9llu outcomes  %9llu states %9.0f/s %9.3f s%s\n",
              name.c_str(), std::string(profile.name).c_str(),
              static_cast<unsigned long long>(result->counts.histories),
              static_cast<unsigned long long>(result->counts.explored),
              static_cast<double>(result->counts.explored) / seconds, seconds,
              result->is_complete ? "" : " (not all)");
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder = argc > 1 ? argv[1] : "examples";
  if (argc > 2) limit = std::atof(argv[2]);
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".sql") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    const auto application = sql::read_sql(path.string(), text.str());
    if (!application) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(),
                   application.error().what.c_str());
      continue;  // open inputs are for `verify`
    }
    const std::string name = path.stem().string();
    for (const Base level : {Base::ReadCommitted, Base::Causal,
                             Base::SnapshotIsolation, Base::Serializable}) {
      bench_theory(name, *application, level);
    }
    for (const Profile& profile : profiles()) {
      bench_profile(name, *application, profile);
    }
    std::fflush(stdout);
  }
  std::printf("peak memory %.1f MB\n",
              static_cast<double>(peak_memory()) / (1024 * 1024));
  return 0;
}
