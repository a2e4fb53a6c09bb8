#include "read/logs/cursors.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"

namespace txscope::logs {
namespace {

using sql::LogStatement;
using sql::LogTransaction;

constexpr std::uint64_t kEveryRow = std::numeric_limits<std::uint64_t>::max();

/// A word of a statement, in lower case, and where the text behind it begins.
struct CursorWord {
  std::string text;
  std::size_t end = 0;
};

std::vector<CursorWord> words_around_cursor(const std::string& sql) {
  const auto is_gap = [](char c) { return ascii::is_space(c) || c == ';'; };
  std::vector<CursorWord> words;
  for (std::size_t i = 0; i < sql.size();) {
    if (is_gap(sql[i])) {
      ++i;
      continue;
    }
    CursorWord word;
    for (; i < sql.size() && !is_gap(sql[i]); ++i)
      word.text += ascii::lower(sql[i]);
    word.end = i;
    words.push_back(std::move(word));
  }
  return words;
}

bool query_has_word(const std::string& sql,
                    std::initializer_list<std::string_view> any) {
  const std::vector<CursorWord> words = words_around_cursor(sql);
  return std::any_of(words.begin(), words.end(), [&](const CursorWord& word) {
    return std::find(any.begin(), any.end(), word.text) != any.end();
  });
}

/// DECLARE name [options] CURSOR [WITHOUT HOLD] FOR query.
struct Declared {
  std::string name;
  std::string query;
};

std::optional<Declared> declared_by(const std::string& sql) {
  const std::vector<CursorWord> words = words_around_cursor(sql);
  if (words.size() < 5 || words[0].text != "declare") return std::nullopt;
  std::size_t i = 2;
  const auto is = [&](std::string_view what) {
    return i < words.size() && words[i].text == what;
  };
  while (is("insensitive") || is("asensitive") || is("no") || is("scroll")) {
    if (is("scroll") && words[i - 1].text != "no") return std::nullopt;
    ++i;
  }
  if (!is("cursor")) return std::nullopt;
  ++i;
  if (is("without")) i += 2;
  if (!is("for")) return std::nullopt;
  std::string query = sql.substr(words[i].end);
  while (!query.empty() && (query.back() == ';' || query.back() == ' '))
    query.pop_back();
  query.erase(0, query.find_first_not_of(" \t\n"));
  if (query_has_word(query, {"for"})) return std::nullopt;  // UPDATE, SHARE
  return Declared{words[1].text, std::move(query)};
}

/// FETCH [NEXT | [FORWARD] [n | ALL]] [FROM | IN] name.
struct Fetched {
  std::string name;
  std::uint64_t asked = 1;
};

std::optional<Fetched> fetched_by(const std::string& sql) {
  const std::vector<CursorWord> words = words_around_cursor(sql);
  if (words.size() < 2 || words[0].text != "fetch") return std::nullopt;
  Fetched fetched;
  std::size_t i = 1;
  const std::size_t last = words.size() - 1;
  if (i < last && (words[i].text == "next" || words[i].text == "forward")) ++i;
  if (i < last && words[i].text != "from" && words[i].text != "in") {
    const std::string& count = words[i++].text;
    const auto read = std::from_chars(count.data(), count.data() + count.size(),
                                      fetched.asked);
    if (count == "all")
      fetched.asked = kEveryRow;
    else if (read.ec != std::errc() || *read.ptr != 0 || fetched.asked == 0)
      return std::nullopt;
  }
  if (i < last && (words[i].text == "from" || words[i].text == "in")) ++i;
  if (i != last) return std::nullopt;
  fetched.name = words[last].text;
  return fetched;
}

/// A cursor from its DECLARE on.
struct LoggedCursor {
  std::size_t declared_at = 0;
  std::string query;
  std::vector<std::size_t> fetches;
  std::vector<sql::Row> rows;
  bool is_observed = true;  ///< the rows of every FETCH
  bool is_at_end = false;
  bool is_clear = true;  ///< how many rows came when
};

void take_fetch(const LogTransaction& t, std::size_t k, std::uint64_t asked,
                LoggedCursor& cursor) {
  const LogStatement& s = t.statements[k];
  cursor.fetches.push_back(k);
  cursor.is_observed = cursor.is_observed && s.rows.has_value();
  cursor.is_clear = cursor.is_clear && !s.error && s.opaque.empty();
  if (!s.rows) return;
  if (s.rows->size() > asked || (cursor.is_at_end && !s.rows->empty()))
    cursor.is_clear = false;
  cursor.is_at_end = cursor.is_at_end || s.rows->size() < asked;
  cursor.rows.insert(cursor.rows.end(), s.rows->begin(), s.rows->end());
}

void fold_cursor(LogTransaction& t, LoggedCursor& cursor) {
  LogStatement& declare = t.statements[cursor.declared_at];
  const bool shows_rows = cursor.is_observed && !cursor.fetches.empty() &&
                          (cursor.is_at_end || !cursor.rows.empty());
  const bool is_cut = shows_rows && !cursor.is_at_end;
  if (!cursor.is_clear || declare.error ||
      (is_cut && query_has_word(cursor.query, {"limit", "offset", "fetch"})))
    return;
  declare.sql = cursor.query;
  declare.rows.reset();
  declare.count.reset();
  if (is_cut) declare.sql += " LIMIT " + std::to_string(cursor.rows.size());
  if (shows_rows) declare.rows = std::move(cursor.rows);
  for (const std::size_t k : cursor.fetches) {
    LogStatement& s = t.statements[k];
    s.sql = "CLOSE " + words_around_cursor(s.sql).back().text;
    s.rows.reset();
    s.count.reset();
  }
}

/// Most statements are not: DECLARE, FETCH, MOVE, CLOSE.
bool may_be_about_cursors(const std::string& sql) {
  const auto begin = sql.find_first_not_of(" \t\n");
  return begin != std::string::npos &&
         std::string_view("dDfFmMcC").find(sql[begin]) !=
             std::string_view::npos;
}

}  // namespace

void fold_cursors(LogTransaction& transaction) {
  std::map<std::string, LoggedCursor> open;
  const auto close = [&](const std::string& name) {
    for (auto one = open.begin(); one != open.end();) {
      const bool is_it = name == "all" || one->first == name;
      if (is_it) fold_cursor(transaction, one->second);
      one = is_it ? open.erase(one) : std::next(one);
    }
  };
  for (std::size_t k = 0; k < transaction.statements.size(); ++k) {
    const std::string& sql = transaction.statements[k].sql;
    if (!may_be_about_cursors(sql)) continue;
    if (auto declared = declared_by(sql)) {
      LoggedCursor cursor;
      cursor.declared_at = k;
      cursor.query = std::move(declared->query);
      open.insert_or_assign(declared->name, std::move(cursor));
    } else if (const auto fetched = fetched_by(sql)) {
      const auto cursor = open.find(fetched->name);
      if (cursor != open.end())
        take_fetch(transaction, k, fetched->asked, cursor->second);
    } else if (const auto words = words_around_cursor(sql); words.size() >= 2) {
      if (words[0].text == "close") close(words[1].text);
      // It has moved otherwise.
      const auto cursor = open.find(words.back().text);
      if ((words[0].text == "fetch" || words[0].text == "move") &&
          cursor != open.end())
        cursor->second.is_clear = false;
    }
  }
  close("all");
}

}  // namespace txscope::logs
