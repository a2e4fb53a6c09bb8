#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "db/mariadb.h"
#include "db/session.h"
#include "model/product/product.h"

namespace txscope::db {

/// Which database to talk to, as the user said it.
///
///   postgresql://[user@][host][:port][/database][?key=value..]   as libpq
///   mariadb://[user@][host][:port][/database][?socket=PATH]  also mysql://
///   sqlite:PATH, sqlite:///PATH
///
/// What is left out comes from where the product's own client takes it: PGHOST,
/// PGPASSWORD, ~/.pgpass, service files; MYSQL_HOST, MYSQL_TCP_PORT,
/// MYSQL_UNIX_PORT, MYSQL_PWD, ~/.my.cnf.
class Address {
 public:
  /// `allows_password`: it comes from the environment, not from the command
  /// line, which every user of the machine can read.  No message of an Error
  /// has a password in it.
  [[nodiscard]] static Result<Address> parse(const std::string& uri,
                                             bool allows_password);

  [[nodiscard]] Product product() const { return product_; }
  /// The URI without password and options, for people.
  [[nodiscard]] const std::string& shown() const { return shown_; }
  /// Of SQLite the file.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// What libpq is given; may hold a password.
  [[nodiscard]] const std::string& connection() const { return uri_; }
  /// `database`, if it is not empty, instead of the one that is named here.
  [[nodiscard]] Result<std::unique_ptr<Session>> connect(
      const std::string& database = "") const;
  /// That it names itself; mostly empty.
  [[nodiscard]] const std::string& password() const { return password_; }
  /// Of MariaDB, where it is and who asks.
  [[nodiscard]] const MariadbAddress& mariadb() const { return mariadb_; }
  /// `text` without the password.
  [[nodiscard]] std::string scrubbed(std::string text) const;

 private:
  Product product_ = Product::PostgreSql;
  std::string uri_;
  std::string shown_;
  std::string path_;
  std::string password_;
  MariadbAddress mariadb_;
};

}  // namespace txscope::db
