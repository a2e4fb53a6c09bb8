#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "model/product/profile.h"
#include "model/sql/application.h"

namespace txscope::engine {

/// What was re-checked of a profile, a sentence each, and what does not stand:
/// then txscope is wrong.
struct SelfCheck {
  std::vector<std::string> done;
  std::optional<std::string> problem;
};

/// Compares the engine with things that are simpler than it:
///   - transactions one after the other end as they do on tables in memory,
///     with the same rows;
///   - at postgresql:serializable and in SQLite, what the clients of committed
///     transactions saw, and the rows in the end, are those of one of their
///     serial orders.
/// Numbers of sequences are not compared: transactions that fail take some.
[[nodiscard]] SelfCheck self_check(const sql::Application& application,
                                   const Profile& profile,
                                   std::uint64_t loop_bound,
                                   const Budget& budget);

}  // namespace txscope::engine
