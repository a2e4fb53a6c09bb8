#include <algorithm>

#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

constexpr std::size_t kMostRelations = 100;

}  // namespace

void FromClause::add_relation(Query& query, Relation relation,
                              RelationNames names) {
  if (level().relations.size() >= kMostRelations) {
    source().fail(relation.at, "there are too many tables in FROM",
                  "at most " + std::to_string(kMostRelations));
  }
  for (const RelationNames& other : level().relations) {
    if (other.name == names.name) {
      source().fail(relation.at, "'" + names.name + "' is named twice in FROM",
                    "give one of them an alias");
    }
  }
  relation.name = names.name;
  relation.columns = static_cast<std::uint32_t>(names.columns.size());
  query.relations.push_back(std::move(relation));
  query.joins.emplace_back();
  level().relations.push_back(std::move(names));
}

std::uint32_t FromClause::add_table(Query& query,
                                    const PgQuery__RangeVar& node) {
  if (const auto named = all_.sets.add_named_query(query, node)) return *named;
  const TableId id = scope_.table(node);
  RelationNames names = scope_.names_of(
      id, std::string(node.alias != nullptr ? view(node.alias->aliasname)
                                            : view(node.relname)));
  Relation relation;
  relation.table = id;
  relation.at = scope_.tree.dotted_name(node.location);
  for (std::size_t i = 0; node.alias != nullptr && i < node.alias->n_colnames &&
                          i < names.columns.size();
       ++i) {
    names.columns[i].name = string_of(node.alias->colnames[i]);
  }
  const auto number = static_cast<std::uint32_t>(query.relations.size());
  add_relation(query, std::move(relation), std::move(names));
  level().star_order.push_back({number, std::nullopt});
  return number;
}

std::uint32_t FromClause::add_subquery(Query& query,
                                       const PgQuery__RangeSubselect& node) {
  const Span at = scope_.tree.whole();
  if (node.alias == nullptr) {
    source().fail(at, "a subquery in FROM must have an alias",
                  "write (SELECT ...) AS name");
  }
  // It sees the queries around, but nothing else of this FROM unless LATERAL.
  std::vector<bool> visible;
  for (RelationNames& other : level().relations) {
    visible.push_back(other.is_visible);
    other.is_visible &= node.lateral != 0;
  }
  auto inner = all_.queries.subquery(node.subquery, at);
  for (std::size_t i = 0; i < visible.size(); ++i) {
    level().relations[i].is_visible = visible[i];
  }
  RelationNames names;
  names.name = view(node.alias->aliasname);
  std::vector<std::string> columns;
  for (Target& target : inner->targets) columns.push_back(target.name);
  return all_.sets.add_query(query, std::move(inner), std::move(names),
                             std::move(columns), node.alias, at,
                             node.lateral != 0);
}

void FromClause::from_clause(Query& query, const PgQuery__SelectStmt& node) {
  level().clause = Clause::On;
  for (const Node* item : list(node.n_from_clause, node.from_clause)) {
    (void)from_item(query, *item, false);
  }
}

std::vector<std::uint32_t> FromClause::from_item(Query& query, const Node& node,
                                                 bool is_right_side) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR:
      return {add_table(query, *node.range_var)};
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
      return {add_subquery(query, *node.range_subselect)};
    case PG_QUERY__NODE__NODE_JOIN_EXPR:
      if (++scope_.depth > Program::kMaxNesting) {
        source().fail(scope_.tree.whole(), "too many joins");
      }
      {
        auto result = join(query, *node.join_expr, is_right_side);
        --scope_.depth;
        return result;
      }
    case PG_QUERY__NODE__NODE_RANGE_FUNCTION:
      return {add_function(query, *node.range_function)};
    default: source().unsupported(scope_.tree.whole(), "this kind of FROM is");
  }
}

