#include <array>
#include <charconv>
#include <vector>

#include "read/logs/statements/formats.h"
#include "read/logs/statements/log_builder.h"

namespace txscope::logs {
namespace {

struct SpyLine {
  std::string_view time;
  std::string_view category;
  std::string_view session;
  std::string_view rest;  ///< prepared|effective; empty: on the next lines
};

/// `time|ms|category|connection N|url ..|prepared|effective` (the url since
/// 3.6), or `#time | took 0ms | category | connection N| url ..` with the
/// statement on the next lines.
std::optional<SpyLine> split_spy(std::string_view line) {
  std::array<std::string_view, 4> fields;
  if (line.starts_with('#')) line.remove_prefix(1);
  for (std::string_view& field : fields) {
    const std::size_t bar = line.find('|');
    field = trim(line.substr(0, bar));
    line = bar == line.npos ? std::string_view() : line.substr(bar + 1);
  }
  if (fields[0].empty() || !fields[3].starts_with("connection"))
    return std::nullopt;
  const std::string_view category = fields[2];
  if (category != "statement" && category != "batch" && category != "commit" &&
      category != "rollback" && category != "resultset" &&
      category != "result" && category != "info" && category != "outage" &&
      category != "debug")
    return std::nullopt;
  if (trim(line).starts_with("url ")) {
    const std::size_t bar = line.find('|');
    line = bar == line.npos ? std::string_view() : line.substr(bar + 1);
  }
  return SpyLine{fields[0], category, trim(fields[3].substr(10)), line};
}

/// Of `prepared|effective` the second.  Both have the same bars in them, the
/// values apart: the middle one is the border, or, if a value has some, the
/// first.
std::string_view effective(std::string_view text) {
  std::vector<std::size_t> bars;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != '\0') {
      if (text[i] == quote) quote = '\0';
    } else if (text[i] == '\'' || text[i] == '"' || text[i] == '`') {
      quote = text[i];
    } else if (text.substr(i, 2) == "||") {
      ++i;
    } else if (text[i] == '|') {
      bars.push_back(i);
    }
  }
  if (bars.empty()) return text;
  return text.substr(bars[bars.size() / 2] + 1);
}

std::optional<std::int64_t> spy_time(std::string_view text) {
  std::int64_t millis = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), millis);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() &&
      text.size() > 9)
    return millis * 1000;
  return log_time(text);
}

sql::Dialect dialect_in(std::string_view head) {
  return head.find("jdbc:mysql") != head.npos ||
                 head.find("jdbc:p6spy:mysql") != head.npos ||
                 head.find("jdbc:mariadb") != head.npos ||
                 head.find("jdbc:p6spy:mariadb") != head.npos ||
                 head.find('`') != head.npos
             ? sql::Dialect::Mariadb
             : sql::Dialect::Postgresql;
}

}  // namespace

bool is_p6spy(std::string_view head) {
  return split_spy(head.substr(0, head.find('\n'))).has_value();
}

StatementLogResult read_p6spy(read::Input input) {
  LogBuilder builder(input.name(), "p6spy log", dialect_in(input.head()));
  std::optional<SpyLine> pending;  // whose statement is on the next lines
  std::string session;
  std::string body;
  std::optional<std::int64_t> time;
  std::uint64_t begin = 0;
  const auto flush = [&] {
    const std::string_view text = trim(body);
    if (!text.empty()) {
      // prepared; then, on a line of its own, what was sent
      const std::size_t last = text.rfind('\n');
      builder
          .add(begin, session,
               std::string(last == text.npos ? text : text.substr(last + 1)))
          .time = time;
    }
    body.clear();
  };
  for (std::string_view line; input.next_line(line);) {
    const auto parts = split_spy(line);
    if (!parts) {
      if (begin != 0 && pending)
        body += std::string(line) + "\n";
      else if (!trim(line).empty())
        builder.skip(input.line());
      continue;
    }
    flush();
    pending.reset();
    session = parts->session;
    time = spy_time(parts->time);
    begin = input.line();
    if (parts->category == "commit" || parts->category == "rollback") {
      builder.add(begin, session, std::string(parts->category)).time = time;
    } else if (parts->category == "statement" || parts->category == "batch") {
      if (trim(parts->rest).empty())
        pending = SpyLine{};
      else
        builder.add(begin, session, std::string(effective(parts->rest))).time =
            time;
    }
  }
  flush();
  if (input.error()) return *input.error();
  // JDBC has no BEGIN: a transaction begins behind the last COMMIT.
  builder.log().begins_implicitly = true;
  return builder.finish();
}

}  // namespace txscope::logs
