#include "base/suggest.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

Expr plain_column(const Type& type, std::uint32_t level,
                  std::pair<std::uint32_t, std::uint32_t> which, Span at) {
  Expr e;
  e.op = Op::Column;
  e.type = type;
  e.level = level;
  e.relation = which.first;
  e.index = which.second;
  e.at = at;
  return e;
}

}  // namespace

std::string joined(std::span<const std::string> name) {
  std::string all;
  for (const std::string& part : name) {
    if (!all.empty()) all += '.';
    all += part;
  }
  return all;
}

NameScope::NameScope(const Tree& of, const Catalog& known, const Names* named,
                     Lifter* calls)
    : tree(of),
      catalog(known),
      variables(named),
      lifter(calls),
      dialect(of.source().dialect()) {}

Expr NameScope::merged_column(std::uint32_t up, std::uint32_t relation,
                              std::uint32_t column, Span at) const {
  const auto& relations = levels[levels.size() - 1 - up]->relations;
  const ColumnName& first = relations[relation].columns[column];
  Expr e = plain_column(first.type, up, {relation, column}, at);
  if (first.others.empty()) return e;
  std::vector<Expr> all;
  Type type = first.type;
  all.push_back(std::move(e));
  for (const auto& other : first.others) {
    const Type& next = relations[other.first].columns[other.second].type;
    // They were compared.
    type = bare(combined_type(type, next).value_or(type));
    all.push_back(plain_column(next, up, other, at));
  }
  for (Expr& one : all) one = convert(source(), std::move(one), type);
  return make(Op::Coalesce, type, std::move(all), at);
}

Expr NameScope::variable(Names::Found found, Span at) {
  mentions.push_back({at, found.slot});
  Expr e;
  e.op = Op::Variable;
  e.type = found.type;
  e.index = found.slot;
  e.at = at;
  return e;
}

std::optional<Expr> NameScope::find_column(std::span<const std::string> name,
                                           Span at) {
  // schema.table.column
  if (name.size() == 3 &&
      catalog.table(catalog.relation(name[0], name[1])).has_value())
    return find_column(name.subspan(1), at);
  if (name.size() > 2) return std::nullopt;
  const std::string& column = name.back();
  for (std::size_t up = 0; up < levels.size(); ++up) {
    const OpenQuery& names = *levels[levels.size() - 1 - up];
    std::optional<Expr> found;
    for (std::uint32_t r = 0; r < names.relations.size(); ++r) {
      const RelationNames& relation = names.relations[r];
      if (!relation.is_visible) continue;
      if (name.size() == 2 && relation.name != name[0]) continue;
      for (std::uint32_t c = 0; c < relation.columns.size(); ++c) {
        if (relation.columns[c].name != column) continue;
        if (name.size() == 1 && relation.columns[c].is_merged) continue;
        if (found) {
          source().fail(at, "'" + joined(name) + "' is ambiguous",
                        "several tables have such a column; write "
                        "table.column");
        }
        const auto level = static_cast<std::uint32_t>(up);
        found = name.size() == 1
                    ? merged_column(level, r, c, at)
                    : plain_column(relation.columns[c].type, level, {r, c}, at);
      }
      if (name.size() == 2 && !found) {
        const bool is_variable =
            variables != nullptr && variables->find(name, at, true).has_value();
        if (is_variable) continue;
        std::vector<std::string> candidates;
        for (const ColumnName& c : relation.columns) {
          candidates.push_back(c.name);
        }
        source().fail(at, "'" + name[0] + "' has no column '" + column + "'",
                      hint_among(column, candidates, "columns"));
      }
    }
    if (found) return found;
    for (std::uint32_t r = 0; r < names.relations.size(); ++r) {
      const RelationNames& relation = names.relations[r];
      if (name.size() == 1 && relation.is_visible && relation.is_scalar &&
          relation.name == column) {
        return plain_column(relation.columns[0].type,
                            static_cast<std::uint32_t>(up), {r, 0}, at);
      }
    }
  }
  return std::nullopt;
}

