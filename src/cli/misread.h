#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace txscope::cli {

/// What to say to a call that the option parser did not take: flags of TLC,
/// several files where one is read, words that nobody asked for.
/// `unexpected` are those it had no use for, in their order.
[[nodiscard]] std::optional<Error> misread(
    const Verb& verb, std::span<const char* const> words,
    const std::vector<std::string>& unexpected);

}  // namespace txscope::cli
