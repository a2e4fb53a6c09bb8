#include "analyze/suggest/routine_rules.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <variant>

#include "analysis/one_row.h"
#include "model/sql/walk.h"

namespace txscope::analyze {
namespace {

using sql::Expr;
using sql::Op;

bool is_number(const sql::Type& type) {
  return type.name == sql::TypeName::SmallInt ||
         type.name == sql::TypeName::Integer ||
         type.name == sql::TypeName::BigInt ||
         type.name == sql::TypeName::Numeric;
}

/// The operator for exchanged sides.
Op mirrored(Op op) {
  switch (op) {
    case Op::Less: return Op::Greater;
    case Op::LessEqual: return Op::GreaterEqual;
    case Op::Greater: return Op::Less;
    case Op::GreaterEqual: return Op::LessEqual;
    default: return op;
  }
}

bool counts_rows(const sql::Query& query) {
  return query.aggregates.size() == 1 && query.targets.size() == 1 &&
         query.targets[0].expr.op == Op::Aggregate &&
         query.aggregates[0].kind == sql::AggregateKind::CountRows;
}

/// The rules that one routine suggests (suggested_rules.h).
class RoutineReader {
 public:
  RoutineReader(const sql::Schema& schema, const sql::Routine& routine)
      : schema_(schema),
        routine_(routine),
        origins_(variable_origins(routine)) {
    sql::for_each_pl(routine.body, [this](const sql::PlStatement& s) {
      if (const auto* assign = std::get_if<sql::PlAssign>(&s.what))
        assigned_.emplace(assign->slot, &assign->value);
      sql::for_each_part(
          s, [this](const Expr& e) { look_at(e, nullptr); },
          [this](const sql::DbStatement& one) { look_at(one); },
          [](const sql::PlBlock&) {});
    });
  }

  RoutineRules read() {
    for (const sql::Update* update : updates_)
      for (const sql::SetColumn& set : update->set) bound(*update, set);
    for (const Comparison& one : comparisons_) limit(one);
    for (const sql::Query* query : queries_) unique(*query);
    return {std::move(rules_), moves()};
  }

 private:
  /// Parts of sums: what is taken and added.
  [[nodiscard]] std::vector<Move> moves() const {
    std::vector<Move> all;
    for (const sql::Update* update : updates_)
      for (const sql::SetColumn& set : update->set)
        if (const auto change = change_of(*update, set);
            change && analysis::names_one_row(schema_.at(update->target.table),
                                              update->where))
          all.push_back({{update->target.table, set.column},
                         change->sign,
                         value_name(*change->by),
                         true});
    for (const sql::Insert* insert : inserts_) add_moves(*insert, all);
    return all;
  }

  struct Comparison {
    const Expr* e = nullptr;
    const sql::Query* query = nullptr;  ///< its columns' query
  };

  // Collecting.

  void look_at(const sql::DbStatement& statement) {
    const sql::Query* over = nullptr;
    if (const auto* insert = std::get_if<sql::Insert>(&statement.what)) {
      inserts_.push_back(insert);
    } else if (const auto* update = std::get_if<sql::Update>(&statement.what)) {
      updates_.push_back(update);
      sql::Query& own = over_.emplace_back();
      own.relations = {update->target};
      over = &own;
    }
    sql::for_each_part(
        statement, [&](const Expr& e) { look_at(e, over); },
        [this](const sql::Query& q) { look_at(q); });
    for (const sql::StatementPart& part : statement.parts)
      look_at(*part.statement);
  }
  void look_at(const sql::Query& query) {
    queries_.push_back(&query);
    sql::for_each_part(
        query, [&](const Expr& e) { look_at(e, &query); },
        [this](const sql::Query& q) { look_at(q); });
  }
  void look_at(const Expr& e, const sql::Query* query) {
    const bool is_comparison = e.op == Op::Less || e.op == Op::LessEqual ||
                               e.op == Op::Greater ||
                               e.op == Op::GreaterEqual || e.op == Op::Equal;
    if (is_comparison && e.args.size() == 2)
      comparisons_.push_back({&e, query});
    sql::for_each_part(
        e, [&](const Expr& arg) { look_at(arg, query); },
        [this](const sql::Query& q) { look_at(q); });
  }

  // What values are.

