// jsonb: what changes, removes or shows parts of a value.

#include <algorithm>
#include <charconv>
#include <string>

#include "exec/sql/builtin/builtin.h"
#include "model/sql/value/json.h"

namespace txscope::sql {
namespace {

using JsonKind = Json::Kind;

/// The item of an array that a step of a path means; beyond it: where one
/// would be put, before the first or after the last.
std::optional<std::int64_t> position_in(const Json& array,
                                        const std::string& step) {
  std::int64_t at = 0;
  const auto* end = step.data() + step.size();
  const auto [rest, fault] = std::from_chars(step.data(), end, at);
  if (fault != std::errc() || rest != end) return std::nullopt;
  const auto size = static_cast<std::int64_t>(array.items.size());
  return at < 0 ? at + size : at;
}

Json* step_into(Json& json, const std::string& step) {
  if (json.kind == JsonKind::Object) {
    for (auto& member : json.members)
      if (member.name == step) return &member.value;
    return nullptr;
  }
  if (json.kind != JsonKind::Array) return nullptr;
  const auto at = position_in(json, step);
  if (!at || *at < 0 || *at >= static_cast<std::int64_t>(json.items.size()))
    return nullptr;
  return &json.items[static_cast<std::size_t>(*at)];
}

Value bad_step(const std::string& step, std::size_t number, Halt& halt) {
  return halt.raise("22P02", "path element at position " +
                                 std::to_string(number + 1) +
                                 " is not an integer: \"" + step + "\"");
}

/// The value that all but the last step of a path lead to; null: there is none.
Json* container(Json& json, const std::vector<Value>& path, Halt& halt) {
  Json* at = &json;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i].is_null()) {
      halt.raise("22004", "path element at position " + std::to_string(i + 1) +
                              " is null");
      return nullptr;
    }
    const std::string& step = path[i].text();
    if (at->kind == JsonKind::Array && !position_in(*at, step)) {
      bad_step(step, i, halt);
      return nullptr;
    }
    if (i + 1 == path.size()) break;
    at = step_into(*at, step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

Value set(std::span<const Value> args, Halt& halt) {
  auto json = parse_json(args[0].text());
  auto value = parse_json(args[2].text());
  const bool creates = args.size() < 4 || args[3].is_true();
  if (!json || !value) return halt.raise_ours("this jsonb");
  if (json->kind < JsonKind::Array)
    return halt.raise("22023", "cannot set path in scalar");
  const auto& path = args[1].items();
  const bool is_empty = json->kind == JsonKind::Object ? json->members.empty()
                                                       : json->items.empty();
  if (path.empty() || (is_empty && !creates)) return args[0];
  Json* const at = container(*json, path, halt);
  if (halt.is_set()) return {};
  if (at == nullptr) return args[0];
  const std::string& last = path.back().text();
  if (Json* const there = step_into(*at, last)) {
    *there = std::move(*value);
  } else if (creates && at->kind == JsonKind::Object) {
    at->members.push_back({last, std::move(*value)});
  } else if (creates && at->kind == JsonKind::Array) {
    const bool is_before = position_in(*at, last).value_or(0) < 0;
    at->items.insert(is_before ? at->items.begin() : at->items.end(),
                     std::move(*value));
  }
  return Value::text(canonical_json(to_string(*json)).value_or("{}"));
}

Value delete_path(std::span<const Value> args, Halt& halt) {
  auto json = parse_json(args[0].text());
  if (!json) return halt.raise_ours("this jsonb");
  if (json->kind < JsonKind::Array)
    return halt.raise("22023", "cannot delete path in scalar");
  const auto& path = args[1].items();
  if (path.empty()) return args[0];
  Json* const at = container(*json, path, halt);
  if (halt.is_set()) return {};
  if (at == nullptr) return args[0];
  const std::string& last = path.back().text();
  if (at->kind == JsonKind::Object) {
    std::erase_if(at->members, [&](const auto& m) { return m.name == last; });
  } else if (const Json* there = step_into(*at, last)) {
    at->items.erase(at->items.begin() + (there - at->items.data()));
  }
  return Value::text(to_string(*json));
}

void strip_nulls(Json& json) {
  std::erase_if(json.members,
                [](const auto& m) { return m.value.kind == JsonKind::Null; });
  for (auto& member : json.members) strip_nulls(member.value);
  for (Json& item : json.items) strip_nulls(item);
}

void write_pretty(const Json& json, std::size_t depth, std::string& out) {
  const auto line = [&out](std::size_t indent) {
    out += '\n';
    out.append(indent * 4, ' ');
  };
  if (json.kind < JsonKind::Array) {
    out += to_string(json);
    return;
  }
  const bool is_object = json.kind == JsonKind::Object;
  out += is_object ? '{' : '[';
  const std::size_t count = is_object ? json.members.size() : json.items.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    line(depth + 1);
    if (is_object) out += quoted_json(json.members[i].name) + ": ";
    write_pretty(is_object ? json.members[i].value : json.items[i], depth + 1,
                 out);
  }
  line(depth);
  out += is_object ? '}' : ']';
}

/// ?| and ?&
Value has_names(std::span<const Value> args, bool needs_all, Halt& halt) {
  const auto json = parse_json(args[0].text());
  if (!json) return halt.raise_ours("this jsonb");
  const auto has = [&](const Value& name) {
    if (name.is_null()) return needs_all;  // is left out
    if (json->kind == JsonKind::Object)
      return json->member(name.text()) != nullptr;
    const auto is_name = [&](const Json& item) {
      return item.kind == JsonKind::String && item.text == name.text();
    };
    if (json->kind == JsonKind::String) return is_name(*json);
    return std::any_of(json->items.begin(), json->items.end(), is_name);
  };
  const auto& names = args[1].items();
  return Value::boolean(needs_all
                            ? std::all_of(names.begin(), names.end(), has)
                            : std::any_of(names.begin(), names.end(), has));
}

}  // namespace

Value call_json_path(const Expr& e, std::span<const Value> args, Halt& halt) {
  switch (static_cast<Builtin>(e.index)) {
    case Builtin::JsonSet: return set(args, halt);
    case Builtin::JsonDeletePath: return delete_path(args, halt);
    case Builtin::JsonHasAny: return has_names(args, false, halt);
    case Builtin::JsonHasAll: return has_names(args, true, halt);
    default: break;
  }
  auto json = parse_json(args[0].text());
  if (!json) return halt.raise_ours("this jsonb");
  if (static_cast<Builtin>(e.index) == Builtin::JsonStripNulls) {
    strip_nulls(*json);
    return Value::text(to_string(*json));
  }
  std::string text;
  write_pretty(*json, 0, text);
  return Value::text(text);
}

}  // namespace txscope::sql
