#include "tla/value/json_values.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace txscope::tla {
namespace {

using Json = nlohmann::json;

constexpr int kDeepestJson = 200;

nlohmann::ordered_json tree_of(Value v) {
  switch (v.tag()) {
    case Tag::Int: return v.as_int();
    case Tag::Bool: return v.as_bool();
    case Tag::String:
    case Tag::Model: return v.as_name()->text;
    case Tag::Node: break;
    default: return nullptr;
  }
  const Node& node = *v.as_node();
  if (node.kind != NodeKind::Function) {
    auto array = nlohmann::ordered_json::array();
    for (const Value item : node.all()) array.push_back(tree_of(item));
    return array;
  }
  auto object = nlohmann::ordered_json::object();
  for (std::uint32_t i = 0; i < node.size; ++i) {
    const Value key = node.domain.as_node()->items[i];
    object[key.tag() == Tag::String ? key.as_name()->text : to_string(key)] =
        tree_of(node.items[i]);
  }
  return object;
}

Value value_of(const Json& json, Store& store, const Spot& spot, int depth) {
  if (depth > kDeepestJson) fail(spot, "the JSON is nested too deeply");
  if (json.is_boolean()) return Value::of_bool(json.get<bool>());
  if (json.is_string()) return store.string(json.get<std::string>());
  if (json.is_null()) return store.string("null");
  if (json.is_number_integer()) {
    const auto n = json.get<std::int64_t>();
    if (n > kLargestInt || n < -kLargestInt)
      fail(spot, "the number " + json.dump() + " is too large",
           "integers have 60 bits");
    return Value::of_int(n);
  }
  if (json.is_number()) {  // as a time stamp has; TLC cuts it off, too
    const double whole = std::trunc(json.get<double>());
    if (!(std::abs(whole) <= static_cast<double>(kLargestInt)))
      fail(spot, "the number " + json.dump() + " is too large",
           "integers have 60 bits");
    return Value::of_int(static_cast<std::int64_t>(whole));
  }
  if (json.is_array()) {
    std::vector<Value> items;
    for (const Json& item : json)
      items.push_back(value_of(item, store, spot, depth + 1));
    return store.sequence(items);
  }
  std::vector<std::pair<Value, Value>> fields;
  for (const auto& [name, field] : json.items())
    fields.emplace_back(store.string(name),
                        value_of(field, store, spot, depth + 1));
  std::sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) {
    return compare(a.first, b.first) < 0;
  });
  std::vector<Value> keys;
  std::vector<Value> values;
  for (const auto& [key, value] : fields) {
    keys.push_back(key);
    values.push_back(value);
  }
  return store.function(store.sorted_set(keys), values);
}

Json parse(const std::string& text, const std::string& where,
           const Spot& spot) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) fail(spot, where + " is no JSON");
  return json;
}

}  // namespace

std::string json_of(Value v) {
  return tree_of(v).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Value values_of_json(const std::string& path, bool has_lines, Store& store,
                     const Spot& spot) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(spot, "the file " + path + " cannot be read");
  if (!has_lines) {
    std::ostringstream text;
    text << file.rdbuf();
    return value_of(parse(text.str(), path, spot), store, spot, 0);
  }
  std::vector<Value> items;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    items.push_back(
        value_of(parse(line, path + ":" + std::to_string(number), spot), store,
                 spot, 0));
  }
  return store.sequence(items);
}

}  // namespace txscope::tla
