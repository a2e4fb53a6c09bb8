#include "symbolic/tables/open_keys.h"

#include <algorithm>

#include "exec/sql/value/compare.h"
#include "model/sql/value/enumeration.h"
#include "model/sql/walk.h"
#include "symbolic/value/term.h"
#include "symbolic/value/text_order.h"

namespace txscope::symbolic {
namespace {

constexpr std::size_t kMostConstants = 6;  // more of them say little about keys
constexpr std::size_t kMostNew = 4;
constexpr std::int64_t kNewUuids =
    0xA00;  // functions that draw them begin at 1

/// The n-th value after the largest of `known`.
sql::Value new_value(const sql::Type& type, const std::set<sql::Value>& known,
                     std::size_t n) {
  const sql::Kind kind = kind_of(type.name);
  const auto step = static_cast<std::int64_t>(n + 1);
  if (type.name == sql::TypeName::Uuid) return uuid_of(kNewUuids + step);
  if (kind == sql::Kind::Text) {
    std::string text = "new" + std::to_string(n + 1);
    while (known.contains(sql::Value::text(text))) text += "_";
    return sql::Value::text(text);
  }
  std::int64_t most = 0;
  for (const sql::Value& value : known) most = std::max(most, value.integer());
  switch (kind) {
    case sql::Kind::Integer: return sql::Value::integer(most + step);
    case sql::Kind::Date: return sql::Value::date(most + step);
    case sql::Kind::Timestamp:
      return sql::Value::timestamp(most + step * 1'000'000);
    case sql::Kind::TimestampTz:
      return sql::Value::timestamptz(most + step * 1'000'000);
    default: break;
  }
  throw Unsupported{{},
                    "an INSERT whose primary key of type " + to_string(type) +
                        " depends on inputs"};
}

}  // namespace

OpenKeys::OpenKeys(const sql::Application& application,
                   const KeyUniverse& universe, std::size_t calls)
    : application_(application),
      universe_(universe),
      calls_(std::min(calls, kMostNew)) {
  const auto add_statement = [this](const sql::DbStatement& statement) {
    for_each_part(
        statement, [this](const sql::Expr& e) { add_constants(e); },
        [this](const sql::Query& q) { add_constants(q); });
  };
  for (const sql::Routine& routine : application.routines)
    for_each_statement(routine.body, add_statement);
  for (const auto* properties :
       {&application.properties, &application.assumptions}) {
    for (const sql::Property& property : *properties)
      add_statement(property.condition);
  }
}

void OpenKeys::add_constants(const sql::Expr& e) {
  if (e.op == sql::Op::InList ||
      (e.op >= sql::Op::Equal && e.op <= sql::Op::GreaterEqual)) {
    for (const sql::Expr& arg : e.args)
      if (arg.op == sql::Op::Constant && !arg.value.is_null())
        constants_[arg.value.kind()].insert(canonical(arg.value));
  }
  for_each_part(
      e, [this](const sql::Expr& arg) { add_constants(arg); },
      [this](const sql::Query& q) { add_constants(q); });
}

void OpenKeys::add_constants(const sql::Query& q) {
  for_each_part(
      q, [this](const sql::Expr& e) { add_constants(e); },
      [this](const sql::Query& inside) { add_constants(inside); });
}

OpenKeys::Candidates OpenKeys::of(TableId table, std::uint32_t column) const {
  const sql::Table& shape = application_.schema.at(table);
  const sql::Type& type = shape.columns[column].type;
  const auto in_keys = [this](TableId t, std::uint32_t c, bool initial_only) {
    std::set<sql::Value> out;
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
  for (const sql::ForeignKey& key : shape.foreign) {
    const sql::Table& parent = application_.schema.at(key.parent);
    const auto at = std::find(key.columns.begin(), key.columns.end(), column);
    if (at == key.columns.end() || !parent.has_primary_key) continue;
    const std::uint32_t there =
        key.parent_columns[static_cast<std::size_t>(at - key.columns.begin())];
    const auto& own = parent.unique.front().columns;
    if (std::count(own.begin(), own.end(), there) == 0) continue;
    const std::set<sql::Value> values = in_keys(key.parent, there, false);
    return {{values.begin(), values.end()}, true};
  }
  if (type.name == sql::TypeName::Boolean)
    return {{sql::Value::boolean(false), sql::Value::boolean(true)}, true};
  if (type.name == sql::TypeName::Enum) {
    const sql::Enumeration& of = sql::enumeration(type.of);
    for (std::uint32_t i = 0; i < of.labels.size(); ++i)
      out.values.push_back(sql::Value::enumerated(type.of, i, of.labels[i]));
    out.is_all = true;
    return out;
  }
  std::set<sql::Value> known = in_keys(table, column, true);
  const auto named = constants_.find(kind_of(type.name));
  if (named != constants_.end() && named->second.size() <= kMostConstants)
    known.insert(named->second.begin(), named->second.end());
  std::set<sql::Value> all = in_keys(table, column, false);
  all.insert(known.begin(), known.end());
  for (std::size_t n = 0; n < calls_; ++n)
    all.insert(new_value(type, known, n));
  out.values.assign(all.begin(), all.end());
  return out;
}

}  // namespace txscope::symbolic
