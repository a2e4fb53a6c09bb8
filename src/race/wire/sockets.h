#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace txscope::race {

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  int release();
  void close();

 private:
  int number_ = -1;
};

/// Where a server listens: a host and a port; a host that is a directory holds
/// its socket.
struct Endpoint {
  std::string host;
  std::string port = "5432";
  std::string file;  ///< the socket's name there; empty: by the port
};

[[nodiscard]] Descriptor connect_to(const Endpoint& endpoint);

/// Listens on a port of this machine that was free.
class Listener {
 public:
  [[nodiscard]] static Result<Listener> open();

  [[nodiscard]] int socket() const { return socket_.get(); }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// A client that waits, not blocking; closed if there is none.
  [[nodiscard]] Descriptor accept() const;

 private:
  Descriptor socket_;
  std::uint16_t port_ = 0;
};

}  // namespace txscope::race
