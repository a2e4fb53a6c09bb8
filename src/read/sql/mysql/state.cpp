#include "read/sql/mysql/state.h"

namespace txscope::sql {

std::string MysqlState::name(std::string_view written) const {
  std::string lower(written);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  const auto found = spellings.find(lower);
  return found == spellings.end() ? lower : found->second;
}

MysqlModes modes_of(std::string_view sql_mode) {
  std::string upper(sql_mode);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  const auto has = [&](std::string_view word) {
    return ("," + upper + ",").find("," + std::string(word) + ",") !=
           std::string::npos;
  };
  MysqlModes modes;
  modes.has_ansi_quotes = has("ANSI_QUOTES") || has("ANSI");
  modes.pipes_concat = has("PIPES_AS_CONCAT") || has("ANSI");
  modes.has_no_backslashes = has("NO_BACKSLASH_ESCAPES");
  return modes;
}

}  // namespace txscope::sql
