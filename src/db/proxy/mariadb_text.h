#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::db {

/// A piece of a statement in MariaDB's words.
struct MariadbPiece {
  enum class Kind : char {
    Blank,  ///< also a comment
    Text,   ///< '..' or "..", without quotes and escapes
    Name,   ///< `..`, without quotes
    Word,
    Sign,  ///< "?", "<=>", ";" and the like
  };
  Kind kind = Kind::Sign;
  std::string text;

  /// Whether it is this keyword; `upper` is in capitals.
  [[nodiscard]] bool is_word(std::string_view upper) const;
  [[nodiscard]] bool is_sign(std::string_view sign) const {
    return kind == Kind::Sign && text == sign;
  }
};

/// What SQL modes change of a text.
struct MariadbMode {
  bool ansi_quotes = false;
  bool no_backslash = false;
  bool pipes_concat = false;
  /// "STRICT_TRANS_TABLES,ANSI_QUOTES"
  [[nodiscard]] static MariadbMode of(std::string_view sql_mode);
};

/// The pieces; `/*! .. */` is what stands in it.
[[nodiscard]] std::vector<MariadbPiece> mariadb_pieces(std::string_view text,
                                                       MariadbMode mode);
/// The statements between semicolons; `several`: there may be more than one.
[[nodiscard]] std::vector<std::vector<MariadbPiece>> mariadb_statements(
    std::string_view text, MariadbMode mode, bool several);

/// The names of a database that a log tells of.
struct MariadbNames {
  std::string database;
  /// Of tables and columns: in small letters, and as they are.
  std::map<std::string, std::string> spelled;
  /// Tables with triggers, views, routines: what a statement does that names
  /// one is not seen.
  std::set<std::string> unseen;
  std::map<std::string, std::string> numbered;  ///< table -> AUTO_INCREMENT
};

/// A statement in the words of a log: PostgreSQL's, with names in `..` and
/// backslashes in strings twice, as logs of MariaDB have them.
struct LogWords {
  std::string sql;
  /// It may do something else to the tables that the text names; without a
  /// text, to any.
  bool is_unseen = false;
  /// The column of an INSERT whose rows the server numbers; the protocol's
  /// answer tells the number.
  std::string numbers;
};
/// What has no counterpart stays as it is, so that its reader refuses it.
[[nodiscard]] LogWords log_words(const std::vector<MariadbPiece>& statement,
                                 const MariadbNames& names, MariadbMode mode);

}  // namespace txscope::db
