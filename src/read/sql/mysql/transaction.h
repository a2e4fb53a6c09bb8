#pragma once

#include <cstdint>

#include "model/sql/routine.h"

namespace txscope::sql {

/// Whether a transaction is open at a place of a program of MySQL.
enum class MysqlTransaction : std::uint8_t {
  None,    ///< every statement is one of its own: autocommit
  Open,    ///< after START TRANSACTION, or with autocommit = 0
  Unsure,  ///< one way leads here with one, another without
  Nested,  ///< in a function or a trigger: whatever the caller has
};

/// What to do with a CALL: which routine it means where a transaction is open
/// and where none is, and how it leaves that.
struct MysqlCallee {
  RoutineId routine;
  MysqlTransaction after = MysqlTransaction::None;
};

}  // namespace txscope::sql
