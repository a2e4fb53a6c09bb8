#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/server.h"
#include "model/product/profile.h"

namespace txscope::db {

/// The rows of each table, as the server writes them, sorted.
using LiveState = std::vector<std::vector<std::vector<Cell>>>;

/// "accounts (1,100) (2,NULL); ledger"
[[nodiscard]] std::string to_string(const LiveState& state,
                                    const std::vector<std::string>& tables);

/// Tables on a live server that are set back to their first rows many times.
class LiveDatabase {
 public:
  /// A database of its own on a server of that product.
  [[nodiscard]] static Result<LiveDatabase> on(Product product, Server& server);

  /// Drops everything, then makes the tables and their first rows.  Returns
  /// the server's error, or nothing.
  [[nodiscard]] std::string load(const std::vector<std::string>& statements,
                                 std::vector<std::string> tables);
  /// The first rows again, sequences, too.  Returns as load() does.
  [[nodiscard]] std::string reset();
  [[nodiscard]] Result<LiveState> state();
  /// Of expressions on the committed state, in one query.
  [[nodiscard]] Answer evaluate(const std::vector<std::string>& selects);

  [[nodiscard]] Product product() const { return product_; }
  [[nodiscard]] Server& server() { return *server_; }
  [[nodiscard]] const std::vector<std::string>& tables() const {
    return tables_;
  }
  /// The session with that number, connected when first asked for.
  [[nodiscard]] Result<Session*> session(std::size_t number);
  [[nodiscard]] Session& control() { return *control_; }
  [[nodiscard]] std::string execute(const std::string& sql);

 private:
  LiveDatabase(Product product, Server& server,
               std::unique_ptr<Session> control)
      : product_(product), server_(&server), control_(std::move(control)) {}
  [[nodiscard]] std::string fill(const std::string& table);
  [[nodiscard]] std::string restart_sequences();

  Product product_;
  Server* server_;
  std::unique_ptr<Session> control_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<std::string> tables_;
  std::vector<std::string> orders_;  ///< by table, its ORDER BY
  std::string truncate_;
  std::string erase_;
  std::string fill_;
  std::uint64_t resets_ = 0;
};

/// What begins a transaction at a profile, one text.
[[nodiscard]] std::string begin_text(const Profile& profile);

}  // namespace txscope::db
