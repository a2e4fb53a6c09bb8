// Keys, checks, defaults, identities and references of a table.

#include "read/sql/schema/schema_reader.h"

#include <algorithm>

#include "base/suggest.h"
#include "read/sql/analyze/mariadb.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

void collect_columns(const Expr& e, std::vector<std::uint32_t>& columns) {
  if (e.op == Op::Column) columns.push_back(e.index);
  for (const Expr& arg : e.args) collect_columns(arg, columns);
}

std::vector<std::uint32_t> SchemaReader::columns(NodeList names,
                                                 const Table& table,
                                                 Span at) const {
  std::vector<std::uint32_t> result;
  for (const Node* node : names) {
    const std::string_view name = string_of(node);
    const auto column = column_of(table, name);
    if (!column) {
      source_.fail(
          at, "'" + table.name + "' has no column '" + std::string(name) + "'",
          hint_among(name, column_names(table), "columns"));
    }
    if (std::find(result.begin(), result.end(), *column) != result.end()) {
      source_.fail(at, "column '" + std::string(name) + "' is given twice");
    }
    result.push_back(*column);
  }
  return result;
}

std::string SchemaReader::free_name(const char* given,
                                    const std::vector<std::uint32_t>& columns,
                                    std::string_view label) {
  auto& taken = catalog_.constraint_names;
  // Names are those of one schema; public's are kept as they are.
  const std::string prefix = schema_ == "public" ? "" : schema_ + ".";
  if (!view(given).empty()) {
    taken.insert(prefix + given);
    return given;
  }
  std::string base = plain_;
  for (const std::uint32_t column : columns) {
    base += "_" + table_.columns[column].name;
  }
  base += "_" + std::string(label);
  if (taken.insert(prefix + base).second) return base;
  for (int i = 1;; ++i) {
    std::string name = base + std::to_string(i);
    if (taken.insert(prefix + name).second) return name;
  }
}

void SchemaReader::add_unique(const PgQuery__Constraint& node,
                              std::vector<std::uint32_t> columns) {
  const Span at = tree_.at(node.location);
  if (node.nulls_not_distinct) {
    obstacle({.what = "NULLS NOT DISTINCT", .at = at, .on_delete = false});
  }
  UniqueKey key;
  key.columns = columns;
  key.is_deferrable = node.deferrable || node.initdeferred;
  key.is_deferred = node.initdeferred;
  if (node.contype == PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE) {
    key.name = free_name(node.conname, columns, "key");
    table_.unique.push_back(std::move(key));
    return;
  }
  if (table_.has_primary_key) {
    source_.there_already(at, "'" + table_.name + "' has two primary keys");
  }
  key.name = free_name(node.conname, {}, "pkey");
  for (const std::uint32_t column : columns) {
    table_.columns[column].is_nullable = false;
  }
  // Two rows may have it for a while: it does not name a row.
  table_.has_primary_key = !key.is_deferrable;
  table_.unique.insert(table_.unique.begin(), std::move(key));
}

void SchemaReader::add_check(const PgQuery__Constraint& node) {
  const Span at = tree_.at(node.location);
  Analyzer analyzer(tree_, catalog_, nullptr);
  Expr condition;
  try {
    condition = analyzer.of_row(*node.raw_expr, &table_, id_);
  } catch (const Failure& failure) {
    if (!failure.is_gap) throw;
    // It matters where a row is written, not before.
    obstacle({.what = "the CHECK (" + failure.error.what + ")",
              .at = at,
              .on_delete = false});
    return;
  }
  if (source_.mysql() != nullptr)
    condition = mariadb_condition(std::move(condition));
  if (!converts(condition.type, kBoolean)) {
    source_.fail(condition.at, "the condition of CHECK must be boolean, not " +
                                   to_string(condition.type));
  }
  condition = convert(source_, std::move(condition), {TypeName::Boolean, 0, 0});
  std::vector<std::uint32_t> used;
  collect_columns(condition, used);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  if (has_subquery_or_call(condition)) {
    obstacle({"a subquery or a user-defined function in CHECK", at, true, true,
              false, std::move(used)});
    return;
  }
  if (used.size() != 1) used.clear();
  Check check;
  check.name = free_name(node.conname, used, "check");
  check.condition = std::move(condition);
  check.at = at;
  table_.checks.push_back(std::move(check));
}

