#include "db/proxy/mariadb_answer.h"

#include "db/proxy/mariadb_packet.h"

namespace txscope::db {
namespace {

constexpr std::uint16_t kInTransaction = 1;
constexpr std::uint16_t kMoreResults = 8;
constexpr std::uint16_t kCursorExists = 64;

bool is_eof(std::string_view payload) {
  return byte_at(payload, 0) == 0xFE && payload.size() < 9;
}

}  // namespace

void AnswerReader::expect(Command command) {
  command_ = command;
  state_ = State::First;
  if (command == Command::Fetch) state_ = State::Rows;
  if (command == Command::FieldList) state_ = State::List;
}

AnswerReader::Event AnswerReader::finished(std::uint16_t status) {
  Event event;
  event.in_transaction = (status & kInTransaction) != 0;
  const bool goes_on = (status & kMoreResults) != 0;
  event.kind = goes_on ? Event::Kind::Result : Event::Kind::Done;
  state_ = State::First;
  return event;
}

AnswerReader::Event AnswerReader::failed(std::string_view payload) {
  Event event;
  event.kind = Event::Kind::Failed;
  PacketReader reader(payload.substr(1));
  event.code = static_cast<std::uint16_t>(reader.number(2));
  if (byte_at(payload, 3) == '#') {
    (void)reader.number(1);
    event.sqlstate = std::string(reader.bytes(5));
  }
  event.message = std::string(reader.rest());
  return event;
}

AnswerReader::Event AnswerReader::prepared(std::string_view payload) {
  PacketReader reader(payload.substr(1));
  prepared_ = Event();
  prepared_.kind = Event::Kind::Prepared;
  prepared_.number = static_cast<std::uint32_t>(reader.number(4));
  const bool has_columns = reader.number(2) > 0;
  prepared_.parameters = reader.number(2);
  lists_ = (has_columns ? 1 : 0) + (prepared_.parameters > 0 ? 1 : 0);
  if (lists_ == 0) return prepared_;
  state_ = State::Definitions;
  return {};
}

AnswerReader::Event AnswerReader::first(std::string_view payload) {
  if (command_ == Command::Statistics) return finished(0);
  if (byte_at(payload, 0) == 0 && command_ == Command::Prepare)
    return prepared(payload);
  if (byte_at(payload, 0) == 0) {
    PacketReader reader(payload.substr(1));
    const std::uint64_t rows = reader.length();
    const std::uint64_t number = reader.length();
    Event event = finished(static_cast<std::uint16_t>(reader.number(2)));
    event.rows = rows;
    event.number_of_row = number;
    (void)reader.number(2);  // warnings
    event.info = std::string(reader.rest());
    return event;
  }
  if (byte_at(payload, 0) == 0xFB) {
    Event event;
    event.kind = Event::Kind::File;
    return event;
  }
  if (is_eof(payload))
    return finished(static_cast<std::uint16_t>(
        PacketReader(payload.substr(1)).number(4) >> 16));
  columns_ = PacketReader(payload).length();
  state_ = State::Columns;
  return {};
}

AnswerReader::Event AnswerReader::take(std::string_view payload) {
  if (payload.empty()) return {};
  const auto of = [](Event::Kind kind) {
    Event event;
    event.kind = kind;
    return event;
  };
  const bool is_error = byte_at(payload, 0) == 0xFF;
  if (is_error && state_ != State::Columns && state_ != State::Definitions)
    return failed(payload);
  switch (state_) {
    case State::First: return first(payload);
    case State::Columns:
      if (columns_ > 0) {
        --columns_;
        return of(Event::Kind::Column);
      } else {
        const auto status =
            static_cast<std::uint16_t>(PacketReader(payload).number(5) >> 24);
        if (command_ == Command::Execute && (status & kCursorExists) != 0)
          return finished(status);
        state_ = State::Rows;
      }
      return {};
    case State::Rows:
    case State::List:
      if (is_eof(payload))
        return finished(
            static_cast<std::uint16_t>(PacketReader(payload).number(5) >> 24));
      return state_ == State::Rows ? of(Event::Kind::Row) : Event();
    case State::Definitions:
      if (is_eof(payload) && --lists_ == 0) {
        state_ = State::First;
        return prepared_;
      }
      return {};
  }
  return {};
}

}  // namespace txscope::db
