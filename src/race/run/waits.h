#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "db/session.h"
#include "model/product/product.h"

namespace txscope::race {

/// A server process, and those that it waits for; MariaDB does not tell whom.
using Blockers = std::map<std::int64_t, std::set<std::int64_t>>;

/// Asks the server whether all of these processes wait for locks; none: one
/// does not.
[[nodiscard]] std::optional<Blockers> who_waits(
    db::Session& control, Product product,
    const std::vector<std::int64_t>& backends);

/// Whether it waits, by others, for itself.
[[nodiscard]] bool is_in_circle(const Blockers& blockers, std::int64_t backend);

/// Whether all wait for these only.
[[nodiscard]] bool are_all_among(const Blockers& blockers,
                                 const std::set<std::int64_t>& those);

/// Ends what a process is at, or the process itself.
void end_by_force(db::Session& control, Product product, std::int64_t backend,
                  bool only_statement);

}  // namespace txscope::race
