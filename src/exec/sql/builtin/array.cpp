#include <algorithm>
#include <string>
#include <vector>

#include "exec/sql/builtin/builtin.h"
#include "exec/sql/value/compare.h"

namespace txscope::sql {
namespace {

constexpr std::size_t kMostItems = 100'000;

using Items = std::vector<Value>;

Value made(const Items& items, Halt& halt) {
  if (items.size() > kMostItems)
    return halt.raise_ours("an array of more than 100,000 items");
  return Value::array(items);
}

bool is_equal(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return a.is_null() && b.is_null();
  return compare(a, b) == 0;
}

bool has(const Items& items, const Value& wanted) {
  return std::any_of(items.begin(), items.end(), [&](const Value& item) {
    return !item.is_null() && !wanted.is_null() && compare(item, wanted) == 0;
  });
}

bool compares(Builtin function, int order) {
  switch (function) {
    case Builtin::LessAny: return order < 0;
    case Builtin::LessEqualAny: return order <= 0;
    case Builtin::GreaterAny: return order > 0;
    case Builtin::GreaterEqualAny: return order >= 0;
    case Builtin::NotEqualAny: return order != 0;
    default: return order == 0;
  }
}

/// value op ANY (array), with NULL unknown; <> ALL is NOT (= ANY).
Value any(Builtin function, std::span<const Value> args) {
  if (args[1].is_null()) return {};
  const Items& items = args[1].items();
  if (items.empty()) return Value::boolean(false);
  if (args[0].is_null()) return {};
  bool has_null = false;
  for (const Value& item : items) {
    if (item.is_null())
      has_null = true;
    else if (compares(function, compare(args[0], item)))
      return Value::boolean(true);
  }
  return has_null ? Value() : Value::boolean(false);
}

/// x op ALL is NOT (x other-op ANY).
Builtin opposite(Builtin all) {
  switch (all) {
    case Builtin::EqualsAll: return Builtin::NotEqualAny;
    case Builtin::LessAll: return Builtin::GreaterEqualAny;
    case Builtin::LessEqualAll: return Builtin::GreaterAny;
    case Builtin::GreaterAll: return Builtin::LessEqualAny;
    case Builtin::GreaterEqualAll: return Builtin::LessAny;
    default: return Builtin::EqualsAny;
  }
}

Value positions(std::span<const Value> args, Halt& halt) {
  if (args[0].is_null()) return {};
  Items found;
  const Items& items = args[0].items();
  for (std::size_t i = 0; i < items.size(); ++i)
    if (is_equal(items[i], args[1]))
      found.push_back(Value::integer(static_cast<std::int64_t>(i + 1)));
  return made(found, halt);
}

Value filled(std::span<const Value> args, Halt& halt) {
  if (args[1].is_null())
    return halt.raise("22004",
                      "dimension array or low bound array cannot be null");
  if (args[1].items().size() != 1)
    return halt.raise_ours("array_fill() of several dimensions");
  const Value& length = args[1].items()[0];
  if (length.is_null())
    return halt.raise("22004", "dimension values cannot be null");
  const std::int64_t n = length.integer();
  if (n < 0 || n > static_cast<std::int64_t>(kMostItems))
    return halt.raise_ours("an array of this length");
  return made(Items(static_cast<std::size_t>(n), args[0]), halt);
}

Value joined(std::span<const Value> args) {
  if (args[0].is_null() || args[1].is_null()) return {};
  std::string all;
  bool is_first = true;
  for (const Value& item : args[0].items()) {
    const bool is_shown =
        !item.is_null() || (args.size() > 2 && !args[2].is_null());
    if (!is_shown) continue;
    if (!is_first) all += args[1].text();
    is_first = false;
    all += item.is_null() ? args[2].text() : to_string(item);
  }
  return Value::text(all);
}

Value split(std::span<const Value> args, Halt& halt) {
  if (args[0].is_null()) return {};
  const std::string& text = args[0].text();
  if (args[1].is_null()) return halt.raise_ours("string_to_array(text, NULL)");
  const std::string& by = args[1].text();
  Items items;
  if (text.empty()) return made(items, halt);
  const auto add = [&](const std::string& piece) {
    const bool is_null =
        args.size() > 2 && !args[2].is_null() && piece == args[2].text();
    items.push_back(is_null ? Value() : Value::text(piece));
  };
  std::size_t from = 0;
  for (std::size_t at = 0;
       !by.empty() && (at = text.find(by, from)) != std::string::npos;
       from = at + by.size())
    add(text.substr(from, at - from));
  add(text.substr(from));
  return made(items, halt);
}

Value slice(std::span<const Value> args, Halt& halt) {
  const Items& items = args[0].items();
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t from = std::max<std::int64_t>(args[1].integer(), 1);
  const std::int64_t to = std::min(args[2].integer(), size);
  if (from > to) return made({}, halt);
  return made(Items(items.begin() + (from - 1), items.begin() + to), halt);
}

Value item(std::span<const Value> args) {
  const Items& items = args[0].items();
  const std::int64_t at = args[1].integer();
  if (at < 1 || at > static_cast<std::int64_t>(items.size())) return {};
  return items[static_cast<std::size_t>(at - 1)];
}

Value position(std::span<const Value> args) {
  if (args[0].is_null()) return {};
  const Items& items = args[0].items();
  for (std::size_t i = 0; i < items.size(); ++i)
    if (is_equal(items[i], args[1]))
      return Value::integer(static_cast<std::int64_t>(i + 1));
  return {};
}

/// An array grows at its end; others of PostgreSQL's begin elsewhere than at 1.
Value with_item(std::span<const Value> args, Halt& halt) {
  Items items = args[0].is_null() ? Items() : args[0].items();
  if (args[1].is_null())
    return halt.raise("22004",
                      "array subscript in assignment must not be null");
  const std::int64_t at = args[1].integer();
  constexpr std::int64_t kMost = 1'000'000;
  if (at < 1 || at > kMost || (items.empty() && at != 1))
    return halt.raise_ours("an array whose subscripts do not begin at 1");
  const auto i = static_cast<std::size_t>(at - 1);
  if (i >= items.size()) items.resize(i + 1);
  items[i] = args[2];
  return made(items, halt);
}

Value extended(std::span<const Value> args, Builtin function, Halt& halt) {
  const bool is_prepend = function == Builtin::ArrayPrepend;
  const Value& array = args[is_prepend ? 1 : 0];
  const Value& other = args[is_prepend ? 0 : 1];
  if (function == Builtin::ArrayCat && (array.is_null() || other.is_null()))
    return array.is_null() ? other : array;
  Items items = array.is_null() ? Items() : array.items();
  if (function == Builtin::ArrayCat)
    items.insert(items.end(), other.items().begin(), other.items().end());
  else
    items.insert(is_prepend ? items.begin() : items.end(), other);
  return made(items, halt);
}

}  // namespace

Value call_array(const Expr& e, std::span<const Value> args, Halt& halt) {
  const auto function = static_cast<Builtin>(e.index);
  switch (function) {
    case Builtin::MakeArray: return made(Items(args.begin(), args.end()), halt);
    case Builtin::ArrayItem: return item(args);
    case Builtin::ArraySlice: return slice(args, halt);
    case Builtin::ArrayLength:
      if (args[1].integer() != 1 || args[0].items().empty()) return {};
      [[fallthrough]];
    case Builtin::Cardinality:
      return Value::integer(static_cast<std::int64_t>(args[0].items().size()));
    case Builtin::ArrayAppend:
    case Builtin::ArrayPrepend:
    case Builtin::ArrayCat: return extended(args, function, halt);
    case Builtin::ArrayPosition: return position(args);
    case Builtin::ArraySet: return with_item(args, halt);
    case Builtin::ArrayRemove: {
      if (args[0].is_null()) return {};
      Items items = args[0].items();
      std::erase_if(items,
                    [&](const Value& v) { return is_equal(v, args[1]); });
      return made(items, halt);
    }
    case Builtin::ArrayToString: return joined(args);
    case Builtin::StringToArray: return split(args, halt);
    case Builtin::ArrayContains: {
      const Items& wanted = args[1].items();
      return Value::boolean(
          std::all_of(wanted.begin(), wanted.end(),
                      [&](const Value& v) { return has(args[0].items(), v); }));
    }
    case Builtin::ArrayOverlaps: {
      const Items& wanted = args[1].items();
      return Value::boolean(
          std::any_of(wanted.begin(), wanted.end(),
                      [&](const Value& v) { return has(args[0].items(), v); }));
    }
    case Builtin::ArrayPositions: return positions(args, halt);
    case Builtin::ArrayReplace: {
      if (args[0].is_null()) return {};
      Items items = args[0].items();
      for (Value& v : items)
        if (is_equal(v, args[1])) v = args[2];
      return made(items, halt);
    }
    case Builtin::ArrayLower:
      if (args[1].integer() != 1 || args[0].items().empty()) return {};
      return Value::integer(1);
    case Builtin::ArrayFill: return filled(args, halt);
    case Builtin::EqualsAll:
    case Builtin::LessAll:
    case Builtin::LessEqualAll:
    case Builtin::GreaterAll:
    case Builtin::GreaterEqualAll:
    case Builtin::NotEqualAll: {
      const Value found = any(opposite(function), args);
      return found.is_null() ? Value() : Value::boolean(!found.is_true());
    }
    default: return any(function, args);
  }
}

}  // namespace txscope::sql
