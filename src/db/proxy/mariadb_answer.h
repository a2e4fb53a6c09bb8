#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace txscope::db {

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

}  // namespace txscope::db
