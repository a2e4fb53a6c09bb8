#pragma once

#include <optional>
#include <string>
#include <vector>

#include "read/sql/text/token.h"

namespace txscope::sql {

/// DO as migrations use it for many tables:
///
///     DO $$ DECLARE t text; BEGIN
///       FOREACH t IN ARRAY ARRAY['a', 'b'] LOOP
///         EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
///       END LOOP;
///     END $$
///
/// The texts of all EXECUTEs in the order in which they run: format(), %I, %L,
/// %s, || and quote_ident() of constants and of the loop's variable.  Nothing:
/// the block does anything else.
[[nodiscard]] std::optional<std::vector<std::string>> texts_of_loops(
    const Source& source, const std::vector<Token>& tokens);

}  // namespace txscope::sql
