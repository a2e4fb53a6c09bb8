#include "db/proxy/proxy_connection.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace txscope::db {
namespace {

constexpr std::size_t kChunk = 1 << 16;
constexpr std::size_t kMaxStartup = 10'000;  // as PostgreSQL has it
constexpr std::string_view kTooMany = "53300";
constexpr std::string_view kFull =
    "txscope's proxy has as many clients as it takes";

void make_nonblocking(int socket) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int connect_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address),
                sizeof address) == 0)
    return socket;
  ::close(socket);
  return -1;
}

int connect_tcp(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return -1;
  int result = -1;
  for (const addrinfo* one = found; one != nullptr && result < 0;
       one = one->ai_next) {
    const int socket = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) continue;
    if (::connect(socket, one->ai_addr, one->ai_addrlen) == 0)
      result = socket;
    else
      ::close(socket);
  }
  ::freeaddrinfo(found);
  return result;
}

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

ProxyConnection::ProxyConnection(const ProxyPlan& plan, int client,
                                 std::unique_ptr<Tap> tap,
                                 std::function<bool()> has_room)
    : plan_(plan),
      client_(client),
      tap_(std::move(tap)),
      has_room_(std::move(has_room)),
      login_(kChunk) {
  make_nonblocking(client_);
}

ProxyConnection::~ProxyConnection() {
  if (client_ >= 0) ::close(client_);
  if (server_ >= 0) ::close(server_);
}

void ProxyConnection::close_tap() {
  if (is_tap_closed_) return;
  is_tap_closed_ = true;
  if (is_recorded_) tap_->closed(!client_ended_first_);
}

short ProxyConnection::client_events() const {
  short events = 0;
  if (!client_ended_ && to_server_.size() < kChunk) events |= POLLIN;
  if (!to_client_.empty()) events |= POLLOUT;
  return events;
}

short ProxyConnection::server_events() const {
  short events = 0;
  if (server_ < 0) return events;
  if (!server_ended_ && to_client_.size() < kChunk) events |= POLLIN;
  if (!to_server_.empty()) events |= POLLOUT;
  return events;
}

bool ProxyConnection::advance(short client_ready, short server_ready) {
  constexpr short kReadable = POLLIN | POLLHUP | POLLERR;
  if (!client_ended_ && (client_ready & kReadable) != 0 &&
      to_server_.size() < kChunk)
    read_client();
  if (server_ >= 0 && !to_server_.empty() && !server_ended_)
    server_ended_ |= !write_to(server_, to_server_);
  if (server_ >= 0 && !server_ended_ && (server_ready & kReadable) != 0 &&
      to_client_.size() < kChunk)
    read_server();
  if (!to_client_.empty() && !write_to(client_, to_client_)) {
    client_ended_ = true;
    to_client_.clear();
  }
  // What the client sent before it hung up still reaches the server, and the
  // log still hears what came of it.
  if (client_ended_ && to_server_.empty() && server_ >= 0 && !is_half_closed_) {
    is_half_closed_ = true;
    ::shutdown(server_, SHUT_WR);
  }
  const bool is_server_done = server_ < 0 || server_ended_;
  if (!is_server_done) return true;
  if (server_ < 0 && !client_ended_) return true;
  if (!to_client_.empty() && !client_ended_) return true;
  close_tap();
  return false;
}

void ProxyConnection::read_client() {
  char bytes[kChunk];
  const ssize_t count = ::recv(client_, bytes, sizeof bytes, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    client_ended_ = true;
    client_ended_first_ = !server_ended_;
    return;
  }
  const std::string_view taken(bytes, static_cast<std::size_t>(count));
  if (!is_started_) {
    startup_ += taken;
    take_startup();
    return;
  }
  if (is_recorded_) tap_->client(taken);
  to_server_ += taken;
}

void ProxyConnection::read_server() {
  char bytes[kChunk];
  const ssize_t count = ::recv(server_, bytes, sizeof bytes, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    server_ended_ = true;
    return;
  }
  const std::string_view taken(bytes, static_cast<std::size_t>(count));
  if (!is_logged_in_) watch_login(taken);
  if (is_recorded_) tap_->server(taken);
  if (!client_ended_) to_client_ += taken;
}

void ProxyConnection::watch_login(std::string_view bytes) {
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
    refuse(kTooMany, kFull);
}

bool ProxyConnection::write_to(int socket, std::string& buffer) {
  const ssize_t count =
      ::send(socket, buffer.data(), buffer.size(), MSG_NOSIGNAL);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  buffer.erase(0, static_cast<std::size_t>(count));
  return true;
}

void ProxyConnection::take_startup() {
  while (startup_.size() >= 8) {
    WireReader reader(startup_);
    const std::uint32_t length = reader.int32();
    const std::uint32_t code = reader.int32();
    if (length < 8 || length > kMaxStartup) {
      refuse("08P01", "this is no PostgreSQL client");
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
      refuse("0A000", "txscope's proxy speaks version 3 of the protocol");
      return;
    }
    if (code != kCancelRequest && !has_room_()) {
      refuse(kTooMany, kFull);
      return;
    }
    if (!connect_server()) {
      refuse("08006", "txscope's proxy cannot reach the server");
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

void ProxyConnection::refuse(std::string_view sqlstate, std::string_view text) {
  to_client_ += fatal_message(sqlstate, text);
  write_to(client_, to_client_);
  to_client_.clear();
  client_ended_ = true;
}

bool ProxyConnection::connect_server() {
  server_ =
      plan_.server_host.starts_with('/')
          ? connect_unix(plan_.server_host + "/.s.PGSQL." + plan_.server_port)
          : connect_tcp(plan_.server_host, plan_.server_port);
  if (server_ < 0) return false;
  make_nonblocking(server_);
  return true;
}

}  // namespace txscope::db
