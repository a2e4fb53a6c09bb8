#include "race/wire/postgres_lane.h"

#include <sys/socket.h>

#include <algorithm>

#include "db/proxy/statements.h"

namespace txscope::race {
namespace {

constexpr std::size_t kMaxStartup = 10'000;  // as PostgreSQL has it

void append_int32(std::string& text, std::size_t number) {
  for (int shift = 24; shift >= 0; shift -= 8)
    text += static_cast<char>(number >> shift & 255);
}

std::string message(char type, std::string_view body) {
  std::string result(1, type);
  append_int32(result, body.size() + 4);
  return result.append(body);
}

std::string error_field(std::string_view body, char wanted) {
  db::WireReader reader(body);
  while (!reader.is_empty() && reader.is_good()) {
    const char name = static_cast<char>(reader.byte());
    if (name == '\0') break;
    const std::string_view value = reader.text();
    if (name == wanted) return std::string(value);
  }
  return "";
}

/// As the server says it to the victim of a deadlock.
std::string deadlock_body(const std::string& detail) {
  std::string body;
  const auto field = [&](char name, std::string_view value) {
    body += name;
    body += value;
    body += '\0';
  };
  field('S', "ERROR");
  field('V', "ERROR");
  field('C', "40P01");
  field('M', "deadlock detected");
  field('D', detail);
  field('H', "See server log for query details.");
  body += '\0';
  return body;
}

}  // namespace

void PostgresLane::take_client(std::string_view bytes) {
  if (is_started_) {
    take_flights(bytes);
    return;
  }
  startup_ += bytes;
  take_startup();
}

void PostgresLane::take_startup() {
  while (startup_.size() >= 8 && !is_started_) {
    db::WireReader reader(startup_);
    const std::size_t length = reader.int32();
    const std::uint32_t code = reader.int32();
    if (length < 8 || length > kMaxStartup) {
      client_left();
      return;
    }
    if (startup_.size() < length) return;
    const std::string first = startup_.substr(0, length);
    startup_.erase(0, length);
    if (code == db::kSslRequest || code == db::kGssRequest) {
      to_client_ += 'N';
    } else if (code == db::kCancelRequest) {
      // It is one message, which a fresh socket takes at once.
      const Descriptor server = connect_to(plan_.server);
      if (server.is_open())
        (void)::send(server.get(), first.data(), first.size(), MSG_NOSIGNAL);
      client_.close();
      return;
    } else {
      forward_startup(first);
    }
  }
  if (is_started_ && !startup_.empty()) {
    const std::string rest = std::move(startup_);
    take_flights(rest);
  }
}

/// Roles are those of the original; who is none of them is the one who asked.
std::string PostgresLane::known_user(const std::string& asked) const {
  const bool is_known =
      plan_.roles != nullptr && plan_.roles->count(asked) == 1;
  return is_known || plan_.user.empty() ? asked : plan_.user;
}

std::string PostgresLane::options_of(const std::string& user) const {
  if (plan_.roles == nullptr) return "";
  const auto known = plan_.roles->find(user);
  return known == plan_.roles->end() ? "" : known->second;
}

void PostgresLane::forward_startup(std::string_view first) {
  server_ = connect_to(plan_.server);
  is_started_ = true;
  if (!server_.is_open()) {
    to_client_ += db::fatal_message("08006", "the server is gone");
    return;
  }
  std::string body;
  const auto field = [&](std::string_view name, std::string_view value) {
    body.append(name) += '\0';
    body.append(value) += '\0';
  };
  std::string user;
  std::string of_client;
  db::WireReader reader(first.substr(8));
  while (!reader.is_empty() && reader.is_good()) {
    const std::string_view name = reader.text();
    if (name.empty()) break;
    const std::string_view value = reader.text();
    if (name == "user")
      user = value;
    else if (name == "options")
      of_client = value;
    else if (name != "database")
      field(name, value);
  }
  user = known_user(user);
  const std::string options = options_of(user) + of_client;
  look_for_settings(first);
  look_for_settings(options);
  look_for_settings(plan_.isolation);
  if (isolation_ != Isolation::Committed)
    note_passed({std::string("SET SESSION CHARACTERISTICS AS TRANSACTION ") +
                     (isolation_ == Isolation::Snapshot
                          ? "ISOLATION LEVEL REPEATABLE READ"
                          : "ISOLATION LEVEL SERIALIZABLE"),
                 {}});
  if (!options.empty()) field("options", options);
  field("database", plan_.database);
  if (!plan_.isolation.empty())
    field("default_transaction_isolation", plan_.isolation);
  field("user", user);
  body += '\0';
  append_int32(to_server_, body.size() + 8);
  to_server_.append(first.substr(4, 4)).append(body);
}

void PostgresLane::take_flights(std::string_view bytes) {
  std::vector<Flight> flights;
  if (!cutter_.feed(bytes, flights)) {
    client_left();
    return;
  }
  for (Flight& flight : flights) {
    if (flight.end != Flight::End::Aside) look_for_settings(flight.bytes);
    waiting_.push_back(std::move(flight));
  }
}

bool PostgresLane::is_silent_flight(const Flight& flight) const {
  if (flight.end == Flight::End::Call) return false;
  // What the server skips after an error does nothing.
  if (skips_to_sync_) return true;
  return std::all_of(flight.statements.begin(), flight.statements.end(),
                     [&](const Statement& one) {
                       return is_silent(one.sql) ||
                              (!has_worked_ && flight.statements.size() == 1 &&
                               is_transaction_end(one.sql));
                     });
}

void PostgresLane::note_sent(const Flight& flight) {
  for (std::size_t i = 0; i < flight.executes && !skips_to_sync_; ++i)
    owed_.push_back('C');
  if (flight.end == Flight::End::Flush) return;
  owed_.push_back('Z');
}

void PostgresLane::take_server(std::string_view bytes) {
  answers_.feed(
      bytes, [&](const db::WireSplitter::Message& one) { take_answer(one); });
}

void PostgresLane::take_answer(const db::WireSplitter::Message& one) {
  std::string body(one.body);
  switch (one.type) {
    case 'K':
      if (!is_ready_) backend_ = db::WireReader(body).int32();
      break;
    case 'E': {
      std::string code = error_field(body, 'C');
      if (victim_ && code == "57014") {
        body = deadlock_body(*victim_);
        code = "40P01";
      }
      victim_.reset();
      is_copying_ = false;
      errors_.push_back(std::move(code));
      // The server skips to the next Sync; a Query has its own.
      while (!owed_.empty() && owed_.front() == 'C') owed_.pop_front();
      skips_to_sync_ = owed_.empty() && is_ready_;
      break;
    }
    case 'G': {
      // A Sync that came along is not answered: the client sends another one
      // behind the rows.
      is_copying_ = true;
      const auto sync = std::find(owed_.begin(), owed_.end(), 'Z');
      if (!owed_.empty() && owed_.front() == 'C' && sync != owed_.end()) {
        owed_.erase(sync);
        cutter_.take_ready();
      }
      break;
    }
    case 'C':
    case 'I':
    case 's':
      is_copying_ = false;
      if (!owed_.empty() && owed_.front() == 'C') owed_.pop_front();
      break;
    case 't': cutter_.take_types(body); break;
    case 'Z':
      if (is_ready_) cutter_.take_ready();
      transaction_ = body.empty() ? 'I' : body[0];
      if (transaction_ == 'I') {
        has_worked_ = false;
        has_ended_ = true;
      }
      skips_to_sync_ = false;
      is_ready_ = true;
      while (!owed_.empty() && owed_.front() == 'C') owed_.pop_front();
      if (!owed_.empty()) owed_.pop_front();
      break;
    default: break;
  }
  to_client_ += message(one.type, body);
}

}  // namespace txscope::race
