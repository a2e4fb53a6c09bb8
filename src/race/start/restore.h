#pragma once

#include <string>

#include "base/result.h"
#include "db/session.h"
#include "model/product/product.h"

namespace txscope::race {

/// Where a database keeps what it began with, a schema (on MariaDB a prefix of
/// tables); left out of what is compared.
inline constexpr const char* kSavedSchema = "txscope_saved";

/// Puts the contents of all tables and sequences of a database back, for those
/// whose connections cannot follow to a fresh copy.  Milliseconds for small
/// tables; the rows are copied inside the server.
class Restorer {
 public:
  /// Saves what there is now, and tries whether it can be put back.
  [[nodiscard]] static Result<Restorer> save(db::Session& session,
                                             Product product);

  [[nodiscard]] Result<Done> restore(db::Session& session) const;
  /// What was saved goes.
  void forget(db::Session& session) const { session.execute(forget_); }

 private:
  std::string sql_;
  std::string forget_;
};

}  // namespace txscope::race
