#include "db/proxy/mariadb_connection.h"

#include <utility>

namespace txscope::db {
namespace {

constexpr std::uint16_t kTooManyConnections = 1040;
constexpr std::uint16_t kNoServer = 2002;

}  // namespace

MariadbConnection::MariadbConnection(const ProxyPlan& plan, int client,
                                     std::unique_ptr<Tap> tap,
                                     std::function<bool()> has_room)
    : ProxyConnection(plan, client, std::move(tap), std::move(has_room)) {
  is_recorded_ = true;
  if (!has_room_())
    refuse(error_packet(0, kTooManyConnections, "08004",
                        "txscope's proxy has reached its limit of clients"));
  else if (!connect_server(plan_.server_file))
    refuse(error_packet(0, kNoServer, "HY000",
                        "txscope's proxy cannot reach the server"));
}

void MariadbConnection::from_client(std::string_view bytes) {
  if (!has_replied_)
    client_login_.feed(bytes, [&](const PacketSplitter::Packet& packet) {
      if (std::exchange(has_replied_, true)) return;
      const std::string wanted = login_wish(packet.payload).database;
      is_other_database_ = !wanted.empty() && wanted != plan_.database;
    });
  tap_->client(bytes);
  to_server_ += bytes;
}

void MariadbConnection::from_server(std::string_view bytes) {
  tap_->server(bytes);
  if (is_logged_in_) {
    to_client_ += bytes;
    return;
  }
  server_login_.feed(
      bytes, [&](const PacketSplitter::Packet& packet) { take_login(packet); });
}

void MariadbConnection::take_login(const PacketSplitter::Packet& packet) {
  const bool is_error =
      !packet.payload.empty() && packet.payload.front() == '\xFF';
  if (!has_greeted_ && !is_error) {
    has_greeted_ = true;
    to_client_ += packets_of(plain_greeting(packet.payload), packet.sequence);
    return;
  }
  to_client_ += packet.raw;
  if (packet.payload.empty() || packet.payload.front() != '\0') return;
  if (has_room_())
    is_logged_in_ = true;
  else
    refuse(error_packet(static_cast<std::uint8_t>(packet.sequence + 1),
                        kTooManyConnections, "08004",
                        "txscope's proxy has reached its limit of clients"));
}

}  // namespace txscope::db