void SchemaReader::add_default(const PgQuery__Constraint& node,
                               std::uint32_t column) {
  Column& into = table_.columns[column];
  const Span at = tree_.at(node.location);
  if (into.sequence || into.default_value) {
    source_.fail(at, "column '" + into.name + "' has two default values");
  }
  set_default(column, node.raw_expr, at);
}

void SchemaReader::set_default(std::uint32_t column, const Node* given,
                               Span at) {
  Column& into = table_.columns[column];
  if (add_generator(*given, column)) return;
  Analyzer analyzer(tree_, catalog_, nullptr);
  std::optional<Expr> read;
  // It matters where a row is inserted, not before.
  const auto cannot_use = [&](const Failure& failure) {
    obstacle({"the default of '" + into.name + "' (" + failure.error.what + ")",
              at,
              true,
              false,
              false,
              {}});
  };
  try {
    read = analyzer.of_row(*given, nullptr);
  } catch (const Failure& failure) {
    return cannot_use(failure);
  }
  Expr value = std::move(*read);
  if (has_subquery_or_call(value)) {
    obstacle({"the user-defined function in the default of '" + into.name + "'",
              at,
              true,
              false,
              false,
              {}});
    return;
  }
  if (!assigns(value.type, into.type) && into.type.name == TypeName::Opaque) {
    obstacle(
        {"the default of '" + into.name + "', a " + to_string(into.type) + ",",
         at,
         true,
         false,
         false,
         {}});
    return;
  }
  if (source_.mysql() != nullptr) {
    try {
      into.default_value =
          mariadb_assigned(source_, std::move(value), into.type);
    } catch (const Failure& failure) {
      obstacle(
          {"the default of '" + into.name + "' (" + failure.error.what + ")",
           at,
           true,
           false,
           false,
           {}});
    }
    return;
  }
  if (!assigns(value.type, into.type)) {
    source_.fail(value.at, "column '" + into.name + "' is of type " +
                               to_string(into.type) +
                               " but its default is of type " +
                               to_string(value.type));
  }
  try {
    into.default_value = assign(source_, std::move(value), into.type);
  } catch (const Failure& failure) {
    if (!failure.is_gap) throw;
    cannot_use(failure);
  }
}

void SchemaReader::add_identity(const PgQuery__Constraint& node,
                                std::uint32_t column) {
  Column& into = table_.columns[column];
  const Span at = tree_.at(node.location);
  if (!is_integer(into.type.name)) {
    source_.fail(at, "an identity column must be of an integer type");
  }
  if (into.sequence || into.default_value) {
    source_.fail(at, "column '" + into.name + "' has two default values");
  }
  std::int64_t start = 1;
  std::int64_t increment = 1;
  for (const Node* item : list(node.n_options, node.options)) {
    const PgQuery__DefElem& option = *item->def_elem;
    const std::string_view name = view(option.defname);
    const bool is_number =
        option.arg != nullptr &&
        option.arg->node_case == PG_QUERY__NODE__NODE_INTEGER;
    if (name == "start" && is_number) {
      start = option.arg->integer->ival;
    } else if (name == "increment" && is_number) {
      increment = option.arg->integer->ival;
    } else if (name == "maxvalue" && is_number &&
               option.arg->integer->ival < kFewNumbers) {
      obstacle({"the sequence of few numbers", at});
    }
  }
  if (start < 1 || increment < 1) {
    source_.unsupported(at, "a sequence that starts below 1 or descends is");
  }
  into.is_nullable = false;
  into.is_always_generated = view(node.generated_when) == "a";
  add_sequence(column, start, increment);
}

