#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "db/session.h"
#include "model/product/product.h"
#include "race/wire/flight.h"

namespace txscope::race {

/// Where a database keeps what it began with, a schema (on MariaDB a prefix of
/// tables); left out of what is compared.
inline constexpr const char* kSavedSchema = "txscope_saved";

/// Puts the contents of all tables and sequences of a database back: for those
/// whose connections cannot follow to a fresh copy, and because it takes
/// milliseconds for small tables.  The rows are copied inside the server.
class Restorer {
 public:
  /// Saves what there is now, and tries whether it can be put back.
  [[nodiscard]] static Result<Restorer> save(db::Session& session,
                                             Product product);

  [[nodiscard]] Result<Done> restore(db::Session& session) const;
  /// What was saved goes.
  void forget(db::Session& session) const { session.execute(forget_); }

  /// Whether it is so little that this takes less than another copy would.
  [[nodiscard]] static bool is_quick(db::Session& session, Product product);

 private:
  std::string sql_;
  std::string forget_;
};

/// Notices whether a run changed more than rows, which no Restorer puts back:
/// tables, indexes, functions.  PostgreSQL tells it by an event trigger; on
/// MariaDB the first word of a statement does, functions cannot do it there.
class SchemaGuard {
 public:
  /// After Restorer::save, on a copy of ours.
  [[nodiscard]] static Result<SchemaGuard> set(db::Session& session,
                                               Product product);
  [[nodiscard]] bool is_as_before(
      db::Session& session, const std::vector<Statement>& statements) const;

 private:
  explicit SchemaGuard(Product product) : product_(product) {}
  Product product_;
};

}  // namespace txscope::race
