#include <cctype>
#include <string>

#include "read/logs/statements/formats.h"
#include "read/logs/statements/log_builder.h"
#include "read/logs/statements/placeholders.h"

namespace txscope::logs {
namespace {

std::string without_colours(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
      while (i < line.size() && line[i] != 'm') ++i;
      continue;
    }
    out += line[i];
  }
  return out;
}

struct RailsLine {
  std::string_view tag;  ///< in brackets, before it
  std::string_view sql;
  std::string_view binds;
};

/// `[tag]  User Load (0.3ms)  SELECT .. [["id", 1]]`
std::optional<RailsLine> split_rails(std::string_view line) {
  const std::size_t unit = line.find("ms)  ");
  if (unit == line.npos) return std::nullopt;
  std::size_t open = unit;
  while (open > 0 &&
         (std::isdigit(static_cast<unsigned char>(line[open - 1])) != 0 ||
          line[open - 1] == '.'))
    --open;
  if (open == unit || open == 0 || line[open - 1] != '(') return std::nullopt;
  RailsLine parts;
  const std::string_view before = line.substr(0, open - 1);
  if (before.find("CACHE ") != before.npos) return std::nullopt;
  if (const std::size_t bracket = line.find('['); bracket < open)
    parts.tag = line.substr(bracket + 1, line.find(']', bracket) - bracket - 1);
  parts.sql = line.substr(unit + 5);
  const std::size_t binds = parts.sql.rfind("  [[");
  if (binds != parts.sql.npos) {
    parts.binds = parts.sql.substr(binds + 2);
    parts.sql = parts.sql.substr(0, binds);
  }
  return parts;
}

std::string_view between(std::string_view line, std::string_view from,
                         std::string_view to) {
  const std::size_t at = line.find(from);
  if (at == line.npos) return {};
  const std::string_view rest = line.substr(at + from.size());
  return rest.substr(0, rest.find(to));
}

}  // namespace

bool is_rails(std::string_view head) {
  int found = 0;
  for (std::size_t at = 0; at < head.size() && found < 2;) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    const std::string line = without_colours(head.substr(at, end - at));
    const auto parts = split_rails(line);
    found += parts ? 1 : 0;
    at = end + 1;
  }
  return found > 0;
}

StatementLogResult read_rails(read::Input input) {
  const sql::Dialect dialect = input.head().find('`') != std::string_view::npos
                                   ? sql::Dialect::Mariadb
                                   : sql::Dialect::Postgresql;
  LogBuilder builder(input.name(), "log of Rails", dialect);
  bool has_tags = false;
  std::string request;
  std::string route;
  for (std::string_view raw; input.next_line(raw);) {
    const std::string line = without_colours(raw);
    if (const auto parts = split_rails(line)) {
      has_tags = has_tags || !parts->tag.empty();
      const std::string session(parts->tag);
      sql::LoggedStatement& one = builder.add(
          input.line(), session, filled(parts->sql, ruby_binds(parts->binds)));
      if (one.request.empty())
        one.request = session.empty() ? request : session;
      if (one.route.empty()) one.route = route;
      continue;
    }
    const std::string_view text = line;
    if (text.find("Started ") != text.npos) {
      request = "line " + std::to_string(input.line());
      route.clear();
    } else if (const auto by = between(text, "Processing by ", " ");
               !by.empty()) {
      route = by;
    } else if (text.find("Completed ") != text.npos) {
      request.clear();
      route.clear();
    } else if (!trim(text).empty()) {
      builder.skip(input.line());
    }
  }
  if (input.error()) return *input.error();
  builder.log().has_sessions = has_tags;
  return builder.finish();
}

}  // namespace txscope::logs
