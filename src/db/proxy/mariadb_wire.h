#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::db {

// The client/server protocol of MariaDB and MySQL (MariaDB's manual,
// "Client/Server Protocol"): packets of a length of three bytes, a number and a
// payload; one of 2^24 - 1 bytes goes on in the next packet.  The server speaks
// first; then the client sends one command at a time.

/// Reads little-endian fields; after the end everything is 0 or empty, and
/// is_good() false.
class PacketReader {
 public:
  explicit PacketReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number(std::size_t size);
  /// A length in one to nine bytes.
  std::uint64_t length();
  std::string_view bytes(std::size_t count);
  std::string_view counted() { return bytes(length()); }
  /// Up to a zero byte, which is taken, too.
  std::string_view text();
  std::string_view rest() { return bytes(bytes_.size()); }
  /// Of a row as text; it is taken.
  bool takes_null();
  [[nodiscard]] bool is_good() const { return is_good_; }
  [[nodiscard]] bool is_empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool is_good_ = true;
};

/// A payload as packets; `sequence` is the number of the first.
[[nodiscard]] std::string packets_of(std::string_view payload,
                                     std::uint8_t sequence);

/// Cuts a stream into payloads.  Of one above the limit only the first bytes
/// are kept.
class PacketSplitter {
 public:
  struct Packet {
    std::uint8_t sequence = 0;  ///< of its first packet
    std::string_view payload;   ///< of one that is not whole its beginning
    std::string_view raw;       ///< the packets as they came, if it is whole
    bool is_whole = true;
  };
  /// So many bytes of a large payload are told.
  static constexpr std::size_t kBeginning = 1024;
  explicit PacketSplitter(std::size_t limit = std::size_t{1} << 40)
      : limit_(limit) {}

  void feed(std::string_view bytes,
            const std::function<void(const Packet&)>& take);

 private:
  /// How the payload that begins there stands.
  struct Extent {
    std::size_t end = 0;  ///< behind the last packet that is known of
    std::size_t packets = 0;
    bool is_last = false;  ///< that one ends the payload
    bool is_here = false;  ///< all of it
  };
  [[nodiscard]] Extent extent(std::size_t from) const;
  /// Drops what it can of a large payload; false: more is to come.
  bool skip();

  std::size_t limit_;
  std::string kept_;
  std::uint64_t skipping_ = 0;  ///< bytes of a large one still to come
  bool is_last_ = true;         ///< they are its last packet
  bool is_large_ = false;       ///< in one
  std::uint8_t sequence_ = 0;   ///< of it
  std::string beginning_;
};

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

/// A column as the server describes it.
struct ColumnDefinition {
  std::string name;
  unsigned charset = 0;
  std::uint8_t type = 0;
  std::uint16_t flags = 0;
  std::uint8_t decimals = 0;

  [[nodiscard]] bool is_unsigned() const { return (flags & 32) != 0; }
};
[[nodiscard]] ColumnDefinition column_definition(std::string_view payload);
/// The values of a row; `is_binary`: of an Execute.  None: it is not such a
/// row.
[[nodiscard]] std::optional<std::vector<std::optional<std::string>>> row_values(
    std::string_view payload, const std::vector<ColumnDefinition>& columns,
    bool is_binary);

enum class Command : std::uint8_t {
  Quit = 0x01,
  InitDb = 0x02,
  Query = 0x03,
  FieldList = 0x04,
  Statistics = 0x09,
  ChangeUser = 0x11,
  Prepare = 0x16,
  Execute = 0x17,
  LongData = 0x18,  ///< is not answered
  Close = 0x19,     ///< nor this
  Fetch = 0x1c,
};

/// What the server says to one command, packet by packet.
class AnswerReader {
 public:
  /// Something that a command led to.
  struct Event {
    enum class Kind : std::uint8_t {
      More,      ///< nothing to tell yet
      Column,    ///< the payload describes a column of the result
      Row,       ///< the payload is one
      File,      ///< the server wants a file of the client
      Result,    ///< of one statement; another one follows
      Done,      ///< the command is answered
      Failed,    ///< with an error
      Prepared,  ///< `number` and `parameters`
    };
    Kind kind = Kind::More;
    bool in_transaction = false;  ///< Result, Done
    std::uint32_t number = 0;
    std::size_t parameters = 0;
    std::string sqlstate;
    std::uint16_t code = 0;
    std::string message;              ///< of an error
    std::uint64_t rows = 0;           ///< that were written; Result, Done
    std::uint64_t number_of_row = 0;  ///< generated for the first of them
    std::string info;  ///< "Rows matched: 1  Changed: 0  Warnings: 0"
  };

  void expect(Command command);
  [[nodiscard]] Event take(std::string_view payload);

 private:
  enum class State : std::uint8_t { First, Columns, Rows, Definitions, List };
  Event finished(std::uint16_t status);
  Event failed(std::string_view payload);
  Event first(std::string_view payload);
  Event prepared(std::string_view payload);

  Command command_ = Command::Query;
  State state_ = State::First;
  std::uint64_t columns_ = 0;  ///< still to come
  std::size_t lists_ = 0;      ///< of definitions that still come
  Event prepared_;
};

/// Statements that a client prepared, and the values that it runs them with.
class PreparedStatements {
 public:
  void add(std::uint32_t number, std::string sql, std::size_t parameters);
  [[nodiscard]] const std::string* text_of(std::uint32_t number) const;
  void forget(std::uint32_t number) { statements_.erase(number); }

  /// Of a LongData's payload: a value that is sent before its Execute.
  void add_long_data(std::string_view payload);

  struct Run {
    std::string sql;
    std::vector<std::optional<std::string>> params;  ///< as text; none: NULL
    std::vector<std::uint16_t> types;  ///< of them, where they are known
  };
  /// Of an Execute's payload; none: nobody prepared that.
  [[nodiscard]] std::optional<Run> run(std::string_view payload);

 private:
  struct Statement {
    std::string sql;
    std::size_t parameters = 0;
    std::vector<std::uint16_t> types;
    std::map<std::size_t, std::string> apart;  ///< by parameter
  };
  [[nodiscard]] std::uint32_t meant(std::uint32_t number) const {
    return number == 0xFFFFFFFF ? last_ : number;
  }

  std::map<std::uint32_t, Statement> statements_;
  std::uint32_t last_ = 0;  ///< what -1 stands for
};

}  // namespace txscope::db
