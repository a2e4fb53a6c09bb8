#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/fuzz.h"
#include "support/paths.h"
#include "support/random_behaviours.h"
#include "support/random_shapes.h"
#include "support/random_spec.h"
#include "support/ranks.h"
#include "support/run_command.h"
#include "support/tla.h"

// Random specifications on 1 to 4 ranks, as threads and as processes: the
// answers of one process.  Under MPI as well, and the whole report of some.
namespace txscope::test {
namespace {

void compare(const std::string& module, const std::string& config,
             const std::vector<RankRun>& runs) {
  const auto alone = check_spec(module, config);
  for (const RankRun& run : runs)
    expect_same_answer(alone, spec_on_ranks(module, config, run),
                       name_of(run) + "\n" + module + "\n" + config);
}

TEST(RanksFuzz, AgreesOnSetsFunctionsSequencesAndRecords) {
  Random random(fuzz_seed(71));
  const int rounds = fuzz_rounds(150);
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    const std::string module = RandomSpec(random).make();
    compare(module, random_config(random), all_rank_runs());
  }
}

TEST(RanksFuzz, AgreesOnRarerShapes) {
  Random random(fuzz_seed(73));
  const int rounds = fuzz_rounds(20);
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    const RandomShapes::Model model = RandomShapes(random).make();
    // These have many levels, which take time where cores are few.
    const std::vector<RankRun> all = all_rank_runs();
    const auto i = static_cast<std::size_t>(round);
    compare(model.module, model.config,
            {all[i % all.size()], all[(i + 3) % all.size()]});
  }
}

TEST(RanksFuzz, AgreesOnBehaviours) {
  Random random(fuzz_seed(79));
  const int rounds = fuzz_rounds(50);
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    const RandomBehaviours::Model model = RandomBehaviours(random).make();
    compare(model.module, model.config, all_rank_runs());
  }
}

/// What both programs say of a specification but for what they measured.
nlohmann::json answer(const std::string& command,
                      const TemporaryDirectory& directory) {
  const Ran ran = run_command(
      "timeout 100 " + command + " model Spec.tla --format json 2>errors",
      directory.path());
  const auto report = nlohmann::json::parse(ran.output, nullptr, false);
  if (!report.is_object()) return ran.status;  // it is refused
  nlohmann::json result = report["results"][0];
  for (const char* measured : {"ranks", "collision_probability"})
    result.erase(measured);
  return {ran.status, result};
}

std::string mpirun(const std::string& ranks, const std::string& command) {
  return "mpirun --allow-run-as-root --map-by :OVERSUBSCRIBE -n " + ranks +
         " " + command;
}

bool has_mpi() {
  return std::filesystem::exists(binary() + "-mpi") &&
         run_command("mpirun --version", ".").said("Open MPI");
}

TEST(RanksFuzz, AgreesOnModelsAndProgramsUnderMpi) {
  if (!has_mpi())
    GTEST_SKIP() << "txscope-mpi is not built, or there is no Open MPI";
  const std::string program = (std::filesystem::path(binary()).parent_path() /
                               "tests" / "ranks_under_mpi")
                                  .string();
  const std::string rounds = std::to_string(fuzz_rounds(200));
  for (const char* ranks : {"1", "2", "3", "4"}) {
    const Ran ran = run_command(
        "timeout 300 " +
            mpirun(ranks, program + " " + std::to_string(fuzz_seed(89)) + " " +
                              rounds + " " + rounds),
        ".");
    EXPECT_TRUE(
        ran.said(rounds + " specifications and " + rounds + " programs agree"))
        << ranks << " ranks, status " << ran.status << "\n"
        << ran.output;
  }
}

TEST(RanksFuzz, AgreesUnderMpi) {
  if (!has_mpi())
    GTEST_SKIP() << "txscope-mpi is not built, or there is no Open MPI";
  Random random(fuzz_seed(83));
  const TemporaryDirectory directory;
  const int rounds = fuzz_rounds(1);
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    const std::string module = RandomSpec(random).make();
    directory.write("Spec.tla",
                    "---- MODULE Spec ----\n" + module + "\n====\n");
    directory.write("Spec.cfg", random_config(random));
    const nlohmann::json alone = answer(binary(), directory);
    for (const char* ranks : {"1", "2", "3", "4"})
      EXPECT_EQ(answer(mpirun(ranks, binary() + "-mpi"), directory), alone)
          << ranks << " ranks\n"
          << module;
  }
}

}  // namespace
}  // namespace txscope::test
