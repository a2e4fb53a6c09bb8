#pragma once

#include <optional>
#include <string>

#include "audit/pass/saved_state.h"

namespace txscope::verb {

/// The state in a file; none if there is no such file.
[[nodiscard]] Result<std::optional<audit::SavedState>> read_state(
    const std::string& path, const sql::Schema& schema);
/// Writes it so that a crash leaves the old one or the new one.  It holds rows,
/// so nobody else can read it.
[[nodiscard]] Result<Done> write_state(const std::string& path,
                                       const audit::SavedState& state);

}  // namespace txscope::verb
