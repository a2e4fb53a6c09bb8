#pragma once

#include "read/sql/plpgsql/rooms/pl_room.h"

namespace txscope::sql::plpgsql {

/// EXECUTE: statements that are made of texts.
class Commands : public PlRoom {
 public:
  using PlRoom::PlRoom;

  void execute_text(PlBlock& out);
  /// The query in the tokens up to `end`, or that of EXECUTE there.
  DbStatement query_until(std::size_t end, PlBlock& out);

 private:
  /// A statement that EXECUTE makes, and what it sees.
  struct Command {
    /// How a value gets into the text: %L, quote_literal(), %s, ||.
    enum class Place : std::uint8_t { Literal, Quoted, Formatted, Joined };
    std::string text;
    std::uint32_t at = 0;  ///< its offset
    Tokens tokens;
    std::vector<Names::Found> values;  ///< $1, $2, ...
    /// Where values go into the text while it is made: three blanks.
    std::vector<std::pair<std::size_t, Names::Found>> holes;
    std::optional<Span> into;
    Targets targets;
    bool is_strict = false;
  };

  Command read_command(std::size_t end, PlBlock& out);
  DbStatement statement_of(const Command& command, PlBlock& out);
  void add_text(Command& command, std::size_t from, std::size_t to,
                PlBlock& out);
  void add_format(Command& command, std::size_t from, std::size_t to,
                  PlBlock& out);
  void add_value(Command& command, Command::Place place, std::size_t from,
                 std::size_t to, PlBlock& out);
  [[nodiscard]] std::optional<std::string> known_text(const std::string& name,
                                                      std::size_t use) const;
  [[nodiscard]] std::optional<std::string> fixed_text(std::size_t from,
                                                      std::size_t to) const;
  void trim_text(std::size_t& from, std::size_t& to) const;
  [[nodiscard]] std::vector<std::size_t> parts(
      std::size_t from, std::size_t to, std::string_view separator) const;
};

}  // namespace txscope::sql::plpgsql
