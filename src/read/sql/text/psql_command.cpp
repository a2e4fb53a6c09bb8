#include "read/sql/text/psql_command.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/ascii.h"

namespace txscope::sql {
namespace {

struct CommandRow {
  std::string_view command;
  PsqlDeed deed;
};

constexpr std::array<CommandRow, 88> kCommands = {{
    {"a", PsqlDeed::Nothing},
    {"C", PsqlDeed::Nothing},
    {"conninfo", PsqlDeed::Nothing},
    {"copyright", PsqlDeed::Nothing},
    {"dconfig", PsqlDeed::Nothing},
    {"echo", PsqlDeed::Nothing},
    {"errverbose", PsqlDeed::Nothing},
    {"f", PsqlDeed::Nothing},
    {"h", PsqlDeed::Nothing},
    {"help", PsqlDeed::Nothing},
    {"H", PsqlDeed::Nothing},
    {"html", PsqlDeed::Nothing},
    {"?", PsqlDeed::Nothing},
    {"l", PsqlDeed::Nothing},
    {"l+", PsqlDeed::Nothing},
    {"list", PsqlDeed::Nothing},
    {"list+", PsqlDeed::Nothing},
    {"lo_list", PsqlDeed::Nothing},
    {"o", PsqlDeed::Nothing},
    {"out", PsqlDeed::Nothing},
    {"p", PsqlDeed::Nothing},
    {"print", PsqlDeed::Nothing},
    {"password", PsqlDeed::Nothing},
    {"pset", PsqlDeed::Nothing},
    {"qecho", PsqlDeed::Nothing},
    {"restrict", PsqlDeed::Nothing},
    {"unrestrict", PsqlDeed::Nothing},
    {"s", PsqlDeed::Nothing},
    {"setenv", PsqlDeed::Nothing},
    {"getenv", PsqlDeed::Refused},
    {"sf", PsqlDeed::Nothing},
    {"sf+", PsqlDeed::Nothing},
    {"sv", PsqlDeed::Nothing},
    {"sv+", PsqlDeed::Nothing},
    {"t", PsqlDeed::Nothing},
    {"T", PsqlDeed::Nothing},
    {"timing", PsqlDeed::Nothing},
    {"w", PsqlDeed::Nothing},
    {"write", PsqlDeed::Nothing},
    {"warn", PsqlDeed::Nothing},
    {"x", PsqlDeed::Nothing},
    {"z", PsqlDeed::Nothing},
    {"i", PsqlDeed::Include},
    {"include", PsqlDeed::Include},
    {"ir", PsqlDeed::IncludeRelative},
    {"include_relative", PsqlDeed::IncludeRelative},
    {"set", PsqlDeed::Set},
    {"unset", PsqlDeed::Unset},
    {"if", PsqlDeed::If},
    {"elif", PsqlDeed::Elif},
    {"else", PsqlDeed::Else},
    {"endif", PsqlDeed::Endif},
    {"copy", PsqlDeed::Copy},
    {"c", PsqlDeed::Connect},
    {"connect", PsqlDeed::Connect},
    {"q", PsqlDeed::Quit},
    {"quit", PsqlDeed::Quit},
    {"g", PsqlDeed::Go},
    {"gx", PsqlDeed::Go},
    {"!", PsqlDeed::Refused},
    {"bind", PsqlDeed::Refused},
    {"bind_named", PsqlDeed::Refused},
    {"cd", PsqlDeed::Refused},
    {"close", PsqlDeed::Refused},
    {"crosstabview", PsqlDeed::Refused},
    {"e", PsqlDeed::Refused},
    {"edit", PsqlDeed::Refused},
    {"ef", PsqlDeed::Refused},
    {"encoding", PsqlDeed::Refused},
    {"ev", PsqlDeed::Refused},
    {"flush", PsqlDeed::Refused},
    {"gdesc", PsqlDeed::Refused},
    {"gexec", PsqlDeed::Refused},
    {"gset", PsqlDeed::Refused},
    {"lo_export", PsqlDeed::Refused},
    {"lo_import", PsqlDeed::Refused},
    {"lo_unlink", PsqlDeed::Refused},
    {"parse", PsqlDeed::Refused},
    {"prompt", PsqlDeed::Refused},
    {"r", PsqlDeed::Refused},
    {"reset", PsqlDeed::Refused},
    {"startpipeline", PsqlDeed::Refused},
    {"endpipeline", PsqlDeed::Refused},
    {"syncpipeline", PsqlDeed::Refused},
    {"sendpipeline", PsqlDeed::Refused},
    {"getresults", PsqlDeed::Refused},
    {"flushrequest", PsqlDeed::Refused},
    {"watch", PsqlDeed::Refused},
}};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
std::string quoted(std::string_view text, char quote) {
  std::string made(1, quote);
  const bool has_escape =
      quote == '\'' && text.find('\\') != std::string_view::npos;
  for (const char c : text) {
    if (c == quote || (has_escape && c == '\\')) made += c;
    made += c;
  }
  return (has_escape ? " E" : "") + made + quote;
}

/// 'it''s \n' of an argument.
std::string single_quoted(std::string_view text, std::size_t& at) {
  std::string made;
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\'') {
      if (at + 1 >= text.size() || text[at + 1] != '\'') break;
      ++at;
    } else if (text[at] == '\\' && at + 1 < text.size()) {
      const char c = text[++at];
      made += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
      continue;
    }
    made += text[at];
  }
  if (at < text.size() && text[at] == '\'') ++at;
  return made;
}

}  // namespace

