#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::sql {

/// What becomes of one of psql's own commands.
enum class PsqlDeed : std::uint8_t {
  Nothing,  ///< it prints, or changes how psql prints
  Include,
  IncludeRelative,
  Set,
  Unset,
  If,
  Elif,
  Else,
  Endif,
  Copy,
  Connect,
  Quit,
  Go,       ///< \g: as a semicolon
  Refused,  ///< it would change an answer
  Unknown,
};
[[nodiscard]] PsqlDeed psql_deed(std::string_view command);

using PsqlVariables = std::map<std::string, std::string, std::less<>>;

/// A variable in a statement or in a command's arguments: :name, :'name',
/// :"name", :{?name}.
struct PsqlMention {
  std::size_t length = 0;  ///< of the mention; 0: there is none
  std::string name;
  std::string value;  ///< as it goes into the text
  bool is_set = false;
};
/// The one that begins at text[at], a colon.
[[nodiscard]] PsqlMention psql_mention(std::string_view text, std::size_t at,
                                       const PsqlVariables& variables);

/// The arguments of a command, which go from `at` to the end of the line or to
/// the next backslash.
struct PsqlArguments {
  std::vector<std::string> list;
  std::size_t end = 0;
  bool runs_shell = false;  ///< has something between `backticks`
};
[[nodiscard]] PsqlArguments psql_arguments(std::string_view text,
                                           std::size_t at,
                                           const PsqlVariables& variables);

/// \copy's words: `target FROM file options`.
struct PsqlCopy {
  bool is_from = false;  ///< else it reads the table only
  std::string target;    ///< table and columns
  std::string source;    ///< the file's name, or stdin, pstdin, program
  bool is_file = false;
  std::string options;
};
[[nodiscard]] PsqlCopy psql_copy(std::string_view line);

/// true, on, yes, 1 and the like, as psql takes them; nothing: neither.
enum class PsqlTruth : std::uint8_t { True, False, Neither };
[[nodiscard]] PsqlTruth psql_truth(std::string_view word);

/// The script of an extension: CREATE EXTENSION puts the name of a schema where
/// @extschema@ stands.  As long as it was.
void put_extension_schema(std::string& text);

}  // namespace txscope::sql
