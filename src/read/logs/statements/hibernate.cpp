#include <cctype>
#include <map>
#include <string>

#include "read/logs/statements/formats.h"
#include "read/logs/statements/log_builder.h"
#include "read/logs/statements/placeholders.h"

namespace txscope::logs {
namespace {

/// The thread in brackets: `DEBUG 1 --- [nio-8080-exec-1] org.hibernate.SQL`.
std::string thread_in(std::string_view prefix) {
  const std::size_t close = prefix.rfind(']');
  const std::size_t open = prefix.rfind('[', close);
  if (close == prefix.npos || open == prefix.npos) return {};
  return std::string(trim(prefix.substr(open + 1, close - open - 1)));
}

/// What stands behind `LOGGER : ` or `LOGGER - `; none: another logger.
std::optional<std::string_view> behind_logger(std::string_view line,
                                              std::string_view logger) {
  const std::size_t at = line.find(logger);
  if (at == line.npos) return std::nullopt;
  std::string_view rest = trim(line.substr(at + logger.size()));
  while (!rest.empty() && (rest[0] == ':' || rest[0] == '-'))
    rest = trim(rest.substr(1));
  return rest;
}

struct Binding {
  std::size_t place = 0;
  std::string type;
  std::string value;
};

/// `binding parameter (1:BIGINT) <- [5]` (6) or
/// `binding parameter [1] as [BIGINT] - [5]` (5).
std::optional<Binding> binding_in(std::string_view line) {
  const std::size_t at = line.find("binding parameter ");
  if (at == line.npos) return std::nullopt;
  const std::string_view rest = line.substr(at + 18);
  Binding binding;
  std::size_t i = 1;
  while (i < rest.size() &&
         std::isdigit(static_cast<unsigned char>(rest[i])) != 0 &&
         binding.place < 100'000)
    binding.place =
        binding.place * 10 + static_cast<std::size_t>(rest[i++] - '0');
  const std::size_t type = rest.find_first_of(":[", i);
  const std::size_t close = rest.rfind(']');
  const std::size_t mark = rest.find(rest.starts_with('(') ? " <- [" : " - [");
  if (binding.place == 0 || type == rest.npos || mark == rest.npos ||
      close == rest.npos)
    return std::nullopt;
  const std::size_t value = rest.find('[', mark) + 1;
  binding.type =
      rest.substr(type + 1, rest.find_first_of(")]", type) - type - 1);
  if (value <= close) binding.value = rest.substr(value, close - value);
  return binding;
}

std::string literal_of(const Binding& binding) {
  if (binding.value == "null") return "NULL";
  const bool is_number =
      !binding.value.empty() &&
      binding.value.find_first_not_of("0123456789.-") == std::string::npos;
  return is_number || binding.value == "true" || binding.value == "false"
             ? binding.value
             : sql_quoted(binding.value);
}

struct OpenStatement {
  std::uint64_t line = 0;
  std::string sql;
  std::optional<std::int64_t> time;
  SentValues values;
};

}  // namespace

bool is_hibernate(std::string_view head) {
  return head.find("org.hibernate.SQL") != head.npos ||
         head.find("\nHibernate: ") != head.npos ||
         head.starts_with("Hibernate: ");
}

StatementLogResult read_hibernate(read::Input input) {
  LogBuilder builder(input.name(), "log of Hibernate",
                     input.head().find('`') != std::string_view::npos
                         ? sql::Dialect::Mariadb
                         : sql::Dialect::Postgresql);
  std::map<std::string, OpenStatement> open;  // by thread
  bool has_threads = false;
  bool has_ends = false;
  const auto flush = [&](const std::string& thread) {
    OpenStatement& one = open[thread];
    if (!one.sql.empty())
      builder.add(one.line, thread, filled(one.sql, one.values)).time =
          one.time;
    one = {};
  };
  const auto control = [&](const std::string& thread, const char* what,
                           std::string_view line) {
    flush(thread);
    builder.add(input.line(), thread, what).time = log_time(line);
    has_ends = true;
  };
  for (std::string_view line; input.next_line(line);) {
    auto text = behind_logger(line, "org.hibernate.SQL");
    if (!text && line.starts_with("Hibernate: ")) text = trim(line.substr(11));
    const std::size_t logger = line.find(" : ");
    const std::string thread = thread_in(line.substr(
        0, std::min({logger, line.find("org.hibernate"), line.size()})));
    if (text) {
      flush(thread);
      has_threads = has_threads || !thread.empty();
      open[thread] = {input.line(), std::string(*text), log_time(line), {}};
    } else if (const auto binding = binding_in(line)) {
      auto& places = open[thread].values.by_place;
      if (places.size() < binding->place) places.resize(binding->place);
      places[binding->place - 1] = literal_of(*binding);
    } else if (line.find("TransactionImpl") != line.npos) {
      if (line.ends_with("begin")) control(thread, "BEGIN", line);
      if (line.ends_with("committing")) control(thread, "COMMIT", line);
      if (line.ends_with("rolling back")) control(thread, "ROLLBACK", line);
    } else if (!trim(line).empty()) {
      builder.skip(input.line());
    }
  }
  for (auto& [thread, one] : open) flush(std::string(thread));
  if (input.error()) return *input.error();
  builder.log().has_sessions = has_threads;
  builder.log().has_transactions = has_ends;
  return builder.finish();
}

}  // namespace txscope::logs
