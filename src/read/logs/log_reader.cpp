#include "read/logs/log_reader.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "model/product/product.h"
#include "model/sql/value/parse_value.h"
#include "read/logs/cursors.h"
#include "read/logs/log_clock.h"
#include "read/logs/seen_ids.h"
#include "read/sql/text/catalog_question.h"

namespace txscope::logs {
namespace {

namespace json = simdjson::ondemand;
using sql::LogStatus;
using sql::Value;

constexpr int kDeepest = 60;

/// Thrown inside this file only.
struct BadLine {
  std::string what;
  std::string hint;
  const char* where = nullptr;
};

[[noreturn]] void bad(std::string what, std::string hint = {}) {
  throw BadLine{std::move(what), std::move(hint), nullptr};
}

template <class T>
T take(simdjson::simdjson_result<T> result) {
  T value;
  if (const auto error = std::move(result).get(value))
    bad(simdjson::error_message(error));
  return value;
}

std::string text_of(json::value value, const char* what) {
  std::string_view text;
  if (value.get_string().get(text)) bad(std::string(what) + " must be a text");
  return std::string(text);
}

std::int64_t integer_of(json::value value, const char* what) {
  std::int64_t number = 0;
  if (value.get_int64().get(number))
    bad(std::string(what) + " must be an integer");
  return number;
}

std::string_view trimmed(std::string_view token) {
  while (!token.empty() && (token.back() == ' ' || token.back() == '\t' ||
                            token.back() == '\r' || token.back() == '\n'))
    token.remove_suffix(1);
  return token;
}

/// A number keeps all its digits; one that is no integer and fits no numeric
/// (1e300) stays the text that it is.
Value number_of(json::value value) {
  std::int64_t integer = 0;
  const std::string_view token = trimmed(value.raw_json_token());
  if (!value.get_int64().get(integer)) return Value::integer(integer);
  double checked = 0;
  if (value.get_double().get(checked)) bad("this is not a number");
  if (auto exact = sql::parse_value(token, sql::TypeName::Numeric))
    return *exact;
  return Value::text(token);
}

Value value_of(json::value value) {
  switch (take(value.type())) {
    case json::json_type::null: {
      bool is_null = false;
      if (value.is_null().get(is_null) || !is_null) bad("expected null");
      return {};
    }
    case json::json_type::boolean:
      return Value::boolean(take(value.get_bool()));
    case json::json_type::string: {
      std::string_view text;
      if (value.get_string().get(text)) bad("this is not text");
      return Value::text(text);
    }
    case json::json_type::number: return number_of(value);
    default:
      bad("a value is null, true, false, a number or a string",
          "write anything else as a string");
  }
}

std::vector<Value> values_of(json::value value) {
  std::vector<Value> values;
  for (auto element : take(value.get_array()))
    values.push_back(value_of(take(element)));
  return values;
}

/// Walks into whatever is not needed, so that mistakes in it are found.
void skip(json::value value, int depth = 0) {
  if (depth > kDeepest) bad("nested too deep");
  switch (take(value.type())) {
    case json::json_type::array:
      for (auto element : take(value.get_array()))
        skip(take(element), depth + 1);
      return;
    case json::json_type::object:
      for (auto field : take(value.get_object()))
        skip(take(std::move(field)).value(), depth + 1);
      return;
    default: (void)value_of(value);
  }
}

sql::LogError error_of(json::value value) {
  sql::LogError error;
  for (auto field : take(value.get_object())) {
    auto member = take(std::move(field));
    const std::string_view name = take(member.unescaped_key());
    if (name == "sqlstate")
      error.sqlstate = text_of(member.value(), "sqlstate");
    else if (name == "code")
      error.code = integer_of(member.value(), "code");
    else if (name == "message")
      error.message = text_of(member.value(), "message");
    else
      skip(member.value());
  }
  return error;
}

std::vector<std::string> types_of(json::value value) {
  std::vector<std::string> types;
  for (const Value& type : values_of(value))
    types.push_back(type.kind() == sql::Kind::Text ? std::string(type.text())
                                                   : std::string());
  return types;
}

void settle_times(const LogClock& clock, sql::LogStatement& statement,
                  const std::vector<std::string>& types,
                  const std::vector<std::string>& parameter_types) {
  const auto settle = [&](std::vector<Value>& values,
                          const std::vector<std::string>& of) {
    for (std::size_t i = 0; i < values.size() && i < of.size(); ++i)
      clock.settle(values[i], of[i], statement.end);
  };
  clock.settle(statement.sql, statement.end);
  settle(statement.parameters, parameter_types);
  if (!statement.rows || types.empty()) return;
  for (sql::Row& row : *statement.rows) settle(row, types);
}

sql::LogStatement statement_of(json::value value,
                               const std::optional<LogClock>& clock) {
  sql::LogStatement statement;
  bool has_sql = false;
  std::vector<std::string> types;
  std::vector<std::string> parameter_types;
  for (auto field : take(value.get_object())) {
    auto member = take(std::move(field));
    const std::string_view name = take(member.unescaped_key());
    json::value inner = member.value();
    if (name == "sql") {
      statement.sql = text_of(inner, "sql");
      has_sql = true;
    } else if (name == "params") {
      statement.parameters = values_of(inner);
    } else if (name == "count") {
      const std::int64_t count = integer_of(inner, "count");
      if (count < 0) bad("count must not be negative");
      statement.count = static_cast<std::uint64_t>(count);
    } else if (name == "rows") {
      statement.rows.emplace();
      for (auto row : take(inner.get_array()))
        statement.rows->push_back(values_of(take(row)));
    } else if (name == "error") {
      statement.error = error_of(inner);
    } else if (name == "types") {
      types = types_of(inner);
    } else if (name == "param_types") {
      parameter_types = types_of(inner);
    } else if (name == "start") {
      statement.start = integer_of(inner, "start");
    } else if (name == "end") {
      statement.end = integer_of(inner, "end");
    } else if (name == "opaque") {
      statement.opaque = text_of(inner, "opaque");
    } else {
      skip(inner);
    }
  }
  if (!has_sql) bad("a statement has no \"sql\"");
  // A mark is believed only if the text bears it out.
  if (statement.opaque == "catalog") {
    statement.is_catalog = sql::is_catalog_question(statement.sql);
    statement.opaque.clear();
  }
  if (clock) settle_times(*clock, statement, types, parameter_types);
  return statement;
}

LogStatus status_of(const std::string& text) {
  if (text == "committed") return LogStatus::Committed;
  if (text == "aborted") return LogStatus::Aborted;
  if (text == "unknown") return LogStatus::Unknown;
  bad("unknown status '" + text + "'", "committed, aborted or unknown");
}

std::string session_of(json::value value) {
  const Value session = value_of(value);
  return session.is_null() ? std::string() : to_string(session);
}

sql::LogTransaction transaction_of(json::object object,
                                   const std::optional<LogClock>& clock) {
  sql::LogTransaction t;
  bool has_statements = false;
  for (auto field : object) {
    auto member = take(std::move(field));
    const std::string_view name = take(member.unescaped_key());
    json::value inner = member.value();
    if (name == "session") {
      t.session = session_of(inner);
    } else if (name == "id") {
      t.id = to_string(value_of(inner));
    } else if (name == "status") {
      t.status = status_of(text_of(inner, "status"));
    } else if (name == "start") {
      t.start = integer_of(inner, "start");
    } else if (name == "end") {
      t.end = integer_of(inner, "end");
    } else if (name == "commit") {
      t.commit = integer_of(inner, "commit");
    } else if (name == "level") {
      t.level = text_of(inner, "level");
    } else if (name == "statements") {
      has_statements = true;
      for (auto element : take(inner.get_array()))
        t.statements.push_back(statement_of(take(element), clock));
    } else {
      skip(inner);
    }
  }
  if (!has_statements) bad("a transaction has no \"statements\"");
  if (t.start && t.end && *t.end < *t.start) bad("it ends before it starts");
  if (t.status == LogStatus::Unknown) t.end.reset();
  fold_cursors(t);
  return t;
}

sql::Dialect dialect_of(const std::string& text) {
  const ProductAlias* product = product_named(text);
  if (product != nullptr) {
    switch (product->product) {
      case Product::PostgreSql: return sql::Dialect::Postgresql;
      case Product::MariaDb: return sql::Dialect::Mariadb;
      case Product::Sqlite: return sql::Dialect::Sqlite;
      case Product::Oracle: break;
    }
  }
  bad("unknown dialect '" + text + "'", "postgresql, mariadb or sqlite");
}

void read_settings(json::value settings, sql::LogHeader& header) {
  for (auto field : take(settings.get_object())) {
    auto member = take(std::move(field));
    if (take(member.unescaped_key()) != "clock") {
      skip(member.value());
      continue;
    }
    header.clock = text_of(member.value(), "clock");
    if (!LogClock::parse(header.clock))
      bad("the clock is not a time", "as in 2030-01-31 18:00:00.5+01");
  }
}

void add_initial(json::value tables, std::vector<std::string>& setup) {
  for (auto field : take(tables.get_object())) {
    auto member = take(std::move(field));
    std::string table = "INSERT INTO ";
    table += take(member.unescaped_key());
    for (auto row : take(json::value(member.value()).get_array())) {
      std::string insert = table + " VALUES (";
      bool is_first = true;
      for (const Value& value : values_of(take(row))) {
        if (!is_first) insert += ", ";
        insert += to_literal(value);
        is_first = false;
      }
      setup.push_back(insert + ")");
    }
  }
}

sql::LogHeader header_of(json::object object) {
  sql::LogHeader header;
  bool is_log = false;
  std::vector<std::string> initial;
  for (auto field : object) {
    auto member = take(std::move(field));
    const std::string_view name = take(member.unescaped_key());
    json::value inner = member.value();
    if (name == "txscope") {
      is_log = text_of(inner, "txscope") == "log";
    } else if (name == "version") {
      if (integer_of(inner, "version") != 1)
        bad("this version of the format is not known", "version 1 is");
    } else if (name == "database") {
      header.database = text_of(inner, "database");
    } else if (name == "dialect") {
      header.dialect = dialect_of(text_of(inner, "dialect"));
    } else if (name == "level") {
      header.level = text_of(inner, "level");
    } else if (name == "setup" || name == "schema") {
      json::array statements;
      if (inner.get_array().get(statements))
        bad(std::string(name) + " must be a list of SQL texts",
            R"(say ["CREATE TABLE ...", "INSERT ..."])");
      for (auto element : statements)
        header.setup.push_back(
            text_of(take(element), "a statement of the setup"));
    } else if (name == "initial") {
      add_initial(inner, initial);
    } else if (name == "settings") {
      read_settings(inner, header);
    } else {
      skip(inner);
    }
  }
  if (!is_log)
    bad("this is not a log of SQL transactions",
        "its first line is {\"txscope\":\"log\",\"version\":1,...}");
  // The rows of a database that was there before have fired what they fired.
  const auto triggers = std::find_if(
      header.setup.begin(), header.setup.end(), [](const std::string& text) {
        return text.starts_with("CREATE TRIGGER") ||
               text.starts_with("CREATE CONSTRAINT TRIGGER");
      });
  header.setup.insert(triggers, initial.begin(), initial.end());
  return header;
}

/// An object that is not closed where the text ends.
bool is_unfinished(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.front() != '{') return false;
  std::size_t depth = 0;
  bool is_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_text) {
      if (c == '\\') ++i;
      if (c == '"') is_text = false;
    } else if (c == '"') {
      is_text = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return is_text || depth > 0;
}

}  // namespace

