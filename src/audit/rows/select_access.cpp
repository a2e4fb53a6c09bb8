#include "audit/rows/select_access.h"

#include <algorithm>
#include <map>
#include <utility>

#include "audit/rows/key_condition.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/numeric.h"

namespace txscope::audit {
namespace {

using sql::Expr;
using sql::Op;
using sql::Row;
using sql::Value;

/// constant <= column <= constant, as BETWEEN has it.
bool is_in(const Expr& e, std::uint32_t column, const Value& value,
           const sql::LogStatement& s, bool& is_understood) {
  if (e.args.size() != 2) {
    is_understood = false;
    return true;
  }
  const bool is_left = is_column(e.args[0], column);
  const bool is_right = is_column(e.args[1], column);
  const auto bound = constant(e.args[is_left ? 1 : 0], s);
  if (is_left == is_right || !bound || bound->is_null()) {
    is_understood = false;
    return true;
  }
  const int order =
      is_left ? sql::compare(value, *bound) : sql::compare(*bound, value);
  switch (e.op) {
    case Op::Less: return order < 0;
    case Op::LessEqual: return order <= 0;
    case Op::Greater: return order > 0;
    case Op::GreaterEqual: return order >= 0;
    case Op::Equal: return order == 0;
    case Op::NotEqual: return order != 0;
    default: is_understood = false; return true;
  }
}

/// A column of a join: the number of a relation, and its own.
using JoinColumn = std::pair<std::uint32_t, std::uint32_t>;

const Expr* plain_column(const Expr& e) {
  return e.op == Op::Column && e.level == 0 ? &e : nullptr;
}

/// Which rows of its tables the rows of a join show.
class JoinedRows {
 public:
  JoinedRows(const sql::Schema& schema, const sql::Query& query,
             const sql::LogStatement& observed)
      : schema_(schema), query_(query), observed_(observed) {
    for (std::size_t i = 0; i < query.targets.size(); ++i)
      if (const Expr* e = plain_column(query.targets[i].expr))
        shown_.emplace(JoinColumn(e->relation, e->index), i);
    for (const Expr* e : conjuncts(query.where)) note_equal(*e);
    // An outer join shows rows for which its condition does not hold.
    const bool is_inner = std::all_of(
        query.joins.begin(), query.joins.end(), [](const sql::Join& join) {
          return join.kind == sql::JoinKind::Inner;
        });
    for (const sql::Join& join : query.joins)
      if (is_inner)
        for (const Expr* e : conjuncts(join.on)) note_equal(*e);
  }

  void add(std::vector<RowAccess>& all) const {
    for (std::uint32_t r = 0; r < query_.relations.size(); ++r) {
      const sql::Relation& relation = query_.relations[r];
      if (relation.query != nullptr || relation.table == kNone<TableId> ||
          !schema_.at(relation.table).has_primary_key)
        continue;
      for (const Row& row : *observed_.rows) add(r, row, all);
    }
  }

 private:
  /// What SQL holds equal is the same value of these.
  [[nodiscard]] bool is_whole(const JoinColumn& column) const {
    const sql::Relation& relation = query_.relations[column.first];
    if (relation.query != nullptr || relation.table == kNone<TableId>)
      return false;
    switch (schema_.at(relation.table).columns[column.second].type.name) {
      case sql::TypeName::SmallInt:
      case sql::TypeName::Integer:
      case sql::TypeName::BigInt: return true;
      default: return false;
    }
  }

  void note_equal(const Expr& e) {
    if (e.op != Op::Equal) return;
    const Expr* a = plain_column(e.args[0]);
    const Expr* b = plain_column(e.args[1]);
    if (a != nullptr && b != nullptr) {
      const JoinColumn left(a->relation, a->index);
      const JoinColumn right(b->relation, b->index);
      if (!is_whole(left) || !is_whole(right)) return;
      equal_.emplace(left, right);
      equal_.emplace(right, left);
    } else if (a != nullptr || b != nullptr) {
      const Expr& column = a != nullptr ? *a : *b;
      const auto value = constant(e.args[a != nullptr ? 1 : 0], observed_);
      const JoinColumn place(column.relation, column.index);
      if (value && value->kind() == sql::Kind::Integer && is_whole(place))
        fixed_.emplace(place, *value);
    }
  }

  /// The value that a column has in a row of the answer; none: not told.
  [[nodiscard]] const Value* value_of(const JoinColumn& column,
                                      const Row& row) const {
    if (const auto shown = shown_.find(column); shown != shown_.end())
      return &row[shown->second];
    if (const auto fixed = fixed_.find(column); fixed != fixed_.end())
      return &fixed->second;
    const auto [first, last] = equal_.equal_range(column);
    for (auto other = first; other != last; ++other) {
      if (const auto shown = shown_.find(other->second); shown != shown_.end())
        return &row[shown->second];
      if (const auto fixed = fixed_.find(other->second); fixed != fixed_.end())
        return &fixed->second;
    }
    return nullptr;
  }

