#pragma once

#include <set>
#include <string>

namespace txscope::sql {

/// Whether a statement only asks about the server itself: a query all of whose
/// tables are those of pg_catalog and information_schema, and all of whose
/// functions may be theirs, or which asks for the version or a setting. Decided
/// on PostgreSQL's own parse tree, so what stands in a literal, a comment or a
/// column's name means nothing; what does not parse is none.
///
/// A function without a schema is taken for the server's, unless it is one of
/// `own`, the routines of the database.  Those of the server's that read or
/// write tables and sequences by name count as what they touch.
[[nodiscard]] bool is_catalog_question(const std::string& sql,
                                       const std::set<std::string>& own = {});

}  // namespace txscope::sql
