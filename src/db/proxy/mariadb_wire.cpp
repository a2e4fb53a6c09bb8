#include "db/proxy/mariadb_wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace txscope::db {
namespace {

constexpr std::size_t kWhole = 0xFFFFFF;  // of a packet that goes on

// Capabilities that both sides have to want.
constexpr std::uint32_t kCompress = 1u << 5;
constexpr std::uint32_t kFoundRows = 1u << 1;
constexpr std::uint32_t kMultiStatements = 1u << 16;
constexpr std::uint32_t kConnectWithDb = 1u << 3;
constexpr std::uint32_t kSsl = 1u << 11;
constexpr std::uint32_t kSecureConnection = 1u << 15;
constexpr std::uint32_t kLongAuth = 1u << 21;
constexpr std::uint32_t kDeprecateEof = 1u << 24;
constexpr std::uint32_t kOptionalMetadata = 1u << 25;
constexpr std::uint32_t kZstd = 1u << 26;
constexpr std::uint32_t kQueryAttributes = 1u << 27;
constexpr std::uint32_t kHidden = kCompress | kSsl | kDeprecateEof |
                                  kOptionalMetadata | kZstd | kQueryAttributes;

constexpr std::uint16_t kInTransaction = 1;
constexpr std::uint16_t kMoreResults = 8;
constexpr std::uint16_t kCursorExists = 64;

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<std::uint8_t>(text[at]) : 0;
}

bool is_eof(std::string_view payload) {
  return byte_at(payload, 0) == 0xFE && payload.size() < 9;
}

void put_number(std::string& text, std::size_t at, std::uint64_t value,
                std::size_t size) {
  for (std::size_t i = 0; i < size && at + i < text.size(); ++i)
    text[at + i] = static_cast<char>(value >> (8 * i) & 255);
}

/// Where the fields stand behind the version, which has no fixed length.
std::size_t behind_version(std::string_view greeting) {
  const std::size_t end = greeting.find('\0', 1);
  return end == std::string_view::npos ? greeting.size() : end + 1;
}

std::string date_text(PacketReader reader) {
  const std::uint64_t year = reader.number(2);
  const std::uint64_t month = reader.number(1);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}", year, month, reader.number(1));
  if (reader.is_empty()) return text;
  const std::uint64_t hour = reader.number(1);
  const std::uint64_t minute = reader.number(1);
  text += fmt::format(" {:02}:{:02}:{:02}", hour, minute, reader.number(1));
  if (!reader.is_empty()) text += fmt::format(".{:06}", reader.number(4));
  return text;
}

std::string signed_text(std::uint64_t value, std::size_t size,
                        bool is_unsigned) {
  if (is_unsigned) return std::to_string(value);
  const std::size_t shift = 64 - 8 * size;
  return std::to_string(static_cast<std::int64_t>(value << shift) >>
                        static_cast<std::int64_t>(shift));
}

std::string time_text(PacketReader reader) {
  const bool is_negative = reader.number(1) == 1;
  const std::uint64_t hours = reader.number(4) * 24 + reader.number(1);
  const std::uint64_t minute = reader.number(1);
  std::string text = fmt::format("{}{:02}:{:02}:{:02}", is_negative ? "-" : "",
                                 hours, minute, reader.number(1));
  if (!reader.is_empty()) text += fmt::format(".{:06}", reader.number(4));
  return text;
}

/// A value of an Execute, or of a row that it gave, by its type.
std::string value_text(PacketReader& reader, std::uint16_t type) {
  const bool is_unsigned = (type & 0x8000) != 0;
  switch (type & 0xFF) {
    case 0x01: return signed_text(reader.number(1), 1, is_unsigned);
    case 0x02:
    case 0x0D: return signed_text(reader.number(2), 2, is_unsigned);
    case 0x03:
    case 0x09: return signed_text(reader.number(4), 4, is_unsigned);
    case 0x08: return signed_text(reader.number(8), 8, is_unsigned);
    case 0x04:
      return fmt::format(
          "{}",
          std::bit_cast<float>(static_cast<std::uint32_t>(reader.number(4))));
    case 0x05:
      return fmt::format("{}", std::bit_cast<double>(reader.number(8)));
    case 0x07:
    case 0x0A:
    case 0x0C: return date_text(PacketReader(reader.counted()));
    case 0x0B: return time_text(PacketReader(reader.counted()));
    default: return std::string(reader.counted());
  }
}

