#include "read/sql/mysql/state.h"

#include "base/ascii.h"

namespace txscope::sql {

std::string MysqlState::name(std::string_view written) const {
  std::string lower = ascii::lower(written);
  const auto found = spellings.find(lower);
  return found == spellings.end() ? lower : found->second;
}

MysqlModes modes_of(std::string_view sql_mode) {
  std::string upper = ascii::upper(sql_mode);
  const auto has = [&](std::string_view word) {
    return ("," + upper + ",").find("," + std::string(word) + ",") !=
           std::string::npos;
  };
  MysqlModes modes;
  modes.has_ansi_quotes = has("ANSI_QUOTES") || has("ANSI");
  modes.pipes_concat = has("PIPES_AS_CONCAT") || has("ANSI");
  modes.has_no_backslashes = has("NO_BACKSLASH_ESCAPES");
  modes.is_strict = has("STRICT_TRANS_TABLES") || has("STRICT_ALL_TABLES") ||
                    has("TRADITIONAL");
  return modes;
}

}  // namespace txscope::sql
