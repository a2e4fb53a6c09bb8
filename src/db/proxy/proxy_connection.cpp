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

#include "db/proxy/mariadb_connection.h"
#include "db/proxy/postgres_connection.h"

namespace txscope::db {
namespace {

constexpr std::size_t kChunk = 1 << 16;

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

}  // namespace

ProxyConnection::ProxyConnection(const ProxyPlan& plan, int client,
                                 std::unique_ptr<Tap> tap,
                                 std::function<bool()> has_room)
    : plan_(plan),
      tap_(std::move(tap)),
      has_room_(std::move(has_room)),
      client_(client) {
  make_nonblocking(client_);
}

std::unique_ptr<ProxyConnection> ProxyConnection::open(
    const ProxyPlan& plan, int client, std::unique_ptr<Tap> tap,
    std::function<bool()> has_room) {
  if (plan.product == Product::MariaDb)
    return std::make_unique<MariadbConnection>(plan, client, std::move(tap),
                                               std::move(has_room));
  return std::make_unique<PostgresConnection>(plan, client, std::move(tap),
                                              std::move(has_room));
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
  from_client({bytes, static_cast<std::size_t>(count)});
}

void ProxyConnection::read_server() {
  char bytes[kChunk];
  const ssize_t count = ::recv(server_, bytes, sizeof bytes, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    server_ended_ = true;
    return;
  }
  from_server({bytes, static_cast<std::size_t>(count)});
  if (client_ended_) to_client_.clear();
}

bool ProxyConnection::write_to(int socket, std::string& buffer) {
  const ssize_t count =
      ::send(socket, buffer.data(), buffer.size(), MSG_NOSIGNAL);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  buffer.erase(0, static_cast<std::size_t>(count));
  return true;
}

void ProxyConnection::refuse(const std::string& message) {
  to_client_ += message;
  write_to(client_, to_client_);
  to_client_.clear();
  client_ended_ = true;
}

bool ProxyConnection::connect_server(const std::string& file) {
  server_ = plan_.server_host.starts_with('/')
                ? connect_unix(plan_.server_host + "/" + file)
                : connect_tcp(plan_.server_host, plan_.server_port);
  if (server_ < 0) return false;
  make_nonblocking(server_);
  return true;
}

}  // namespace txscope::db
