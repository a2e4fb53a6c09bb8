#pragma once

#include <string>

#include "race/wire/flight.h"

namespace txscope::race {

/// The statement with its parameters in their places, as one would type it.
/// Values are texts in quotes, which PostgreSQL takes for what is wanted there;
/// for ? of MariaDB numbers stand as they are.
[[nodiscard]] std::string in_full(const Statement& statement);

}  // namespace txscope::race
