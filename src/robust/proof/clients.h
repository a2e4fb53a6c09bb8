#pragma once

#include <functional>
#include <vector>

#include "robust/proof/prover.h"

namespace txscope::robust {

/// Small clients that could show an open triple: the pivot alone in a session,
/// the second and the last in another, with arguments that the application
/// itself names (calls of its sessions, numbers of its rows).  Calls `shows`
/// with each until it is true or `most` were tried.
bool try_clients(const sql::Application& application,
                 const std::vector<sql::RoutineId>& types,
                 const OpenTriple& triple, std::size_t most,
                 const Budget& budget,
                 const std::function<bool(const sql::Application&)>& shows);

}  // namespace txscope::robust
