#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/database.h"

namespace txscope::db {

/// A database that is ours alone, on a server that is not: whatever names the
/// SQL of a workload has, it cannot reach what was there before.  On PostgreSQL
/// and MariaDB it is created and, unless it is to be kept, dropped; SQLite's is
/// a file that is new or empty.
///
/// What is made bears a mark (a comment, SQLite's application_id).  Only what
/// bears it is ever replaced: something that an earlier run had to leave.
class OwnDatabase {
 public:
  /// Nothing has run on the server if this is an Error.  `where` must outlive
  /// this object.
  [[nodiscard]] static Result<OwnDatabase> make(const Database& where,
                                                const std::string& name,
                                                bool may_replace);
  OwnDatabase(OwnDatabase&& other) noexcept;
  OwnDatabase& operator=(OwnDatabase&&) = delete;
  ~OwnDatabase();

  /// A session in it.
  [[nodiscard]] Result<std::unique_ptr<Session>> connect() const;
  void keep() { is_kept_ = true; }
  /// Ends all sessions in it and drops it, unless it is to be kept.
  Result<Done> drop();

 private:
  OwnDatabase(const Database& where, std::string name)
      : where_(&where), name_(std::move(name)) {}
  [[nodiscard]] Result<Done> make_on_server(bool may_replace);
  [[nodiscard]] Result<Done> make_file(bool may_replace);
  [[nodiscard]] Result<Done> drop_on_server(Session& session) const;
  [[nodiscard]] Result<Done> drop_file();

  const Database* where_;
  std::string name_;
  bool is_made_ = false;
  bool is_kept_ = false;
  bool is_new_file_ = false;  ///< of SQLite: it was not there before
};

}  // namespace txscope::db