/// The binary form leaves out what is 0; the text does not.
void fill_up(std::string& text, const ColumnDefinition& column) {
  const bool is_moment = column.type == 0x07 || column.type == 0x0C;
  if (is_moment && text.size() == 10) text += " 00:00:00";
  if ((!is_moment && column.type != 0x0B) || column.decimals > 6) return;
  const std::size_t point = text.find('.');
  if (point != std::string::npos) text.resize(point + 1 + 6, '0');
  if (point == std::string::npos && column.decimals > 0) text += ".000000";
  const std::size_t at = text.find('.');
  if (at != std::string::npos)
    text.resize(column.decimals == 0 ? at : at + 1 + column.decimals);
}

}  // namespace

std::uint64_t PacketReader::number(std::size_t size) {
  const std::string_view taken = bytes(size);
  std::uint64_t value = 0;
  for (std::size_t i = taken.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(taken[i]);
  return value;
}

std::uint64_t PacketReader::length() {
  const std::uint64_t first = number(1);
  if (first < 0xFB) return first;
  if (first == 0xFC) return number(2);
  if (first == 0xFD) return number(3);
  if (first == 0xFE) return number(8);
  is_good_ = false;
  return 0;
}

std::string_view PacketReader::bytes(std::size_t count) {
  if (count > bytes_.size()) {
    is_good_ = false;
    bytes_ = {};
    return {};
  }
  const std::string_view result = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return result;
}

std::string_view PacketReader::text() {
  const std::size_t end = bytes_.find('\0');
  if (end == std::string_view::npos) {
    is_good_ = false;
    return rest();
  }
  const std::string_view result = bytes_.substr(0, end);
  bytes_.remove_prefix(end + 1);
  return result;
}

bool PacketReader::takes_null() {
  if (byte_at(bytes_, 0) != 0xFB) return false;
  bytes_.remove_prefix(1);
  return true;
}

std::string packets_of(std::string_view payload, std::uint8_t sequence) {
  std::string result;
  while (true) {
    const std::string_view part = payload.substr(0, kWhole);
    payload.remove_prefix(part.size());
    std::string head(4, '\0');
    put_number(head, 0, part.size(), 3);
    head[3] = static_cast<char>(sequence++);
    result.append(head).append(part);
    if (part.size() < kWhole) return result;
  }
}

PacketSplitter::Extent PacketSplitter::extent(std::size_t from) const {
  Extent result{from, 0, false, false};
  while (!result.is_last && kept_.size() >= result.end + 4) {
    const auto length = static_cast<std::size_t>(
        PacketReader(std::string_view(kept_).substr(result.end, 3)).number(3));
    result.end += 4 + length;
    ++result.packets;
    result.is_last = length < kWhole;
    if (kept_.size() < result.end) return result;
  }
  result.is_here = result.is_last;
  return result;
}

bool PacketSplitter::skip() {
  while (true) {
    const auto count = static_cast<std::size_t>(
        std::min<std::uint64_t>(skipping_, kept_.size()));
    kept_.erase(0, count);
    skipping_ -= count;
    if (skipping_ > 0) return false;
    if (is_last_) return true;
    if (kept_.size() < 4) return false;
    const std::uint64_t length =
        PacketReader(std::string_view(kept_).substr(0, 3)).number(3);
    skipping_ = 4 + length;
    is_last_ = length < kWhole;
  }
}

void PacketSplitter::feed(std::string_view bytes,
                          const std::function<void(const Packet&)>& take) {
  kept_ += bytes;
  std::size_t done = 0;
  while (true) {
    if (is_large_) {
      if (!skip()) return;
      is_large_ = false;
      take({sequence_, beginning_, {}, false});
    }
    const Extent found = extent(done);
    if (found.packets == 0) break;
    const std::size_t size = found.end - done - 4 * found.packets;
    if (size > limit_ && kept_.size() >= done + 4 + kBeginning) {
      sequence_ = byte_at(kept_, done + 3);
      beginning_ = kept_.substr(done + 4, kBeginning);
      is_large_ = true;
      is_last_ = found.is_last;
      skipping_ = found.end - done;
      kept_.erase(0, done);
      done = 0;
      continue;
    }
    if (!found.is_here) break;
    const std::string_view raw =
        std::string_view(kept_).substr(done, found.end - done);
    std::string joined;
    std::string_view payload = raw.substr(4);
    if (found.packets > 1) {
      for (std::size_t from = 0; from < raw.size(); from += 4 + kWhole)
        joined += raw.substr(from + 4, kWhole);
      payload = joined;
    }
    take({byte_at(raw, 3), payload, raw, true});
    done = found.end;
  }
  kept_.erase(0, done);
}

std::string plain_greeting(std::string_view payload) {
  std::string result(payload);
  // thread (4), the first part of a challenge (8), 0; then what it can do.
  const std::size_t low = behind_version(payload) + 13;
  const std::size_t high = low + 5;
  const std::size_t special = high + 9;  // of MariaDB alone
  if (payload.size() < special + 4) return result;
  const std::uint32_t can =
      static_cast<std::uint32_t>(byte_at(payload, low)) |
      static_cast<std::uint32_t>(byte_at(payload, low + 1)) << 8 |
      static_cast<std::uint32_t>(byte_at(payload, high)) << 16 |
      static_cast<std::uint32_t>(byte_at(payload, high + 1)) << 24;
  put_number(result, low, can & ~kHidden, 2);
  put_number(result, high, (can & ~kHidden) >> 16, 2);
  if ((can & 1) == 0) put_number(result, special, 0, 4);
  return result;
}

std::int64_t thread_of(std::string_view payload) {
  const std::size_t at = std::min(behind_version(payload), payload.size());
  return static_cast<std::int64_t>(PacketReader(payload.substr(at)).number(4));
}

std::string with_database(std::string_view payload, std::string_view database,
                          std::string_view user) {
  PacketReader reader(payload);
  const auto wanted = static_cast<std::uint32_t>(reader.number(4));
  std::string result(payload.substr(0, 4));
  put_number(result, 0, wanted | kConnectWithDb, 4);
  result += reader.bytes(4 + 1 + 23);
  const std::string_view name = reader.text();
  result.append(user.empty() ? name : user) += '\0';
  if ((wanted & kLongAuth) != 0 || (wanted & kSecureConnection) != 0) {
    const std::string_view secret = (wanted & kLongAuth) != 0
                                        ? reader.counted()
                                        : reader.bytes(reader.number(1));
    // Both kinds of length are one byte up to 250.
    if (secret.size() > 250) return std::string(payload);
    result += static_cast<char>(secret.size());
    result += secret;
  } else {
    result.append(reader.text()) += '\0';
  }
  if ((wanted & kConnectWithDb) != 0) (void)reader.text();
  if (!reader.is_good()) return std::string(payload);
  result.append(database) += '\0';
  result += reader.rest();
  return result;
}

LoginWish login_wish(std::string_view payload) {
  PacketReader reader(payload);
  const auto wanted = static_cast<std::uint32_t>(reader.number(4));
  LoginWish wish;
  wish.finds_rows = (wanted & kFoundRows) != 0;
  wish.has_statements = (wanted & kMultiStatements) != 0;
  (void)reader.bytes(4 + 1 + 23);
  (void)reader.text();  // the user
  if ((wanted & kLongAuth) != 0)
    (void)reader.counted();
  else if ((wanted & kSecureConnection) != 0)
    (void)reader.bytes(reader.number(1));
  else
    (void)reader.text();
  if ((wanted & kConnectWithDb) != 0) wish.database = reader.text();
  return wish;
}

std::string database_of_change(std::string_view payload) {
  PacketReader reader(payload.substr(1));
  (void)reader.text();  // the user
  (void)reader.bytes(reader.number(1));
  return std::string(reader.text());
}

std::string error_packet(std::uint8_t sequence, std::uint16_t code,
                         std::string_view sqlstate, std::string_view text) {
  std::string payload(3, '\xFF');
  put_number(payload, 1, code, 2);
  payload.append("#").append(sqlstate).append(text);
  return packets_of(payload, sequence);
}

ColumnDefinition column_definition(std::string_view payload) {
  PacketReader reader(payload);
  ColumnDefinition result;
  for (int i = 0; i < 4; ++i) (void)reader.counted();  // where it comes from
  result.name = reader.counted();
  (void)reader.counted();  // its name in the table
  (void)reader.length();
  result.charset = static_cast<unsigned>(reader.number(2));
  (void)reader.number(4);  // width
  result.type = static_cast<std::uint8_t>(reader.number(1));
  result.flags = static_cast<std::uint16_t>(reader.number(2));
  result.decimals = static_cast<std::uint8_t>(reader.number(1));
  return result;
}

std::optional<std::vector<std::optional<std::string>>> row_values(
    std::string_view payload, const std::vector<ColumnDefinition>& columns,
    bool is_binary) {
  std::vector<std::optional<std::string>> result;
  PacketReader reader(payload);
  if (!is_binary) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (reader.takes_null())
        result.emplace_back();
      else
        result.emplace_back(reader.counted());
      if (!reader.is_good()) return std::nullopt;
    }
    return result;
  }
  (void)reader.number(1);
  const std::string_view nulls = reader.bytes((columns.size() + 7 + 2) / 8);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if ((byte_at(nulls, (i + 2) / 8) >> ((i + 2) % 8) & 1) != 0) {
      result.emplace_back();
      continue;
    }
    const auto type = static_cast<std::uint16_t>(
        columns[i].type | (columns[i].is_unsigned() ? 0x8000 : 0));
    result.emplace_back(value_text(reader, type));
    if (!reader.is_good()) return std::nullopt;
    fill_up(*result.back(), columns[i]);
  }
  return result;
}

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

