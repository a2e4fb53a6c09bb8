#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "db/product.h"
#include "db/session.h"

namespace txscope::db {

/// A place in a database that is ours alone: a schema of PostgreSQL, a database
/// of MariaDB, tables of SQLite.  It goes when this object does, unless it is
/// to be kept; if the connection is lost by then, it stays.
class OwnSchema {
 public:
  /// Refuses a schema that is there already, unless it may be dropped.  SQLite
  /// has no schemas: there it is about `tables`.  `control` must outlive this.
  [[nodiscard]] static Result<OwnSchema> make(Session& control, Product product,
                                              const std::string& name,
                                              std::vector<std::string> tables,
                                              bool may_drop);
  OwnSchema(OwnSchema&& other) noexcept;
  OwnSchema& operator=(OwnSchema&&) = delete;
  ~OwnSchema();

  /// What every session in it begins with.
  [[nodiscard]] std::string enter() const;
  void keep() { control_ = nullptr; }

 private:
  OwnSchema(Session& control, Product product, std::string name,
            std::vector<std::string> tables)
      : control_(&control),
        product_(product),
        name_(std::move(name)),
        tables_(std::move(tables)) {}
  [[nodiscard]] std::string drop_text() const;

  Session* control_;  ///< null: not ours to drop
  Product product_;
  std::string name_;
  std::vector<std::string> tables_;
};

/// Runs statements one after the other; the error of the first that fails.
[[nodiscard]] Result<Done> execute_all(Session& session,
                                       const std::vector<std::string>& texts);

}  // namespace txscope::db
