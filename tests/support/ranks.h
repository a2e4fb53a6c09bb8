#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "model/answer.h"
#include "tla/model.h"

namespace txscope::test {

/// A number of ranks, and what joins them.
struct RankRun {
  std::uint32_t ranks = 1;
  bool are_threads = true;
};

/// 1, 2, 3 and 4 over both transports.
[[nodiscard]] std::vector<RankRun> all_rank_runs();
[[nodiscard]] std::string name_of(const RankRun& run);
void set_ranks(ModelRequest& request, const RankRun& run);

[[nodiscard]] Result<ModelResult> on_ranks(ModelRequest request,
                                           const RankRun& run);
[[nodiscard]] Result<ModelResult> spec_on_ranks(const std::string& module,
                                                const std::string& config,
                                                const RankRun& run);

/// Counts, depth, verdict, what is violated and every state of the trace.
/// Of two errors only that there is one: which of several is met first may
/// differ.
void expect_same_answer(const Result<ModelResult>& alone,
                        const Result<ModelResult>& together,
                        const std::string& what);

/// What ranks that explore a program together must have in common with one
/// that does it alone.
void expect_same_counts(const txscope::Answer& alone,
                        const txscope::Answer& together,
                        const std::string& what);

/// A configuration for a RandomSpec.
[[nodiscard]] std::string random_config(Random& random);

}  // namespace txscope::test
