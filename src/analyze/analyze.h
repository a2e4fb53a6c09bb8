#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "analyze/analysis.h"
#include "base/budget.h"
#include "base/result.h"

namespace txscope::analyze {

struct AnalyzeOptions {
  const Profile* profile = nullptr;  ///< the level in use
  std::uint64_t loop_bound = 1000;
  /// How a changed text is read; empty: no repairs are looked for.
  std::function<Result<sql::Application>(const std::string& text)> reread;
  /// As the user wrote it, to be changed; empty: the application's source.
  std::string text;
  /// Levels that may be recommended; empty: all of the product.
  std::function<bool(const Profile&)> is_offered;
  std::function<void(const std::string& line)> on_progress;
  std::function<void(const Cell& cell)> on_cell;  ///< it is decided
};

/// What can go wrong in an application when its transactions run at the same
/// time, without a word of annotation.
///
/// Definition.  Every transaction type runs against itself and against every
/// other.  Asked is whether something can happen that no serial order gives,
/// whether they can deadlock, whether one can fail with an error that no
/// serial order gives, and whether a rule of the file can break that no serial
/// order breaks.
/// Method.  Cheap filters first: types without a common table are safe; a proof
/// (robust::Prover) shows pairs that are serializable for all arguments and
/// any number of calls.  All others, and those that are proved for the sake of
/// deadlocks and errors, are run in every interleaving at the level with
/// arguments that let them meet (choose_arguments).
/// Findings that go wrong at the same statements are one.
[[nodiscard]] Result<Analysis> analyze(sql::Application application,
                                       const AnalyzeOptions& options,
                                       const Budget& budget);

}  // namespace txscope::analyze