std::vector<std::uint32_t> FromClause::join(Query& query,
                                            const PgQuery__JoinExpr& node,
                                            bool is_right_side) {
  const Span at = scope_.tree.whole();
  if (node.alias != nullptr || node.join_using_alias != nullptr) {
    source().unsupported(at, "an alias for a join is");
  }
  const bool is_left = node.jointype == PG_QUERY__JOIN_TYPE__JOIN_LEFT;
  const bool is_right = node.jointype == PG_QUERY__JOIN_TYPE__JOIN_RIGHT;
  const bool is_full = node.jointype == PG_QUERY__JOIN_TYPE__JOIN_FULL;
  if (!is_left && !is_right && !is_full &&
      node.jointype != PG_QUERY__JOIN_TYPE__JOIN_INNER) {
    source().unsupported(at, "this kind of join is");
  }
  const bool is_outer = is_left || is_right || is_full;
  if (is_outer && is_right_side) {
    source().unsupported(at, "an outer join in parentheses after JOIN is",
                         "write it first: (a LEFT JOIN b ON ...) JOIN c ON "
                         "...");
  }
  // a RIGHT JOIN b is b LEFT JOIN a, but * still shows a first.
  const Node& first = is_right ? *node.rarg : *node.larg;
  const Node& second = is_right ? *node.larg : *node.rarg;
  const std::size_t shown = level().star_order.size();
  std::vector<std::uint32_t> left = from_item(query, first, is_right_side);
  const std::size_t middle = level().star_order.size();
  std::vector<std::uint32_t> right = from_item(query, second, true);
  if (is_right) {
    auto& order = level().star_order;
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(shown),
                order.begin() + static_cast<std::ptrdiff_t>(middle),
                order.end());
  }
  if (is_outer && right.size() > 1) {
    source().unsupported(at, "a join on the inner side of an outer join is",
                         "join one table at a time");
  }
  if (is_full && left.size() != right[0]) {
    source().unsupported(scope_.tree.word({"full"}),
                         "FULL JOIN after other tables of FROM is",
                         "write it first");
  }
  std::vector<std::uint32_t> both = left;
  both.insert(both.end(), right.begin(), right.end());
  Join& last = query.joins[right.back()];
  if (node.quals != nullptr || node.n_using_clause > 0 || node.is_natural) {
    std::vector<bool> visible;
    for (std::uint32_t i = 0; i < level().relations.size(); ++i) {
      RelationNames& relation = level().relations[i];
      visible.push_back(relation.is_visible);
      relation.is_visible =
          std::find(both.begin(), both.end(), i) != both.end();
    }
    Expr on = node.quals != nullptr
                  ? all_.expressions.boolean(node.quals, "JOIN/ON")
                  : using_condition(node, shown, is_right ? right : left,
                                    is_right ? left : right);
    for (std::size_t i = 0; i < visible.size(); ++i) {
      level().relations[i].is_visible = visible[i];
    }
    if (last.on) {
      last.on =
          make(Op::And, kBoolean, {std::move(*last.on), std::move(on)}, at);
    } else {
      last.on = std::move(on);
    }
  }
  if (is_full) {
    check_full_join(last, left, right[0]);
    last.kind = JoinKind::Full;
    for (const std::uint32_t r : both) level().relations[r].is_nullable = true;
  } else if (is_outer) {
    last.kind = JoinKind::Left;
    level().relations[right[0]].is_nullable = true;
  }
  return both;
}

