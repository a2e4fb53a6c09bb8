// ON CONFLICT: which unique keys decide, and what is done instead.

#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "read/sql/analyze/expression/expression_shape.h"
#include "read/sql/analyze/rooms.h"
#include "read/sql/mysql/statement.h"

namespace txscope::sql::analyzer {
namespace {

/// `x = true` is as good as `x`.
const Expr& plain(const Expr& e) {
  if (e.op != Op::Equal) return e;
  for (const std::size_t i : {0, 1}) {
    const Expr& other = e.args[1 - i];
    if (other.op == Op::Constant && other.value.is_true()) return e.args[i];
  }
  return e;
}

bool is_comparison(Op op) { return op >= Op::Equal && op <= Op::GreaterEqual; }

/// Whether `wanted` is seen to be true wherever `given` is: by parts that are
/// the same, a value of a list, and what compares nothing to NULL.
bool implies(const Expr& given, const Expr& wanted) {
  if (is_same(plain(given), plain(wanted))) return true;
  const auto from_given = [&](const Expr& part) {
    return implies(given, part);
  };
  const auto to_wanted = [&](const Expr& part) {
    return implies(part, wanted);
  };
  const auto& parts = given.args;
  if (wanted.op == Op::And)
    return std::all_of(wanted.args.begin(), wanted.args.end(), from_given);
  if (given.op == Op::Or)
    return std::all_of(parts.begin(), parts.end(), to_wanted);
  if (given.op == Op::And &&
      std::any_of(parts.begin(), parts.end(), to_wanted)) {
    return true;
  }
  if (wanted.op == Op::Or)
    return std::any_of(wanted.args.begin(), wanted.args.end(), from_given);
  const auto is_mentioned = [&](const Expr& e) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Expr& part) { return is_same(part, e); });
  };
  if (wanted.op == Op::Not && wanted.args[0].op == Op::IsNull)
    return is_comparison(given.op) && is_mentioned(wanted.args[0].args[0]);
  return wanted.op == Op::InList && given.op == Op::Equal &&
         is_mentioned(wanted.args[0]) &&
         std::any_of(wanted.args.begin() + 1, wanted.args.end(), is_mentioned);
}

}  // namespace

/// What ON CONFLICT (...) WHERE names.
struct Inferred {
  std::vector<std::uint32_t> columns;  ///< ascending
  std::vector<Expr> expressions;
  std::optional<Expr> where;

  /// Whether it names just what the key has; its condition is another matter.
  [[nodiscard]] bool names(const UniqueKey& key) const {
    std::vector<std::uint32_t> own = key.columns;
    if (!key.parts.empty()) own.clear();
    std::vector<const Expr*> rest;
    for (const KeyPart& part : key.parts) {
      if (part.value.op == Op::Column) {
        own.push_back(part.value.index);
      } else {
        rest.push_back(&part.value);
      }
    }
    std::sort(own.begin(), own.end());
    const auto is_named = [&](const Expr* e) {
      return std::any_of(expressions.begin(), expressions.end(),
                         [&](const Expr& other) { return is_same(*e, other); });
    };
    const auto is_there = [&](const Expr& e) {
      return std::any_of(rest.begin(), rest.end(),
                         [&](const Expr* other) { return is_same(e, *other); });
    };
    return own == columns && !key.is_exclusion &&
           std::all_of(rest.begin(), rest.end(), is_named) &&
           std::all_of(expressions.begin(), expressions.end(), is_there);
  }
};

Inferred Changes::inferred(const PgQuery__InferClause& node, TableId id) {
  const Span at = scope_.tree.at(node.location);
  const Table& table = scope_.catalog.schema.at(id);
  Inferred result;
  Rooms of_index(scope_.tree, scope_.catalog, nullptr, nullptr);
  for (const Node* item : list(node.n_index_elems, node.index_elems)) {
    const PgQuery__IndexElem& element = *item->index_elem;
    const std::string_view name = view(element.name);
    if (element.n_collation > 0 || element.n_opclass > 0) {
      source().unsupported(at,
                           "ON CONFLICT with COLLATE or an operator class is");
    }
    if (name.empty()) {
      Expr e = decided(source(),
                       of_index.expressions.of_row(*element.expr, &table, id));
      if (e.op == Op::Column) {
        result.columns.push_back(e.index);
      } else {
        result.expressions.push_back(std::move(e));
      }
      continue;
    }
    const auto column = column_of(table, name);
    if (!column) {
      source().fail(
          at, "'" + table.name + "' has no column '" + std::string(name) + "'",
          hint_among(name, column_names(table), "columns"));
    }
    const std::array<std::string, 1> single = {std::string(name)};
    if (scope_.variables != nullptr && !scope_.variables->column_wins() &&
        scope_.variables->find(single, at, true)) {
      source().fail(
          at, "'" + single[0] + "' is ambiguous: it is a column and a variable",
          "rename the variable, or name the constraint: ON CONFLICT "
          "ON CONSTRAINT ...");
    }
    result.columns.push_back(*column);
  }
  auto& columns = result.columns;
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  if (node.where_clause != nullptr) {
    result.where = convert(
        source(), of_index.expressions.of_row(*node.where_clause, &table, id),
        kBoolean);
  }
  return result;
}

