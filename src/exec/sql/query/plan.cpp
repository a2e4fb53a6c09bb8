#include "exec/sql/query/plan.h"

#include <algorithm>
#include <bit>

namespace txscope::sql {
namespace {

class Planner {
 public:
  Planner(const Schema& schema, std::span<const Relation> relations,
          std::span<const Join> joins)
      : schema_(schema), relations_(relations), joins_(joins) {
    plan_.relations.resize(relations.size());
  }

  /// WHERE, or the condition of an inner join: holds of the rows that
  /// `relation` and those before it make together.
  void add_where(std::size_t relation, const Expr& e) {
    if (e.op == Op::And) {
      for (const Expr& arg : e.args) add_where(relation, arg);
      return;
    }
    const Facts facts = facts_of(e);
    if (facts.relations == 0) {
      // Rows of the other side of a FULL JOIN come all the same.
      if (full_in(relation + 1, relations_.size()))
        plan_.relations[relation].later.push_back(&e);
      else
        plan_.before.push_back(&e);
      return;
    }
    const std::size_t last = last_of(facts);
    if (const auto full = full_in(last, relation + 1))
      plan_.relations[*full].after.push_back(&e);
    else if (is_outer(last))
      plan_.relations[last].after.push_back(&e);
    else
      add_filter(last, e, facts);
  }

  void add_on(std::size_t relation, const Expr& e) {
    if (e.op == Op::And) {
      for (const Expr& arg : e.args) add_on(relation, arg);
      return;
    }
    // All rows of a FULL JOIN are wanted.
    if (joins_[relation].kind == JoinKind::Full)
      plan_.relations[relation].later.push_back(&e);
    else
      add_filter(relation, e, facts_of(e));
  }

  Plan finish() {
    for (std::size_t i = 0; i < relations_.size(); ++i) {
      RelationPlan& plan = plan_.relations[i];
      std::sort(
          plan.equal.begin(), plan.equal.end(),
          [](const auto& a, const auto& b) { return a.column < b.column; });
      if (has_whole_key(i)) plan.key.clear();
    }
    return std::move(plan_);
  }

  [[nodiscard]] bool is_outer(std::size_t relation) const {
    return relation < joins_.size() && joins_[relation].kind != JoinKind::Inner;
  }

 private:
  /// The last FULL JOIN among some relations.
  [[nodiscard]] std::optional<std::size_t> full_in(std::size_t begin,
                                                   std::size_t end) const {
    for (std::size_t i = std::min(end, joins_.size()); i-- > begin;)
      if (joins_[i].kind == JoinKind::Full) return i;
    return std::nullopt;
  }

  [[nodiscard]] std::size_t last_of(const Facts& facts) const {
    const auto last =
        static_cast<std::size_t>(63 - std::countl_zero(facts.relations));
    return last == 63 ? relations_.size() - 1 : last;
  }

  /// Whether everything at level 0 comes before `relation`.
  static bool comes_before(const Facts& facts, std::size_t relation) {
    if (relation >= 63) return facts.relations >> 63 == 0;
    return facts.relations >> relation == 0;
  }

  void add_filter(std::size_t relation, const Expr& e, const Facts& facts) {
    RelationPlan& plan = plan_.relations[relation];
    const bool is_table = relations_[relation].table != kNone<TableId>;
    const std::uint64_t own = std::uint64_t{1}
                              << std::min<std::size_t>(relation, 63);
    const bool is_own = (facts.relations & ~own) == 0 && relation < 63;
    (is_table && is_own && !facts.has_query ? plan.now : plan.later)
        .push_back(&e);
    if (!is_table) return;
    if (e.op == Op::Equal && (add_probe(relation, e.args[0], e.args[1]) ||
                              add_probe(relation, e.args[1], e.args[0]))) {
      plan.depends_on_others |= !is_own;
      return;
    }
    if (is_own && !facts.has_open_query && mentions_key_only(relation, e))
      plan.key.push_back(&e);
  }

  bool add_probe(std::size_t relation, const Expr& column, const Expr& value) {
    if (column.op != Op::Column || column.level != 0 ||
        column.relation != relation || !comes_before(facts_of(value), relation))
      return false;
    auto& equal = plan_.relations[relation].equal;
    const bool is_known = std::any_of(
        equal.begin(), equal.end(),
        [&](const auto& probe) { return probe.column == column.index; });
    if (!is_known) equal.push_back({column.index, &value});
    return !is_known;
  }

  [[nodiscard]] const UniqueKey* key_of(std::size_t relation) const {
    const TableId table = relations_[relation].table;
    if (table == kNone<TableId> || !schema_.at(table).has_primary_key)
      return nullptr;
    return &schema_.at(table).unique[0];
  }

  [[nodiscard]] bool mentions_key_only(std::size_t relation,
                                       const Expr& e) const {
    const UniqueKey* key = key_of(relation);
    if (key == nullptr) return false;
    bool is_key_only = true;
    for_each_column(e, [&](const Expr& column) {
      if (column.relation != relation) return;
      is_key_only &= std::find(key->columns.begin(), key->columns.end(),
                               column.index) != key->columns.end();
    });
    return is_key_only;
  }

  [[nodiscard]] bool has_whole_key(std::size_t relation) const {
    const UniqueKey* key = key_of(relation);
    if (key == nullptr) return true;  // no key to speak of
    const auto& equal = plan_.relations[relation].equal;
    return std::all_of(
        key->columns.begin(), key->columns.end(), [&](std::uint32_t column) {
          return std::any_of(
              equal.begin(), equal.end(),
              [column](const auto& probe) { return probe.column == column; });
        });
  }

  const Schema& schema_;
  std::span<const Relation> relations_;
  std::span<const Join> joins_;
  Plan plan_;
};

}  // namespace

Plan plan_of(const Schema& schema, std::span<const Relation> relations,
             std::span<const Join> joins, const std::optional<Expr>& where) {
  Planner planner(schema, relations, joins);
  for (std::size_t i = 0; i < joins.size(); ++i) {
    if (!joins[i].on) continue;
    if (planner.is_outer(i))
      planner.add_on(i, *joins[i].on);
    else
      planner.add_where(i, *joins[i].on);
  }
  if (where) planner.add_where(relations.size(), *where);
  return planner.finish();
}

}  // namespace txscope::sql
