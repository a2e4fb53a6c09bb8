#include "robust/sql_lens.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "exec/sql/query/evaluate.h"
#include "exec/sql/value/compare.h"
#include "explore/sql/transactions.h"
#include "model/sql/walk.h"
#include "robust/proof/expressions.h"

namespace txscope::robust {
namespace {

using explore::Transactions;
using explore::Universe;
using sql::DbStatement;
using sql::Expr;
using sql::Op;
using sql::Query;

/// What a statement sees of a table.
struct Sight {
  std::vector<bool> columns;  ///< that it names
  /// What a row must satisfy by itself to be looked for, if the table stands in
  /// the statement once: there it is this relation.
  std::vector<std::optional<Expr>> conditions;
  std::uint32_t relation = 0;
  std::optional<ExtremeKind> extreme;
};

/// Conditions that speak of one relation alone.
bool is_about(const Expr& e, std::uint32_t relation) {
  if (e.query || e.op == Op::Function || e.op == Op::Aggregate ||
      e.op == Op::Window) {
    return false;
  }
  if (e.op == Op::Column) return e.level == 0 && e.relation == relation;
  return std::all_of(e.args.begin(), e.args.end(),
                     [&](const Expr& arg) { return is_about(arg, relation); });
}

/// Looks through one statement for what it sees of one table.
class Looker {
 public:
  Looker(const sql::Schema& schema, TableId table)
      : schema_(schema), table_(table) {
    out_.columns.resize(schema.at(table).columns.size());
  }

  Sight look(const DbStatement& statement) {
    is_opaque_ = !statement.parts.empty() || !statement.checks.empty() ||
                 std::holds_alternative<sql::Merge>(statement.what);
    if (statement.is_write()) look_at_target(statement);
    if (const auto* select = std::get_if<sql::Select>(&statement.what))
      top_ = select->get();
    sql::for_each_part(
        statement, [this](const Expr& e) { look(e); },
        [this](const Query& q) { look(q); });
    if (places_ == 0 || is_opaque_) {  // by a cascade, a trigger, a function
      out_.columns.assign(out_.columns.size(), true);
      places_ = 0;
    }
    if (places_ != 1) {
      out_.conditions.clear();
      out_.extreme.reset();
    }
    return std::move(out_);
  }

 private:
  void look_at_target(const DbStatement& statement) {
    const sql::Relation& target = *statement.target();
    for (const sql::Table& table : schema_.tables)
      is_opaque_ |= !table.triggers.empty();
    look_at_keys(target.table);
    if (const auto* insert = std::get_if<sql::Insert>(&statement.what)) {
      if (target.table == table_) look_at_insert(*insert);
      return;
    }
    if (target.table != table_) return;
    ++places_;
    if (sql::chooses_rows(statement)) is_opaque_ = true;
    const auto name = [this](const Expr& e) {
      note_columns(e, 0, 0, out_.columns);
    };
    sql::for_each_part(statement, name, [](const Query&) {});
    const auto* update = std::get_if<sql::Update>(&statement.what);
    const auto& where = update != nullptr
                            ? update->where
                            : std::get<sql::Delete>(statement.what).where;
    if (where) keep_conditions({&*where}, 0);
  }

  /// Rows that foreign keys look up: parents, and children.
  void look_at_keys(TableId target) {
    const auto name = [this](const std::vector<std::uint32_t>& columns) {
      ++places_;
      for (const std::uint32_t c : columns) out_.columns[c] = true;
    };
    for (const sql::ForeignKey& key : schema_.at(target).foreign)
      if (key.parent == table_) name(key.parent_columns);
    for (const sql::ForeignKey& key : schema_.at(table_).foreign)
      if (key.parent == target) name(key.columns);
  }

  void look_at_insert(const sql::Insert& insert) {
    ++places_;
    if (insert.on_conflict &&
        (insert.on_conflict->is_update || insert.on_conflict->is_replace))
      is_opaque_ = true;
    const sql::Table& table = schema_.at(table_);
    for (std::size_t k = table.has_primary_key ? 1 : 0; k < table.key_count();
         ++k) {
      ++places_;
      const sql::UniqueKey& key = table.key_at(k);
      for (const std::uint32_t c : key.columns) out_.columns[c] = true;
      for (const std::uint32_t c : key.condition_columns)
        out_.columns[c] = true;
    }
  }

