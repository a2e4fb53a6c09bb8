#pragma once

#include "model/sql/application.h"
#include "verify/verify.h"

namespace txscope::verify {

/// Decides every rule of an application at every level, for all inputs.  An
/// Error is the application's: assumptions that contradict each other, or
/// something that cannot be encoded, by its name.
[[nodiscard]] Result<VerifyResult> verify_sql(
    const sql::Application& application, const VerifyOptions& options,
    const Budget& budget);

}  // namespace txscope::verify
