#include <array>
#include <cctype>

#include "read/logs/statements/formats.h"
#include "read/logs/statements/postgres_message.h"

namespace txscope::logs {
namespace {

struct StderrLine {
  std::string_view prefix;
  std::string_view severity;
  std::string_view text;
};

/// PREFIX LOG:  text, whatever log_line_prefix is.
std::optional<StderrLine> split_stderr(std::string_view line) {
  constexpr std::array<std::string_view, 9> kSeverities = {
      "LOG",  "ERROR",   "FATAL",   "DETAIL", "STATEMENT",
      "HINT", "CONTEXT", "WARNING", "NOTICE"};
  StderrLine best;
  std::size_t first = line.npos;
  for (const std::string_view severity : kSeverities) {
    const std::string mark = std::string(severity) + ":  ";
    const std::size_t at = line.find(mark);
    const bool is_word =
        at == 0 ||
        (at != line.npos &&
         std::isalnum(static_cast<unsigned char>(line[at - 1])) == 0);
    if (!is_word || at >= first) continue;
    first = at;
    best = {line.substr(0, at), severity, line.substr(at + mark.size())};
  }
  if (first == line.npos) return std::nullopt;
  return best;
}

bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

/// %c (6741a2b3.1f4a) if it is there, else the number in brackets or the last
/// number (%p).
std::string session_in(std::string_view prefix) {
  for (std::size_t dot = prefix.find('.'); dot != prefix.npos;
       dot = prefix.find('.', dot + 1)) {
    std::size_t begin = dot;
    std::size_t end = dot + 1;
    while (begin > 0 && is_hex(prefix[begin - 1])) --begin;
    while (end < prefix.size() && is_hex(prefix[end])) ++end;
    if (dot - begin == 8 && end - dot > 1)
      return std::string(prefix.substr(begin, end - begin));
  }
  std::size_t begin = prefix.rfind('[');
  if (begin != prefix.npos) {
    std::size_t end = ++begin;
    while (end < prefix.size() &&
           std::isdigit(static_cast<unsigned char>(prefix[end])) != 0)
      ++end;
    if (end > begin) return std::string(prefix.substr(begin, end - begin));
  }
  return {};
}

}  // namespace

bool is_postgres_stderr(std::string_view head) {
  return head.find("LOG:  ") != head.npos;
}

StatementLogResult read_postgres_stderr(read::Input input) {
  LogBuilder builder(input.name(), "stderr log of PostgreSQL",
                     sql::Dialect::Postgresql);
  PostgresMessages messages(builder);
  PostgresEntry entry;
  bool has_entry = false;
  std::string* open = nullptr;  // what continuation lines belong to
  std::string ignored;
  const auto flush = [&] {
    if (has_entry) messages.see(entry);
    has_entry = false;
  };
  for (std::string_view line; input.next_line(line);) {
    const bool continues = line.starts_with('\t') && open != nullptr;
    const auto parts =
        continues ? std::optional<StderrLine>() : split_stderr(line);
    if (!parts) {
      if (!continues && !trim(line).empty()) builder.skip(input.line());
      if (continues) *open += "\n" + std::string(line.substr(1));
      continue;
    }
    const std::string session = session_in(parts->prefix);
    if (parts->severity == "DETAIL" && has_entry && session == entry.session) {
      entry.detail = parts->text;
      open = &entry.detail;
    } else if (parts->severity == "LOG" || parts->severity == "ERROR" ||
               parts->severity == "FATAL") {
      flush();
      builder.log().has_sessions =
          builder.log().has_sessions && !session.empty();
      entry = {input.line(),
               session,
               log_time(trim(parts->prefix)),
               std::string(parts->severity),
               std::string(parts->text),
               {}};
      has_entry = true;
      open = &entry.message;
    } else {
      open = &ignored;
      ignored.clear();
    }
  }
  flush();
  if (input.error()) return *input.error();
  return builder.finish();
}

}  // namespace txscope::logs