  // Depth: what the front end allows.
  void look(const Expr& e) {
    if (e.op == Op::Function) is_opaque_ = true;
    sql::for_each_part(
        e, [this](const Expr& arg) { look(arg); },
        [this](const Query& q) { look(q); });
  }

  void look(const Query& q) {
    for (std::uint32_t r = 0; r < q.relations.size(); ++r) {
      if (q.relations[r].query || q.relations[r].table != table_) continue;
      ++places_;
      note_columns(q, 0, r, out_.columns);
      if (&q == top_) look_at_top(q, r);
    }
    sql::for_each_part(
        q, [this](const Expr& e) { look(e); },
        [this](const Query& inside) { look(inside); });
  }

  void look_at_top(const Query& q, std::uint32_t relation) {
    const bool is_inner =
        std::all_of(q.joins.begin(), q.joins.end(), [](const sql::Join& join) {
          return join.kind == sql::JoinKind::Inner;
        });
    if (!is_inner || q.set != sql::SetKind::None) return;
    keep_conditions(wheres_of(q), relation);
    out_.extreme = extreme_of(q);
  }

  void keep_conditions(const std::vector<const Expr*>& wheres,
                       std::uint32_t relation) {
    out_.relation = relation;
    std::vector<const Expr*> parts;
    for (const Expr* where : wheres) split(*where, parts);
    for (const Expr* part : parts)
      if (is_about(*part, relation)) out_.conditions.emplace_back(*part);
  }

  const sql::Schema& schema_;
  const TableId table_;
  const Query* top_ = nullptr;
  bool is_opaque_ = false;
  int places_ = 0;  // where the table stands
  Sight out_;
};

class NoRows final : public sql::Store {
 public:
  bool scan(const sql::Access&, const OnRow&) override { return false; }
};

class SqlLens final : public Lens {
 public:
  SqlLens(const explore::SqlScript& script, const Budget& budget)
      : script_(script),
        universe_(script.universe()),
        budget_(budget),
        transactions_(script.routines(), universe_, script, budget) {
    transactions_.keep_results();
  }

  exec::Runner& runner() override { return transactions_; }

  void show(const TransactionRun& run, Shown& to) override {
    for (const explore::Transactions::Ran& ran : statements(run)) {
      if (ran.error != nullptr) {
        to.push_back(-1);
        to.push_back(
            universe_.version(sql::Row{sql::Value::text(ran.error->sqlstate)}));
      }
      if (ran.result == nullptr) continue;
      to.push_back(static_cast<std::int64_t>(ran.result->count));
      to.push_back(static_cast<std::int64_t>(ran.result->rows.size()));
      for (const sql::Row& row : ran.result->rows)
        to.push_back(universe_.version(row));
    }
  }

  void forget_names(std::vector<std::int64_t>& state) override {
    std::map<std::uint32_t, std::vector<std::size_t>> hidden;  // by table
    for (std::size_t k = 0; k < state.size(); ++k) {
      const TableId table = universe_.table_of(KeyId(k));
      if (!universe_.schema().at(table).has_primary_key)
        hidden[table.index].push_back(k);
    }
    for (const auto& [table, keys] : hidden) {
      std::vector<std::int64_t> versions;
      for (const std::size_t k : keys) versions.push_back(state[k]);
      std::sort(versions.begin(), versions.end());
      for (std::size_t i = 0; i < keys.size(); ++i)
        state[keys[i]] = versions[i];
    }
  }

  bool depends(const TransactionRun& reader, const TransactionRun::Read& read,
               const RowChange& change, Granularity granularity) override {
    if (granularity == Granularity::Row) return read.behind.empty();
    const TableId table = universe_.table_of(change.key);
    const explore::Transactions::Ran* ran = find(reader, read.pc);
    if (ran == nullptr || ran->statement == nullptr) return true;
    const Sight sight =
        rest_of(sight_of(*ran->statement, table), reader, read, table);
    if (!read.behind.empty() && !have_common(sight.columns, sight.columns))
      return false;
    const bool comes_or_goes = (change.before == explore::Universe::kAbsent) !=
                               (change.after == explore::Universe::kAbsent);
    if (granularity == Granularity::Column) {
      return comes_or_goes ||
             have_common(sight.columns, written_columns(change, table));
    }
    if (!comes_or_goes &&
        !have_common(sight.columns, changed_columns(change, table))) {
      return false;
    }
    return looks_for(*ran, sight, change.before) ||
           looks_for(*ran, sight, change.after);
  }

 private:
  using Ran = std::vector<explore::Transactions::Ran>;

