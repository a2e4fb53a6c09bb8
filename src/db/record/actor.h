#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "db/record/log.h"

namespace txscope::db {

/// What a client does next in its transaction.
struct ActorStep {
  enum class Kind { Statement, Commit, Rollback };
  Kind kind = Kind::Commit;
  std::string sent;        ///< the statement as the product takes it
  LoggedStatement logged;  ///< the same without its answer
  /// The types that the columns have in the log where the product shows them
  /// as others (booleans as integers); empty: as they come.
  std::vector<ColumnType> types;
};

/// One client's mind: it chooses transactions and takes part in them, statement
/// by statement.  It never touches a database.
class Actor {
 public:
  virtual ~Actor() = default;

  /// Chooses a transaction; false: there are no more.
  virtual bool choose(Random& random) = 0;
  /// The chosen transaction again from its start.
  virtual void restart() = 0;
  /// Asked once before each answer.
  [[nodiscard]] virtual ActorStep next() = 0;
  /// The answer to a statement that succeeded; after an error the transaction
  /// is over.
  virtual void answer(const Answer& answer) = 0;
  /// What the transaction did to keys, if this is a workload of histories.
  [[nodiscard]] virtual std::vector<LoggedOperation> operations() const {
    return {};
  }
  /// Why it cannot go on at all; empty: it can.
  [[nodiscard]] virtual std::string problem() const { return ""; }
};

}  // namespace txscope::db
