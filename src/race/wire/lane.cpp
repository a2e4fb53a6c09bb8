#include "race/wire/lane.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/ascii.h"
#include "db/proxy/statements.h"
#include "race/wire/mariadb_lane.h"
#include "race/wire/postgres_lane.h"

namespace txscope::race {
namespace {

enum class Received : std::uint8_t { Bytes, Nothing, End };

Received receive(int socket, std::string& bytes) {
  std::array<char, 1 << 16> buffer;
  const ssize_t count = ::recv(socket, buffer.data(), buffer.size(), 0);
  if (count > 0) {
    bytes.assign(buffer.data(), static_cast<std::size_t>(count));
    return Received::Bytes;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return Received::Nothing;
  return Received::End;
}

/// False: the other side does not take any more.
bool send_some(int socket, std::string& buffer) {
  while (!buffer.empty()) {
    const ssize_t count =
        ::send(socket, buffer.data(), buffer.size(), MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    buffer.erase(0, static_cast<std::size_t>(count));
  }
  return true;
}

/// Not a question: one of a driver's, SHOW.
bool is_part_of_script(const Statement& statement) {
  const auto words = db::first_words(statement.sql, 1);
  return !words.empty() && words[0] != "SELECT" && words[0] != "WITH" &&
         words[0] != "SHOW" && words[0] != "DEALLOCATE";
}

}  // namespace

std::unique_ptr<Lane> Lane::open(Descriptor client, LanePlan plan) {
  if (plan.product == Product::MariaDb)
    return std::make_unique<MariadbLane>(std::move(client), std::move(plan));
  return std::make_unique<PostgresLane>(std::move(client), std::move(plan));
}

Lane::State Lane::state() const {
  if (!client_.is_open() && !server_.is_open()) return State::Gone;
  if (client_gone_ && owed_.empty()) return State::Closing;
  if (!is_ready_) return State::Starting;
  if (!owed_.empty()) return State::Working;
  return waiting_.empty() ? State::Idle : State::Parked;
}

short Lane::client_events() const {
  if (!client_.is_open()) return 0;
  return static_cast<short>(POLLIN | (to_client_.empty() ? 0 : POLLOUT));
}

short Lane::server_events() const {
  if (!server_.is_open()) return 0;
  return static_cast<short>(POLLIN | (to_server_.empty() ? 0 : POLLOUT));
}

void Lane::advance(short client_ready, short server_ready) {
  if ((server_ready & (POLLIN | POLLHUP | POLLERR)) != 0) read_server();
  if (client_.is_open() && (client_ready & (POLLIN | POLLHUP | POLLERR)) != 0)
    read_client();
  pass();
  if (server_.is_open() && !send_some(server_.get(), to_server_))
    to_server_.clear();
  if (client_.is_open() && !send_some(client_.get(), to_client_)) client_left();
  if (!server_.is_open() && is_started_ && client_.is_open() &&
      to_client_.empty())
    client_.close();
}

void Lane::read_client() {
  std::string bytes;
  switch (receive(client_.get(), bytes)) {
    case Received::Nothing: return;
    case Received::End: client_left(); return;
    case Received::Bytes: take_client(bytes);
  }
}

void Lane::read_server() {
  std::string bytes;
  switch (receive(server_.get(), bytes)) {
    case Received::Nothing: return;
    case Received::End: server_left(); return;
    case Received::Bytes: take_server(bytes);
  }
}

// Whatever way it is asked for: BEGIN, SET, an option of the connection.
void Lane::look_for_settings(std::string_view text) {
  const std::string lower = ascii::lower(text);
  // SET CONSTRAINTS passes at once, and looks at other rows as it does.
  if (lower.find("serializable") != std::string::npos ||
      lower.find("set constraints") != std::string::npos)
    isolation_ = Isolation::Serializable;
  else if (lower.find("repeatable") != std::string::npos)
    isolation_ = std::max(isolation_, Isolation::Snapshot);
  has_timeout_ = has_timeout_ || lower.find("timeout") != std::string::npos;
  listens_ = listens_ || lower.find("listen ") != std::string::npos;
}

void Lane::let_through(bool all) {
  lets_through_ = all;
  pass();
  if (server_.is_open() && !send_some(server_.get(), to_server_))
    to_server_.clear();
}

bool Lane::passes(const Flight& flight) const {
  // What goes before it has gone: rows follow their COPY.
  if (flight.end == Flight::End::Aside) return true;
  return is_ready_ && (owed_.empty() || is_copying_) &&
         (lets_through_ || is_silent_flight(flight));
}

void Lane::pass() {
  while (!waiting_.empty() && passes(waiting_.front())) {
    const Flight flight = std::move(waiting_.front());
    waiting_.pop_front();
    if (lets_through_)
      has_worked_ = true;
    else
      std::copy_if(flight.statements.begin(), flight.statements.end(),
                   std::back_inserter(passed_), is_part_of_script);
    send(flight);
  }
}

void Lane::release() {
  const Flight flight = std::move(waiting_.front());
  waiting_.pop_front();
  has_worked_ = true;
  has_ended_ = false;
  send(flight);
  pass();
  if (server_.is_open() && !send_some(server_.get(), to_server_))
    to_server_.clear();
}

void Lane::send(const Flight& flight) {
  to_server_ += flight.bytes;
  if (flight.end == Flight::End::Aside) return;
  if (flight.end == Flight::End::Terminate)
    client_gone_ = true;
  else
    note_sent(flight);
}

void Lane::client_left() {
  client_.close();
  to_client_.clear();
  waiting_.clear();
  client_gone_ = true;
  if (!server_.is_open()) return;
  send_some(server_.get(), to_server_);
  ::shutdown(server_.get(), SHUT_WR);
}

void Lane::server_left() {
  server_.close();
  to_server_.clear();
  owed_.clear();
  waiting_.clear();
  victim_.reset();
}

}  // namespace txscope::race