void SchemaReader::add_foreign(const PgQuery__Constraint& node,
                               std::vector<std::uint32_t> columns_) {
  const Span at = tree_.at(node.location);
  if (view(node.fk_matchtype) == "f" && columns_.size() > 1) {
    obstacle({.what = "MATCH FULL", .at = at, .on_delete = false});
  }
  const std::string_view on_update = view(node.fk_upd_action);
  const bool changes_children = on_update == "d";
  ForeignKey key;
  key.is_deferrable = node.deferrable || node.initdeferred;
  key.is_deferred = node.initdeferred;
  key.restricts_update = on_update == "r";
  key.restricts_delete = view(node.fk_del_action) == "r";
  if (on_update == "c") key.on_update = OnDelete::Cascade;
  if (on_update == "n") key.on_update = OnDelete::SetNull;
  const std::string_view on_delete = view(node.fk_del_action);
  if (on_delete == "c") {
    key.on_delete = OnDelete::Cascade;
  } else if (on_delete == "n" && node.n_fk_del_set_cols == 0) {
    key.on_delete = OnDelete::SetNull;
  }
  const bool deletes_oddly =
      on_delete == "d" || (on_delete == "n" && node.n_fk_del_set_cols > 0);
  const std::string parent = catalog_.relation(qualified(*node.pktable));
  const bool is_self = parent == table_.name;
  if (const std::string schema(view(node.pktable->schemaname));
      !schema.empty() && !catalog_.schemas.contains(schema)) {
    catalog_.outside.insert(schema + "." +
                            std::string(view(node.pktable->relname)));
    return;
  }
  if (is_self) {
    key.parent = id_;
  } else if (const auto found = catalog_.table(parent)) {
    key.parent = *found;
  } else if (catalog_.broken.contains(parent)) {
    obstacle({.what = "the reference to '" + parent +
                      "', which cannot be used,",
              .at = at,
              .on_delete = false,
              .columns = std::move(columns_)});
    return;
  } else if (catalog_.is_elsewhere(parent)) {
    catalog_.outside.insert(parent);
    return;
  } else {
    source_.fail(tree_.dotted_name(node.pktable->location),
                 "unknown table '" + parent + "'",
                 hint_among(parent, catalog_.table_names(), "tables"));
  }
  const Table& referenced = is_self ? table_ : catalog_.schema.at(key.parent);
  if (node.n_pk_attrs > 0) {
    key.parent_columns =
        columns(list(node.n_pk_attrs, node.pk_attrs), referenced, at);
  } else if (referenced.has_primary_key) {
    key.parent_columns = referenced.unique[0].columns;
  } else {
    source_.fail(at, "'" + parent + "' has no primary key to refer to",
                 is_self ? "declare the primary key before the reference"
                         : "name the columns of a unique key");
  }
  key.columns = std::move(columns_);
  if (key.columns.size() != key.parent_columns.size()) {
    source_.fail(at, "the foreign key has " +
                         std::to_string(key.columns.size()) +
                         " columns, the key it refers to has " +
                         std::to_string(key.parent_columns.size()));
  }
  std::vector<std::uint32_t> sorted = key.parent_columns;
  std::sort(sorted.begin(), sorted.end());
  const bool is_unique =
      std::any_of(referenced.unique.begin(), referenced.unique.end(),
                  [&sorted](const UniqueKey& candidate) {
                    std::vector<std::uint32_t> other = candidate.columns;
                    std::sort(other.begin(), other.end());
                    return other == sorted;
                  });
  if (!is_unique && source_.mysql() != nullptr)
    source_.unsupported(at, "one to columns that are not a unique key is");
  if (!is_unique) {
    source_.fail(at,
                 "there is no unique key on these columns of '" + parent + "'",
                 "a foreign key refers to a PRIMARY KEY or UNIQUE columns");
  }
  if (changes_children) {
    others_.emplace_back(
        key.parent, Obstacle{.what = "the foreign key with ON UPDATE SET DEFAULT",
                             .at = at,
                             .on_insert = false,
                             .on_delete = false,
                             .columns = key.parent_columns});
  }
  if (deletes_oddly) {
    others_.emplace_back(key.parent,
                         Obstacle{"the foreign key with ON DELETE SET DEFAULT",
                                  at,
                                  false,
                                  false,
                                  true,
                                  {}});
  }
  for (std::size_t i = 0; i < key.columns.size(); ++i) {
    const Type a = table_.columns[key.columns[i]].type;
    const Type b = referenced.columns[key.parent_columns[i]].type;
    if (kind_of(a.name) != kind_of(b.name)) {
      source_.unsupported(at,
                          "a foreign key between " + to_string(a) + " and " +
                              to_string(b) + " is",
                          "give both columns the same type");
    }
  }
  key.name = free_name(node.conname, key.columns, "fkey");
  key.at = at;
  table_.foreign.push_back(std::move(key));
}

}  // namespace txscope::sql
