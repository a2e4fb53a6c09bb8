#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/address.h"
#include "db/server.h"
#include "race/start/settings.h"
#include "race/wire/sockets.h"

namespace txscope::race {

/// A private server with one database that is the beginning of every run, and
/// as many copies of it as are wanted.  The server, and with it everything,
/// goes with this object.  In place there is no copy: all runs have the
/// database itself, whose contents a Stage puts back.
class Copies {
 public:
  /// The beginning is what the SQL text makes.
  [[nodiscard]] static Result<std::unique_ptr<Copies>> from_sql(
      const std::string& sql, const std::string& file,
      Product product = Product::PostgreSql);
  /// The beginning is what the database has in it now, which is not changed.
  [[nodiscard]] static Result<std::unique_ptr<Copies>> from_database(
      const db::Address& address);
  /// The database itself; PostgreSQL only.
  [[nodiscard]] static Result<std::unique_ptr<Copies>> in_place(
      const db::Address& address);
  ~Copies();

  [[nodiscard]] Product product() const { return product_; }
  [[nodiscard]] bool is_in_place() const { return address_.has_value(); }
  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  /// Whom requests are told to be: as whom the address connects.
  [[nodiscard]] const std::string& user() const { return user_; }
  /// What connections to the original have without asking, by role.
  [[nodiscard]] const RoleOptions& options() const { return options_; }
  /// A session on the server, in the named database.
  [[nodiscard]] Result<std::unique_ptr<db::Session>> connect(
      const std::string& database = "") const;

  /// One database for one run.
  class Copy {
   public:
    Copy(Copies& owner, std::string name)
        : owner_(&owner), name_(std::move(name)) {}
    Copy(Copy&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          name_(std::move(other.name_)) {}
    Copy& operator=(Copy&&) = delete;
    ~Copy() {
      if (owner_ != nullptr) owner_->drop(name_);
    }
    [[nodiscard]] const std::string& name() const { return name_; }

   private:
    Copies* owner_;
    std::string name_;
  };
  [[nodiscard]] Result<Copy> make();

  /// Copies that are made from now on have this done to them, too; an Error if
  /// it cannot be.  Empty: they are as the beginning again.
  /// The isolation, of connections that ask for none, is for MariaDB, whose
  /// clients cannot say it when they connect.
  [[nodiscard]] Result<Done> change(const std::string& sql,
                                    const std::string& isolation = "");

 private:
  Copies() = default;
  [[nodiscard]] static Result<std::unique_ptr<Copies>> empty(Product product);
  [[nodiscard]] Result<Done> take_settings(db::Session& source);
  /// Fills the beginning from a file, or, on MariaDB, remembers it.
  [[nodiscard]] Result<Done> load(const std::string& file);
  [[nodiscard]] Result<Done> own(const std::string& owner);
  [[nodiscard]] Result<Done> make_database(const std::string& name);
  [[nodiscard]] Result<Done> change_isolation(const std::string& isolation);
  void drop(const std::string& name);

  Product product_ = Product::PostgreSql;
  std::unique_ptr<db::Server> server_;
  std::optional<db::Address> address_;  ///< in place
  Endpoint endpoint_;
  std::string user_;
  std::string owner_;  ///< of the database; empty: ours
  RoleOptions options_;
  std::string isolation_;  ///< of MariaDB's server, while it has another one
  std::string beginning_;  ///< a database, or the file that fills one
  std::string changed_;    ///< instead, with changes; mostly empty
  std::string changes_;
  std::mutex mutex_;
  std::unique_ptr<db::Session> maker_;  ///< under the mutex
  std::size_t made_ = 0;                ///< under the mutex
};

}  // namespace txscope::race
