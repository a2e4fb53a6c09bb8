#include <array>
#include <cctype>
#include <charconv>

#include "read/logs/statements/formats.h"
#include "read/logs/statements/log_builder.h"

namespace txscope::logs {
namespace {

struct GeneralLine {
  std::string_view time;  ///< empty: that of the line before
  std::string session;
  std::string_view command;
  std::string_view argument;
};

constexpr std::array<std::string_view, 19> kCommands = {
    "Query",       "Execute",     "Prepare",    "Connect",    "Quit",
    "Init DB",     "Close stmt",  "Reset stmt", "Field List", "Statistics",
    "Ping",        "Change user", "Long Data",  "Create DB",  "Drop DB",
    "Processlist", "Refresh",     "Shutdown",   "Fetch"};

/// `TIME? <tab or blanks> ID COMMAND <tab> ARGUMENT`; none: it goes on with the
/// line before.  The time is "161106  1:33:11" or 2026-11-18T11:40:24.123456Z.
std::optional<GeneralLine> split_general(std::string_view line) {
  GeneralLine parts;
  if (line.empty()) return std::nullopt;
  if (line[0] != '\t' && line[0] != ' ') {
    const std::size_t tab = line.find('\t');
    if (tab == line.npos || !log_time(line)) return std::nullopt;
    parts.time = line.substr(0, tab);
    line.remove_prefix(tab);
  } else if (!line.starts_with("\t\t")) {
    return std::nullopt;
  }
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos) return std::nullopt;
  line.remove_prefix(begin);
  std::size_t digits = 0;
  while (digits < line.size() &&
         std::isdigit(static_cast<unsigned char>(line[digits])) != 0)
    ++digits;
  if (digits == 0 || digits >= line.size() || line[digits] != ' ')
    return std::nullopt;
  parts.session = line.substr(0, digits);
  line.remove_prefix(digits + 1);
  for (const std::string_view command : kCommands) {
    if (!line.starts_with(command)) continue;
    const std::string_view rest = line.substr(command.size());
    if (!rest.empty() && rest[0] != '\t') continue;
    parts.command = command;
    parts.argument = rest.empty() ? rest : rest.substr(1);
    return parts;
  }
  return std::nullopt;
}

}  // namespace

bool is_mysql_general(std::string_view head) {
  int found = 0;
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    found += split_general(head.substr(at, end - at)) ? 1 : 0;
    if (found >= 1) return true;
    at = end + 1;
  }
  return false;
}

StatementLogResult read_mysql_general(read::Input input) {
  LogBuilder builder(input.name(), "general log of MySQL or MariaDB",
                     sql::Dialect::Mariadb);
  std::optional<std::int64_t> time;
  sql::LoggedStatement* open = nullptr;
  for (std::string_view line; input.next_line(line);) {
    const auto parts = split_general(line);
    if (!parts) {
      if (open != nullptr)
        open->text += "\n" + std::string(line);
      else if (!trim(line).empty())
        builder.skip(input.line());
      continue;
    }
    if (!parts->time.empty()) time = log_time(parts->time);
    open = nullptr;
    if (parts->command == "Query" || parts->command == "Execute") {
      open = &builder.add(input.line(), parts->session,
                          std::string(parts->argument));
      open->time = time;
    } else if (parts->command == "Quit" || parts->command == "Connect") {
      // Numbers of connections are used again.
      builder.end_session(input.line(), parts->session);
    }
  }
  if (input.error()) return *input.error();
  return builder.finish();
}

}  // namespace txscope::logs
