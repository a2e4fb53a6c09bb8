#include "race/wire/mariadb_lane.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "db/proxy/mariadb_login.h"
#include "db/proxy/statements.h"

namespace txscope::race {
namespace {

using db::Command;
using Told = db::AnswerReader::Event::Kind;

// Of the server and the connection; nobody's rows.
constexpr auto kClientQuestions = std::to_array<std::string_view>(
    {"@@", "version()", "database()", "connection_id()", "user()"});

/// SELECT @@version and the like: no table.
bool is_client_question(std::string_view sql) {
  const std::string text = ascii::lower(sql);
  return text.find(" from ") == std::string::npos &&
         text.find("lock(") == std::string::npos &&
         std::any_of(
             kClientQuestions.begin(), kClientQuestions.end(),
             [&](auto part) { return text.find(part) != std::string::npos; });
}

/// SET @n = (SELECT ..), SET @held = GET_LOCK(..).
bool asks_for_value(const std::string& set) {
  const std::size_t at = set.find('@');
  const bool is_variable =
      at != std::string::npos && at + 1 < set.size() && set[at + 1] != '@';
  return set.find("select") != std::string::npos ||
         (is_variable && set.find('(') != std::string::npos);
}

Command command_of(std::string_view payload) {
  return static_cast<Command>(static_cast<std::uint8_t>(payload.front()));
}

}  // namespace

bool is_silent_in_mariadb(std::string_view sql, bool works) {
  const std::vector<std::string> words = db::first_words(sql, 4);
  if (words.empty()) return true;
  const std::string& first = words[0];
  // These end an open transaction before they begin the next one.
  if (first == "BEGIN" || first == "START")
    return !works && ascii::lower(sql).find("snapshot") == std::string::npos;
  if (first == "SET") {
    const std::string text = ascii::lower(sql);
    return !asks_for_value(text) &&
           (!works || text.find("autocommit") == std::string::npos);
  }
  if (first == "SHOW" || first == "SAVEPOINT" || first == "RELEASE" ||
      first == "USE" || first == "DEALLOCATE" || first == "PREPARE")
    return true;
  return first == "SELECT" && is_client_question(sql);
}

MariadbLane::MariadbLane(Descriptor client, LanePlan plan)
    : Lane(std::move(client), std::move(plan)) {
  isolation_ = Isolation::Snapshot;  // what the server has
  server_ = connect_to(plan_.server);
  is_started_ = true;
}

void MariadbLane::take_client(std::string_view bytes) {
  from_client_.feed(bytes, [&](const auto& packet) { take_packet(packet); });
}

void MariadbLane::take_packet(const db::PacketSplitter::Packet& packet) {
  if (is_ready_ && !is_copying_) {
    take_command(packet);
    return;
  }
  if (is_copying_) {
    // A file ends with an empty packet.
    is_copying_ = !packet.payload.empty();
    to_server_ += packet.raw;
    return;
  }
  if (has_replied_) {
    to_server_ += packet.raw;
    return;
  }
  has_replied_ = true;
  to_server_ += db::packets_of(
      db::with_database(packet.payload, plan_.database, plan_.user),
      packet.sequence);
}

void MariadbLane::take_command(const db::PacketSplitter::Packet& packet) {
  if (packet.payload.empty()) return;
  const Command command = command_of(packet.payload);
  if (command == Command::LongData) prepared_.add_long_data(packet.payload);
  if (command == Command::Close)
    prepared_.forget(static_cast<std::uint32_t>(
        db::PacketReader(packet.payload.substr(1)).number(4)));
  if (command == Command::LongData || command == Command::Close) {
    before_ += packet.raw;
    return;
  }
  Flight flight = flight_of(packet.payload);
  look_for_settings(flight.bytes);
  // Who reads what is not committed notices every step.
  if (ascii::lower(flight.bytes).find("uncommitted") != std::string::npos)
    isolation_ = Isolation::Serializable;
  flight.bytes.insert(0, before_);
  before_.clear();
  waiting_.push_back(std::move(flight));
}

Flight MariadbLane::flight_of(std::string_view payload) {
  Flight flight;
  flight.end = Flight::End::Query;
  flight.command = static_cast<std::uint8_t>(payload.front());
  std::string sent(payload);
  switch (command_of(payload)) {
    case Command::Quit: flight.end = Flight::End::Terminate; break;
    case Command::Query:
    case Command::Prepare: {
      const bool is_query = command_of(payload) == Command::Query;
      const std::string* other =
          plan_.rewrites == nullptr
              ? nullptr
              : instead_of(payload.substr(1), *plan_.rewrites);
      if (other != nullptr) sent.replace(1, sent.size() - 1, *other);
      const std::string_view text = std::string_view(sent).substr(1);
      if (!is_query) preparing_ = std::string(text);
      if (is_query)
        for (const std::string_view one : db::split_statements(text))
          flight.statements.push_back({std::string(one), {}});
      break;
    }
    case Command::Execute:
      if (auto run = prepared_.run(payload))
        flight.statements.push_back(
            {std::move(run->sql), std::move(run->params)});
      else
        flight.statements.push_back({"a statement that nobody prepared", {}});
      break;
    default: break;
  }
  flight.bytes = db::packets_of(sent, 0);
  return flight;
}

bool MariadbLane::is_silent_flight(const Flight& flight) const {
  switch (static_cast<Command>(flight.command)) {
    case Command::ChangeUser: return !has_worked_;
    case Command::Query:
    case Command::Execute: break;
    case Command::Fetch:
    default: return flight.command != 0x1F || !has_worked_;  // a reset
  }
  const bool works = has_worked_ && transaction_ != 'I';
  return std::all_of(flight.statements.begin(), flight.statements.end(),
                     [&](const Statement& one) {
                       return is_silent_in_mariadb(one.sql, works) ||
                              (!has_worked_ && flight.statements.size() == 1 &&
                               is_transaction_end(one.sql));
                     });
}

void MariadbLane::note_sent(const Flight& flight) {
  const auto command = static_cast<Command>(flight.command);
  answer_.expect(command);
  if (command == Command::ChangeUser) {
    is_ready_ = false;
    return;
  }
  owed_.push_back('R');
}

void MariadbLane::take_server(std::string_view bytes) {
  from_server_.feed(bytes, [&](const auto& packet) {
    if (is_ready_)
      take_answer(packet);
    else
      take_login(packet);
  });
}

void MariadbLane::take_login(const db::PacketSplitter::Packet& packet) {
  const std::string_view payload = packet.payload;
  if (!has_greeted_ && !payload.empty() &&
      static_cast<std::uint8_t>(payload.front()) != 0xFF) {
    has_greeted_ = true;
    backend_ = db::thread_of(payload);
    to_client_ += db::packets_of(db::plain_greeting(payload), packet.sequence);
    return;
  }
  if (!payload.empty() && payload.front() == '\0') {
    is_ready_ = true;
    transaction_ = 'I';
    has_worked_ = false;
  }
  to_client_ += packet.raw;
}

void MariadbLane::take_answer(const db::PacketSplitter::Packet& packet) {
  to_client_ += packet.raw;
  const auto told = answer_.take(packet.payload);
  switch (told.kind) {
    case Told::More:
    case Told::Column:
    case Told::Row: return;
    case Told::File: is_copying_ = true; return;
    case Told::Prepared:
      prepared_.add(told.number, preparing_, told.parameters);
      break;
    case Told::Failed:
      is_copying_ = false;
      victim_.reset();
      errors_.push_back(told.sqlstate.empty() || told.sqlstate == "HY000"
                            ? std::to_string(told.code)
                            : told.sqlstate);
      // A deadlock ends the transaction, other errors only the statement.
      if (told.code == 1213) transaction_ = 'I';
      if (transaction_ == 'I') {
        has_worked_ = false;
        has_ended_ = true;
      }
      break;
    case Told::Result:
    case Told::Done:
      transaction_ = told.in_transaction ? 'T' : 'I';
      if (transaction_ != 'I') break;
      has_ended_ = true;
      if (told.kind == Told::Done) has_worked_ = false;
      break;
  }
  if (told.kind != Told::Result && !owed_.empty()) owed_.pop_front();
}

}  // namespace txscope::race
