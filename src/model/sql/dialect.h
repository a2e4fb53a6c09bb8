#pragma once

#include <cstdint>

namespace txscope::sql {

/// Whose SQL a text is.
enum class Dialect : std::uint8_t { Postgresql, Mariadb, Sqlite };

}  // namespace txscope::sql
