#include "support/ranks.h"

#include <gtest/gtest.h>

#include "support/tla.h"

namespace txscope::test {

std::vector<RankRun> all_rank_runs() {
  std::vector<RankRun> all;
  for (const std::uint32_t ranks : {1u, 2u, 3u, 4u})
    for (const bool are_threads : {true, false})
      all.push_back({ranks, are_threads});
  return all;
}

std::string name_of(const RankRun& run) {
  return " on " + std::to_string(run.ranks) +
         (run.are_threads ? " threads" : " processes");
}

void set_ranks(ModelRequest& request, const RankRun& run) {
  request.ranks = run.ranks;
  request.ranks_are_threads = run.are_threads;
}

Result<ModelResult> on_ranks(ModelRequest request, const RankRun& run) {
  set_ranks(request, run);
  return check_model(request, Budget::unlimited());
}

Result<ModelResult> spec_on_ranks(const std::string& module,
                                  const std::string& config,
                                  const RankRun& run) {
  SpecRun how;
  how.adjust = [&](ModelRequest& request) { set_ranks(request, run); };
  return check_spec(module, config, how);
}

void expect_same_answer(const Result<ModelResult>& alone,
                        const Result<ModelResult>& together,
                        const std::string& what) {
  ASSERT_EQ(static_cast<bool>(alone), static_cast<bool>(together))
      << what << ": " << (alone ? together.error().what : alone.error().what);
  if (!alone) return;
  EXPECT_EQ(together->trouble, "") << what;
  EXPECT_EQ(alone->outcome, together->outcome) << what;
  EXPECT_EQ(alone->violation, together->violation) << what;
  EXPECT_EQ(alone->property, together->property) << what;
  EXPECT_EQ(alone->message, together->message) << what;
  EXPECT_EQ(alone->property_place.line, together->property_place.line) << what;
  EXPECT_EQ(alone->property_place.column, together->property_place.column)
      << what;
  EXPECT_EQ(alone->generated, together->generated) << what;
  EXPECT_EQ(alone->distinct, together->distinct) << what;
  EXPECT_EQ(alone->depth, together->depth) << what;
  EXPECT_EQ(alone->is_cut_by_constraint, together->is_cut_by_constraint)
      << what;
  EXPECT_EQ(alone->checks_deadlock, together->checks_deadlock) << what;
  EXPECT_EQ(alone->emptiness, together->emptiness) << what;
  EXPECT_EQ(alone->assertions, together->assertions) << what;
  EXPECT_EQ(alone->loop, together->loop) << what;
  ASSERT_EQ(alone->trace.size(), together->trace.size()) << what;
  for (std::size_t i = 0; i < alone->trace.size(); ++i) {
    EXPECT_EQ(alone->trace[i].action, together->trace[i].action) << what;
    for (std::size_t k = 0; k < alone->trace[i].values.size(); ++k)
      EXPECT_EQ(alone->trace[i].values[k].value,
                together->trace[i].values[k].value)
          << what << ", state " << i + 1;
  }
}

void expect_same_counts(const txscope::Answer& alone,
                        const txscope::Answer& together,
                        const std::string& what) {
  const std::string where = alone.level + " of\n" + what;
  EXPECT_EQ(alone.outcome, together.outcome) << where;
  EXPECT_EQ(alone.is_complete, together.is_complete) << where;
  EXPECT_EQ(alone.counts.histories, together.counts.histories) << where;
  EXPECT_EQ(alone.counts.end_states, together.counts.end_states) << where;
  EXPECT_EQ(alone.counts.filtered, together.counts.filtered) << where;
  EXPECT_EQ(alone.counts.blocked, together.counts.blocked) << where;
  EXPECT_EQ(together.counts.duplicates, 0u) << where;
  ASSERT_EQ(alone.properties.size(), together.properties.size()) << where;
  for (std::size_t p = 0; p < alone.properties.size(); ++p) {
    EXPECT_EQ(alone.properties[p].verdict, together.properties[p].verdict)
        << where;
    EXPECT_EQ(alone.properties[p].violating, together.properties[p].violating)
        << where;
  }
}

std::string random_config(Random& random) {
  return "SPECIFICATION Spec CHECK_DEADLOCK " +
         std::string(random.chance(0.5) ? "TRUE " : "FALSE ") +
         (random.chance(0.5) ? "INVARIANT Inv" : "");
}

}  // namespace txscope::test
