#include <algorithm>
#include <string>
#include <vector>

#include "exec/sql/mysql/call.h"
#include "exec/sql/mysql/convert.h"
#include "model/sql/value/json.h"

namespace txscope::sql::mysql {
namespace {

/// $.name, $."a name", $[3]: one place; nothing: it is no such path.
const Json* find_path(const Json& json, std::string_view path, bool& is_path) {
  is_path = false;
  if (path.empty() || path[0] != '$') return nullptr;
  path.remove_prefix(1);
  const Json* at = &json;
  while (!path.empty()) {
    if (path[0] == '.') {
      path.remove_prefix(1);
      std::string name;
      if (!path.empty() && path[0] == '"') {
        const std::size_t end = path.find('"', 1);
        if (end == path.npos) return nullptr;
        name = path.substr(1, end - 1);
        path.remove_prefix(end + 1);
      } else {
        const std::size_t end = std::min(path.find_first_of(".["), path.size());
        name = path.substr(0, end);
        path.remove_prefix(end);
      }
      if (name.empty() || name.find('*') != std::string::npos) return nullptr;
      if (at != nullptr)
        at = at->kind == Json::Kind::Object ? at->member(name) : nullptr;
      continue;
    }
    const std::size_t end = path.find(']');
    if (path[0] != '[' || end == path.npos) return nullptr;
    const std::string_view number = path.substr(1, end - 1);
    const Leading digits = leading(number, false);
    if (!digits.is_whole() || digits.number < 0) return nullptr;
    path.remove_prefix(end + 1);
    const auto position = static_cast<std::size_t>(digits.number);
    if (at == nullptr) continue;
    if (at->kind == Json::Kind::Array)
      at = position < at->items.size() ? &at->items[position] : nullptr;
    else if (position != 0)  // what is no array is its own first item
      at = nullptr;
  }
  is_path = true;
  return at;
}

/// A value as it stands in a JSON text.
std::string in_json(const Value& value, const Type& type) {
  if (value.is_null()) return "null";
  switch (value.kind()) {
    case Kind::Bool: return value.is_true() ? "true" : "false";
    case Kind::Integer:
    case Kind::Numeric:
    case Kind::Float: return text_of(value, type);
    default: return quoted_json(text_of(value, type));
  }
}

bool contains(const Json& whole, const Json& part) {
  if (whole.kind == Json::Kind::Array && part.kind != Json::Kind::Array) {
    return std::any_of(whole.items.begin(), whole.items.end(),
                       [&](const Json& item) { return contains(item, part); });
  }
  if (whole.kind != part.kind) return false;
  switch (whole.kind) {
    case Json::Kind::Array:
      return std::all_of(
          part.items.begin(), part.items.end(),
          [&](const Json& item) { return contains(whole, item); });
    case Json::Kind::Object:
      return std::all_of(part.members.begin(), part.members.end(),
                         [&](const Json::Member& member) {
                           const Json* there = whole.member(member.name);
                           return there != nullptr &&
                                  contains(*there, member.value);
                         });
    case Json::Kind::Number:
      return leading(whole.text).number == leading(part.text).number;
    default: return whole.text == part.text;
  }
}

const char* type_name(const Json& json) {
  switch (json.kind) {
    case Json::Kind::Null: return "NULL";
    case Json::Kind::False:
    case Json::Kind::True: return "BOOLEAN";
    case Json::Kind::Number:
      return json.text.find_first_of(".eE") == std::string::npos ? "INTEGER"
                                                                 : "DOUBLE";
    case Json::Kind::String: return "STRING";
    case Json::Kind::Array: return "ARRAY";
    case Json::Kind::Object: return "OBJECT";
  }
  return "";
}

Value made(const Expr& e, std::span<const Value> args, Halt& halt) {
  const bool is_object = static_cast<Function>(e.index) == Function::JsonObject;
  if (is_object && args.size() % 2 == 1)
    return halt.raise("1582", "Incorrect parameter count");
  std::string all = is_object ? "{" : "[";
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool is_name = is_object && i % 2 == 0;
    if (i > 0) all += is_object && !is_name ? ": " : ", ";
    if (is_name && args[i].is_null())
      return halt.raise_ours("a JSON object with a name that is NULL");
    all += is_name ? quoted_json(text_of(args[i], e.args[i].type))
                   : in_json(args[i], e.args[i].type);
  }
  return Value::text(all + (is_object ? "}" : "]"));
}

}  // namespace

Value json_call(const Expr& e, std::span<const Value> args, Halt& halt) {
  const auto function = static_cast<Function>(e.index);
  if (function == Function::JsonObject || function == Function::JsonArray)
    return made(e, args, halt);
  if (std::any_of(args.begin(), args.end(),
                  [](const Value& v) { return v.is_null(); })) {
    return {};
  }
  const std::string& text = args[0].text();
  const auto as_text = [&](std::string_view of) { return Value::text(of); };
  if (function == Function::JsonQuote) return as_text(quoted_json(text));
  const auto json = parse_json(text);
  if (function == Function::JsonValid) return Value::boolean(json.has_value());
  if (function == Function::JsonUnquote) {
    return json && json->kind == Json::Kind::String ? as_text(json->text)
                                                    : as_text(text);
  }
  if (!json) return {};
  const Json* at = &*json;
  const std::size_t path = function == Function::JsonContains ? 2 : 1;
  if (args.size() > path) {
    bool is_path = false;
    at = find_path(*json, args[path].text(), is_path);
    if (!is_path) return halt.raise_ours("a JSON path of this kind");
    if (at == nullptr) return {};
  }
  const bool is_scalar =
      at->kind != Json::Kind::Array && at->kind != Json::Kind::Object;
  switch (function) {
    case Function::JsonExtract:
      return as_text(
          std::string_view(text).substr(at->begin, at->end - at->begin));
    case Function::JsonValue:
      if (!is_scalar || at->kind == Json::Kind::Null) return {};
      if (at->kind == Json::Kind::True) return as_text("1");
      if (at->kind == Json::Kind::False) return as_text("0");
      return as_text(at->text);
    case Function::JsonLength:
      return Value::integer(static_cast<std::int64_t>(
          is_scalar                       ? 1
          : at->kind == Json::Kind::Array ? at->items.size()
                                          : at->members.size()));
    case Function::JsonType: return as_text(type_name(*at));
    case Function::JsonContains: {
      const auto part = parse_json(args[1].text());
      return part ? Value::boolean(contains(*at, *part)) : Value();
    }
    default: return halt.raise_ours("this function");
  }
}

}  // namespace txscope::sql::mysql
