#pragma once

#include <memory>
#include <string>

#include "db/proxy/proxy_connection.h"
#include "db/proxy/wire.h"

namespace txscope::db {

/// The client speaks first, and says whether it wants TLS, a query cancelled,
/// or a database.
class PostgresConnection final : public ProxyConnection {
 public:
  PostgresConnection(const ProxyPlan& plan, int client,
                     std::unique_ptr<Tap> tap, std::function<bool()> has_room);

 private:
  void from_client(std::string_view bytes) override;
  void from_server(std::string_view bytes) override;
  /// The client's first messages, until one that goes to the server.
  void take_startup();
  /// Looks for the server's word that the client may come in.
  void watch_login(std::string_view bytes);

  WireSplitter login_;   ///< what the server says until then
  std::string startup_;  ///< of the client, before the server knows of it
  bool is_started_ = false;
};

}  // namespace txscope::db
