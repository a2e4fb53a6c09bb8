#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/level.h"
#include "model/notion.h"
#include "model/outcome.h"

namespace txscope::robust {

using txscope::kNotions;
using txscope::name;
using txscope::Notion;
using txscope::parse_notion;

/// What counts as one thing that is read or written.
enum class Granularity : std::uint8_t { Row, Column, Result };

enum class Method : std::uint8_t { Auto, Search, Proof };

[[nodiscard]] std::string_view name(Granularity granularity);
[[nodiscard]] std::string_view name(Method method);
/// "robust", "not-robust", "undecided".
[[nodiscard]] std::string_view verdict_word(Outcome outcome);

[[nodiscard]] std::optional<Granularity> parse_granularity(
    std::string_view text);
[[nodiscard]] std::optional<Method> parse_method(std::string_view text);

}  // namespace txscope::robust
