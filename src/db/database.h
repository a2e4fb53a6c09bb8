#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "db/address.h"
#include "db/server.h"

namespace txscope::db {

/// A database to work with: the user's, or a private one that goes with this
/// object.
class Database {
 public:
  [[nodiscard]] static Database of(Address address);
  /// Starts a server of our own; of SQLite, makes a file.
  [[nodiscard]] static Result<Database> start_private(Product product);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();

  [[nodiscard]] Product product() const { return product_; }
  [[nodiscard]] bool is_private() const { return !address_; }
  /// "postgresql://localhost/shop", "a private PostgreSQL"
  [[nodiscard]] std::string shown() const;
  /// A session in the database of that name; empty: in the one that the address
  /// names.
  [[nodiscard]] Result<std::unique_ptr<Session>> connect(
      const std::string& database = "") const;
  /// Of SQLite the file.
  [[nodiscard]] std::string path() const;
  /// Of MariaDB the host that the address names; may be empty.
  [[nodiscard]] std::string mariadb_host() const {
    return address_ ? address_->mariadb().host : "";
  }

 private:
  Database() = default;

  Product product_ = Product::PostgreSql;
  std::optional<Address> address_;
  std::unique_ptr<Server> server_;
  std::string directory_;  ///< of a private SQLite file
};

/// "PostgreSQL 15.18", "MariaDB 10.11.19", "SQLite 3.40.1"
[[nodiscard]] std::string version_of(Session& session, Product product);
/// PostgreSQL's time, with its zone.
[[nodiscard]] std::string clock_of(Session& postgresql);
/// Whether a PostgreSQL server can say when a transaction committed.
[[nodiscard]] bool has_commit_times(Session& session);

}  // namespace txscope::db