  /// Where a transaction ended says what it ran.
  const Ran& statements(const TransactionRun& run) {
    const auto [at, is_new] = ran_.try_emplace(run.slots[0]);
    if (is_new) at->second = transactions_.statements(run.slots.data());
    return at->second;
  }
  const explore::Transactions::Ran* find(const TransactionRun& run,
                                         std::uint32_t pc) {
    for (const Transactions::Ran& ran : statements(run))
      if (ran.pc == pc) return &ran;
    return nullptr;
  }

  const Sight& sight_of(const DbStatement& statement, TableId table) {
    const auto [at, is_new] =
        sights_.try_emplace(std::pair(&statement, table.index));
    if (is_new) at->second = Looker(universe_.schema(), table).look(statement);
    return at->second;
  }

  /// What a statement sees of a row behind its own transaction's writes.
  Sight rest_of(Sight sight, const TransactionRun& reader,
                const TransactionRun::Read& read, TableId table) {
    for (const std::uint32_t pc : read.behind) {
      const std::vector<bool> set = set_columns(reader, pc, table);
      for (std::size_t c = 0; c < set.size(); ++c)
        if (set[c]) sight.columns[c] = false;
    }
    return sight;
  }

  static bool have_common(const std::vector<bool>& a,
                          const std::vector<bool>& b) {
    for (std::size_t c = 0; c < a.size(); ++c)
      if (a[c] && b[c]) return true;
    return false;
  }

  std::vector<bool> changed_columns(const RowChange& change, TableId table) {
    std::vector<bool> out(universe_.schema().at(table).columns.size());
    if (change.before == change.after) return out;
    const sql::Row& before = universe_.row(change.before);
    const sql::Row& after = universe_.row(change.after);
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = before[c] != after[c];
    return out;
  }

  /// Those of SET, and what changes; of anything but an UPDATE all.
  std::vector<bool> written_columns(const RowChange& change, TableId table) {
    std::vector<bool> out = changed_columns(change, table);
    for (const std::uint32_t pc : change.pcs) {
      const std::vector<bool> set = set_columns(*change.writer, pc, table);
      for (std::size_t c = 0; c < out.size(); ++c) out[c] = out[c] || set[c];
    }
    return out;
  }

  /// Of an UPDATE those of SET, of any other statement all.
  std::vector<bool> set_columns(const TransactionRun& writer, std::uint32_t pc,
                                TableId table) {
    const std::size_t count = universe_.schema().at(table).columns.size();
    const explore::Transactions::Ran* ran = find(writer, pc);
    const auto* update = ran == nullptr || ran->statement == nullptr
                             ? nullptr
                             : std::get_if<sql::Update>(&ran->statement->what);
    if (update == nullptr || update->target.table != table)
      return std::vector<bool>(count, true);
    std::vector<bool> out(count);
    for (const sql::SetColumn& set : update->set) out[set.column] = true;
    return out;
  }

  bool looks_for(const explore::Transactions::Ran& ran, const Sight& sight,
                 std::int64_t version) {
    if (version == Universe::kAbsent) return false;
    std::vector<sql::Row> rows(sight.relation + 1);
    rows[sight.relation] = universe_.row(version);
    NoRows none;
    sql::Evaluator evaluator(script_.routines(), none, ran.variables, budget_);
    for (const std::optional<Expr>& condition : sight.conditions) {
      const auto holds = evaluator.matches(condition, rows);
      const bool* is_true = std::get_if<bool>(&holds);
      if (is_true != nullptr && !*is_true) return false;
    }
    if (!sight.extreme || ran.result == nullptr || ran.result->rows.empty())
      return true;
    const sql::Value& found = ran.result->rows[0][0];
    const sql::Value& value = rows[sight.relation][sight.extreme->column];
    if (value.is_null()) return false;
    if (found.is_null()) return true;
    const int order = compare(value, found);
    return sight.extreme->is_min ? order <= 0 : order >= 0;
  }

  const explore::SqlScript& script_;
  explore::Universe& universe_;
  const Budget& budget_;
  explore::Transactions transactions_;
  std::unordered_map<std::int64_t, Ran> ran_;  // by the last node
  std::map<std::pair<const DbStatement*, std::uint32_t>, Sight> sights_;
};

}  // namespace

std::unique_ptr<Lens> make_sql_lens(const explore::SqlScript& script,
                                    const Budget& budget) {
  return std::make_unique<SqlLens>(script, budget);
}

}  // namespace txscope::robust
