#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "db/proxy/proxy.h"

namespace txscope::db {

/// One client and its connection to the server: bytes pass from each side to
/// the other as they come.  While one side does not take them, no more are
/// read from the other: a buffer of 64 KiB each way is all that is held.
class ProxyConnection {
 public:
  /// `client` is a socket; it belongs to this object from now on.  `has_room`:
  /// whether one more may log in.
  ProxyConnection(
      const ProxyPlan& plan, int client, std::unique_ptr<Tap> tap,
      std::function<bool()> has_room = [] { return true; });
  ProxyConnection(const ProxyConnection&) = delete;
  ProxyConnection& operator=(const ProxyConnection&) = delete;
  ~ProxyConnection();

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

 private:
  void read_client();
  void read_server();
  bool write_to(int socket, std::string& buffer);
  /// The client's first messages, until one that goes to the server.
  void take_startup();
  /// Looks for the server's word that the client may come in.
  void watch_login(std::string_view bytes);
  void refuse(std::string_view sqlstate, std::string_view text);
  bool connect_server();

  const ProxyPlan& plan_;
  int client_;
  int server_ = -1;
  std::unique_ptr<Tap> tap_;
  std::function<bool()> has_room_;
  std::chrono::steady_clock::time_point since_ =
      std::chrono::steady_clock::now();
  WireSplitter login_;   ///< what the server says until then
  std::string startup_;  ///< of the client, before the server knows of it
  std::string to_server_;
  std::string to_client_;
  bool is_started_ = false;
  bool is_logged_in_ = false;
  bool is_recorded_ = false;
  bool is_other_database_ = false;
  bool client_ended_ = false;
  bool server_ended_ = false;
  bool client_ended_first_ = false;
  bool is_half_closed_ = false;
  bool is_tap_closed_ = false;
  std::uint64_t refused_tls_ = 0;
};

}  // namespace txscope::db
