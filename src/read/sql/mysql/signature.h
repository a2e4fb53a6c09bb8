#pragma once

#include "read/sql/mysql/transaction.h"
#include "read/sql/plpgsql/routine_reader.h"

namespace txscope::sql {

/// CREATE PROCEDURE, FUNCTION or TRIGGER in MySQL's syntax.  A trigger is a
/// function of its own.
[[nodiscard]] RoutineText read_mysql_signature(const Tree& tree,
                                               const Catalog& catalog);

struct MysqlBody {
  Routine routine;
  MysqlTransaction after = MysqlTransaction::None;
};
/// The body of a routine, which is called with a transaction open if `text` is
/// its twin for that.
[[nodiscard]] MysqlBody read_mysql_body(const Source& source,
                                        const Catalog& catalog,
                                        const RoutineText& text);
[[nodiscard]] Routine read_mysql_trigger(const Source& source,
                                         const Catalog& catalog,
                                         const RoutineText& text,
                                         const TriggerText& trigger);

/// Takes the COMMIT away that the end of a call is anyway.
void trim_commit(PlBlock& body);

}  // namespace txscope::sql
