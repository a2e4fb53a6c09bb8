#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/proxy/mariadb_packet.h"

namespace txscope::db {

/// A column as the server describes it.
struct ColumnDefinition {
  std::string name;
  unsigned charset = 0;
  std::uint8_t type = 0;
  std::uint16_t flags = 0;
  std::uint8_t decimals = 0;

  [[nodiscard]] bool is_unsigned() const { return (flags & 32) != 0; }
};
[[nodiscard]] ColumnDefinition column_definition(std::string_view payload);
/// The values of a row; `is_binary`: of an Execute.  None: it is not such a
/// row.
[[nodiscard]] std::optional<std::vector<std::optional<std::string>>> row_values(
    std::string_view payload, const std::vector<ColumnDefinition>& columns,
    bool is_binary);

/// A value of an Execute, or of a row that it gave, by its type.
[[nodiscard]] std::string value_text(PacketReader& reader, std::uint16_t type);

}  // namespace txscope::db
