#pragma once

#include "read/sql/mysql/syntax/room.h"

namespace txscope::sql::syntax {

/// Which statement it is.
class Statements : public Room {
 public:
  using Room::Room;

  void statement();
  /// SELECT with the expression as its one target.
  void expression();
  /// SELECT NULL::type.
  void type();
};

}  // namespace txscope::sql::syntax
