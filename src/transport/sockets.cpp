#include "transport/sockets.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace txscope::transport {
namespace {

constexpr std::size_t kHead = sizeof(std::uint32_t);
constexpr std::size_t kRead = std::size_t{128} << 10u;
constexpr int kMoment = 100;                  // milliseconds
constexpr std::uint32_t kLeave = ~0u;         // instead of a length
constexpr std::chrono::seconds kParting{10};  // for the last messages to go

std::string head_of(std::uint32_t size) {
  std::string head(kHead, '\0');
  std::memcpy(head.data(), &size, kHead);
  return head;
}

}  // namespace

Sockets::Sockets(unsigned rank, std::vector<int> descriptors)
    : Transport(rank, static_cast<unsigned>(descriptors.size())) {
  for (const int descriptor : descriptors) {
    peers_.emplace_back();
    peers_.back().descriptor = descriptor;
  }
}

Sockets::~Sockets() {
  for (const Peer& peer : peers_)
    if (peer.descriptor >= 0) close(peer.descriptor);
}

void Sockets::send(unsigned to, std::string bytes) {
  count(bytes.size());
  Peer& peer = peers_[to];
  peer.out.push_back(head_of(static_cast<std::uint32_t>(bytes.size())));
  peer.out.back() += bytes;
  push(peer);
}

bool Sockets::is_busy(unsigned to) const {
  return peers_[to].out.size() >= kUnderWay;
}

/// Writes as much as goes.
void Sockets::push(Peer& peer) {
  while (!peer.out.empty()) {
    const std::string& frame = peer.out.front();
    const ssize_t n =
        ::send(peer.descriptor, frame.data() + peer.gone,
               frame.size() - peer.gone, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n < 0) {  // who is gone is found out by pull()
      peer.out.clear();
      peer.gone = 0;
      return;
    }
    peer.gone += static_cast<std::size_t>(n);
    if (peer.gone < frame.size()) continue;
    peer.out.pop_front();
    peer.gone = 0;
  }
}

void Sockets::pull(unsigned from) {
  Peer& peer = peers_[from];
  if (peer.taken > 0) {
    peer.in.erase(0, peer.taken);
    peer.taken = 0;
  }
  const std::size_t size = peer.in.size();
  peer.in.resize(size + kRead);
  ssize_t n = 0;
  do {
    n = ::recv(peer.descriptor, peer.in.data() + size, kRead, MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  peer.in.resize(size + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))) return;
  close(peer.descriptor);
  peer.descriptor = -1;
}

std::optional<Message> Sockets::next_frame() {
  for (unsigned i = 0; i < size(); ++i) {
    const unsigned from = (next_ + i) % size();
    Peer& peer = peers_[from];
    if (peer.in.size() - peer.taken < kHead) continue;
    std::uint32_t length = 0;
    std::memcpy(&length, peer.in.data() + peer.taken, kHead);
    if (length == kLeave) {
      peer.has_left = true;
      peer.taken += kHead;
      continue;
    }
    if (peer.in.size() - peer.taken - kHead < length) continue;
    Message message{from, peer.in.substr(peer.taken + kHead, length)};
    peer.taken += kHead + length;
    next_ = from + 1;
    return message;
  }
  return std::nullopt;
}

void Sockets::move(bool waits) {
  std::vector<pollfd> asked;
  std::vector<unsigned> whose;
  for (unsigned i = 0; i < size(); ++i) {
    const Peer& peer = peers_[i];
    if (peer.descriptor < 0) continue;
    const int events = POLLIN | (peer.out.empty() ? 0 : POLLOUT);
    asked.push_back({peer.descriptor, static_cast<short>(events), 0});
    whose.push_back(i);
  }
  if (poll(asked.data(), asked.size(), waits ? kMoment : 0) <= 0) return;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if ((asked[i].revents & POLLOUT) != 0) push(peers_[whose[i]]);
    if ((asked[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) pull(whose[i]);
  }
}

std::optional<Message> Sockets::receive(bool waits) {
  if (auto message = next_frame()) return message;
  move(waits);
  if (auto message = next_frame()) return message;
  for (unsigned i = 0; i < size(); ++i) {
    if (i == rank()) continue;
    const Peer& peer = peers_[i];
    if (peer.has_left ? i == 0 : peer.descriptor < 0)
      throw Lost{"rank " + std::to_string(i) + " ended"};
  }
  return std::nullopt;
}

void Sockets::leave() {
  for (unsigned i = 0; i < size(); ++i)
    if (i != rank()) {
      peers_[i].out.push_back(head_of(kLeave));
      push(peers_[i]);
    }
  const auto end = std::chrono::steady_clock::now() + kParting;
  const auto is_waiting = [](const Peer& peer) {
    return peer.descriptor >= 0 && !peer.out.empty();
  };
  while (std::any_of(peers_.begin(), peers_.end(), is_waiting) &&
         std::chrono::steady_clock::now() < end) {
    move(true);
    while (next_frame()) {  // nobody here waits for it
    }
  }
}

}  // namespace txscope::transport
