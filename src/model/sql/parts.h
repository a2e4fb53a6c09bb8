#pragma once

#include "model/sql/application.h"

namespace txscope::sql {

/// Gives every part that is planned by itself and has no id yet the next one:
/// the queries, INSERTs, UPDATEs and DELETEs wherever they stand, and the
/// expressions of routines.  For who has just made or changed an application,
/// before anybody else sees it.
void number_parts(Application& application);

/// The id of what a statement does.
[[nodiscard]] PartId part_of(const DbStatement& statement);

}  // namespace txscope::sql
