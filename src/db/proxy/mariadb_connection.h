#pragma once

#include <memory>
#include <string>

#include "db/proxy/mariadb_login.h"
#include "db/proxy/mariadb_packet.h"
#include "db/proxy/proxy_connection.h"

namespace txscope::db {

/// The server speaks first, and says what it can do; what would hide the
/// statements from us is taken out of that.  Then the two settle between
/// themselves who the client is.
class MariadbConnection final : public ProxyConnection {
 public:
  MariadbConnection(const ProxyPlan& plan, int client, std::unique_ptr<Tap> tap,
                    std::function<bool()> has_room);

 private:
  void from_client(std::string_view bytes) override;
  void from_server(std::string_view bytes) override;
  void take_login(const PacketSplitter::Packet& packet);

  PacketSplitter client_login_;
  PacketSplitter server_login_;
  bool has_greeted_ = false;
  bool has_replied_ = false;
};

}  // namespace txscope::db
