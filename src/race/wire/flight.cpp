#include "race/wire/flight.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "db/proxy/binary_value.h"
#include "db/proxy/statements.h"
#include "race/wire/driver_question.h"

namespace txscope::race {
namespace {

constexpr auto kSilentWords =
    std::to_array<std::string_view>({"BEGIN", "START", "SET", "SHOW", "RESET",
                                     "SAVEPOINT", "RELEASE", "DEALLOCATE"});
// No SQL, so that nothing is believed of it.
constexpr const char* kUnknownStatement = "a statement that nobody prepared";

std::string with_head(char type, std::string_view body) {
  const auto length = static_cast<std::uint32_t>(body.size() + 4);
  std::string result(1, type);
  for (int shift = 24; shift >= 0; shift -= 8)
    result += static_cast<char>(length >> shift & 255);
  return result.append(body);
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 32;
  });
}

/// Of a type that is not known, how long it is.
std::string binary_parameter(std::string_view bytes, std::uint32_t type) {
  if (auto text = db::from_binary(type, bytes)) return *std::move(text);
  if (type != 0 && is_printable(bytes)) return std::string(bytes);
  return "(" + std::to_string(bytes.size()) + " bytes)";
}

}  // namespace

std::string shown(const Statement& statement) {
  std::string text = statement.sql;
  for (std::size_t i = 0; i < statement.params.size(); ++i)
    text += (i == 0 ? " -- " : ", ") + statement.params[i].value_or("NULL");
  return text;
}

const std::string* instead_of(std::string_view text, const Rewrites& rewrites) {
  const std::vector<std::string_view> all = db::split_statements(text);
  if (all.size() != 1) return nullptr;
  const auto known = rewrites.find(all.front());
  return known == rewrites.end() ? nullptr : &known->second;
}

bool is_silent(std::string_view sql) {
  const std::vector<std::string> words = db::first_words(sql, 1);
  if (words.empty()) return true;
  const bool may_ask = words[0] == "SELECT" || words[0] == "WITH";
  return std::find(kSilentWords.begin(), kSilentWords.end(), words[0]) !=
             kSilentWords.end() ||
         (may_ask && is_driver_question(sql));
}

bool is_transaction_end(std::string_view sql) {
  const std::vector<std::string> words = db::first_words(sql, 3);
  if (words.empty()) return false;
  if (words[0] == "COMMIT" || words[0] == "END") return true;
  if (words[0] != "ROLLBACK" && words[0] != "ABORT") return false;
  return std::find(words.begin() + 1, words.end(), "TO") == words.end();
}

bool FlightCutter::feed(std::string_view bytes, std::vector<Flight>& flights) {
  return splitter_.feed(bytes, [&](const db::WireSplitter::Message& message) {
    take(message, flights);
  });
}

void FlightCutter::take(const db::WireSplitter::Message& message,
                        std::vector<Flight>& flights) {
  std::string body(message.body);
  if (rewrites_ != nullptr) rewrite(message.type, body);
  const std::string bytes = with_head(message.type, body);
  db::WireReader reader(body);
  const auto close = [&](Flight::End end) {
    if (end != Flight::End::Flush && end != Flight::End::Terminate)
      described_.emplace_back();
    open_.end = end;
    flights.push_back(std::move(open_));
    open_ = Flight();
  };
  if (std::string_view("dcfp").find(message.type) != std::string_view::npos) {
    flights.push_back({bytes, Flight::End::Aside, {}, 0, 0});
    return;
  }
  open_.bytes += bytes;
  switch (message.type) {
    case 'Q':
      for (const std::string_view one : db::split_statements(reader.text()))
        open_.statements.push_back({std::string(one), {}});
      close(Flight::End::Query);
      break;
    case 'P': {
      const std::string name(reader.text());
      Prepared prepared{std::string(reader.text()), {}};
      for (std::uint16_t n = reader.int16(); n > 0; --n)
        prepared.types.push_back(reader.int32());
      prepared_[name] = std::move(prepared);
      break;
    }
    case 'B': take_bind(reader); break;
    case 'E': {
      const auto portal = portals_.find(reader.text());
      // It may have come by PREPARE or DECLARE, in SQL.
      open_.statements.push_back(portal != portals_.end()
                                     ? portal->second
                                     : Statement{kUnknownStatement, {}});
      ++open_.executes;
      break;
    }
    case 'S': close(Flight::End::Sync); break;
    case 'H': close(Flight::End::Flush); break;
    case 'F':
      open_.statements.push_back({"a function, by its number", {}});
      close(Flight::End::Call);
      break;
    case 'X': close(Flight::End::Terminate); break;
    case 'D':
      if (reader.byte() == 'S') described_.emplace_back(reader.text());
      break;
    default: break;  // Close
  }
}

// A Query is a text, a Parse a name and a text; each ends with a zero byte.
void FlightCutter::rewrite(char type, std::string& body) const {
  if (type != 'Q' && type != 'P') return;
  const std::size_t from = type == 'Q' ? 0 : body.find('\0') + 1;
  const std::size_t end = body.find('\0', from);
  if (end == std::string::npos) return;
  const std::string* other =
      instead_of(std::string_view(body).substr(from, end - from), *rewrites_);
  if (other != nullptr) body.replace(from, end - from, *other);
}

void FlightCutter::take_bind(db::WireReader& reader) {
  const std::string portal(reader.text());
  const auto prepared = prepared_.find(reader.text());
  std::vector<bool> formats;
  for (std::uint16_t n = reader.int16(); n > 0; --n)
    formats.push_back(reader.int16() == 1);
  Statement statement;
  statement.sql =
      prepared != prepared_.end() ? prepared->second.sql : kUnknownStatement;
  const std::size_t count = reader.int16();
  for (std::size_t i = 0; i < count && reader.is_good(); ++i) {
    const std::uint32_t length = reader.int32();
    if (length == 0xFFFFFFFF) {
      statement.params.emplace_back();
      continue;
    }
    const std::string_view value = reader.bytes(length);
    const bool is_binary =
        !formats.empty() &&
        (formats.size() == 1 ? formats[0] : i < formats.size() && formats[i]);
    const std::uint32_t type =
        prepared != prepared_.end() && i < prepared->second.types.size()
            ? prepared->second.types[i]
            : 0;
    statement.params.emplace_back(is_binary ? binary_parameter(value, type)
                                            : std::string(value));
    statement.has_unknown = statement.has_unknown || (is_binary && type == 0);
  }
  portals_[portal] = std::move(statement);
}

void FlightCutter::take_types(std::string_view body) {
  while (!described_.empty() && !described_.front()) described_.pop_front();
  if (described_.empty()) return;
  const auto prepared = prepared_.find(*described_.front());
  described_.pop_front();
  if (prepared == prepared_.end()) return;
  db::WireReader reader(body);
  std::vector<std::uint32_t>& types = prepared->second.types;
  types.clear();
  for (std::uint16_t n = reader.int16(); n > 0 && reader.is_good(); --n)
    types.push_back(reader.int32());
}

void FlightCutter::take_ready() {
  while (!described_.empty()) {
    const bool is_sync = !described_.front();
    described_.pop_front();
    if (is_sync) return;
  }
}

}  // namespace txscope::race
