#include "lift/tables.h"

#include <algorithm>
#include <cctype>

#include "base/ascii.h"
#include "model/sql/type.h"

namespace txscope::lift {
namespace {

using Kind = sql::StatementShape::Kind;
using Role = sql::LiteralSlot::Role;

constexpr std::size_t kMostValues = 50;

std::string full_name(const sql::NamedColumn& column) {
  return column.table + "." + column.column;
}

bool is_integer_text(const std::string& text) {
  const std::size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
  const std::size_t digits = text.size() - sign;
  if (digits == 0 || digits > 9) return false;
  if (digits > 1 && text[sign] == '0') return false;
  return text.find_first_not_of("0123456789", sign) == std::string::npos;
}
bool is_number_text(const std::string& text) {
  if (text.empty() || text.size() > 20) return false;
  const std::size_t sign = text[0] == '-' ? 1 : 0;
  return text.find_first_not_of("0123456789.", sign) == std::string::npos &&
         std::count(text.begin(), text.end(), '.') <= 1 &&
         std::isdigit(static_cast<unsigned char>(text.back())) != 0;
}
bool is_time_text(const std::string& text) {
  return text.size() >= 10 && text[4] == '-' && text[7] == '-' &&
         is_integer_text("1" + text.substr(1, 3)) &&
         (text.size() == 10 || text[10] == ' ' || text[10] == 'T');
}

bool ends_like_key(const std::string& name) {
  const std::string word = ascii::lower(name);
  return word == "id" || word.ends_with("_id") || word.starts_with("id_") ||
         (name.ends_with("Id") && name.size() > 2);
}

}  // namespace

bool LiftedColumn::is_integer() const {
  return type == "integer" || type == "bigint" || type == "smallint";
}
bool LiftedColumn::is_number() const {
  return is_integer() || type.starts_with("numeric") ||
         type.starts_with("double") || type.starts_with("real");
}
bool LiftedColumn::is_time() const {
  return type.starts_with("timestamp") || type == "date";
}

const LiftedColumn* LiftedTable::find(const std::string& column) const {
  for (const LiftedColumn& one : columns)
    if (one.name == column) return &one;
  return nullptr;
}
LiftedColumn* LiftedTable::find(const std::string& column) {
  for (LiftedColumn& one : columns)
    if (one.name == column) return &one;
  return nullptr;
}

Tables::Tables(const sql::Schema* schema, const Runs& runs) {
  if (schema != nullptr) take_schema(*schema);
  collect(runs);
  guess_keys(runs);
  guess_types();
}

void Tables::take_schema(const sql::Schema& schema) {
  for (const sql::Table& table : schema.tables) {
    LiftedTable& made = tables_[table.name];
    made.name = table.name;
    made.is_known = true;
    for (const sql::Column& column : table.columns) {
      LiftedColumn one;
      one.name = column.name;
      one.type = to_string(column.type);
      one.is_known = true;
      one.is_generated = column.sequence.has_value();
      made.columns.push_back(std::move(one));
    }
    for (std::size_t k = 0; k < table.unique.size(); ++k) {
      const auto& columns = table.unique[k].columns;
      if (k == 0 && table.has_primary_key)
        for (const std::uint32_t c : columns)
          made.key.push_back(table.columns[c].name);
      if (columns.size() == 1)
        made.unique.insert(table.columns[columns[0]].name);
    }
  }
  for (const sql::Table& table : schema.tables)
    for (const sql::ForeignKey& key : table.foreign)
      for (std::size_t i = 0; i < key.columns.size(); ++i) {
        const sql::Table& parent = schema.at(key.parent);
        join({table.name, table.columns[key.columns[i]].name},
             {parent.name, parent.columns[key.parent_columns[i]].name});
      }
}

void Tables::collect(const Runs& runs) {
  // Names that come with their table first: others are found by them.
  const auto add = [&](const sql::NamedColumn& column) -> LiftedColumn* {
    if (column.table.empty() || column.column.empty() || column.column == "*")
      return nullptr;
    LiftedTable& table = tables_[column.table];
    table.name = column.table;
    if (LiftedColumn* found = table.find(column.column)) return found;
    if (table.is_known) return nullptr;
    table.columns.push_back({});
    table.columns.back().name = column.column;
    return &table.columns.back();
  };
  for (const sql::StatementShape& shape : runs.shapes) {
    for (const auto* list : {&shape.reads, &shape.writes})
      for (const sql::NamedColumn& column : *list) add(column);
    for (const sql::TableUse& use : shape.tables)
      tables_[use.name].name = use.name;
  }
  for (const sql::StatementShape& shape : runs.shapes) {
    for (const sql::LiteralSlot& slot : shape.slots) {
      LiftedColumn* column = add(resolved(shape, slot.column));
      if (column == nullptr) continue;
      if (slot.role == Role::Computed && shape.kind == Kind::Updates &&
          is_number_text(slot.value)) {
        const std::string name = full_name(resolved(shape, slot.column));
        computed_.insert(name);
        if (!is_integer_text(slot.value)) fractions_.insert(name);
      }
      if (slot.is_null || slot.is_unknown ||
          (slot.role == Role::Computed || slot.role == Role::Other))
        continue;
      if (column->values.size() < kMostValues &&
          std::find(column->values.begin(), column->values.end(), slot.value) ==
              column->values.end())
        column->values.push_back(slot.value);
    }
    for (const auto& [a, b] : shape.joins)
      join(resolved(shape, a), resolved(shape, b));
  }
}

sql::NamedColumn Tables::resolved(const sql::StatementShape& shape,
                                  const sql::NamedColumn& column) const {
  if (!column.table.empty() || column.column == "*" || column.column.empty())
    return column;
  sql::NamedColumn result = column;
  for (const sql::TableUse& use : shape.tables) {
    const LiftedTable* table = find(use.name);
    if (table != nullptr && table->find(column.column) != nullptr) {
      result.table = use.name;
      return result;
    }
  }
  return result;
}

const LiftedTable* Tables::find(const std::string& name) const {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : &found->second;
}

const LiftedColumn* Tables::column(const sql::NamedColumn& column) const {
  const LiftedTable* table = find(column.table);
  return table == nullptr ? nullptr : table->find(column.column);
}

void Tables::guess_keys(const Runs& runs) {
  std::set<std::string> inserted;  // columns that INSERT names
  std::set<std::string> has_insert;
  for (const sql::StatementShape& shape : runs.shapes) {
    if (shape.kind != Kind::Inserts) continue;
    for (const sql::NamedColumn& column : shape.writes) {
      inserted.insert(full_name(column));
      has_insert.insert(column.table);
    }
  }
  for (auto& [name, table] : tables_) {
    if (table.is_known) continue;
    const std::string stem = ascii::lower(name);
    for (LiftedColumn& column : table.columns) {
      const std::string word = ascii::lower(column.name);
      std::string core = word;
      for (const std::string_view part : {"_id", "id_"})
        if (const std::size_t at = core.find(part); at != core.npos)
          core.erase(at, part.size());
      const bool is_own =
          word == "id" || (ends_like_key(column.name) && core.size() > 2 &&
                           (stem == core || stem.ends_with("_" + core) ||
                            stem.ends_with(core + "s")));
      if (!is_own) continue;
      table.key = {column.name};
      column.is_generated = has_insert.count(name) != 0 &&
                            inserted.count(name + "." + column.name) == 0;
      if (word == "id") break;
    }
    // A table that is written to without a key of its own has one unseen.
  }
}

void Tables::guess_types() {
  std::map<std::string, std::vector<std::string>> values;  // by root
  std::set<std::string> counted;
  std::set<std::string> fractional;
  std::map<std::string, std::string> known;
  for (const auto& [name, table] : tables_)
    for (const LiftedColumn& column : table.columns) {
      const std::string root_name = root(name + "." + column.name);
      if (column.is_known) known.emplace(root_name, column.type);
      auto& all = values[root_name];
      all.insert(all.end(), column.values.begin(), column.values.end());
      if (computed_.count(name + "." + column.name) != 0)
        counted.insert(root_name);
      if (fractions_.count(name + "." + column.name) != 0)
        fractional.insert(root_name);
    }
  for (auto& [name, table] : tables_)
    for (LiftedColumn& column : table.columns) {
      if (column.is_known) continue;
      const std::string root_name = root(name + "." + column.name);
      const auto& all = values[root_name];
      const auto every = [&](bool (*is)(const std::string&)) {
        return !all.empty() && std::all_of(all.begin(), all.end(), is);
      };
      if (known.count(root_name) != 0)
        column.type = known[root_name];
      else if (fractional.count(root_name) != 0 &&
               (all.empty() || every(is_number_text)))
        column.type = "numeric";
      else if (every(is_integer_text) ||
               (all.empty() &&
                (ends_like_key(column.name) || counted.count(root_name) != 0)))
        column.type = "integer";
      else if (every(is_number_text))
        column.type = "numeric";
      else if (every(is_time_text))
        column.type = "timestamp";
      else if (every([](const std::string& text) {
                 return text == "true" || text == "false";
               }))
        column.type = "boolean";
      else
        column.type = "text";
      if (!column.is_integer()) column.is_generated = false;
    }
}

std::string Tables::root(std::string name) const {
  for (auto next = joined_.find(name); next != joined_.end();
       next = joined_.find(name))
    name = next->second;
  return name;
}

void Tables::join(const sql::NamedColumn& a, const sql::NamedColumn& b) {
  if (a.table.empty() || b.table.empty()) return;
  const std::string x = root(full_name(a));
  const std::string y = root(full_name(b));
  if (x != y) joined_[x] = y;
}

std::string Tables::domain(const sql::NamedColumn& column) const {
  const LiftedTable* table = find(column.table);
  if (table == nullptr || table->find(column.column) == nullptr) return {};
  const bool is_key = ends_like_key(column.column) ||
                      table->unique.count(column.column) != 0 ||
                      std::find(table->key.begin(), table->key.end(),
                                column.column) != table->key.end() ||
                      joined_.count(full_name(column)) != 0;
  if (!is_key) return {};
  const std::string found = root(full_name(column));
  // product_id means the id of a table that is called so.
  std::string word = ascii::lower(column.column);
  if (found == full_name(column) && word != "id") {
    if (word.ends_with("_id"))
      word.resize(word.size() - 3);
    else if (word.starts_with("id_"))
      word.erase(0, 3);
    for (const auto& [name, other] : tables_) {
      const std::string stem = ascii::lower(name);
      if (other.key.size() == 1 && name != column.table &&
          (stem == word || stem == word + "s" || stem.ends_with("_" + word) ||
           stem.ends_with("_" + word + "s")))
        return root(name + "." + other.key[0]);
    }
  }
  return found;
}

std::string Tables::create_text(const std::set<std::string>& wanted) const {
  std::string text;
  for (const auto& [name, table] : tables_) {
    if (table.is_known || wanted.count(name) == 0) continue;
    text += "CREATE TABLE " + name_text(name) + " (";
    bool is_first = true;
    for (const LiftedColumn& column : table.columns) {
      text += std::string(is_first ? "" : ",") + "\n  " +
              name_text(column.name) + " " + column.type;
      if (table.key.size() == 1 && table.key[0] == column.name)
        text += column.is_generated
                    ? " GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"
                    : " PRIMARY KEY";
      is_first = false;
    }
    text += "\n);\n";
  }
  return text;
}

std::string name_text(const std::string& name) {
  // Words that PostgreSQL takes for something else where a name stands.
  static const std::set<std::string> kReserved = {"all",
                                                  "analyse",
                                                  "analyze",
                                                  "and",
                                                  "any",
                                                  "array",
                                                  "as",
                                                  "asc",
                                                  "both",
                                                  "case",
                                                  "cast",
                                                  "check",
                                                  "collate",
                                                  "column",
                                                  "constraint",
                                                  "create",
                                                  "default",
                                                  "desc",
                                                  "distinct",
                                                  "do",
                                                  "else",
                                                  "end",
                                                  "except",
                                                  "false",
                                                  "fetch",
                                                  "for",
                                                  "foreign",
                                                  "from",
                                                  "grant",
                                                  "group",
                                                  "having",
                                                  "in",
                                                  "initially",
                                                  "intersect",
                                                  "into",
                                                  "lateral",
                                                  "leading",
                                                  "limit",
                                                  "localtime",
                                                  "not",
                                                  "null",
                                                  "offset",
                                                  "on",
                                                  "only",
                                                  "or",
                                                  "order",
                                                  "placing",
                                                  "primary",
                                                  "references",
                                                  "returning",
                                                  "select",
                                                  "some",
                                                  "symmetric",
                                                  "table",
                                                  "then",
                                                  "to",
                                                  "trailing",
                                                  "true",
                                                  "union",
                                                  "unique",
                                                  "user",
                                                  "using",
                                                  "values",
                                                  "variadic",
                                                  "when",
                                                  "where",
                                                  "window",
                                                  "with",
                                                  "left",
                                                  "right",
                                                  "is",
                                                  "like",
                                                  "join",
                                                  "full",
                                                  "inner",
                                                  "outer",
                                                  "cross",
                                                  "natural",
                                                  "between",
                                                  "row",
                                                  "set",
                                                  "position",
                                                  "precision",
                                                  "time",
                                                  "timestamp",
                                                  "interval",
                                                  "char",
                                                  "character",
                                                  "bit",
                                                  "exists",
                                                  "authorization",
                                                  "binary",
                                                  "freeze",
                                                  "similar",
                                                  "verbose",
                                                  "overlaps"};
  const bool is_plain =
      !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
      std::all_of(name.begin(), name.end(), [](char c) {
        return std::islower(static_cast<unsigned char>(c)) != 0 ||
               std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '_';
      });
  if (is_plain && kReserved.count(name) == 0) return name;
  std::string inside = "\"";
  for (const char c : name) {
    if (c == '"') inside += '"';
    inside += c;
  }
  return inside + "\"";
}

}  // namespace txscope::lift
