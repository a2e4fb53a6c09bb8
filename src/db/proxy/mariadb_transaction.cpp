// What the statements of a connection mean for its transactions.

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "db/proxy/mariadb_tap.h"
#include "model/product/profile.h"

namespace txscope::db {
namespace {

using Status = LoggedTransaction::Status;

bool has_word(const std::vector<MariadbPiece>& pieces, std::string_view word) {
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](const auto& one) { return one.is_word(word); });
}

/// The words behind the first one.
std::vector<MariadbPiece> without_blanks(
    const std::vector<MariadbPiece>& pieces) {
  std::vector<MariadbPiece> result;
  for (const MariadbPiece& piece : pieces)
    if (piece.kind != MariadbPiece::Kind::Blank) result.push_back(piece);
  return result;
}

/// Accounts and rights; there may be a password in it.
bool is_about_users(const std::vector<MariadbPiece>& pieces) {
  const MariadbPiece& first = pieces.front();
  return first.is_word("GRANT") || first.is_word("REVOKE") ||
         has_word(pieces, "IDENTIFIED") ||
         (pieces.size() > 1 &&
          (pieces[1].is_word("USER") || pieces[1].is_word("ROLE")));
}

/// Neither reads nor writes tables of the log.
bool is_left_out(const std::vector<MariadbPiece>& pieces) {
  constexpr auto kFirst = std::to_array<std::string_view>(
      {"SHOW", "DESCRIBE", "DESC", "EXPLAIN", "KILL", "FLUSH", "ANALYZE",
       "UNLOCK", "LOCK", "PREPARE", "DEALLOCATE", "HELP", "CHECK", "OPTIMIZE"});
  const MariadbPiece& first = pieces.front();
  if (std::any_of(kFirst.begin(), kFirst.end(),
                  [&](auto word) { return first.is_word(word); }))
    return true;
  if (is_about_users(pieces)) return true;
  if (!first.is_word("SELECT")) return false;
  if (!has_word(pieces, "FROM")) return true;
  // What a variable had, and rows of the server's own tables.
  return std::any_of(pieces.begin(), pieces.end(), [](const MariadbPiece& one) {
    return one.is_word("INFORMATION_SCHEMA") ||
           one.is_word("PERFORMANCE_SCHEMA") ||
           (one.kind == MariadbPiece::Kind::Name &&
            (one.text == "information_schema" ||
             one.text == "INFORMATION_SCHEMA")) ||
           (one.kind == MariadbPiece::Kind::Word && one.text[0] == '@');
  });
}

/// "READ-COMMITTED", "read committed"
std::string level_named(std::string text) {
  std::replace(text.begin(), text.end(), '-', ' ');
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return ascii::upper(c); });
  for (const Profile& profile : profiles())
    if (profile.product == Product::MariaDb && profile.sql == text)
      return std::string(profile.name);
  return "";
}

}  // namespace

void MariadbTap::open() {
  if (is_open_) return;
  is_open_ = true;
  is_explicit_ = false;
  is_doubtful_ = false;
  kept_bytes_ = 0;
  transaction_ = {};
  transaction_.session = session_;
  transaction_.start = asked_.empty() ? clock_.now() : asked_.front().at;
  transaction_.level = next_level_.empty() ? level_ : next_level_;
  next_level_.clear();
}

bool MariadbTap::is_control(const Pieces& all) {
  const Pieces pieces = without_blanks(all);
  if (pieces.empty()) return true;
  const auto is = [&](std::size_t at, std::string_view word) {
    return at < pieces.size() && pieces[at].is_word(word);
  };
  if ((is(0, "BEGIN") && !is(1, "NOT")) ||
      (is(0, "START") && is(1, "TRANSACTION"))) {
    // It ends one that is open.
    if (is_open_) end(Status::Committed);
    open();
    is_explicit_ = true;
    return true;
  }
  const bool is_rollback = is(0, "ROLLBACK") && !has_word(pieces, "TO");
  if (is(0, "COMMIT") || is_rollback) {
    if (is_open_) end(is_rollback ? Status::Aborted : Status::Committed);
    if (has_word(pieces, "CHAIN") && !has_word(pieces, "NO")) open();
    return true;
  }
  if (is(0, "SET")) {
    note_level(pieces);
    return true;
  }
  if (is(0, "USE")) {
    if (pieces.size() > 1) database_ = pieces[1].text;
    return true;
  }
  if (is(0, "XA")) {
    is_doubtful_ = true;
    return true;
  }
  for (const char* word :
       {"CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME", "LOCK"})
    if (is(0, word) && is_open_) end(Status::Committed);
  if (is_left_out(pieces)) return true;
  // In another database, and not a word of this one.
  return is_elsewhere() &&
         std::none_of(pieces.begin(), pieces.end(), [&](const auto& one) {
           return one.text == world_.names.database;
         });
}

bool MariadbTap::is_idle(const Pieces& all) {
  const Pieces pieces = without_blanks(all);
  return pieces.empty() || pieces.front().is_word("SET") || is_left_out(pieces);
}

void MariadbTap::note_level(const Pieces& pieces) {
  std::string level;
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    const MariadbPiece& piece = pieces[i];
    if (piece.is_word("LEVEL")) {
      level = level_named(pieces[i + 1].text);
      if (level.empty() && i + 2 < pieces.size())
        level = level_named(pieces[i + 1].text + " " + pieces[i + 2].text);
    }
    std::string name = piece.text;
    name.erase(0, std::min(name.find_first_not_of('@'), name.size()));
    if (name == "tx_isolation" || name == "transaction_isolation") {
      std::size_t value = i + 1;
      while (value + 1 < pieces.size() &&
             pieces[value].kind == MariadbPiece::Kind::Sign)
        ++value;
      level = level_named(pieces[value].text);
      if (!level.empty()) level_ = level;
      level.clear();
    }
  }
  if (level.empty() || has_word(pieces, "GLOBAL")) return;
  (has_word(pieces, "SESSION") || has_word(pieces, "LOCAL") ? level_
                                                            : next_level_) =
      level;
}

void MariadbTap::end(Status status) {
  is_open_ = false;
  is_explicit_ = false;
  is_doubtful_ = false;
  transaction_.status = status;
  transaction_.end = clock_.now();
  if (transaction_.statements.empty() && !transaction_.error) return;
  transaction_.id =
      std::to_string(session_) + "-" + std::to_string(++sequence_);
  sink_(std::move(transaction_));
  transaction_ = {};
}

}  // namespace txscope::db
