#include "db/proxy/proxy.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <thread>
#include <vector>

#include "db/keeper.h"
#include "db/proxy/postgres_tap.h"
#include "db/proxy/proxy_connection.h"
#include "db/record/write_log.h"

namespace txscope::db {
namespace {

constexpr int kTick = 200;  // milliseconds between looks at the clock
constexpr int kFullPause = 10;

class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() {
    if (socket_ >= 0) ::close(socket_);
  }

  Result<std::uint16_t> open(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(),
                                   &hints, &found);
    if (code != 0)
      return failure("--proxy: cannot listen at '" + host +
                     "': " + ::gai_strerror(code));
    std::string why = "no address";
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
      socket_ = ::socket(one->ai_family,
                         SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      if (socket_ < 0) continue;
      const int on = 1;
      ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      if (::bind(socket_, one->ai_addr, one->ai_addrlen) == 0 &&
          ::listen(socket_, 64) == 0)
        break;
      why = std::strerror(errno);
      ::close(socket_);
      socket_ = -1;
    }
    ::freeaddrinfo(found);
    if (socket_ < 0)
      return failure("--proxy: cannot listen at " + host + ":" +
                     std::to_string(port) + ": " + why);
    return bound_port();
  }

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] int accept() const {
    return ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  }

 private:
  [[nodiscard]] std::uint16_t bound_port() const {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address);
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address);
    return ntohs(address.ss_family == AF_INET6 ? v6->sin6_port : v4->sin_port);
  }

  int socket_ = -1;
};

class Proxy {
 public:
  Proxy(const ProxyPlan& plan, const ProxyWorld& world)
      : plan_(plan), world_(world) {}

  Result<ProxyCounts> run() {
    const auto port = listener_.open(plan_.host, plan_.port);
    if (!port) return port.error();
    if (world_.on_listening)
      if (auto done = world_.on_listening(*port); !done) return done.error();
    while (!world_.on_progress || world_.on_progress(counts_)) turn();
    for (auto& connection : connections_) {
      connection->close_tap();
      count(*connection);
    }
    connections_.clear();
    if (!world_.file->flush()) return cannot_write();
    return counts_;
  }

 private:
  void turn() {
    std::vector<pollfd> sockets = {{listener_.socket(), POLLIN, 0}};
    for (const auto& connection : connections_) {
      sockets.push_back(
          {connection->client_socket(), connection->client_events(), 0});
      sockets.push_back(
          {connection->server_socket(), connection->server_events(), 0});
    }
    // Nobody waits for a side that hung up unless something is left for it.
    for (pollfd& one : sockets)
      if (one.events == 0) one.fd = -1;
    ::poll(sockets.data(), sockets.size(), kTick);
    std::size_t i = 1;
    for (auto at = connections_.begin(); at != connections_.end(); i += 2) {
      const bool is_ready =
          sockets[i].revents != 0 || sockets[i + 1].revents != 0;
      const bool goes_on = !is_ready || (*at)->advance(sockets[i].revents,
                                                       sockets[i + 1].revents);
      at = goes_on ? std::next(at) : erase(at);
    }
    // What the others were told is in the file soon, however busy one is.
    world_.file->flush_in_time();
    end_late_startups();
    if (sockets[0].revents != 0) accept();
  }

  using Connections = std::list<std::unique_ptr<ProxyConnection>>;

  Connections::iterator erase(Connections::iterator at) {
    count(**at);
    return connections_.erase(at);
  }

  [[nodiscard]] std::uint64_t logged_in() const {
    return static_cast<std::uint64_t>(
        std::count_if(connections_.begin(), connections_.end(),
                      [](const auto& one) { return one->is_logged_in(); }));
  }

  void end_late_startups() {
    const auto now = std::chrono::steady_clock::now();
    for (auto at = connections_.begin(); at != connections_.end();)
      at = !(*at)->is_logged_in() && now - (*at)->since() > plan_.startup_time
               ? give_up(at)
               : std::next(at);
  }

  Connections::iterator give_up(Connections::iterator at) {
    ++counts_.never_started;
    return erase(at);
  }

  /// Room for one more that is about to log in.
  void end_oldest_startup() {
    if (connections_.size() - logged_in() < plan_.max_startups) return;
    const auto oldest =
        std::find_if(connections_.begin(), connections_.end(),
                     [](const auto& one) { return !one->is_logged_in(); });
    if (oldest != connections_.end()) give_up(oldest);
  }

  void accept() {
    for (int client = listener_.accept(); client >= 0;
         client = listener_.accept()) {
      end_oldest_startup();
      ++counts_.connections;
      connections_.push_back(ProxyConnection::open(
          plan_, client, make_tap(),
          [this] { return logged_in() < plan_.max_connections; }));
      // It may have been refused already.
      if (!connections_.back()->advance(0, 0))
        erase(std::prev(connections_.end()));
    }
    // Without a free descriptor the caller stays in the queue; so that this is
    // not asked again and again, the next who logs in late makes room.
    if (errno == EMFILE || errno == ENFILE)
      std::this_thread::sleep_for(std::chrono::milliseconds(kFullPause));
  }

  [[nodiscard]] std::unique_ptr<Tap> make_tap() {
    const auto sink = [this](LoggedTransaction transaction) {
      keep(transaction);
    };
    if (plan_.product == Product::MariaDb)
      return std::make_unique<MariadbTap>(clock_, counts_.connections,
                                          plan_.limits, plan_.mariadb, sink);
    return std::make_unique<PostgresTap>(clock_, counts_.connections,
                                         plan_.limits, sink);
  }

  void keep(LoggedTransaction& transaction) {
    ++counts_.transactions;
    if (world_.redactor != nullptr) world_.redactor->redact(transaction);
    world_.file->write(log_line(transaction));
  }

  void count(const ProxyConnection& connection) {
    counts_.refused_tls += connection.refused_tls();
    counts_.unrecorded += connection.is_other_database() ? 1 : 0;
    counts_.unobserved += connection.tap().unobserved();
    counts_.unknown += connection.tap().unknown();
  }

  [[nodiscard]] Error cannot_write() const {
    return Error{Place{world_.file->path(), 0, 0, {}},
                 "cannot write: " + world_.file->error(),
                 "the " + std::to_string(world_.file->bytes()) +
                     " bytes before are whole lines",
                 ""};
  }

  const ProxyPlan& plan_;
  const ProxyWorld& world_;
  Clock clock_;
  Listener listener_;
  Connections connections_;
  ProxyCounts counts_;
};

}  // namespace

Result<ProxyCounts> run_recording_proxy(const ProxyPlan& plan,
                                        const ProxyWorld& world) {
  return Proxy(plan, world).run();
}

}  // namespace txscope::db
