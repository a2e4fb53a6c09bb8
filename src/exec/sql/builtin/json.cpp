#include <algorithm>
#include <string>

#include "exec/sql/builtin/builtin.h"
#include "exec/sql/value/to_json.h"
#include "model/sql/value/json.h"

namespace txscope::sql {
namespace {

/// What json keeps as it was written, jsonb in its own form.
Value finished(const std::string& text, const Type& type, Halt& halt) {
  if (text.size() > kLongestText)
    return halt.raise_ours("a text of more than 1 MB");
  if (type.name != TypeName::Jsonb) return Value::text(text);
  const auto json = canonical_json(text);
  if (!json) return halt.raise_ours("this jsonb");
  return Value::text(*json);
}

Value build_object(const Expr& e, std::span<const Value> args, Halt& halt) {
  std::string all = "{";
  for (std::size_t i = 0; i + 1 < args.size(); i += 2) {
    if (args[i].is_null())
      return halt.raise(
          e.type.name == TypeName::Jsonb ? "22023" : "22004",
          "argument " + std::to_string(i + 1) + " cannot be null");
    if (all.size() > 1) all += ", ";
    all += quoted_json(to_string(args[i])) + " : " +
           json_of(args[i + 1], e.args[i + 1].type);
  }
  return finished(all + "}", e.type, halt);
}

Value build_array(const Expr& e, std::span<const Value> args, Halt& halt) {
  std::string all = "[";
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (all.size() > 1) all += ", ";
    all += json_of(args[i], e.args[i].type);
  }
  return finished(all + "]", e.type, halt);
}

Value row_to_json(const Expr& e, std::span<const Value> args, Halt& halt) {
  std::string all = "{";
  for (std::size_t i = 0; i + 1 < args.size(); i += 2) {
    if (all.size() > 1) all += ",";
    all += quoted_json(args[i].text()) + ":" +
           json_of(args[i + 1], e.args[i + 1].type);
  }
  return finished(all + "}", e.type, halt);
}

const Json* item_at(const Json& json, std::int64_t position,
                    bool is_jsonb = true) {
  // jsonb keeps a scalar as an array of one item.
  if (json.kind < Json::Kind::Array && is_jsonb)
    return position == 0 || position == -1 ? &json : nullptr;
  if (json.kind != Json::Kind::Array) return nullptr;
  const auto size = static_cast<std::int64_t>(json.items.size());
  if (position < 0) position += size;
  if (position < 0 || position >= size) return nullptr;
  return &json.items[static_cast<std::size_t>(position)];
}

Value field(const Expr& e, std::span<const Value> args, bool as_text,
            Halt& halt) {
  const auto json = parse_json(args[0].text());
  if (!json) return halt.raise_ours("this json");
  const Type type = e.args[0].type;
  const Json* part =
      args[1].kind() == Kind::Integer
          ? item_at(*json, args[1].integer(), type.name == TypeName::Jsonb)
          : json->member(args[1].text());
  return json_part(part, args[0].text(), type, as_text);
}

const Json* step(const Json& json, const std::string& name) {
  if (json.kind != Json::Kind::Array) return json.member(name);
  char* end = nullptr;
  const long position = std::strtol(name.c_str(), &end, 10);
  return name.empty() || *end != 0 ? nullptr : item_at(json, position);
}

Value path(const Expr& e, std::span<const Value> args, bool as_text,
           Halt& halt) {
  const auto json = parse_json(args[0].text());
  if (!json) return halt.raise_ours("this json");
  const Json* at = &*json;
  for (const Value& name : args[1].items()) {
    if (at == nullptr || name.is_null()) return {};
    at = step(*at, name.text());
  }
  return json_part(at, args[0].text(), e.args[0].type, as_text);
}

Value concat(std::span<const Value> args, Halt& halt) {
  auto a = parse_json(args[0].text());
  auto b = parse_json(args[1].text());
  if (!a || !b) return halt.raise_ours("this jsonb");
  using K = Json::Kind;
  if (a->kind == K::Object && b->kind == K::Object) {
    std::string all = to_string(*a);
    all.pop_back();
    std::string more = to_string(*b).substr(1);
    if (!a->members.empty() && !b->members.empty()) all += ", ";
    return Value::text(canonical_json(all + more).value_or("{}"));
  }
  Json all;
  all.kind = K::Array;
  for (Json* side : {&*a, &*b}) {
    if (side->kind == K::Array)
      std::move(side->items.begin(), side->items.end(),
                std::back_inserter(all.items));
    else
      all.items.push_back(std::move(*side));
  }
  return Value::text(to_string(all));
}

bool is_same(const Json& a, const Json& b) {
  return to_string(a) == to_string(b);
}

/// jsonb @> jsonb
bool contains(const Json& a, const Json& b, bool is_top) {
  using K = Json::Kind;
  if (a.kind == K::Array && b.kind == K::Array) {
    return std::all_of(b.items.begin(), b.items.end(), [&](const Json& wanted) {
      return std::any_of(a.items.begin(), a.items.end(), [&](const Json& item) {
        return contains(item, wanted, false);
      });
    });
  }
  if (is_top && a.kind == K::Array && b.kind != K::Object)
    return std::any_of(a.items.begin(), a.items.end(),
                       [&](const Json& item) { return is_same(item, b); });
  if (a.kind != b.kind) return false;
  if (a.kind != K::Object) return is_same(a, b);
  return std::all_of(b.members.begin(), b.members.end(), [&](const auto& m) {
    const Json* mine = a.member(m.name);
    return mine != nullptr && contains(*mine, m.value, false);
  });
}

Value has(std::span<const Value> args, Halt& halt) {
  const auto json = parse_json(args[0].text());
  if (!json) return halt.raise_ours("this jsonb");
  const std::string& name = args[1].text();
  if (json->kind == Json::Kind::Object)
    return Value::boolean(json->member(name) != nullptr);
  const auto is_name = [&name](const Json& item) {
    return item.kind == Json::Kind::String && item.text == name;
  };
  if (json->kind == Json::Kind::String) return Value::boolean(is_name(*json));
  return Value::boolean(
      std::any_of(json->items.begin(), json->items.end(), is_name));
}

Value type_of(const Json& json) {
  switch (json.kind) {
    case Json::Kind::Null: return Value::text("null");
    case Json::Kind::False:
    case Json::Kind::True: return Value::text("boolean");
    case Json::Kind::Number: return Value::text("number");
    case Json::Kind::String: return Value::text("string");
    case Json::Kind::Array: return Value::text("array");
    case Json::Kind::Object: return Value::text("object");
  }
  return {};
}

Value remove(std::span<const Value> args, Halt& halt) {
  auto json = parse_json(args[0].text());
  if (!json) return halt.raise_ours("this jsonb");
  if (args[1].kind() == Kind::Array) {  // of names
    for (const Value& gone : args[1].items()) {
      if (gone.is_null()) continue;
      std::erase_if(json->members,
                    [&](const auto& m) { return m.name == gone.text(); });
      std::erase_if(json->items, [&](const Json& item) {
        return item.kind == Json::Kind::String && item.text == gone.text();
      });
    }
    return Value::text(to_string(*json));
  }
  if (args[1].kind() == Kind::Integer) {
    if (json->kind == Json::Kind::Object)
      return halt.raise("22023",
                        "cannot delete from object using integer index");
    if (json->kind != Json::Kind::Array)
      return halt.raise("22023", "cannot delete from scalar");
    const Json* gone = item_at(*json, args[1].integer());
    if (gone != nullptr)
      json->items.erase(json->items.begin() + (gone - json->items.data()));
    return Value::text(to_string(*json));
  }
  const std::string& name = args[1].text();
  if (json->kind != Json::Kind::Object && json->kind != Json::Kind::Array)
    return halt.raise("22023", "cannot delete from scalar");
  std::erase_if(json->members, [&](const auto& m) { return m.name == name; });
  std::erase_if(json->items, [&](const Json& item) {
    return item.kind == Json::Kind::String && item.text == name;
  });
  return Value::text(to_string(*json));
}

}  // namespace