/// PostgreSQL's planner needs an equality between the sides, or no condition
/// on columns at all.
void FromClause::check_full_join(const Join& join,
                                 const std::vector<std::uint32_t>& left,
                                 std::uint32_t right) {
  if (!join.on) return;
  enum Side : unsigned { kNone = 0, kLeft = 1, kRight = 2 };
  const auto sides = [&](auto& self, const Expr& e) -> unsigned {
    unsigned found = kNone;
    if (e.op == Op::Column && e.level == 0) {
      found = e.relation == right ? kRight : kLeft;
    }
    for (const Expr& arg : e.args) found |= self(self, arg);
    return found;
  };
  bool has_equality = false;
  bool has_column = false;
  const auto look = [&](auto& self, const Expr& e) -> void {
    if (e.op == Op::And) {
      for (const Expr& arg : e.args) self(self, arg);
      return;
    }
    has_column |= sides(sides, e) != kNone;
    if (e.op != Op::Equal) return;
    const unsigned a = sides(sides, e.args[0]);
    const unsigned b = sides(sides, e.args[1]);
    has_equality |= (a == kLeft && b == kRight) || (a == kRight && b == kLeft);
  };
  look(look, *join.on);
  if (has_column && !has_equality && !left.empty()) {
    source().fail(scope_.tree.word({"full"}),
                  "FULL JOIN is only supported with merge-joinable or "
                  "hash-joinable join conditions");
  }
}

Expr FromClause::using_condition(const PgQuery__JoinExpr& node,
                                 std::size_t shown,
                                 const std::vector<std::uint32_t>& left,
                                 const std::vector<std::uint32_t>& right) {
  const Span at = scope_.tree.whole();
  std::vector<Expr> all;
  const bool is_right = node.jointype == PG_QUERY__JOIN_TYPE__JOIN_RIGHT;
  std::vector<std::string> names;
  for (const Node* item : list(node.n_using_clause, node.using_clause)) {
    names.emplace_back(string_of(item));
  }
  if (node.is_natural) {
    // All names that both sides have, in the order of the left one.
    const auto has = [&](const std::string& name) {
      return std::any_of(right.begin(), right.end(), [&](std::uint32_t r) {
        const auto& columns = level().relations[r].columns;
        return std::any_of(columns.begin(), columns.end(), [&](const auto& c) {
          return c.name == name && !c.is_merged;
        });
      });
    };
    for (const std::uint32_t r : left) {
      for (const ColumnName& column : level().relations[r].columns) {
        if (!column.is_merged && has(column.name)) names.push_back(column.name);
      }
    }
    if (names.empty()) return constant(Value::boolean(true), kBoolean, at);
  }
  for (const std::string& name : names) {
    const auto find = [&](const std::vector<std::uint32_t>& side) {
      std::optional<std::pair<std::uint32_t, std::uint32_t>> found;
      for (const std::uint32_t r : side) {
        const RelationNames& relation = level().relations[r];
        for (std::uint32_t c = 0; c < relation.columns.size(); ++c) {
          const ColumnName& column = relation.columns[c];
          if (column.name != name || column.is_merged) continue;
          if (found) source().fail(at, "'" + name + "' in USING is ambiguous");
          found = {r, c};
        }
      }
      if (!found) {
        source().fail(at,
                      "column '" + name + "' of USING is not in both tables");
      }
      return *found;
    };
    const auto a = find(left);
    const auto b = find(right);
    all.push_back(all_.operators.comparison(
        Op::Equal, scope_.merged_column(0, a.first, a.second, at),
        scope_.merged_column(0, b.first, b.second, at), at, "="));
    // The merged column is that of the side whose rows are all there; the other
    // one can be named with its table only.
    const auto hidden = is_right ? a : b;
    level().relations[hidden.first].columns[hidden.second].is_merged = true;
    if (node.jointype == PG_QUERY__JOIN_TYPE__JOIN_FULL) {
      level().relations[a.first].columns[a.second].others.push_back(b);
    }
    // And * shows it before the others of the join.
    const auto seen = is_right ? b : a;
    auto& items = level().star_order;
    std::erase_if(items, [&](const StarItem& item) {
      return item.relation == seen.first && item.column == seen.second;
    });
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(shown++),
                 {seen.first, seen.second});
    level().relations[seen.first].columns[seen.second].is_moved = true;
  }
  if (all.size() == 1) return std::move(all[0]);
  return make(Op::And, kBoolean, std::move(all), at);
}

}  // namespace txscope::sql::analyzer