  /// The column whose value it is, or was when it was read.
  [[nodiscard]] std::optional<ColumnRef> column(const Expr& e,
                                                const sql::Query* query) const {
    if (query != nullptr)
      if (const auto found = column_of(e, *query)) return found;
    const Expr& inner = without_casts(e);
    if (inner.op != Op::Variable) return std::nullopt;
    const auto found = origins_.columns.find(inner.index);
    if (found == origins_.columns.end()) return std::nullopt;
    return found->second;
  }

  struct Change {
    char sign = '+';
    const Expr* by = nullptr;
  };
  /// `column = column - by`, also by way of variables.
  [[nodiscard]] std::optional<Change> change_of(
      const sql::Update& update, const sql::SetColumn& set) const {
    if (!set.value) return std::nullopt;
    const ColumnRef target{update.target.table, set.column};
    if (!is_number(schema_.at(target.table).columns[set.column].type))
      return std::nullopt;
    sql::Query over;
    over.relations = {update.target};
    const Expr* value = &without_casts(*set.value);
    if (value->op == Op::Variable)
      if (const auto found = assigned_.find(value->index);
          found != assigned_.end())
        value = &without_casts(*found->second);
    if ((value->op != Op::Add && value->op != Op::Subtract) ||
        column(value->args[0], &over) != target)
      return std::nullopt;
    return Change{value->op == Op::Subtract ? '-' : '+', &value->args[1]};
  }

  // Rules.

  void add(sql::Property rule, Span at) {
    rule.at = rule.condition.at = at;
    rules_.push_back(std::move(rule));
  }

  void bound(const sql::Update& update, const sql::SetColumn& set) {
    const auto change = change_of(update, set);
    if (!change) return;
    const ColumnRef target{update.target.table, set.column};
    if (change->sign == '-') {
      add(never_negative(schema_, target), update.target.at);
      return;
    }
    for (const Comparison& one : comparisons_)
      for (const std::size_t side : {0, 1}) {
        if (column(base(one.e->args[side]), one.query) != target) continue;
        const auto limit = column(one.e->args[1 - side], one.query);
        if (!limit || limit->table != target.table || *limit == target ||
            type_of(*limit) != type_of(target))
          continue;
        add(at_most_column(schema_, target, limit->column), update.target.at);
      }
  }
  /// `sold` of `sold + n`.
  static const Expr& base(const Expr& e) {
    const Expr& inner = without_casts(e);
    return inner.op == Op::Add ? without_casts(inner.args[0]) : inner;
  }
  [[nodiscard]] sql::TypeName type_of(ColumnRef which) const {
    return schema_.at(which.table).columns[which.column].type.name;
  }

  /// The query whose count a value is.
  [[nodiscard]] const sql::Query* count(const Expr& e) const {
    const Expr& inner = without_casts(e);
    const sql::Query* query = nullptr;
    if (inner.op == Op::Scalar) query = inner.query.get();
    if (inner.op == Op::Variable)
      if (const auto found = origins_.queries.find(inner.index);
          found != origins_.queries.end())
        query = found->second;
    return query != nullptr && counts_rows(*query) ? query : nullptr;
  }

  void limit(const Comparison& one) {
    for (const std::size_t side : {0, 1}) {
      const sql::Query* query = count(one.e->args[side]);
      if (query == nullptr) continue;
      const auto lookup = lookup_of(*query);
      if (!lookup || !grows(*lookup)) continue;
      const Op op = side == 0 ? one.e->op : mirrored(one.e->op);
      const Expr& other = without_casts(one.e->args[1 - side]);
      if (other.op == Op::Constant && other.value.kind() == Kind::Integer)
        limit_constant(*lookup, op, other.value.integer(), query->at);
      else
        limit_of_parent(*lookup, other, query->at);
    }
  }
  using Kind = sql::Kind;
  void limit_constant(const Lookup& lookup, Op op, std::int64_t number,
                      Span at) {
    // `count > 3` and `count <= 3` let a fourth one come.
    if (op == Op::Greater || op == Op::LessEqual) ++number;
    if (op == Op::Equal && number == 0) number = 1;
    if (number < 1) return;
    std::vector<std::uint32_t> columns;
    for (const auto& [c, name] : lookup.by) columns.push_back(c);
    add(at_most_rows(schema_, lookup.rows, columns, number), at);
  }
  void limit_of_parent(const Lookup& lookup, const Expr& other, Span at) {
    if (other.op != Op::Variable || lookup.by.size() != 1) return;
    const auto limit = origins_.columns.find(other.index);
    if (limit == origins_.columns.end() ||
        !is_number(
            schema_.at(limit->second.table).columns[limit->second.column].type))
      return;
    const auto parent = lookup_of(*origins_.queries.at(other.index));
    if (!parent || parent->by.size() != 1) return;
    const auto& [child, name] = *lookup.by.begin();
    const auto& [key, parent_name] = *parent->by.begin();
    const ColumnRef parent_key{parent->rows.table, key};
    if (name != parent_name ||
        type_of(parent_key) != type_of({lookup.rows.table, child}))
      return;
    add(at_most_of_parent(schema_, lookup.rows, child, parent_key,
                          limit->second.column),
        at);
  }

