#include "read/sql/text/migration_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/ascii.h"

namespace txscope::sql {
namespace {

/// Comments behind which a tool finds one way or the other: dbmate, goose,
/// sql-migrate, node-pg-migrate, Play, tern.
struct Marks {
  std::string_view up;
  std::string_view down;
};
constexpr std::array<Marks, 6> kMarks = {{
    {"-- migrate:up", "-- migrate:down"},
    {"-- +goose up", "-- +goose down"},
    {"-- +migrate up", "-- +migrate down"},
    {"-- up migration", "-- down migration"},
    {"# --- !ups", "# --- !downs"},
    {"---- create above", "---- create above / drop below ----"},
}};

bool is_name_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool begins_with(std::string_view line, std::string_view mark) {
  const auto same = [](char a, char b) { return ascii::lower(a) == b; };
  return line.size() >= mark.size() &&
         std::equal(mark.begin(), mark.end(), line.begin(),
                    [&](char b, char a) { return same(a, b); });
}

template <class Test>
bool is_any_mark(std::string_view line, const Test& test) {
  return std::any_of(kMarks.begin(), kMarks.end(), [&](const Marks& marks) {
    return begins_with(line, test(marks));
  });
}
bool leads_back(std::string_view line) {
  return is_any_mark(line, [](const Marks& marks) { return marks.down; });
}
bool leads_on(std::string_view line) {
  return !leads_back(line) &&
         is_any_mark(line, [](const Marks& marks) { return marks.up; });
}

void blank_between(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i)
    if (text[i] != '\n') text[i] = ' ';
}

bool has_way_back(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (leads_back(text.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

void blank_ways_back(std::string& text) {
  bool is_back = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (leads_back(line)) is_back = true;
    if (leads_on(line)) is_back = false;
    if (is_back || line.starts_with("# ---")) blank_between(text, at, end);
    at = end + 1;
  }
}

/// A name as long as the text from `from` to `to`, made of its letters.
void put_name(std::string& text, std::size_t from, std::size_t to) {
  std::string name;
  for (std::size_t i = from; i < to; ++i)
    if (is_name_part(text[i])) name += text[i];
  if (name.empty() || !is_name_letter(name[0])) name.insert(0, 1, 'p');
  name.resize(to - from, ' ');
  text.replace(from, to - from, name);
}

/// ${name}
std::size_t braced(std::string& text, std::size_t at) {
  const std::size_t end = text.find('}', at);
  if (end == std::string::npos || end == at + 2) return at + 1;
  const bool is_name =
      std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 2,
                  text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) {
                    return is_name_part(c) || c == ':' || c == '.' || c == '-';
                  });
  if (is_name) put_name(text, at, end + 1);
  return at + 1;
}

/// {{ name }}, but no array in quotes.
std::size_t twice_braced(std::string& text, std::size_t at) {
  const std::size_t end = text.find("}}", at);
  if (end == std::string::npos || (at > 0 && text[at - 1] == '\''))
    return at + 2;
  const std::string_view inside =
      std::string_view(text).substr(at + 2, end - at - 2);
  if (inside.find_first_of(",{\n") == std::string_view::npos &&
      std::any_of(inside.begin(), inside.end(), is_name_letter))
    put_name(text, at, end + 2);
  return at + 2;
}

/// :NAME
std::size_t capital_name(std::string& text, std::size_t at,
                         const std::function<bool(std::string_view)>& is_set) {
  std::size_t end = at + 1;
  const auto is_capital = [](char c) {
    return (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
  };
  while (end < text.size() && is_capital(text[end])) ++end;
  const std::string_view name =
      std::string_view(text).substr(at + 1, end - at - 1);
  const bool is_alone =
      (at == 0 || std::string_view(" \t\n(,=").find(text[at - 1]) !=
                      std::string_view::npos) &&
      (end == text.size() || !is_name_part(text[end]));
  if (name.size() >= 2 && is_name_letter(name[0]) && is_alone && !is_set(name))
    text[at] = ' ';
  return end;
}

}  // namespace

void as_migrated(std::string& text,
                 const std::function<bool(std::string_view)>& is_set) {
  if (has_way_back(text)) blank_ways_back(text);
  for (std::size_t i = 0; i + 1 < text.size();) {
    if (text[i] == '-' && text[i + 1] == '-')
      i = std::min(text.find('\n', i), text.size());
    else if (text[i] == '$' && text[i + 1] == '{')
      i = braced(text, i);
    else if (text[i] == '{' && text[i + 1] == '{')
      i = twice_braced(text, i);
    else if (text[i] == ':' && text[i + 1] != ':')
      i = capital_name(text, i, is_set);
    else
      i += text[i] == ':' ? 2 : 1;
  }
}

}  // namespace txscope::sql
