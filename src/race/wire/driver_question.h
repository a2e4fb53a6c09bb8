#pragma once

#include <string_view>

namespace txscope::race {

/// Whether a statement is one of those that drivers of PostgreSQL send before
/// the application says anything: about the server and its types, nobody's
/// rows.
[[nodiscard]] bool is_driver_question(std::string_view sql);

}  // namespace txscope::race
