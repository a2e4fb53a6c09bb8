#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace txscope::db {

// How a connection begins: the greeting of the server and what the client asks
// for.

/// The server's first payload without what would hide the statements from us
/// (TLS, compression) or change the form of answers.
[[nodiscard]] std::string plain_greeting(std::string_view payload);
/// The number that the server gives a connection, from its first payload.
[[nodiscard]] std::int64_t thread_of(std::string_view payload);
/// The client's first payload, with this database; `user` empty: its own.
[[nodiscard]] std::string with_database(std::string_view payload,
                                        std::string_view database,
                                        std::string_view user);

/// What the client's first payload, or a ChangeUser, asks for.
struct LoginWish {
  std::string database;         ///< may be empty
  bool finds_rows = false;      ///< counts of UPDATE are the rows found
  bool has_statements = false;  ///< several in one text
};
[[nodiscard]] LoginWish login_wish(std::string_view payload);
[[nodiscard]] std::string database_of_change(std::string_view payload);
/// An error in the protocol's words, which ends a connection.
[[nodiscard]] std::string error_packet(std::uint8_t sequence,
                                       std::uint16_t code,
                                       std::string_view sqlstate,
                                       std::string_view text);

}  // namespace txscope::db
