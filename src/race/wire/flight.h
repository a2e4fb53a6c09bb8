#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/proxy/wire.h"

namespace txscope::race {

/// A statement as a client has the server run it.
struct Statement {
  std::string sql;
  std::vector<std::optional<std::string>> params;  ///< as text; none: NULL
  /// A parameter came in binary, and nobody said of which type it is.
  bool has_unknown = false;

  friend bool operator==(const Statement&, const Statement&) = default;
};

/// "SELECT .. WHERE id = $1 -- 7"
[[nodiscard]] std::string shown(const Statement& statement);

/// A statement's text, and what is sent instead of it.
using Rewrites = std::map<std::string, std::string, std::less<>>;

/// What is sent instead of a text; none: as it is.  Spaces around it and a
/// semicolon behind it do not count.
[[nodiscard]] const std::string* instead_of(std::string_view text,
                                            const Rewrites& rewrites);

/// What a client sends up to and including Query, Sync, or Flush: the server
/// answers it as a whole, so this is what is let through at a time.
struct Flight {
  enum class End : char {
    Query = 'Q',
    Sync = 'S',
    Flush = 'H',
    Call = 'F',       ///< a function, by its number
    Terminate = 'X',  ///< the client goes
    Aside = 'd',      ///< passed on at once: data of a COPY, a password
  };
  std::string bytes;
  End end = End::Aside;
  std::vector<Statement> statements;  ///< that are executed
  std::size_t executes = 0;  ///< Execute messages, which the server answers one
                             ///< by one
  std::uint8_t command = 0;  ///< in the protocol of MariaDB
};

/// Whether a statement by itself commutes with everything: BEGIN, SET, SHOW,
/// SAVEPOINT, RELEASE, DEALLOCATE, and what drivers ask first.
[[nodiscard]] bool is_silent(std::string_view sql);
/// COMMIT or ROLLBACK of a whole transaction, under any of its names.
[[nodiscard]] bool is_transaction_end(std::string_view sql);

/// Cuts what a client sends into flights, and remembers what it prepared.
class FlightCutter {
 public:
  explicit FlightCutter(const Rewrites* rewrites = nullptr)
      : splitter_(kLargest), rewrites_(rewrites) {}

  /// Takes bytes that follow the startup message; false: this is no client.
  bool feed(std::string_view bytes, std::vector<Flight>& flights);

  /// What the server says of the parameters that a Describe asked about.
  void take_types(std::string_view body);
  /// The server has answered all up to a Sync or a Query: what it skipped after
  /// an error it has not described.
  void take_ready();

 private:
  static constexpr std::size_t kLargest = std::size_t{1} << 30;

  void take(const db::WireSplitter::Message& message,
            std::vector<Flight>& flights);
  void take_bind(db::WireReader& reader);
  void rewrite(char type, std::string& body) const;

  struct Prepared {
    std::string sql;
    std::vector<std::uint32_t> types;
  };
  db::WireSplitter splitter_;
  const Rewrites* rewrites_;
  Flight open_;
  std::map<std::string, Prepared, std::less<>> prepared_;
  std::map<std::string, Statement, std::less<>> portals_;
  /// Statements whose description is still to come; none: a Sync.
  std::deque<std::optional<std::string>> described_;
};

}  // namespace txscope::race
