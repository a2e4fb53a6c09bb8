#include "audit/rows/select_access.h"

#include <algorithm>
#include <map>
#include <utility>

#include "audit/rows/key_condition.h"
#include "audit/rows/known_rows.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/numeric.h"

namespace txscope::audit {
namespace {

using sql::Expr;
using sql::Op;
using sql::Row;
using sql::Value;

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
      if (!is_keyed_table(schema_, query_.relations[r])) continue;
      for (const Row& row : *observed_.rows) add(r, row, all);
    }
  }

  /// The key of the row of a relation that a row of the answer shows.
  [[nodiscard]] std::optional<Row> key_of(std::uint32_t r,
                                          const Row& row) const {
    Row key;
    const auto& columns =
        schema_.at(query_.relations[r].table).unique[0].columns;
    for (const std::uint32_t column : columns) {
      const Value* value = value_of({r, column}, row);
      // An outer join has NULLs where it found no row.
      if (value == nullptr || value->is_null()) return std::nullopt;
      key.push_back(sql::canonical(*value));
    }
    return key;
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
    auto key = key_of(r, row);
    if (!key) return;
    access.key = std::move(*key);
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

/// Of a query of one table, the known rows that its answer lacks.
class LackedRows {
 public:
  LackedRows(const sql::Schema& schema, const sql::Query& query,
             const sql::LogStatement& observed)
      : query_(query) {
    is_told_ =
        !query.offset && !query.skips_locked && find_end(schema, observed);
    for (const Expr* e : conjuncts(query.where))
      is_told_ = is_told_ && add_wanted(*e, observed);
  }

  /// `shown` are the keys of the answer, sorted.
  void add(const KnownRows& known, const std::vector<Row>& shown,
           std::vector<RowAccess>& all) const {
    if (!is_told_) return;
    RowAccess absent;
    absent.kind = RowAccess::Kind::Absent;
    absent.table = query_.relations[0].table;
    std::size_t left = kMost;
    const auto look = [&](const KnownRows::KnownRow& row) {
      if (left == 0 || !fits(row) ||
          std::binary_search(shown.begin(), shown.end(), row.key, KeyLess{}))
        return;
      --left;
      absent.key = row.key;
      all.push_back(absent);
    };
    for (const Wanted& wanted : wanted_) {
      if (wanted.op != Op::Equal) continue;
      const auto* rows = known.with(wanted.column, wanted.value);
      if (rows == nullptr) continue;
      for (const std::uint32_t i : *rows) look(known.all()[i]);
      return;
    }
    for (const KnownRows::KnownRow& row : known.all()) look(row);
  }

 private:
  /// So many are enough to tell of one answer.
  static constexpr std::size_t kMost = 256;

  /// column op value
  struct Wanted {
    std::uint32_t column = 0;
    Op op = Op::Equal;
    Value value;
  };

  /// Behind what LIMIT lets it show nothing is lacked; false: where that is, is
  /// not told.
  bool find_end(const sql::Schema& schema, const sql::LogStatement& observed) {
    if (!query_.limit) return true;
    const auto limit = constant(*query_.limit, observed);
    if (!limit || limit->kind() != sql::Kind::Integer) return false;
    if (static_cast<std::int64_t>(observed.rows->size()) < limit->integer())
      return true;
    end_ = extreme_bound(schema, query_, 0, observed);
    return end_.has_value();
  }

  /// False: not every row is told to fit or not.
  bool add_wanted(const Expr& e, const sql::LogStatement& observed) {
    if (e.args.size() != 2) return false;
    for (const bool is_first : {true, false}) {
      const auto column = column_of(e.args[is_first ? 0 : 1]);
      auto value = constant(e.args[is_first ? 1 : 0], observed);
      if (!column || !value) continue;
      const auto op = is_first ? e.op : turned(e.op);
      if (!op || (value->kind() != sql::Kind::Integer &&
                  (value->kind() != sql::Kind::Text || op != Op::Equal)))
        return false;
      wanted_.push_back({*column, *op, std::move(*value)});
      return true;
    }
    return false;
  }

  /// A column as it is, or as a longer number or text.
  static std::optional<std::uint32_t> column_of(const Expr& e) {
    if (e.op != Op::Cast) {
      const bool is_it = e.op == Op::Column && e.level == 0 && e.relation == 0;
      return is_it ? std::optional(e.index) : std::nullopt;
    }
    switch (e.type.name) {
      case sql::TypeName::Text:
      case sql::TypeName::Integer:
      case sql::TypeName::BigInt: return column_of(e.args[0]);
      case sql::TypeName::Numeric:
        return e.type.size == 0 ? column_of(e.args[0]) : std::nullopt;
      default: return std::nullopt;
    }
  }

  static std::optional<Op> turned(Op op) {
    switch (op) {
      case Op::Less: return Op::Greater;
      case Op::LessEqual: return Op::GreaterEqual;
      case Op::Greater: return Op::Less;
      case Op::GreaterEqual: return Op::LessEqual;
      case Op::Equal:
      case Op::NotEqual: return op;
      default: return std::nullopt;
    }
  }

  /// Whether the answer has it for certain if it is there.
  [[nodiscard]] bool fits(const KnownRows::KnownRow& row) const {
    const bool is_wanted =
        std::all_of(wanted_.begin(), wanted_.end(), [&](const Wanted& wanted) {
          const auto& value = row.settled[wanted.column];
          if (!value || value->kind() != wanted.value.kind()) return false;
          // Whatever the collation.
          if (value->kind() == sql::Kind::Text)
            return value->text() == wanted.value.text();
          return holds(wanted.op, sql::compare(*value, wanted.value));
        });
    if (!is_wanted || !end_) return is_wanted;
    const auto& value = row.settled[end_->column];
    if (!value || value->kind() != end_->value.kind()) return false;
    const int order = sql::compare(*value, end_->value);
    return end_->is_lower ? order > 0 : order < 0;
  }

  static bool holds(Op op, int order) {
    switch (op) {
      case Op::Less: return order < 0;
      case Op::LessEqual: return order <= 0;
      case Op::Greater: return order > 0;
      case Op::GreaterEqual: return order >= 0;
      case Op::NotEqual: return order != 0;
      default: return order == 0;
    }
  }

  const sql::Query& query_;
  std::vector<Wanted> wanted_;
  std::optional<KeyBound> end_;
  bool is_told_ = false;
};

/// Of a query of one table.
void add_rows_of_one(const sql::Schema& schema, const sql::Query& q,
                     const sql::LogStatement& s, const KnownTables& known,
                     std::vector<RowAccess>& all) {
  if (!s.rows || q.relations.size() != 1 || q.relations[0].query != nullptr ||
      q.is_grouped || q.is_distinct)
    return;
  const TableId id = q.relations[0].table;
  const sql::Table& table = schema.at(id);
  if (!table.has_primary_key) return;
  const JoinedRows told(schema, q, s);
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
      auto key = told.key_of(0, row);
      if (!key) return;
      access.key = std::move(*key);
    }
    seen.push_back(access.key);
    all.push_back(std::move(access));
  }
  std::sort(seen.begin(), seen.end(), KeyLess{});
  if (!fixed) return LackedRows(schema, q, s).add(known[id.index], seen, all);
  if (q.limit || q.offset || q.skips_locked || !rest.empty() || !seen.empty())
    return;
  RowAccess absent;
  absent.kind = RowAccess::Kind::Absent;
  absent.table = id;
  absent.key = *fixed;
  all.push_back(std::move(absent));
}

}  // namespace

