#include "base/suggest.h"
#include "read/sql/analyze/analyzer.h"

namespace txscope::sql {
namespace {

std::string joined(std::span<const std::string> name) {
  std::string all;
  for (const std::string& part : name) {
    if (!all.empty()) all += '.';
    all += part;
  }
  return all;
}

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

Expr Analyzer::merged_column(std::uint32_t up, std::uint32_t relation,
                             std::uint32_t column, Span at) const {
  const auto& relations = levels_[levels_.size() - 1 - up]->relations;
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

Expr Analyzer::column_ref(const PgQuery__ColumnRef& ref) {
  std::vector<std::string> name;
  const Span at = tree_.dotted_name(ref.location);
  for (const Node* field : list(ref.n_fields, ref.fields)) {
    if (field->node_case == PG_QUERY__NODE__NODE_A_STAR) {
      if (name.size() == 1)
        if (auto row = row_named(name[0], at)) return std::move(*row);
      source().unsupported(at, "a whole row here is",
                           "name the columns one by one");
    }
    name.emplace_back(string_of(field));
  }
  if (is_mysql(dialect_)) {
    // A variable hides a column; the database before a table means nothing.
    if (names_ != nullptr)
      if (const auto found = names_->find(name, at, true))
        return variable(*found, at);
    if (name.size() == 3) name.erase(name.begin());
  }
  std::optional<Expr> column = find_column(name, at);
  if (!column && name.size() == 1) {
    if (auto row = row_named(name[0], at)) return std::move(*row);
  }
  if (names_ == nullptr) {
    if (!column) unknown_name(name, at);
    return *column;
  }
  if (column && names_->column_wins()) return *column;
  const auto found = names_->find(name, at, column.has_value());
  const bool is_record =
      column && name.size() == 1 && !names_->record(name[0], at).empty();
  if (column && (found || is_record)) {
    source().fail(
        at,
        "'" + joined(name) + "' is ambiguous: it is a column and a variable",
        "rename the variable, or write table.column");
  }
  if (found) return variable(*found, at);
  if (!column) unknown_name(name, at);
  return *column;
}

Expr Analyzer::variable(Names::Found found, Span at) {
  mentions_.push_back({at, found.slot});
  Expr e;
  e.op = Op::Variable;
  e.type = found.type;
  e.index = found.slot;
  e.at = at;
  return e;
}

std::optional<Expr> Analyzer::find_column(std::span<const std::string> name,
                                          Span at) {
  // schema.table.column
  if (name.size() == 3 &&
      catalog_.table(catalog_.relation(name[0], name[1])).has_value())
    return find_column(name.subspan(1), at);
  if (name.size() > 2) return std::nullopt;
  const std::string& column = name.back();
  for (std::size_t up = 0; up < levels_.size(); ++up) {
    const Level& names = *levels_[levels_.size() - 1 - up];
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
            names_ != nullptr && names_->find(name, at, true).has_value();
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

void Analyzer::unknown_name(std::span<const std::string> name, Span at) {
  std::vector<std::string> candidates;
  for (auto names = levels_.rbegin(); names != levels_.rend(); ++names) {
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
  if (names_ != nullptr) {
    for (std::string& candidate : names_->candidates()) {
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
  for (const auto& names : levels_) {
    for (const RelationNames& relation : names->relations) {
      tables.push_back(relation.name);
    }
  }
  source().fail(
      at, "unknown table or record '" + name[0] + "' in '" + joined(name) + "'",
      suggestion(name[0], tables));
}

}  // namespace txscope::sql
