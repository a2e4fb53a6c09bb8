#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::sql {

/// CREATE TYPE ... AS ENUM: labels in their order.  A type that is only stored
/// (inet, ...) is one without labels.
struct Enumeration {
  std::string name;
  std::vector<std::string> labels;

  [[nodiscard]] std::optional<std::uint32_t> position(
      std::string_view label) const;
};

/// Numbers an enumeration for the life of the process, so that a Type stays
/// small; the same one gets the same number.
[[nodiscard]] std::uint16_t number_of(Enumeration enumeration);
[[nodiscard]] const Enumeration& enumeration(std::uint16_t number);

}  // namespace txscope::sql
