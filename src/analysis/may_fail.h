#pragma once

#include "model/product/profile.h"
#include "model/sql/application.h"

namespace txscope::analysis {

/// Whether an engine may let a call fail because of others: in a deadlock, with
/// a serialization failure, on a key that another one took.  What fails by
/// itself (RAISE, a constraint) is not meant.
///
/// Plain reads fail only where reads are tracked or locked.  Where there are
/// no serialization failures, a call that locks at most one row never waits
/// while others wait for it.
[[nodiscard]] bool may_fail(const sql::Application& application,
                            const sql::Call& call, const Profile& profile);

}  // namespace txscope::analysis
