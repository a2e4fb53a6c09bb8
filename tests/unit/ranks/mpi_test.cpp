#include <gtest/gtest.h>

#include <filesystem>

#include "support/paths.h"
#include "support/run_command.h"

// txscope-mpi under mpirun, where both are there.
namespace txscope::test {
namespace {

namespace fs = std::filesystem;

class RanksMpi : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(binary() + "-mpi") ||
        !run_command("mpirun --version", ".").said("Open MPI"))
      GTEST_SKIP() << "txscope-mpi is not built, or there is no Open MPI";
  }
  static std::string on_ranks(const std::string& ranks,
                              const std::string& arguments) {
    return "mpirun --allow-run-as-root --map-by :OVERSUBSCRIBE --timeout 200 "
           "-n " +
           ranks + " " + binary() + "-mpi " + arguments;
  }
};

TEST_F(RanksMpi, GivesTheAnswersOfOneProcess) {
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
    const Ran alone =
        run_command(binary() + std::string(" model ") + model, examples);
    ASSERT_NE(alone.output.find("states generated"), std::string::npos)
        << alone.output;
    for (const char* ranks : {"1", "3"}) {
      const Ran together =
          run_command(on_ranks(ranks, std::string("model ") + model), examples);
      EXPECT_EQ(figures(together.output), figures(alone.output))
          << together.output;
      EXPECT_EQ(together.status, alone.status) << together.output;
    }
  }
}

/// Of all levels of a report.
std::string counts_in(const std::string& report) {
  std::string found;
  for (const std::string name : {"\"histories\":", "\"verdict\":"})
    for (auto at = report.find(name); at != std::string::npos;
         at = report.find(name, at + 1))
      found += report.substr(at, report.find_first_of(",}\n", at) - at);
  return found;
}

TEST_F(RanksMpi, ShareTheSearchOfExplore) {
  const std::string examples = std::string(source_dir()) + "/examples";
  for (const char* program :
       {"programs/long_fork.txn", "programs/lost_update.txn",
        "bank/bank.sql --level read-committed,snapshot-isolation",
        "bank/bank.sql --level causal,postgresql:repeatable-read"}) {
    const std::string ask = std::string("explore ") + program +
                            " --all --format json --color never";
    const Ran alone = run_command(binary() + " " + ask, examples);
    const Ran together = run_command(on_ranks("3", ask), examples);
    EXPECT_EQ(together.status, alone.status) << together.output;
    ASSERT_FALSE(counts_in(alone.output).empty()) << alone.output;
    EXPECT_EQ(counts_in(together.output), counts_in(alone.output))
        << together.output;
  }
}

// A setup that fails, and a budget that is spent at once: no rank is left
// waiting for another.
TEST_F(RanksMpi, EndTogetherWhereNothingCanBeExplored) {
  const TemporaryDirectory directory;
  directory.write("wrong.sql",
                  "CREATE TABLE t (id int PRIMARY KEY);\n"
                  "INSERT INTO t VALUES (1), (1);\n"
                  "--@ session a: BEGIN; DELETE FROM t; COMMIT;\n"
                  "--@ invariant some: (SELECT count(*) FROM t) > 0\n");
  const Ran wrong = run_command(
      on_ranks("3", "explore wrong.sql --level causal"), directory.path());
  EXPECT_EQ(wrong.status, 2) << wrong.output;
  EXPECT_TRUE(wrong.said("the setup fails")) << wrong.output;
  const Ran spent = run_command(
      on_ranks("3", "explore bank.sql --level causal --timeout 1ms"),
      std::string(source_dir()) + "/examples/bank");
  EXPECT_EQ(spent.status, 3) << spent.output;
}

}  // namespace
}  // namespace txscope::test
