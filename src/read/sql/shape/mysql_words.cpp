#include "read/sql/shape/mysql_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "read/sql/text/dialect.h"

namespace txscope::sql {
namespace mysql_words {
namespace {

/// A word, a quoted piece with its quotes, a number, or one other character.
struct Piece {
  std::string text;
  std::string word;  ///< in lower case; empty: it is no word
  int depth = 0;     ///< of parentheses around it
};

bool is_word_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         c == '$' || (static_cast<unsigned char>(c) >= 128);
}

class Words {
 public:
  explicit Words(std::string_view text) { split(text); }

  std::string run() {
    hints();
    intervals();
    verbs();
    insert_set();
    duplicate_key();
    limit();
    set_targets();
    std::string out;
    for (const Piece& piece : pieces_) out += piece.text;
    return out + tail_;
  }

 private:
  void split(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size();) {
      Piece piece;
      const char c = text[i];
      std::size_t end = i + 1;
      if (c == '\'' || c == '"' || c == '`') {
        end = quoted_end(text, i);
      } else if (text.substr(i, 2) == "/*") {
        const std::size_t close = text.find("*/", i + 2);
        i = close == text.npos ? text.size() : close + 2;
        continue;
      } else if (c == '#' || text.substr(i, 3) == "-- ") {
        i = std::min(text.find('\n', i), text.size());
        continue;
      } else if (is_word_part(c)) {
        while (end < text.size() && is_word_part(text[end])) ++end;
      } else if (text.substr(i, 3) == "<=>") {
        end = i + 3;
      }
      if (c == ')') --depth;
      piece.depth = depth;
      if (c == '(') ++depth;
      piece.text = text.substr(i, end - i);
      if (is_word_part(c))
        for (const char l : piece.text) piece.word += ascii::lower(l);
      if (c == '\'' || c == '"') drop_zeros(piece.text);
      if (piece.text == "<=>") piece.text = " IS NOT DISTINCT FROM ";
      pieces_.push_back(std::move(piece));
      i = end;
    }
  }

  /// No text of PostgreSQL has a byte of zero in it.
  static void drop_zeros(std::string& text) {
    for (std::size_t at = 0; (at = text.find('\\', at)) != text.npos;) {
      if (at + 1 < text.size() && text[at + 1] == '0')
        text.erase(at, 2);
      else
        at += 2;
    }
  }

  static std::size_t quoted_end(std::string_view text, std::size_t at) {
    const char quote = text[at];
    for (std::size_t i = at + 1; i < text.size(); ++i) {
      if (text[i] == '\\' && quote != '`') {
        ++i;
      } else if (text[i] == quote) {
        if (i + 1 < text.size() && text[i + 1] == quote)
          ++i;
        else
          return i + 1;
      }
    }
    return text.size();
  }

  [[nodiscard]] std::size_t next(std::size_t i) const {
    ++i;
    while (i < pieces_.size() &&
           std::isspace(static_cast<unsigned char>(pieces_[i].text[0])) != 0)
      ++i;
    return i;
  }
  [[nodiscard]] std::size_t first() const {
    return pieces_.empty() || std::isspace(static_cast<unsigned char>(
                                  pieces_[0].text[0])) == 0
               ? 0
               : next(0);
  }
  [[nodiscard]] bool is(std::size_t i, std::string_view word) const {
    return i < pieces_.size() && pieces_[i].word == word;
  }
  [[nodiscard]] bool is_mark(std::size_t i, char c) const {
    return i < pieces_.size() && pieces_[i].text[0] == c &&
           pieces_[i].text.size() == 1;
  }
  void drop(std::size_t from, std::size_t to) {
    to = std::min(to, pieces_.size());
    for (std::size_t i = from; i < to; ++i) {
      pieces_[i].text = " ";
      pieces_[i].word.clear();
    }
  }

