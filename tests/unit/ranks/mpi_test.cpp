#include <gtest/gtest.h>

#include <filesystem>

#include "support/paths.h"
#include "support/run_command.h"

// txscope-mpi under mpirun, where both are there.
namespace txscope::test {
namespace {

namespace fs = std::filesystem;

TEST(RanksMpi, GivesTheAnswersOfOneProcess) {
  const std::string plain = binary();
  const std::string mpi = plain + "-mpi";
  if (!fs::exists(mpi) ||
      run_command("mpirun --version", ".").output.find("Open MPI") ==
          std::string::npos)
    GTEST_SKIP() << "txscope-mpi is not built, or there is no Open MPI";
  const std::string examples = std::string(source_dir()) + "/examples/tla/";
  const auto figures = [](const std::string& output) {
    const auto from = output.find(" states generated");
    if (from == std::string::npos) return output;
    return output.substr(
        output.rfind('\n', from) + 1,
        output.find_first_of(";\n", from) - output.rfind('\n', from) - 1);
  };
  for (const char* model :
       {"SnapshotStore.tla", "SnapshotStore.tla --config SnapshotStoreSkew.cfg",
        "TwoPhase.tla --config TwoPhaseLive.cfg"}) {
    const Ran alone = run_command(plain + " model " + model, examples);
    ASSERT_NE(alone.output.find("states generated"), std::string::npos)
        << alone.output;
    for (const char* ranks : {"1", "3"}) {
      const Ran together =
          run_command("mpirun --allow-run-as-root --map-by :OVERSUBSCRIBE -n " +
                          std::string(ranks) + " " + mpi + " model " + model,
                      examples);
      EXPECT_EQ(figures(together.output), figures(alone.output))
          << together.output;
      EXPECT_EQ(together.status, alone.status) << together.output;
    }
  }
}

TEST(RanksMpi, ShareTheSearchOfExplore) {
  const std::string plain = binary();
  const std::string mpi = plain + "-mpi";
  if (!fs::exists(mpi) ||
      run_command("mpirun --version", ".").output.find("Open MPI") ==
          std::string::npos)
    GTEST_SKIP() << "txscope-mpi is not built, or there is no Open MPI";
  const std::string programs = std::string(source_dir()) + "/examples/programs";
  for (const char* program : {"long_fork.txn", "lost_update.txn"}) {
    const std::string ask = std::string(" explore ") + program +
                            " --all --format json --color never";
    const Ran alone = run_command(plain + ask, programs);
    const Ran together = run_command(
        "mpirun --allow-run-as-root --map-by :OVERSUBSCRIBE -n 3 " + mpi + ask,
        programs);
    EXPECT_EQ(together.status, alone.status) << together.output;
    const auto counts = [](const std::string& output) {
      std::string found;
      for (const std::string name : {"\"histories\":", "\"verdict\":"})
        for (auto at = output.find(name); at != std::string::npos;
             at = output.find(name, at + 1))
          found += output.substr(at, output.find_first_of(",}\n", at) - at);
      return found;
    };
    ASSERT_FALSE(counts(alone.output).empty()) << alone.output;
    EXPECT_EQ(counts(together.output), counts(alone.output)) << together.output;
  }
}

}  // namespace
}  // namespace txscope::test
