#include "db/proxy/postgres_connection.h"

#include <utility>

namespace txscope::db {
namespace {

constexpr std::size_t kLoginLimit = 1 << 16;
constexpr std::size_t kMaxStartup = 10'000;  // as PostgreSQL has it
constexpr std::string_view kTooMany = "53300";
constexpr std::string_view kFull =
    "txscope's proxy has reached its limit of clients";

/// The database that a startup message asks for: by its name, else the user's.
std::string database_of(std::string_view startup, bool& is_replication) {
  WireReader reader(startup.substr(8));
  std::string database;
  std::string user;
  while (!reader.is_empty() && reader.is_good()) {
    const std::string_view name = reader.text();
    if (name.empty()) break;
    const std::string_view value = reader.text();
    if (name == "database") database = value;
    if (name == "user") user = value;
    if (name == "replication") is_replication = value != "false";
  }
  return database.empty() ? user : database;
}

}  // namespace

PostgresConnection::PostgresConnection(const ProxyPlan& plan, int client,
                                       std::unique_ptr<Tap> tap,
                                       std::function<bool()> has_room)
    : ProxyConnection(plan, client, std::move(tap), std::move(has_room)),
      login_(kLoginLimit) {}

void PostgresConnection::from_client(std::string_view bytes) {
  if (!is_started_) {
    startup_ += bytes;
    take_startup();
    return;
  }
  if (is_recorded_) tap_->client(bytes);
  to_server_ += bytes;
}

void PostgresConnection::from_server(std::string_view bytes) {
  if (!is_logged_in_) watch_login(bytes);
  if (is_recorded_) tap_->server(bytes);
  to_client_ += bytes;
}

void PostgresConnection::watch_login(std::string_view bytes) {
  bool is_let_in = false;
  login_.feed(bytes, [&](const WireSplitter::Message& message) {
    WireReader reader(message.body);
    is_let_in |= message.type == 'R' && reader.int32() == 0 && reader.is_good();
  });
  if (!is_let_in) return;
  // Others may have come in while this one said its password.
  if (has_room_())
    is_logged_in_ = true;
  else
    refuse(fatal_message(kTooMany, kFull));
}

void PostgresConnection::take_startup() {
  while (startup_.size() >= 8) {
    WireReader reader(startup_);
    const std::uint32_t length = reader.int32();
    const std::uint32_t code = reader.int32();
    if (length < 8 || length > kMaxStartup) {
      refuse(fatal_message("08P01", "this is not a PostgreSQL client"));
      return;
    }
    if (startup_.size() < length) return;
    if (code == kSslRequest || code == kGssRequest) {
      // The answer "no"; a client that insists on TLS says so and hangs up.
      if (code == kSslRequest) ++refused_tls_;
      to_client_ += 'N';
      startup_.erase(0, length);
      continue;
    }
    if (code >> 16 != 3 && code != kCancelRequest) {
      refuse(fatal_message("0A000",
                           "txscope's proxy speaks version 3 of the protocol"));
      return;
    }
    if (code != kCancelRequest && !has_room_()) {
      refuse(fatal_message(kTooMany, kFull));
      return;
    }
    if (!connect_server(".s.PGSQL." + plan_.server_port)) {
      refuse(fatal_message("08006", "txscope's proxy cannot reach the server"));
      return;
    }
    if (code != kCancelRequest) {
      bool is_replication = false;
      const std::string database = database_of(
          std::string_view(startup_).substr(0, length), is_replication);
      is_recorded_ = !is_replication && database == plan_.database;
      is_other_database_ = !is_recorded_;
    }
    is_started_ = true;
    to_server_ += startup_.substr(0, length);
    const std::string rest = startup_.substr(length);
    startup_.clear();
    if (is_recorded_) tap_->client(rest);
    to_server_ += rest;
    return;
  }
}

}  // namespace txscope::db
