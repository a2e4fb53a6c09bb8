#include "symbolic/open_keys.h"

#include <algorithm>

#include "exec/sql/value/compare.h"
#include "model/sql/enumeration.h"
#include "model/sql/walk.h"
#include "symbolic/term.h"
#include "symbolic/text_order.h"

namespace txscope::sql {
namespace {

constexpr std::size_t kMostConstants = 6;  // more of them say little about keys
constexpr std::size_t kMostNew = 4;
constexpr std::int64_t kNewUuids =
    0xA00;  // functions that draw them begin at 1

/// The n-th value after the largest of `known`.
Value new_value(const Type& type, const std::set<Value>& known, std::size_t n) {
  const Kind kind = kind_of(type.name);
  const auto step = static_cast<std::int64_t>(n + 1);
  if (type.name == TypeName::Uuid) return uuid_of(kNewUuids + step);
  if (kind == Kind::Text) {
    std::string text = "new" + std::to_string(n + 1);
    while (known.contains(Value::text(text))) text += "_";
    return Value::text(text);
  }
  std::int64_t most = 0;
  for (const Value& value : known) most = std::max(most, value.integer());
  switch (kind) {
    case Kind::Integer: return Value::integer(most + step);
    case Kind::Date: return Value::date(most + step);
    case Kind::Timestamp: return Value::timestamp(most + step * 1'000'000);
    case Kind::TimestampTz: return Value::timestamptz(most + step * 1'000'000);
    default: break;
  }
  throw Unsupported{{},
                    "an INSERT whose primary key of type " + to_string(type) +
                        " depends on inputs"};
}

}  // namespace

OpenKeys::OpenKeys(const Application& application, const KeyUniverse& universe,
                   std::size_t calls)
    : application_(application),
      universe_(universe),
      calls_(std::min(calls, kMostNew)) {
  const auto add_statement = [this](const DbStatement& statement) {
    for_each_part(
        statement, [this](const Expr& e) { add_constants(e); },
        [this](const Query& q) { add_constants(q); });
  };
  for (const Routine& routine : application.routines)
    for_each_statement(routine.body, add_statement);
  for (const auto* properties :
       {&application.properties, &application.assumptions}) {
    for (const Property& property : *properties)
      add_statement(property.condition);
  }
}

void OpenKeys::add_constants(const Expr& e) {
  if (e.op == Op::InList || (e.op >= Op::Equal && e.op <= Op::GreaterEqual)) {
    for (const Expr& arg : e.args)
      if (arg.op == Op::Constant && !arg.value.is_null())
        constants_[arg.value.kind()].insert(canonical(arg.value));
  }
  for_each_part(
      e, [this](const Expr& arg) { add_constants(arg); },
      [this](const Query& q) { add_constants(q); });
}

void OpenKeys::add_constants(const Query& q) {
  for_each_part(
      q, [this](const Expr& e) { add_constants(e); },
      [this](const Query& inside) { add_constants(inside); });
}

OpenKeys::Candidates OpenKeys::of(TableId table, std::uint32_t column) const {
  const Table& shape = application_.schema.at(table);
  const Type& type = shape.columns[column].type;
  const auto in_keys = [this](TableId t, std::uint32_t c, bool initial_only) {
    std::set<Value> out;
    const auto& key = application_.schema.at(t).unique.front().columns;
    const auto at = std::find(key.begin(), key.end(), c);
    if (at == key.end()) return out;
    for (const KeyUniverse::Entry& entry : universe_.keys(t)) {
      if (initial_only && !entry.is_initial) continue;
      out.insert(entry.key[static_cast<std::size_t>(at - key.begin())]);
    }
    return out;
  };
  Candidates out;
  for (const ForeignKey& key : shape.foreign) {
    const Table& parent = application_.schema.at(key.parent);
    const auto at = std::find(key.columns.begin(), key.columns.end(), column);
    if (at == key.columns.end() || !parent.has_primary_key) continue;
    const std::uint32_t there =
        key.parent_columns[static_cast<std::size_t>(at - key.columns.begin())];
    const auto& own = parent.unique.front().columns;
    if (std::count(own.begin(), own.end(), there) == 0) continue;
    const std::set<Value> values = in_keys(key.parent, there, false);
    return {{values.begin(), values.end()}, true};
  }
  if (type.name == TypeName::Boolean)
    return {{Value::boolean(false), Value::boolean(true)}, true};
  if (type.name == TypeName::Enum) {
    const Enumeration& of = enumeration(type.of);
    for (std::uint32_t i = 0; i < of.labels.size(); ++i)
      out.values.push_back(Value::enumerated(type.of, i, of.labels[i]));
    out.is_all = true;
    return out;
  }
  std::set<Value> known = in_keys(table, column, true);
  const auto named = constants_.find(kind_of(type.name));
  if (named != constants_.end() && named->second.size() <= kMostConstants)
    known.insert(named->second.begin(), named->second.end());
  std::set<Value> all = in_keys(table, column, false);
  all.insert(known.begin(), known.end());
  for (std::size_t n = 0; n < calls_; ++n)
    all.insert(new_value(type, known, n));
  out.values.assign(all.begin(), all.end());
  return out;
}

}  // namespace txscope::sql