struct LogReader::Parts {
  explicit Parts(read::Input from) : input(std::move(from)) {}

  /// Calls `use(object)` on the next line that is not blank; false at the end.
  template <class Use>
  Result<bool> line(const Use& use) {
    std::string_view text;
    do {
      if (!input.next_line(text)) {
        if (input.error()) return *input.error();
        return false;
      }
    } while (text.find_first_not_of(" \t\r") == std::string_view::npos);
    padded.assign(text);
    padded.append(simdjson::SIMDJSON_PADDING, ' ');
    json::document document;
    bool is_begun = false;  // before that the document has no place
    try {
      if (const auto error =
              parser.iterate(padded.data(), text.size(), padded.size())
                  .get(document))
        bad(simdjson::error_message(error));
      is_begun = true;
      json::object object;
      if (document.get_object().get(object))
        bad("expected an object {...}", "one transaction per line");
      use(object);
      const char* rest = nullptr;
      if (!document.current_location().get(rest) &&
          rest < padded.data() + text.size() && *rest != '\0')
        bad("something follows the object");
      digest.add(text);
    } catch (const BadLine& mistake) {
      return error_of(is_begun ? &document : nullptr, text, mistake);
    } catch (const simdjson::simdjson_error& mistake) {
      return error_of(is_begun ? &document : nullptr, text,
                      BadLine{mistake.what(), "", nullptr});
    }
    return true;
  }

