#include <simdjson.h>

#include <algorithm>
#include <map>

#include "model/product/product.h"
#include "read/logs/statements/formats.h"
#include "read/logs/statements/log_builder.h"
#include "read/logs/statements/placeholders.h"

namespace txscope::logs {
namespace {

namespace dom = simdjson::dom;

struct Span {
  std::string trace;
  std::int64_t time = 0;
  std::uint64_t number = 0;
  std::map<std::string, std::string> attributes;
  bool has_failed = false;
};

std::string shown(dom::element value) {
  std::string_view text;
  if (!value.get_string().get(text)) return std::string(text);
  dom::object object;
  if (!value.get_object().get(object))  // OTLP: {"stringValue": ".."}
    for (const auto field : object) return shown(field.value);
  return simdjson::minify(value);
}

/// [{"key": .., "value": {..}}] of OTLP, or {"key": ..} of other exporters.
std::map<std::string, std::string> attributes_of(dom::element value) {
  std::map<std::string, std::string> all;
  dom::array list;
  dom::object object;
  if (!value.get_array().get(list)) {
    for (const dom::element one : list) {
      std::string_view key;
      dom::element inner;
      if (!one["key"].get_string().get(key) && !one["value"].get(inner))
        all[std::string(key)] = shown(inner);
    }
  } else if (!value.get_object().get(object)) {
    for (const auto field : object)
      all[std::string(field.key)] = shown(field.value);
  }
  return all;
}

std::int64_t time_of(dom::object span) {
  dom::element value;
  if (!span["startTimeUnixNano"].get(value)) {
    const std::string text = shown(value);
    return std::strtoll(text.c_str(), nullptr, 10) / 1000;
  }
  std::string_view text;
  if (!span["start_time"].get_string().get(text))
    return log_time(text).value_or(0);
  return 0;
}

class SpanCollector {
 public:
  /// Whatever has attributes and a trace is a span, wherever it stands.
  void see(dom::element value, int depth) {
    if (depth > 40) return;
    dom::array list;
    dom::object object;
    if (!value.get_array().get(list)) {
      for (const dom::element one : list) see(one, depth + 1);
    } else if (!value.get_object().get(object)) {
      if (take(object)) return;
      for (const auto field : object) see(field.value, depth + 1);
    }
  }

  std::vector<Span> spans;
  std::uint64_t number = 0;

 private:
  bool take(dom::object object) {
    dom::element attributes;
    std::string_view trace;
    if (object["attributes"].get(attributes)) return false;
    if (object["traceId"].get_string().get(trace) &&
        object["context"]["trace_id"].get_string().get(trace))
      return false;
    Span span;
    span.trace = trace;
    span.time = time_of(object);
    span.number = number;
    span.attributes = attributes_of(attributes);
    dom::element code;
    if (!object["status"]["code"].get(code) ||
        !object["status"]["status_code"].get(code)) {
      const std::string text = shown(code);
      span.has_failed =
          text == "2" || text == "ERROR" || text == "STATUS_CODE_ERROR";
    }
    spans.push_back(std::move(span));
    return true;
  }
};

std::string first_of(const Span& span,
                     std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto found = span.attributes.find(name);
        found != span.attributes.end() && !found->second.empty())
      return found->second;
  return {};
}

SentValues values_of_span(const Span& span) {
  constexpr std::string_view kPrefix = "db.query.parameter.";
  SentValues values;
  // As instrumentations of Python tell them.
  if (const std::string all = first_of(span, {"db.statement.parameters"});
      !all.empty())
    values = python_values(all);
  for (const auto& [key, value] : span.attributes) {
    if (!key.starts_with(kPrefix)) continue;
    const std::string name = key.substr(kPrefix.size());
    values.by_name[name] = sql_quoted(value);
    char* end = nullptr;
    const auto place =
        static_cast<std::size_t>(std::strtoul(name.c_str(), &end, 10));
    if (end == name.c_str() || *end != '\0' || place > 10'000) continue;
    if (values.by_place.size() <= place) values.by_place.resize(place + 1);
    values.by_place[place] = sql_quoted(value);
  }
  return values;
}

bool is_mysql_system(const std::string& system) {
  const ProductAlias* product = product_named(system);
  return product != nullptr && product->product == Product::MariaDb;
}

}  // namespace

bool is_opentelemetry(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == head.npos || (head[begin] != '{' && head[begin] != '['))
    return false;
  return (head.find("\"resourceSpans\"") != head.npos ||
          head.find("\"trace_id\"") != head.npos ||
          head.find("\"traceId\"") != head.npos) &&
         head.find("attributes") != head.npos;
}

StatementLogResult read_opentelemetry(read::Input input) {
  std::string text;
  for (std::string_view piece = input.take(1 << 20); !piece.empty();
       piece = input.take(1 << 20))
    text += piece;
  if (input.error()) return *input.error();
  const std::size_t size = text.size();
  simdjson::padded_string padded(text);
  dom::parser parser;
  dom::document_stream documents;
  SpanCollector collector;
  const Error broken{
      Place{input.name(), 0, 0, {}}, "this is not JSON of OpenTelemetry spans",
      "lines of the OTLP file exporter, or one object per span", ""};
  if (parser.parse_many(padded, std::max<std::size_t>(size + 64, 1 << 20))
          .get(documents))
    return broken;
  for (auto document : documents) {
    dom::element element;
    if (document.get(element)) return broken;
    ++collector.number;
    collector.see(element, 0);
  }
  std::map<std::string, std::string> routes;  // by trace
  bool is_mysql = false;
  for (const Span& span : collector.spans) {
    std::string route = first_of(span, {"http.route", "http.target"});
    if (!route.empty()) routes.emplace(span.trace, std::move(route));
    is_mysql = is_mysql ||
               is_mysql_system(first_of(span, {"db.system.name", "db.system"}));
  }
  LogBuilder builder(
      input.name(), "OpenTelemetry spans",
      is_mysql ? sql::Dialect::Mariadb : sql::Dialect::Postgresql);
  for (const Span& span : collector.spans) {
    const std::string sql = first_of(span, {"db.query.text", "db.statement"});
    if (sql.empty()) continue;
    // A trace is a request; which connection it used is rarely told.
    const std::string session =
        first_of(span, {"db.connection_id", "db.client.connection.id"});
    sql::LoggedStatement& one =
        builder.add(span.number, session.empty() ? span.trace : session,
                    filled(sql, values_of_span(span)));
    one.time = span.time;
    one.has_failed = span.has_failed;
    if (one.request.empty()) one.request = span.trace;
    if (one.route.empty()) one.route = routes[span.trace];
  }
  builder.log().has_transactions =
      text.find("COMMIT") != text.npos || text.find("commit") != text.npos;
  return builder.finish(true);
}

}  // namespace txscope::logs