  /// A row that the lookup finds is inserted.
  [[nodiscard]] bool grows(const Lookup& lookup) const {
    return std::any_of(
        inserts_.begin(), inserts_.end(), [&](const sql::Insert* insert) {
          return insert->target.table == lookup.rows.table &&
                 std::all_of(lookup.by.begin(), lookup.by.end(),
                             [&](const auto& one) {
                               return gives(*insert, one.first, one.second);
                             });
        });
  }
  static bool gives(const sql::Insert& insert, std::uint32_t column,
                    const std::string& value) {
    const auto at =
        std::find(insert.columns.begin(), insert.columns.end(), column);
    if (at == insert.columns.end() || insert.rows.size() != 1) return false;
    const auto& given =
        insert.rows[0][static_cast<std::size_t>(at - insert.columns.begin())];
    return given && value_name(*given) == value;
  }

  void unique(const sql::Query& query) {
    const auto lookup = lookup_of(query);
    if (!lookup || lookup->by.empty() || query.is_grouped != counts_rows(query))
      return;
    if (!grows(*lookup) || is_limited(query)) return;
    std::vector<std::uint32_t> columns;
    for (const auto& [c, name] : lookup->by) columns.push_back(c);
    const auto& keys = schema_.at(lookup->rows.table).unique;
    const bool is_declared =
        std::any_of(keys.begin(), keys.end(), [&](const sql::UniqueKey& key) {
          return std::all_of(
              key.columns.begin(), key.columns.end(),
              [&](std::uint32_t c) { return lookup->by.contains(c); });
        });
    if (!is_declared)
      add(at_most_rows(schema_, lookup->rows, columns, 1), query.at);
  }
  /// There may be more than one: the count is compared with a limit.
  [[nodiscard]] bool is_limited(const sql::Query& query) const {
    return std::any_of(
        comparisons_.begin(), comparisons_.end(), [&](const Comparison& one) {
          for (const std::size_t side : {0, 1}) {
            if (count(one.e->args[side]) != &query) continue;
            const Expr& other = without_casts(one.e->args[1 - side]);
            return other.op != Op::Constant || to_string(other.value) != "0";
          }
          return false;
        });
  }

  void add_moves(const sql::Insert& insert, std::vector<Move>& all) const {
    if (insert.rows.size() != 1 || insert.on_conflict) return;
    all.push_back({{insert.target.table, -1}, '+', "1", false});
    const sql::Table& table = schema_.at(insert.target.table);
    for (std::size_t i = 0; i < insert.columns.size(); ++i) {
      const std::uint32_t c = insert.columns[i];
      const auto& value = insert.rows[0][i];
      if (!value || !is_number(table.columns[c].type)) continue;
      const Expr& inner = without_casts(*value);
      const bool is_minus = inner.op == Op::Negate;
      all.push_back({{insert.target.table, c},
                     is_minus ? '-' : '+',
                     value_name(is_minus ? inner.args[0] : inner),
                     false});
    }
  }

  const sql::Schema& schema_;
  const sql::Routine& routine_;
  const VariableOrigins origins_;
  std::map<std::uint32_t, const Expr*> assigned_;  // by slot, the first
  std::vector<const sql::Insert*> inserts_;
  std::vector<const sql::Update*> updates_;
  std::vector<const sql::Query*> queries_;
  std::vector<Comparison> comparisons_;
  std::deque<sql::Query> over_;  // of the updates' conditions
  std::vector<sql::Property> rules_;
};

}  // namespace

RoutineRules routine_rules(const sql::Schema& schema,
                           const sql::Routine& routine) {
  return RoutineReader(schema, routine).read();
}

}  // namespace txscope::analyze
