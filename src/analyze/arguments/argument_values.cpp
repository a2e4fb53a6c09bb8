#include "analyze/arguments/argument_values.h"

#include <algorithm>

#include "analyze/arguments/plain_value.h"
#include "exec/sql/query/halt.h"
#include "exec/sql/value/cast.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/to_json.h"
#include "model/sql/value/composite.h"
#include "model/sql/value/json.h"

namespace txscope::analyze {
namespace {

using sql::TypeName;
using sql::Value;

constexpr std::size_t kMostRows = 3;      // of a table that are looked at
constexpr std::size_t kMostItems = 2;     // of an array that is an argument
constexpr std::int64_t kNewNumber = 900;  // of a UUID that no row has

template <class Item>
void add_new(std::vector<Item>& items, Item item) {
  if (std::find(items.begin(), items.end(), item) == items.end())
    items.push_back(std::move(item));
}

/// Something of a type, where nothing else is known.
Value any_value(const sql::Type& type) {
  const bool is_first =
      type.name == TypeName::Date || type.name == TypeName::Timestamp;
  return plain_value(type, is_first ? 0 : 1).value_or(Value());
}

bool is_json(const sql::Type& type) {
  return type.name == TypeName::Json || type.name == TypeName::Jsonb;
}

bool is_words(const sql::Type& type) {
  return type.name == TypeName::Text || type.name == TypeName::Varchar ||
         type.name == TypeName::Char;
}

/// A value as one of another type; none: it is none of it.
std::optional<Value> fitting(const Value& value, const sql::Type& type) {
  if (type.name == TypeName::Unknown || !sql::needs_cast(value, type))
    return value;
  sql::Halt halt;
  const Value made = sql::cast(value, type, sql::CastContext::Explicit, halt);
  if (halt.is_set()) return std::nullopt;
  return made;
}

bool is_positive(const Value& value) {
  if (value.kind() == sql::Kind::Integer) return value.integer() > 0;
  return value.kind() == sql::Kind::Numeric && value.digits() > 0;
}

}  // namespace

Value ArgumentValues::value(const ParameterUse& use, const sql::Type& type,
                            Taking& taking) {
  if (is_json(type) && (!use.members.empty() || use.items != nullptr))
    return fitting(Value::text(json(use, taking)), type).value_or(Value());
  if (type.name == TypeName::Array && use.items != nullptr)
    return Value::array(items(*use.items, element_of(type), taking));
  if (type.name == TypeName::Composite) return row(use, type, taking);
  return scalar(use, type, taking);
}

Value ArgumentValues::setting(const ParameterUse& use, Taking& taking) {
  if (!use.members.empty()) return Value::text(json(use, taking));
  if (use.equals.empty() && use.inserts.empty()) return {};
  const sql::Type type =
      use.as.name == TypeName::Unknown ? type_of_columns(use) : use.as;
  const Value one = value(use, type, taking);
  return one.is_null() ? one : Value::text(to_string(one));
}

ArgumentValues::Values ArgumentValues::items(const ParameterUse& use,
                                             const sql::Type& type,
                                             Taking& taking) {
  Values all;
  for (std::size_t i = 0; i < kMostItems; ++i)
    add_new(all, value(use, type, taking));
  return all;
}

Value ArgumentValues::row(const ParameterUse& use, const sql::Type& type,
                          Taking& taking) {
  Values fields;
  for (const auto& [name, of] : sql::composite(type).fields) {
    const auto member = use.members.find(std::to_string(fields.size() + 1));
    fields.push_back(member == use.members.end()
                         ? any_value(of)
                         : value(*member->second, of, taking));
  }
  return Value::row(fields);
}

std::string ArgumentValues::json(const ParameterUse& use, Taking& taking) {
  std::string text;
  if (!use.members.empty()) {
    for (const auto& [name, member] : use.members)
      text += (text.empty() ? "" : ", ") + sql::quoted_json(name) + ": " +
              json(*member, taking);
    return "{" + text + "}";
  }
  if (use.items != nullptr) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < kMostItems; ++i)
      add_new(all, json(*use.items, taking));
    for (const std::string& item : all)
      text += (text.empty() ? "" : ", ") + item;
    return "[" + text + "]";
  }
  const sql::Type type =
      use.as.name == TypeName::Unknown ? type_of_columns(use) : use.as;
  Value one = value(use, type, taking);
  if (use.equals.empty() && !use.constants.empty())
    one = fitting(*use.constants.begin(), type).value_or(one);
  return one.is_null() ? "null" : sql::json_of(one, type);
}