  /// SQL_NO_CACHE, FORCE INDEX (a), STRAIGHT_JOIN, LOCK IN SHARE MODE.
  void hints() {
    constexpr std::array<std::string_view, 8> kHints = {
        "sql_calc_found_rows", "sql_no_cache",     "sql_cache",
        "high_priority",       "low_priority",     "sql_small_result",
        "sql_big_result",      "sql_buffer_result"};
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const std::string& word = pieces_[i].word;
      if (std::find(kHints.begin(), kHints.end(), word) != kHints.end())
        drop(i, i + 1);
      else if (word == "binary")
        drop(i, i + 1);
      else if (word == "straight_join")
        pieces_[i].text = "JOIN";
      else if (word == "force" || word == "use" || word == "ignore")
        index_hint(i);
      else if (word == "lock" && is(next(i), "in"))
        share_mode(i);
    }
  }
  /// INTERVAL 1 HOUR.
  void intervals() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!is(i, "interval")) continue;
      const std::size_t count = next(i);
      const std::size_t unit = next(count);
      if (unit >= pieces_.size() || pieces_[unit].word.empty()) continue;
      std::string number = pieces_[count].text;
      std::erase(number, '\'');
      if (number.find_first_not_of("0123456789") != number.npos) continue;
      pieces_[count].text = "'" + number + " " + pieces_[unit].word + "'";
      drop(unit, unit + 1);
    }
  }
  void index_hint(std::size_t i) {
    const std::size_t index = next(i);
    if (!is(index, "index") && !is(index, "key")) return;
    std::size_t end = next(index);
    if (!is_mark(end, '(')) return;
    const int depth = pieces_[end].depth;
    while (end < pieces_.size() &&
           !(is_mark(end, ')') && pieces_[end].depth == depth))
      ++end;
    drop(i, end + 1);
  }
  void share_mode(std::size_t i) {
    const std::size_t in = next(i);
    const std::size_t share = next(in);
    if (!is(share, "share")) return;
    drop(i, next(share) + 1);
    pieces_[i].text = "FOR SHARE";
  }

  /// INSERT IGNORE, REPLACE INTO; an UPDATE or DELETE has no LIMIT.
  void verbs() {
    const std::size_t verb = first();
    if (is(verb, "replace")) {
      pieces_[verb].text = "INSERT";
      pieces_[verb].word = "insert";
      if (!is(next(verb), "into")) pieces_[verb].text = "INSERT INTO";
      tail_ = " ON CONFLICT DO NOTHING";
    } else if (is(verb, "insert")) {
      std::size_t i = next(verb);
      for (; is(i, "ignore") || is(i, "delayed"); i = next(i)) {
        if (is(i, "ignore")) tail_ = " ON CONFLICT DO NOTHING";
        drop(i, i + 1);
      }
      if (!is(i, "into") && i < pieces_.size())
        pieces_[i].text = "INTO " + pieces_[i].text;
    } else if (is(verb, "update") || is(verb, "delete")) {
      if (is(next(verb), "ignore")) drop(next(verb), next(verb) + 1);
      for (std::size_t i = verb; i < pieces_.size(); ++i)
        if (pieces_[i].depth == 0 && (is(i, "limit") || is(i, "order")))
          drop(i, pieces_.size());
    }
  }

  /// INSERT INTO t SET a = 1, b = 2.
  void insert_set() {
    if (!is(first(), "insert")) return;
    no_values();
    std::size_t set = first();
    while (set < pieces_.size() &&
           !(pieces_[set].depth == 0 && is(set, "set")) && !is(set, "values") &&
           !is(set, "select"))
      ++set;
    if (!is(set, "set")) return;
    std::string columns;
    std::string values;
    bool is_value = false;
    std::size_t i = set + 1;
    for (; i < pieces_.size() && !(is(i, "on") && pieces_[i].depth == 0); ++i) {
      const bool is_outer = pieces_[i].depth == 0;
      if (is_outer && !is_value && is_mark(i, '=')) {
        is_value = true;
      } else if (is_outer && is_value && is_mark(i, ',')) {
        is_value = false;
        columns += ", ";
        values += ", ";
      } else {
        (is_value ? values : columns) += pieces_[i].text;
      }
    }
    drop(set, i);
    pieces_[set].text = "(" + columns + ") VALUES (" + values + ")";
  }

  /// INSERT INTO t () VALUES ().
  void no_values() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!is(i, "values")) continue;
      const std::size_t open = next(i);
      if (!is_mark(open, '(') || !is_mark(next(open), ')')) return;
      std::size_t from = i;
      while (from > 0 && !is_mark(from, '(')) --from;
      drop(from, next(open) + 1);
      pieces_[i].text = "DEFAULT VALUES";
      return;
    }
  }

  /// ON DUPLICATE KEY UPDATE a = VALUES(a): which key is for the schema to say.
  void duplicate_key() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!is(i, "on") || !is(next(i), "duplicate")) continue;
      const std::size_t update = next(next(next(i)));
      drop(i, update + 1);
      pieces_[i].text = "ON CONFLICT DO UPDATE SET ";
      for (std::size_t v = update + 1; v < pieces_.size(); ++v) {
        if (!is(v, "values") || !is_mark(next(v), '(')) continue;
        const std::size_t open = next(v);
        pieces_[v].text = "EXCLUDED.";
        pieces_[open].text = " ";
        for (std::size_t c = open; c < pieces_.size(); ++c)
          if (is_mark(c, ')') && pieces_[c].depth == pieces_[open].depth) {
            pieces_[c].text = " ";
            break;
          }
      }
      return;
    }
  }

  /// LIMIT 10, 5.
  void limit() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!is(i, "limit")) continue;
      const std::size_t skip = next(i);
      const std::size_t comma = next(skip);
      const std::size_t count = next(comma);
      if (!is_mark(comma, ',') || count >= pieces_.size()) continue;
      std::swap(pieces_[skip], pieces_[count]);
      pieces_[comma].text = " OFFSET ";
    }
  }

  /// UPDATE t SET t.a = 1.
  void set_targets() {
    if (!is(first(), "update")) return;
    bool is_target = false;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (pieces_[i].depth != 0) continue;
      if (is(i, "where")) return;
      if (is(i, "set") || is_mark(i, ',')) {
        is_target = true;
      } else if (is_mark(i, '=')) {
        is_target = false;
      } else if (is_target && is_mark(next(i), '.')) {
        drop(i, next(i) + 1);
      }
    }
  }

  std::vector<Piece> pieces_;
  std::string tail_;
};

}  // namespace
}  // namespace mysql_words

std::string without_mysql_words(std::string_view text) {
  return in_our_dialect(mysql_words::Words(text).run(), Dialect::Mariadb);
}

}  // namespace txscope::sql
