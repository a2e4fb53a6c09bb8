#pragma once

#include <cstdint>
#include <string_view>

#include "db/session.h"

namespace txscope::db {

/// A value in PostgreSQL's binary format, as the text that the server would
/// write; none: a type that is not known here.
[[nodiscard]] std::optional<std::string> from_binary(std::uint32_t oid,
                                                     std::string_view bytes);

}  // namespace txscope::db
