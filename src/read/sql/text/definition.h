#pragma once

#include <optional>
#include <string>
#include <vector>

namespace txscope::sql {

/// What a statement of PostgreSQL defines or changes besides rows.
struct Definition {
  enum class Kind : char {
    Create,  ///< something new
    Change,  ///< ALTER TABLE, a trigger or a unique index of a table
    Drop,    ///< DROP ... IF EXISTS
  };
  Kind kind = Kind::Create;
  std::vector<std::string> objects;  ///< without their schemas
  /// Tables whose rows will be held against each other from then on.
  std::vector<std::string> others;
};

/// None: it is no definition, or one of a session's own tables, of partitions
/// and the like.
[[nodiscard]] std::optional<Definition> definition_in(const std::string& sql);

}  // namespace txscope::sql
