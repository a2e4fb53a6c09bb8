#pragma once

#include <optional>
#include <string>

namespace txscope::db {

/// A statement without the secrets that it hands to the server: of CREATE and
/// ALTER ROLE, USER, GROUP, USER MAPPING, SERVER, SUBSCRIPTION and SYSTEM, of
/// SET PASSWORD and GRANT ... IDENTIFIED all literals become '***', also where
/// they stand in the body of a routine or in a text that is executed there.
/// Nothing if it has none.  Rows of tables are not touched, whatever they hold.
///
/// Decided by the words of the text, not by a parser: a mistyped statement
/// holds the password as well.
[[nodiscard]] std::optional<std::string> without_passwords(
    const std::string& sql);

}  // namespace txscope::db
