#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/address.h"
#include "race/run/process.h"

namespace txscope::race {

/// Runs a program of the product's to its end; what it complained about.
[[nodiscard]] Result<std::optional<std::string>> run_tool(
    const std::vector<std::string>& command,
    const Process::Environment& environment, const char* package);

[[nodiscard]] Error no_copy(const std::string& why);

/// Writes all that a database has, with its owners and rights, to a file.
[[nodiscard]] Result<Done> dump(const db::Address& address,
                                const std::string& file);

}  // namespace txscope::race
