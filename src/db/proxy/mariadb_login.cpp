#include "db/proxy/mariadb_login.h"

#include "db/proxy/mariadb_packet.h"

namespace txscope::db {
namespace {

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

/// Where the fields stand behind the version, which has no fixed length.
std::size_t behind_version(std::string_view greeting) {
  const std::size_t end = greeting.find('\0', 1);
  return end == std::string_view::npos ? greeting.size() : end + 1;
}

}  // namespace

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

}  // namespace txscope::db
