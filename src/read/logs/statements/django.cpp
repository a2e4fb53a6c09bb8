#include <cctype>

#include "read/logs/statements/formats.h"
#include "read/logs/statements/log_builder.h"
#include "read/logs/statements/placeholders.h"

namespace txscope::logs {
namespace {

struct DjangoLine {
  std::string_view prefix;
  std::string_view sql;
  std::string_view arguments;
};

/// `PREFIX (0.003) SQL; args=(..); alias=default`, as the logger
/// django.db.backends writes it; alias since 4.2.
std::optional<DjangoLine> split_django(std::string_view line) {
  const std::size_t arguments = line.rfind("; args=");
  if (arguments == line.npos) return std::nullopt;
  for (std::size_t open = line.find('('); open < arguments;
       open = line.find('(', open + 1)) {
    std::size_t end = open + 1;
    while (end < arguments &&
           (std::isdigit(static_cast<unsigned char>(line[end])) != 0 ||
            line[end] == '.'))
      ++end;
    if (end == open + 1 || line.substr(end, 2) != ") ") continue;
    std::string_view behind = line.substr(arguments + 7);
    const std::size_t alias = behind.rfind("; alias=");
    return DjangoLine{line.substr(0, open),
                      line.substr(end + 2, arguments - end - 2),
                      behind.substr(0, alias)};
  }
  return std::nullopt;
}

/// Numbers of the prefix, the time apart: a process and a thread, if the log's
/// format has them.
std::string django_session(std::string_view prefix) {
  std::string session;
  for (std::size_t i = 0; i < prefix.size();) {
    std::size_t end = i;
    while (end < prefix.size() && prefix[end] != ' ' && prefix[end] != '[' &&
           prefix[end] != ']')
      ++end;
    const std::string_view word = prefix.substr(i, end - i);
    const bool is_number =
        !word.empty() && word.find_first_not_of("0123456789") == word.npos;
    if (is_number) session += (session.empty() ? "" : " ") + std::string(word);
    i = end + 1;
  }
  return session;
}

}  // namespace

bool is_django(std::string_view head) {
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    if (split_django(head.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

StatementLogResult read_django(read::Input input) {
  const sql::Dialect dialect = input.head().find('`') != std::string_view::npos
                                   ? sql::Dialect::Mariadb
                                   : sql::Dialect::Postgresql;
  LogBuilder builder(input.name(), "log of django.db.backends", dialect);
  bool has_session = false;
  for (std::string_view line; input.next_line(line);) {
    const auto parts = split_django(line);
    if (!parts) {
      if (!trim(line).empty()) builder.skip(input.line());
      continue;
    }
    const std::string session = django_session(parts->prefix);
    has_session = has_session || !session.empty();
    // Values are in the text already where the driver tells what it sent.
    const bool has_places = parts->sql.find("%s") != parts->sql.npos ||
                            parts->sql.find("%(") != parts->sql.npos;
    builder
        .add(input.line(), session,
             has_places ? filled(parts->sql, python_values(parts->arguments))
                        : std::string(parts->sql))
        .time = log_time(parts->prefix);
  }
  if (input.error()) return *input.error();
  builder.log().has_sessions = has_session;
  return builder.finish();
}

}  // namespace txscope::logs