/// All keys that fit decide.
std::vector<std::uint32_t> Changes::arbiters(const PgQuery__InferClause& node,
                                             TableId id) {
  const Span at = scope_.tree.at(node.location);
  const Table& table = scope_.catalog.schema.at(id);
  std::vector<std::uint32_t> result;
  if (const std::string_view name = view(node.conname); !name.empty()) {
    for (std::uint32_t k = 0; k < table.key_count(); ++k) {
      const UniqueKey& key = table.key_at(k);
      const bool is_index = key.is_partial() && !key.is_exclusion;
      if (key.name == name && !is_index) return {k};
    }
    source().fail(at, "'" + table.name + "' has no unique constraint '" +
                          std::string(name) + "'");
  }
  const Inferred named = inferred(node, id);
  std::string hint;
  for (std::uint32_t k = 0; k < table.key_count(); ++k) {
    const UniqueKey& key = table.key_at(k);
    if (!named.names(key)) continue;
    if (!key.where || (named.where && implies(*named.where, *key.where))) {
      result.push_back(k);
    } else {
      hint = "the index '" + key.name +
             "' has a condition: repeat it, ON CONFLICT (...) WHERE ...";
    }
  }
  if (result.empty()) {
    source().fail(at,
                  "there is no unique constraint matching the ON CONFLICT "
                  "specification",
                  hint);
  }
  return result;
}

/// REPLACE.  Where one key decides the row that has it gets all values of the
/// new one, as the server does it.  With more keys several rows may go, and
/// where others look at rows that go it matters that they do.
OnConflict Changes::replacement(const Relation& target) {
  const Table& table = scope_.catalog.schema.at(target.table);
  const auto& tables = scope_.catalog.schema.tables;
  const bool is_named =
      std::any_of(tables.begin(), tables.end(), [&](const Table& child) {
        return std::any_of(
            child.foreign.begin(), child.foreign.end(),
            [&](const ForeignKey& key) { return key.parent == target.table; });
      });
  if (table.key_count() > 1 || is_named || !table.triggers.empty()) {
    OnConflict result;
    result.is_replace = true;
    return result;
  }
  OnConflict result;
  result.is_update = true;
  for (std::uint32_t c = 0; c < table.columns.size(); ++c) {
    SetColumn set;
    set.column = c;
    Expr given =
        make(Op::Column, bare(table.columns[c].type), {}, scope_.tree.whole());
    given.relation = 1;  // as `excluded` is
    given.index = c;
    set.value = std::move(given);
    result.set.push_back(std::move(set));
  }
  return result;
}

OnConflict Changes::on_conflict(const PgQuery__OnConflictClause& node,
                                const Relation& target) {
  const Table& table = scope_.catalog.schema.at(target.table);
  OnConflict result;
  if (node.infer != nullptr)
    result.arbiters = arbiters(*node.infer, target.table);
  result.is_update =
      node.action == PG_QUERY__ON_CONFLICT_ACTION__ONCONFLICT_UPDATE;
  if (!result.is_update) return result;
  for (const std::uint32_t key : result.arbiters) {
    if (table.key_at(key).is_exclusion) {
      source().fail(scope_.tree.at(node.location),
                    "ON CONFLICT DO UPDATE does not go with EXCLUDE");
    }
  }
  // ON DUPLICATE KEY UPDATE is about all of them.
  if (result.arbiters.empty() && !is_mysql(scope_.dialect)) {
    source().fail(scope_.tree.at(node.location),
                  "ON CONFLICT DO UPDATE requires the columns of a unique key",
                  "write ON CONFLICT (column) DO UPDATE");
  }
  const MysqlStatement* extra = scope_.tree.mysql();
  const bool has_name = extra != nullptr && !extra->new_row.empty();
  level().relations.push_back(scope_.names_of(
      target.table, has_name ? extra->new_row : std::string("excluded")));
  if (is_mysql(scope_.dialect)) {
    // A name alone is of the row that is there.
    for (ColumnName& column : level().relations.back().columns)
      column.is_merged = true;
  }
  level().clause = Clause::Set;
  ++scope_.conditional;
  result.set = set_clause(list(node.n_target_list, node.target_list), table);
  if (node.where_clause != nullptr) {
    level().clause = Clause::Where;
    result.where = all_.expressions.boolean(node.where_clause, "WHERE");
  }
  --scope_.conditional;
  level().relations.pop_back();
  return result;
}

}  // namespace txscope::sql::analyzer