PsqlDeed psql_deed(std::string_view command) {
  for (const CommandRow& row : kCommands)
    if (row.command == command) return row.deed;
  // \d, \dt+, \df and all the others that describe something.
  return command.starts_with('d') ? PsqlDeed::Nothing : PsqlDeed::Unknown;
}

PsqlMention psql_mention(std::string_view text, std::size_t at,
                         const PsqlVariables& variables) {
  PsqlMention made;
  std::size_t from = at + 1;
  if (from >= text.size()) return made;
  const char first = text[from];
  const bool is_test =
      first == '{' && from + 1 < text.size() && text[from + 1] == '?';
  const bool has_quotes = first == '\'' || first == '"';
  if (is_test) from += 2;
  if (has_quotes) from += 1;
  std::size_t end = from;
  while (end < text.size() && in_name(text[end])) ++end;
  if (end == from) return made;
  const char close = is_test ? '}' : first;
  if (is_test || has_quotes) {
    if (end >= text.size() || text[end] != close) return made;
  }
  made.name = text.substr(from, end - from);
  made.length = end + (is_test || has_quotes ? 1 : 0) - at;
  const auto found = variables.find(made.name);
  made.is_set = is_test || found != variables.end();
  if (is_test)
    made.value = found != variables.end() ? "TRUE" : "FALSE";
  else if (made.is_set)
    made.value = has_quotes ? quoted(found->second, first) : found->second;
  return made;
}

PsqlArguments psql_arguments(std::string_view text, std::size_t at,
                             const PsqlVariables& variables) {
  PsqlArguments made;
  std::string word;
  bool is_word = false;
  const auto end_word = [&] {
    if (is_word) made.list.push_back(word);
    word.clear();
    is_word = false;
  };
  while (at < text.size() && text[at] != '\n' && text[at] != '\\') {
    const char c = text[at];
    if (is_space(c)) {
      end_word();
      ++at;
      continue;
    }
    is_word = true;
    if (c == '\'') {
      word += single_quoted(text, at);
      continue;
    }
    if (c == '`') made.runs_shell = true;
    if (c == ':') {
      const PsqlMention mention = psql_mention(text, at, variables);
      if (mention.length > 0 && mention.is_set) {
        word += mention.value;
        at += mention.length;
        continue;
      }
    }
    word += c;
    ++at;
  }
  end_word();
  made.end = at;
  return made;
}

PsqlCopy psql_copy(std::string_view line) {
  PsqlCopy made;
  std::size_t at = 0;
  int depth = 0;
  // The word FROM or TO outside of parentheses and quotes.
  for (; at < line.size(); ++at) {
    if (line[at] == '(') ++depth;
    if (line[at] == ')') --depth;
    if (line[at] == '"' || line[at] == '\'') {
      at = std::min(line.find(line[at], at + 1), line.size() - 1);
      continue;
    }
    if (depth != 0 || (at > 0 && in_name(line[at - 1]))) continue;
    std::size_t end = at;
    while (end < line.size() && in_name(line[end])) ++end;
    const std::string word = ascii::lower(line.substr(at, end - at));
    if (word != "from" && word != "to") continue;
    made.is_from = word == "from";
    made.target = line.substr(0, at);
    at = end;
    break;
  }
  while (at < line.size() && is_space(line[at])) ++at;
  if (at < line.size() && line[at] == '\'') {
    made.source = single_quoted(line, at);
    made.is_file = true;
  } else {
    const std::size_t from = at;
    while (at < line.size() && !is_space(line[at])) ++at;
    made.source = line.substr(from, at - from);
    const std::string word = ascii::lower(made.source);
    made.is_file = word != "stdin" && word != "pstdin" && word != "program";
    if (!made.is_file) made.source = word;
  }
  made.options = line.substr(std::min(at, line.size()));
  while (!made.options.empty() &&
         (made.options.back() == ';' || is_space(made.options.back())))
    made.options.pop_back();
  return made;
}

PsqlTruth psql_truth(std::string_view word) {
  const std::string text = ascii::lower(word);
  const auto is_prefix = [&](std::string_view whole, std::size_t least) {
    return text.size() >= least && whole.starts_with(text);
  };
  if (is_prefix("true", 1) || is_prefix("yes", 1) || text == "on" ||
      text == "1")
    return PsqlTruth::True;
  if (is_prefix("false", 1) || is_prefix("no", 1) || is_prefix("off", 2) ||
      text == "0")
    return PsqlTruth::False;
  return PsqlTruth::Neither;
}

void put_extension_schema(std::string& text) {
  constexpr std::string_view kMark = "@extschema@";
  constexpr std::string_view kSchema = "public     ";
  static_assert(kMark.size() == kSchema.size());
  for (std::size_t i = 0; (i = text.find(kMark, i)) != std::string::npos;)
    text.replace(i, kMark.size(), kSchema);
}

}  // namespace txscope::sql