  Error error_of(json::document* document, std::string_view text,
                 const BadLine& mistake) {
    const char* at = nullptr;
    std::size_t column = 0;
    if (document != nullptr && !document->current_location().get(at) &&
        at >= padded.data() && at < padded.data() + text.size())
      column = static_cast<std::size_t>(at - padded.data());
    return input.error_at(text.data() + column, mistake.what, mistake.hint);
  }

  read::Input input;
  sql::LogHeader header;
  std::optional<LogClock> clock;
  json::parser parser;
  std::string padded;
  bool is_cut = false;
  Digest digest;  ///< of the lines so far
  std::uint64_t unnamed = 0;
  SeenIds ids;
};

LogReader::LogReader(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LogReader::LogReader(LogReader&&) noexcept = default;
LogReader::~LogReader() = default;

Result<LogReader> LogReader::open(read::Input input) {
  auto parts = std::make_unique<Parts>(std::move(input));
  parts->input.expect_text();
  auto found = parts->line(
      [&](json::object& object) { parts->header = header_of(object); });
  if (!found) return found.error();
  if (!*found)
    return Error{{parts->input.name(), 1, 0, {}},
                 "the file is empty",
                 "a log starts with {\"txscope\":\"log\",...}",
                 "",
                 0};
  parts->clock = LogClock::parse(parts->header.clock);
  if (parts->clock)
    for (std::string& text : parts->header.setup) parts->clock->settle(text, 0);
  return LogReader(std::move(parts));
}

const sql::LogHeader& LogReader::header() const { return parts_->header; }
bool LogReader::is_cut() const { return parts_->is_cut; }
std::string LogReader::digest() const { return parts_->digest.hex(); }
const std::string& LogReader::name() const { return parts_->input.name(); }

Result<std::optional<sql::LogTransaction>> LogReader::next() {
  std::optional<sql::LogTransaction> t;
  auto found = parts_->line([&](json::object& object) {
    t = transaction_of(object, parts_->clock);
    t->line = parts_->input.line();
    if (t->id.empty()) t->id = "line " + std::to_string(t->line);
    if (t->session.empty())
      t->session = "#" + std::to_string(++parts_->unnamed);
    if (!parts_->ids.add(t->id))
      bad("the id '" + t->id + "' was used before", "ids are unique");
  });
  if (!found) {
    // Nothing behind it: the writer died in the middle of this line.
    if (parts_->input.window().empty() && !parts_->input.more() &&
        !parts_->input.error() && is_unfinished(parts_->padded)) {
      parts_->is_cut = true;
      return std::optional<sql::LogTransaction>();
    }
    return found.error();
  }
  if (!*found) return std::optional<sql::LogTransaction>();
  return t;
}

}  // namespace txscope::logs