void PreparedStatements::add(std::uint32_t number, std::string sql,
                             std::size_t parameters) {
  statements_[number] = {std::move(sql), parameters, {}, {}};
  last_ = number;
}

const std::string* PreparedStatements::text_of(std::uint32_t number) const {
  const auto found = statements_.find(meant(number));
  return found == statements_.end() ? nullptr : &found->second.sql;
}

void PreparedStatements::add_long_data(std::string_view payload) {
  PacketReader reader(payload.substr(1));
  const auto found =
      statements_.find(meant(static_cast<std::uint32_t>(reader.number(4))));
  const std::size_t parameter = reader.number(2);
  if (found != statements_.end())
    found->second.apart[parameter] += reader.rest();
}

std::optional<PreparedStatements::Run> PreparedStatements::run(
    std::string_view payload) {
  PacketReader reader(payload.substr(1));
  const auto found =
      statements_.find(meant(static_cast<std::uint32_t>(reader.number(4))));
  if (found == statements_.end()) return std::nullopt;
  Statement& statement = found->second;
  Run result{statement.sql, {}, {}};
  if (statement.parameters == 0) return result;
  (void)reader.bytes(1 + 4);  // flags, and how often
  const std::string_view nulls = reader.bytes((statement.parameters + 7) / 8);
  if (reader.number(1) == 1) {
    statement.types.clear();
    for (std::size_t i = 0; i < statement.parameters; ++i)
      statement.types.push_back(static_cast<std::uint16_t>(reader.number(2)));
  }
  for (std::size_t i = 0; i < statement.parameters; ++i) {
    const bool is_null = (byte_at(nulls, i / 8) >> (i % 8) & 1) != 0;
    const auto apart = statement.apart.find(i);
    if (apart != statement.apart.end())
      result.params.emplace_back(apart->second);
    else if (is_null || !reader.is_good() || i >= statement.types.size())
      result.params.emplace_back();
    else
      result.params.emplace_back(value_text(reader, statement.types[i]));
  }
  statement.apart.clear();
  result.types = statement.types;
  return result;
}

}  // namespace txscope::db
