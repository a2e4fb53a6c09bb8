#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "db/proxy/proxy.h"

namespace txscope::db {

/// One client and its connection to the server: bytes pass from each side to
/// the other as they come.  While one side does not take them, no more are
/// read from the other: a buffer of 64 KiB each way is all that is held.  How
/// a client comes in, each protocol has in its own way.
class ProxyConnection {
 public:
  /// `client` is a socket; it belongs to this object from now on.  `has_room`:
  /// whether one more may log in.
  [[nodiscard]] static std::unique_ptr<ProxyConnection> open(
      const ProxyPlan& plan, int client, std::unique_ptr<Tap> tap,
      std::function<bool()> has_room = [] { return true; });
  ProxyConnection(const ProxyConnection&) = delete;
  ProxyConnection& operator=(const ProxyConnection&) = delete;
  virtual ~ProxyConnection();

  [[nodiscard]] int client_socket() const { return client_; }
  [[nodiscard]] int server_socket() const { return server_; }
  /// What to wait for at each socket, as poll() names it.
  [[nodiscard]] short client_events() const;
  [[nodiscard]] short server_events() const;
  /// Moves what can be moved, after poll() said what is ready at each socket;
  /// false: both sides are done.
  bool advance(short client_ready, short server_ready);

  /// When the client came, and whether the server has let it in since.
  [[nodiscard]] std::chrono::steady_clock::time_point since() const {
    return since_;
  }
  [[nodiscard]] bool is_logged_in() const { return is_logged_in_; }
  [[nodiscard]] bool is_recorded() const { return is_recorded_; }
  [[nodiscard]] bool is_other_database() const { return is_other_database_; }
  [[nodiscard]] std::uint64_t refused_tls() const { return refused_tls_; }
  [[nodiscard]] const Tap& tap() const { return *tap_; }
  /// Ends the recording of it: the proxy ends.
  void close_tap();

 protected:
  ProxyConnection(const ProxyPlan& plan, int client, std::unique_ptr<Tap> tap,
                  std::function<bool()> has_room);

  /// What one side sent; it is to be passed on and told to the tap.
  virtual void from_client(std::string_view bytes) = 0;
  virtual void from_server(std::string_view bytes) = 0;

  /// Says why and hangs up; `message` is in the words of the protocol.
  void refuse(const std::string& message);
  /// `file`: of the socket, where the server's host is a directory.
  bool connect_server(const std::string& file);

  const ProxyPlan& plan_;
  std::unique_ptr<Tap> tap_;
  std::function<bool()> has_room_;
  std::string to_server_;
  std::string to_client_;
  bool is_logged_in_ = false;
  bool is_recorded_ = false;
  bool is_other_database_ = false;
  std::uint64_t refused_tls_ = 0;

 private:
  void read_client();
  void read_server();
  bool write_to(int socket, std::string& buffer);

  int client_;
  int server_ = -1;
  std::chrono::steady_clock::time_point since_ =
      std::chrono::steady_clock::now();
  bool client_ended_ = false;
  bool server_ended_ = false;
  bool client_ended_first_ = false;
  bool is_half_closed_ = false;
  bool is_tap_closed_ = false;
};

}  // namespace txscope::db
