#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db/product.h"
#include "engine/profile.h"
#include "support/live_server.h"

namespace txscope::test {

/// The rows of each table, as the server writes them, sorted.
using LiveState = std::vector<std::vector<std::vector<db::Cell>>>;

/// "accounts (1,100) (2,NULL); ledger"
[[nodiscard]] std::string to_string(const LiveState& state,
                                    const std::vector<std::string>& tables);

/// Tables on a live server that are set back to their first rows many times.
class LiveDatabase {
 public:
  /// The server must be there.
  explicit LiveDatabase(engine::Product product);

  /// Drops everything, then makes the tables and their first rows.  Returns
  /// the server's error, or nothing.
  [[nodiscard]] std::string load(const std::vector<std::string>& statements,
                                 std::vector<std::string> tables);
  /// The first rows again, sequences, too; fails the test if that fails.
  void reset();
  [[nodiscard]] LiveState state();
  /// Of expressions on the committed state, in one query.
  [[nodiscard]] db::Answer evaluate(const std::vector<std::string>& selects);

  [[nodiscard]] engine::Product product() const { return product_; }
  [[nodiscard]] db::Server& server() { return *live_.server; }
  [[nodiscard]] const std::vector<std::string>& tables() const {
    return tables_;
  }
  /// The session with that number, connected when first asked for.
  [[nodiscard]] db::Session& session(std::size_t number);
  [[nodiscard]] db::Session& control() { return *control_; }
  [[nodiscard]] std::string execute(const std::string& sql);

 private:
  [[nodiscard]] std::string fill(const std::string& table);
  [[nodiscard]] std::string restart_sequences();

  engine::Product product_;
  LiveServer& live_;
  std::unique_ptr<db::Session> control_;
  std::vector<std::unique_ptr<db::Session>> sessions_;
  std::vector<std::string> tables_;
  std::vector<std::string> orders_;  ///< by table, its ORDER BY
  std::string truncate_;
  std::string erase_;
  std::string fill_;
  std::uint64_t resets_ = 0;
};

/// The one of a product that a test program shares; its server must be there.
[[nodiscard]] LiveDatabase& live_database(engine::Product product);

/// The server of a product; only PostgreSQL and MariaDB have one.
[[nodiscard]] LiveServer& live_server(engine::Product product);

/// The same product, as db calls it; Oracle is none of its products.
[[nodiscard]] db::Product to_db(engine::Product product);

/// What begins a transaction at a profile, one text.
[[nodiscard]] std::string begin_text(const engine::Profile& profile);

}  // namespace txscope::test