bool is_keyed_table(const sql::Schema& schema, const sql::Relation& relation) {
  return relation.query == nullptr && relation.table != kNone<TableId> &&
         schema.at(relation.table).has_primary_key;
}

std::vector<std::vector<Row>> keys_of_rows(const sql::Schema& schema,
                                           const sql::Query& query,
                                           const sql::LogStatement& observed) {
  std::vector<std::vector<Row>> all;
  const JoinedRows joined(schema, query, observed);
  for (const Row& row : *observed.rows) {
    std::vector<Row> keys;
    for (std::uint32_t r = 0; r < query.relations.size(); ++r) {
      auto key = joined.key_of(r, row);
      if (!key) break;
      keys.push_back(std::move(*key));
    }
    if (keys.size() == query.relations.size()) all.push_back(std::move(keys));
  }
  return all;
}

void add_select(const sql::Schema& schema, const sql::Query& query,
                const sql::LogStatement& observed, const KnownTables& known,
                std::vector<RowAccess>& all) {
  if (!observed.rows || query.set != sql::SetKind::None || query.is_grouped)
    return;
  const bool is_one = query.relations.size() == 1 && !query.is_distinct;
  if (is_one)
    add_rows_of_one(schema, query, observed, known, all);
  else
    JoinedRows(schema, query, observed).add(all);
}

}  // namespace txscope::audit