  void add(std::uint32_t r, const Row& row, std::vector<RowAccess>& all) const {
    if (row.size() != query_.targets.size()) return;
    RowAccess access;
    access.kind = RowAccess::Kind::Seen;
    access.table = query_.relations[r].table;
    const auto& key = schema_.at(access.table).unique[0].columns;
    for (const std::uint32_t column : key) {
      const Value* value = value_of({r, column}, row);
      // An outer join has NULLs where it found no row.
      if (value == nullptr || value->is_null()) return;
      access.key.push_back(sql::canonical(*value));
    }
    for (auto shown = shown_.lower_bound({r, 0});
         shown != shown_.end() && shown->first.first == r; ++shown)
      access.columns.emplace_back(shown->first.second, row[shown->second]);
    all.push_back(std::move(access));
  }

  const sql::Schema& schema_;
  const sql::Query& query_;
  const sql::LogStatement& observed_;
  std::map<JoinColumn, std::size_t> shown_;  // by output column
  std::map<JoinColumn, Value> fixed_;
  std::multimap<JoinColumn, JoinColumn> equal_;
};

/// Of a query of one table.
void add_rows_of_one(const sql::Schema& schema, const sql::Query& q,
                     const sql::LogStatement& s, const KnownKeys& known_keys,
                     std::vector<RowAccess>& all) {
  if (!s.rows || q.relations.size() != 1 || q.relations[0].query != nullptr ||
      q.is_grouped || q.is_distinct)
    return;
  const TableId id = q.relations[0].table;
  const sql::Table& table = schema.at(id);
  if (!table.has_primary_key) return;
  const auto& key_columns = table.unique[0].columns;
  std::vector<const Expr*> rest;
  const auto fixed = key_of(table, q.where, s, rest);
  // Which output column is which column of the table.
  std::vector<std::optional<std::uint32_t>> shows(q.targets.size());
  for (std::size_t i = 0; i < q.targets.size(); ++i)
    if (q.targets[i].expr.op == Op::Column) shows[i] = q.targets[i].expr.index;
  std::vector<Row> seen;
  if (fixed && s.rows->size() > 1) {
    RowAccess twice;
    twice.kind = RowAccess::Kind::TooMany;
    twice.table = id;
    twice.key = *fixed;
    all.push_back(std::move(twice));
  }
  for (const Row& row : *s.rows) {
    if (row.size() != shows.size()) return;
    RowAccess access;
    access.kind = RowAccess::Kind::Seen;
    access.table = id;
    for (std::size_t i = 0; i < shows.size(); ++i)
      if (shows[i]) access.columns.emplace_back(*shows[i], row[i]);
    if (fixed) {
      access.key = *fixed;
    } else {
      for (const std::uint32_t column : key_columns) {
        const auto found =
            std::find_if(access.columns.begin(), access.columns.end(),
                         [column](const auto& c) { return c.first == column; });
        if (found == access.columns.end()) return;
        access.key.push_back(sql::canonical(found->second));
      }
    }
    seen.push_back(access.key);
    all.push_back(std::move(access));
  }
  if (q.limit || q.offset) return;
  // Keys that the answer lacks although nothing but the key was asked for.
  RowAccess absent;
  absent.kind = RowAccess::Kind::Absent;
  absent.table = id;
  if (fixed) {
    if (!rest.empty() || !seen.empty()) return;
    absent.key = *fixed;
    return all.push_back(std::move(absent));
  }
  if (key_columns.size() != 1) return;
  std::sort(seen.begin(), seen.end(), KeyLess{});
  for (const Row& key : known_keys[id.index]) {
    bool is_understood = true;
    const bool is_wanted =
        std::all_of(rest.begin(), rest.end(), [&](const Expr* e) {
          return is_in(*e, key_columns[0], key[0], s, is_understood);
        });
    if (!is_understood) return;
    if (!is_wanted ||
        std::binary_search(seen.begin(), seen.end(), key, KeyLess{}))
      continue;
    absent.key = key;
    all.push_back(absent);
  }
}

}  // namespace

void add_select(const sql::Schema& schema, const sql::Query& query,
                const sql::LogStatement& observed, const KnownKeys& known_keys,
                std::vector<RowAccess>& all) {
  if (!observed.rows || query.set != sql::SetKind::None || query.is_grouped)
    return;
  const bool is_one = query.relations.size() == 1 && !query.is_distinct;
  if (is_one)
    add_rows_of_one(schema, query, observed, known_keys, all);
  else
    JoinedRows(schema, query, observed).add(all);
}

}  // namespace txscope::audit
