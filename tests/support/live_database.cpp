#include "support/live_database.h"

namespace txscope::test {

LiveServer& live_server(Product product) {
  return product == Product::PostgreSql ? live_postgresql() : live_mariadb();
}

LiveDatabase& live_database(Product product) {
  const auto connected = [product] {
    // The server is older than the database, so that it goes after it.
    return *LiveDatabase::on(product, *live_server(product).server);
  };
  if (product == Product::PostgreSql) {
    static LiveDatabase postgresql = connected();
    return postgresql;
  }
  static LiveDatabase mariadb = connected();
  return mariadb;
}

LiveOutcomes run_live(const sql::Application& application, const Profile& level,
                      const LiveOptions& options, bool judges_commits) {
  return db::run_live(live_database(level.product), application, level, options,
                      judges_commits);
}

}  // namespace txscope::test
