#include <gtest/gtest.h>

#include "support/paths.h"
#include "support/tla.h"

// The specifications of examples/tla, with what theory says about them.
namespace txscope::test {
namespace {

Result<ModelResult> check_example(const std::string& spec,
                                  const std::string& config,
                                  bool use_natives = true) {
  const std::string directory = std::string(source_dir()) + "/examples/tla/";
  ModelRequest request;
  request.spec = directory + spec + ".tla";
  request.config = directory + config + ".cfg";
  request.use_natives = use_natives;
  return check_model(request, Budget::unlimited());
}

void expect_holds(const std::string& spec, const std::string& config) {
  const auto result = check_example(spec, config);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds) << config;
  EXPECT_GT(result->distinct, 100u) << config;
}

void expect_violated(const std::string& spec, const std::string& config,
                     const std::string& property) {
  const auto result = check_example(spec, config);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Violated) << config;
  EXPECT_EQ(result->property, property) << config;
  EXPECT_FALSE(result->trace.empty());
  ASSERT_TRUE(result->history) << config;
}

TEST(TlaExamples, TwoPhaseLockingIsSerializable) {
  expect_holds("TwoPhase", "TwoPhase");
}

TEST(TlaExamples, CarelessResourcesAreNot) {
  expect_violated("TwoPhase", "TwoPhaseCareless", "Serializable");
}

TEST(TlaExamples, EveryTransactionIsDecidedUnderFairness) {
  expect_holds("TwoPhase", "TwoPhaseLive");
}

TEST(TlaExamples, FirstCommitterWinsGivesSnapshotIsolation) {
  expect_holds("SnapshotStore", "SnapshotStore");
}

TEST(TlaExamples, SnapshotIsolationAllowsWriteSkew) {
  expect_violated("SnapshotStore", "SnapshotStoreSkew", "Serializable");
}

TEST(TlaExamples, UpdatesAreLostWithoutTheCheckForConflicts) {
  expect_violated("SnapshotStore", "SnapshotStoreBlind", "SnapshotIsolation");
}

TEST(TlaExamples, PercolatorGivesSnapshotIsolation) {
  expect_holds("Percolator", "Percolator");
}

TEST(TlaExamples, PercolatorNeedsItsReadersToWait) {
  expect_violated("Percolator", "PercolatorImpatient", "SnapshotIsolation");
}

// The definitions of module Txscope, evaluated as they are written, lead to
// the same states and verdicts as check's engine.
TEST(TlaExamples, AreTheSameWithLevelsAsTheyAreWritten) {
  const auto native = check_example("Percolator", "PercolatorImpatient");
  const auto literal =
      check_example("Percolator", "PercolatorImpatient", false);
  ASSERT_TRUE(native);
  ASSERT_TRUE(literal) << literal.error().what;
  EXPECT_EQ(native->property, literal->property);
  EXPECT_EQ(native->generated, literal->generated);
  EXPECT_EQ(native->trace.size(), literal->trace.size());
}

}  // namespace
}  // namespace txscope::test