void NameScope::unknown_name(std::span<const std::string> name, Span at) {
  std::vector<std::string> candidates;
  for (auto names = levels.rbegin(); names != levels.rend(); ++names) {
    for (const RelationNames& relation : (*names)->relations) {
      if (name.size() == 2 && relation.name == name[0] &&
          !relation.is_visible) {
        source().fail(at, "'" + name[0] + "' cannot be used here",
                      "it is another part of FROM");
      }
      for (const ColumnName& column : relation.columns) {
        candidates.push_back(column.name);
      }
    }
  }
  const bool has_columns = !candidates.empty();
  bool has_variables = false;
  if (variables != nullptr) {
    for (std::string& candidate : variables->candidates()) {
      candidates.push_back(std::move(candidate));
      has_variables = true;
    }
  }
  if (name.size() == 1) {
    const std::string what = has_columns && has_variables
                                 ? "unknown column or variable"
                             : has_columns   ? "unknown column"
                             : has_variables ? "unknown variable"
                                             : "unknown name";
    source().fail(at, what + " '" + name[0] + "'",
                  hint_among(name[0], candidates,
                             has_columns && !has_variables ? "columns" : ""));
  }
  std::vector<std::string> tables;
  for (const auto& names : levels) {
    for (const RelationNames& relation : names->relations) {
      tables.push_back(relation.name);
    }
  }
  source().fail(
      at, "unknown table or record '" + name[0] + "' in '" + joined(name) + "'",
      suggestion(name[0], tables));
}

std::string NameScope::key_of(const PgQuery__RangeVar& node) const {
  return catalog.relation_names.find(view(node.schemaname), view(node.relname),
                                     path == nullptr ? catalog.path : *path);
}

TableId NameScope::table(const PgQuery__RangeVar& node) {
  const std::string name = key_of(node);
  const Span at = tree.dotted_name(node.location);
  const std::string_view schema = view(node.schemaname);
  if (schema == "pg_catalog" || schema == "information_schema") {
    source().unsupported(at, "PostgreSQL's own catalog is");
  }
  const std::string full =
      std::string(schema) + "." + std::string(view(node.relname));
  if (catalog.outside.contains(full))
    source().gap(at, "'" + full + "' is not created by this file");
  const auto broken = catalog.broken.find(name);
  if (broken != catalog.broken.end()) {
    source().gap(at,
                 "'" + name + "' cannot be used: " + broken->second.what +
                     " (line " + std::to_string(broken->second.where.line) +
                     ")",
                 broken->second.hint);
  }
  const auto found = catalog.table(name);
  if (!found) {
    const std::string hint = hint_of_schemas(catalog, name);
    if (!hint.empty())
      source().fail(at, "which table '" + name + "' is meant is not unique",
                    hint);
    if (catalog.is_elsewhere(name)) {
      source().gap(at, "unknown table '" + name + "'",
                   hint_among(name, catalog.table_names(), "tables"));
    }
    source().fail(at, "unknown table '" + name + "'",
                  hint_among(name, catalog.table_names(), "tables"));
  }
  looks_at_tables = true;
  return *found;
}

RelationNames NameScope::names_of(TableId table, std::string name) const {
  RelationNames names;
  names.name = std::move(name);
  names.table = table;
  for (const Column& column : catalog.schema.at(table).columns) {
    names.columns.push_back({column.name, column.type, false});
  }
  return names;
}

const Table& NameScope::written_table(TableId id) const {
  return written_view ? *written_view->shape : catalog.schema.at(id);
}

std::string_view clause_name(Clause clause) {
  constexpr std::array<std::string_view, 13> kNames = {
      "here",
      "in WHERE",
      "in JOIN conditions",
      "in GROUP BY",
      "in HAVING",
      "in ORDER BY",
      "in LIMIT",
      "here",
      "in UPDATE",
      "in RETURNING",
      "in CHECK",
      "inside another aggregate",
      "inside a window function",
  };
  return kNames[static_cast<std::size_t>(clause)];
}

}  // namespace txscope::sql::analyzer