/// Of a text the type of a column that gets it; text if there is none.
sql::Type ArgumentValues::type_of_columns(const ParameterUse& use) const {
  for (const auto* columns : {&use.equals, &use.inserts, &use.bounds})
    for (const ColumnRef& ref : *columns)
      return application_.schema.at(ref.table).columns[ref.column].type;
  return sql::kText;
}

Value ArgumentValues::scalar(const ParameterUse& use, const sql::Type& type,
                             Taking& taking) {
  const auto row_of = [&](ColumnRef column) -> std::optional<Value> {
    const Values& values = values_of(column);
    if (values.empty()) return std::nullopt;
    std::size_t k = taking.taken[column]++;
    if (taking.is_swapped && k < 2 && values.size() > 1) k = 1 - k;
    return fitting(values[std::min(k, values.size() - 1)], type);
  };
  for (const ColumnRef column : use.equals) {
    const bool creates = use.inserts.count(column) == 1;
    if (creates && taking.is_new) return new_value(column, type);
    if (const auto value = row_of(root(column))) return *value;
    if (creates) return new_value(column, type);
  }
  for (const ColumnRef column : use.inserts) {
    if (parent(column)) {
      if (const auto value = row_of(root(column))) return *value;
    } else if (is_key(column)) {
      return new_value(column, type);
    }
  }
  for (const ColumnRef column : use.bounds) {
    if (!taking.takes_all) break;
    for (const Value& value : values_of(column))
      if (is_positive(value))
        if (const auto all = fitting(value, type)) return *all;
  }
  return any_value(type);
}

/// What a column has in the beginning, the first few.
const ArgumentValues::Values& ArgumentValues::values_of(ColumnRef column) {
  const auto [found, is_first] = seen_.try_emplace(column);
  if (!is_first) return found->second;
  for (const sql::Row& row : initial_.rows(column.table)) {
    if (found->second.size() >= kMostRows) break;
    if (!row[column.column].is_null())
      add_new(found->second, row[column.column]);
  }
  return found->second;
}

/// A value that no row has.
Value ArgumentValues::new_value(ColumnRef column, const sql::Type& type) const {
  if (is_words(type)) return Value::text("new");
  if (type.name == TypeName::Uuid)
    return plain_value(type, kNewNumber).value_or(Value());
  if (kind_of(type.name) != sql::Kind::Integer) return any_value(type);
  std::int64_t most = 0;
  for (const sql::Row& row : initial_.rows(column.table))
    if (row[column.column].kind() == sql::Kind::Integer)
      most = std::max(most, row[column.column].integer());
  return Value::integer(most + 1);
}

bool ArgumentValues::is_key(ColumnRef column) const {
  const auto& keys = application_.schema.at(column.table).unique;
  return std::any_of(keys.begin(), keys.end(), [&](const auto& key) {
    return std::find(key.columns.begin(), key.columns.end(), column.column) !=
           key.columns.end();
  });
}

/// The column that a foreign key of one column refers to.
std::optional<ColumnRef> ArgumentValues::parent(ColumnRef column) const {
  for (const sql::ForeignKey& key :
       application_.schema.at(column.table).foreign)
    if (key.columns.size() == 1 && key.columns[0] == column.column)
      return ColumnRef{key.parent, key.parent_columns[0]};
  return std::nullopt;
}

/// A foreign key's column stands for what it refers to.
ColumnRef ArgumentValues::root(ColumnRef column) const {
  for (int steps = 0; steps < 8; ++steps) {
    const auto up = parent(column);
    if (!up) break;
    column = *up;
  }
  return column;
}

}  // namespace txscope::analyze