Value call_json(const Expr& e, std::span<const Value> args, Halt& halt) {
  const auto function = static_cast<Builtin>(e.index);
  switch (function) {
    case Builtin::BuildObject: return build_object(e, args, halt);
    case Builtin::BuildArray: return build_array(e, args, halt);
    case Builtin::RowToJson: return row_to_json(e, args, halt);
    case Builtin::ToJson:
      return finished(json_of(args[0], e.args[0].type), e.type, halt);
    case Builtin::JsonField: return field(e, args, false, halt);
    case Builtin::JsonFieldText: return field(e, args, true, halt);
    case Builtin::JsonPath: return path(e, args, false, halt);
    case Builtin::JsonPathText: return path(e, args, true, halt);
    case Builtin::JsonConcat: return concat(args, halt);
    case Builtin::JsonHas: return has(args, halt);
    case Builtin::JsonRemove: return remove(args, halt);
    case Builtin::JsonPretty:
    case Builtin::JsonStripNulls:
    case Builtin::JsonHasAny:
    case Builtin::JsonHasAll:
    case Builtin::JsonDeletePath:
    case Builtin::JsonSet: return call_json_path(e, args, halt);
    default: break;
  }
  const auto json = parse_json(args[0].text());
  if (!json) return halt.raise_ours("this json");
  if (function == Builtin::JsonContains) {
    const auto other = parse_json(args[1].text());
    if (!other) return halt.raise_ours("this json");
    return Value::boolean(contains(*json, *other, true));
  }
  if (function == Builtin::JsonTypeOf) return type_of(*json);
  if (json->kind != Json::Kind::Array)
    return halt.raise(
        "22023", "cannot get array length of a " +
                     std::string(json->kind == Json::Kind::Object ? "non-array"
                                                                  : "scalar"));
  return Value::integer(static_cast<std::int64_t>(json->items.size()));
}

}  // namespace txscope::sql
