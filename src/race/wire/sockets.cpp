#include "race/wire/sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "db/keeper.h"

namespace txscope::race {
namespace {

void make_quick(int socket) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Descriptor connect_in_directory(const Endpoint& endpoint) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path =
      endpoint.host + "/" +
      (endpoint.file.empty() ? ".s.PGSQL." + endpoint.port : endpoint.file);
  if (path.size() >= sizeof address.sun_path) return {};
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open() ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address),
                sizeof address) != 0)
    return {};
  return socket;
}

Descriptor connect_by_network(const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), &hints,
                    &found) != 0)
    return {};
  Descriptor result;
  for (const addrinfo* one = found; one != nullptr && !result.is_open();
       one = one->ai_next) {
    Descriptor socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.is_open() &&
        ::connect(socket.get(), one->ai_addr, one->ai_addrlen) == 0)
      result = std::move(socket);
  }
  ::freeaddrinfo(found);
  return result;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  close();
  number_ = other.release();
  return *this;
}

int Descriptor::release() { return std::exchange(number_, -1); }

void Descriptor::close() {
  if (number_ >= 0) ::close(release());
}

Descriptor connect_to(const Endpoint& endpoint) {
  Descriptor socket = endpoint.host.starts_with('/')
                          ? connect_in_directory(endpoint)
                          : connect_by_network(endpoint);
  if (socket.is_open()) make_quick(socket.get());
  return socket;
}

Result<Listener> Listener::open() {
  Listener listener;
  listener.socket_ = Descriptor(
      ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (!listener.socket_.is_open() ||
      ::bind(listener.socket(), generic, size) != 0 ||
      ::listen(listener.socket(), 64) != 0 ||
      ::getsockname(listener.socket(), generic, &size) != 0)
    return db::failure(std::string("cannot listen at 127.0.0.1: ") +
                       std::strerror(errno));
  listener.port_ = ntohs(address.sin_port);
  return listener;
}

Descriptor Listener::accept() const {
  Descriptor client(::accept4(socket(), nullptr, nullptr, SOCK_CLOEXEC));
  if (client.is_open()) make_quick(client.get());
  return client;
}

}  // namespace txscope::race
