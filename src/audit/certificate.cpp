#include "audit/certificate.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "audit/audit_statement.h"
#include "audit/load.h"
#include "audit/shown_ids.h"
#include "exec/sql/memory_database.h"
#include "exec/sql/memory_statement.h"
#include "exec/sql/writer.h"

namespace txscope::audit {
namespace {

using sql::LogStatus;
using sql::Row;
using sql::TableRows;
using sql::Value;
using States = sql::MemoryStatement::Tables;
using ReadKind = sql::ReadStatement::Kind;

/// A statement on one state whose keys are held against that state or, if
/// given, another.  Numbers are as RETURNING shows them, else those of the
/// sequence.
class Rerun final : public sql::MemoryStatement {
 public:
  Rerun(const sql::Schema& schema, States& tables, States* constraints,
        std::vector<std::int64_t>& sequences, const sql::DbStatement& statement,
        const sql::LogStatement& observed)
      : MemoryStatement(schema, tables, sequences),
        shown_(shown_ids(schema, statement, observed)) {
    if (constraints != nullptr) keys_.emplace(schema, *constraints, sequences);
  }
  [[nodiscard]] const sql::WriteRules& rules() const override {
    return log_rules();
  }
  std::int64_t next(std::uint32_t sequence) override {
    if (at_ < shown_.size()) return shown_[at_++];
    return MemoryStatement::next(sequence);
  }
  bool find_duplicate(TableId table, std::size_t key, const Row& row,
                      sql::RowHandle self, Purpose purpose,
                      std::optional<Match>& found) override {
    return keys_ ? keys_->find_duplicate(table, key, row, self, purpose, found)
                 : MemoryStatement::find_duplicate(table, key, row, self,
                                                   purpose, found);
  }
  bool find_parent(const sql::ForeignKey& key, const Row& child,
                   bool& is_found) override {
    return keys_ ? keys_->find_parent(key, child, is_found)
                 : MemoryStatement::find_parent(key, child, is_found);
  }
  bool is_replaced(const sql::ForeignKey& key, const Row& gone,
                   bool& is_found) override {
    return keys_ ? keys_->is_replaced(key, gone, is_found)
                 : MemoryStatement::is_replaced(key, gone, is_found);
  }
  bool find_children(TableId child, const sql::ForeignKey& key,
                     const Row& parent,
                     std::vector<sql::RowHandle>& children) override {
    return keys_ ? keys_->find_children(child, key, parent, children)
                 : MemoryStatement::find_children(child, key, parent, children);
  }

 private:
  std::optional<MemoryStatement> keys_;
  std::vector<std::int64_t> shown_;
  std::size_t at_ = 0;
};

struct NameLess {
  bool operator()(const std::pair<std::uint32_t, Row>& a,
                  const std::pair<std::uint32_t, Row>& b) const {
    if (a.first != b.first) return a.first < b.first;
    return KeyLess{}(a.second, b.second);
  }
};

/// One row that differs between two states.
struct Difference {
  TableId table;
  std::uint64_t number = 0;
  std::shared_ptr<const Row> old;  ///< none: it is new
  std::shared_ptr<const Row> now;  ///< none: it is gone
};

std::vector<Difference> differences(const States& before, const States& after) {
  std::vector<Difference> all;
  for (std::size_t t = 0; t < before.size(); ++t) {
    if (before[t] == after[t]) continue;
    std::unordered_map<std::uint64_t, std::shared_ptr<const Row>> old;
    for (const auto& entry : before[t]->entries)
      old.emplace(entry.number, entry.row);
    for (const auto& entry : after[t]->entries) {
      const auto found = old.find(entry.number);
      if (found == old.end()) {
        all.push_back({TableId(t), entry.number, nullptr, entry.row});
        continue;
      }
      if (found->second != entry.row)
        all.push_back({TableId(t), entry.number, found->second, entry.row});
      old.erase(found);
    }
    for (auto& [number, row] : old)
      all.push_back({TableId(t), number, row, nullptr});
  }
  return all;
}

class Recheck {
 public:
  Recheck(const LoadedLog& log, const AuditResult& result, const Budget& budget)
      : log_(log),
        schema_(log.initial().schema()),
        level_(result.level),
        order_(result.found.order),
        budget_(budget) {
    std::unordered_map<std::string, const Txn*> by_id;
    for (const Txn& txn : log.whole().txns) by_id[txn.log->id] = &txn;
    for (const Placed& placed : order_) {
      const auto found = by_id.find(result.ids[placed.txn]);
      txns_.push_back(found == by_id.end() ? nullptr : found->second);
    }
  }

  Certificate run(const sql::MemoryDatabase& setup) {
    if (auto why = wrong_order(); !why.empty()) return fails(why);
    for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
      auto rows = std::make_shared<TableRows>();
      for (const Row& row : setup.rows(TableId(t)))
        rows->add(schema_.tables[t],
                  {rows->next++, std::make_shared<const Row>(row)});
      latest_.push_back(std::move(rows));
    }
    sequences_.assign(setup.sequences().begin(), setup.sequences().end());
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (order_[i].is_committed) ++uses_[order_[i].snapshot];
    states_[0] = latest_;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (budget_.spent_now())
        return {Certificate::Kind::NotDone, "the budget ended"};
      if (!order_[i].is_committed) continue;
      if (auto why = place(i); !why.empty())
        return fails("transaction " + txns_[i]->log->id + " " + why);
    }
    return {Certificate::Kind::Stands,
            std::to_string(order_.size()) + " transactions were run again, " +
                std::to_string(statements_) +
                " statements, each on the state that the order names"};
  }

 private:
  static Certificate fails(std::string why) {
    return {Certificate::Kind::Fails, std::move(why)};
  }

  /// All that must be there once, sessions and times.
  [[nodiscard]] std::string wrong_order() const {
    if (order_.size() != log_.whole().txns.size())
      return "the order has " + std::to_string(order_.size()) + " of " +
             std::to_string(log_.whole().txns.size()) + " transactions";
    std::map<std::uint32_t, std::uint64_t> last_line;
    std::int64_t latest_start = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (txns_[i] == nullptr) return "the order names something unknown";
      const sql::LogTransaction& t = *txns_[i]->log;
      if (!order_[i].is_committed) {
        if (t.status != LogStatus::Unknown)
          return "transaction " + t.id + " is left out";
        continue;
      }
      std::uint64_t& line = last_line[txns_[i]->session];
      if (line >= t.line) return "transaction " + t.id + " leaves its session";
      line = t.line;
      if (!level_.is_strict) continue;
      if (t.end && *t.end < latest_start)
        return "transaction " + t.id + " comes after one that began later";
      if (t.start) latest_start = std::max(latest_start, *t.start);
    }
    return {};
  }

  std::string place(std::size_t i) {
    const Txn& txn = *txns_[i];
    const std::uint32_t s = order_[i].snapshot;
    if (level_.rule == Rule::Serializable && s != changed_)
      return "is not run on the state before it";
    const auto found = states_.find(s);
    if (s > changed_ || found == states_.end()) return "sees no state so far";
    std::uint32_t& last = last_of_session_[txn.session];
    if (s < last) return "sees a state from before its session's last";
    if (auto why = stale(txn, s); !why.empty()) return why;
    const States before = found->second;
    States mine = before;
    number_apart(txn, mine);
    if (auto why = statements(txn, before, mine); !why.empty()) return why;
    if (--uses_[s] == 0 && s != changed_) states_.erase(s);
    if (txn.log->status == LogStatus::Aborted) return {};
    const auto changes = differences(before, mine);
    if (auto why = conflict(changes, s); !why.empty()) return why;
    const bool is_last_state = s == changed_;
    if (!changes.empty()) {
      if (is_last_state)
        latest_ = std::move(mine);
      else
        apply(changes, latest_);
      if (breaks_unique(changes)) return "leaves a unique key there twice";
      if (uses_[changed_] == 0) states_.erase(changed_);
      ++changed_;
      states_[changed_] = latest_;
      for (const Difference& d : changes)
        for (Name& name : names_of(d)) written_[std::move(name)] = changed_;
      if (txn.log->end) ends_.emplace_back(*txn.log->end, changed_);
    }
    last = std::max(last, changes.empty() ? s : changed_);
    return {};
  }

  /// Strict snapshots contain all that ended before.
  [[nodiscard]] std::string stale(const Txn& txn, std::uint32_t s) const {
    if (!level_.is_strict || !txn.log->start) return {};
    // Later ones in the order are few that ended before it began.
    for (auto e = ends_.rbegin(); e != ends_.rend() && e->second > s; ++e)
      if (e->first < *txn.log->start)
        return "does not see one that ended before it began";
    return {};
  }

  /// Keys of one that was refused something are held against the last state:
  /// rows that it inserts must not have numbers of that one's.
  void number_apart(const Txn& txn, States& mine) {
    const auto& all = txn.log->statements;
    is_apart_ =
        level_.rule == Rule::PostgresRepeatableRead ||
        std::any_of(all.begin(), all.end(), [](const sql::LogStatement& s) {
          return s.error && !is_always_possible(*s.error);
        });
    for (std::size_t t = 0; t < mine.size() && is_apart_; ++t)
      if (mine[t] != latest_[t])
        writable(mine, TableId(t)).next = latest_[t]->next;
  }

  using Name = std::pair<std::uint32_t, Row>;

  /// A row by its keys, before and after, where the level says so; else by
  /// number.
  [[nodiscard]] std::vector<Name> names_of(const Difference& d) const {
    const sql::Table& table = schema_.at(d.table);
    if (!table.has_primary_key || level_.rule == Rule::PostgresRepeatableRead)
      return {{d.table.index,
               {Value::integer(static_cast<std::int64_t>(d.number))}}};
    std::vector<Name> names;
    for (const auto& row : {d.old, d.now}) {
      if (row == nullptr) continue;
      Row key;
      for (const std::uint32_t c : table.unique[0].columns)
        key.push_back((*row)[c]);
      names.emplace_back(d.table.index, std::move(key));
    }
    return names;
  }

  [[nodiscard]] std::string conflict(const std::vector<Difference>& changes,
                                     std::uint32_t s) const {
    if (level_.rule == Rule::Prefix || s == changed_) return {};
    for (const Difference& d : changes) {
      if (d.old == nullptr && level_.rule == Rule::PostgresRepeatableRead)
        continue;
      for (const Name& name : names_of(d)) {
        const auto found = written_.find(name);
        if (found != written_.end() && found->second > s)
          return "writes what was written since its snapshot";
      }
    }
    return {};
  }

  TableRows& writable(States& states, TableId table) const {
    auto& rows = states[table.index];
    auto copy = std::make_shared<TableRows>(*rows);
    TableRows& result = *copy;
    rows = std::move(copy);
    return result;
  }

  /// Over whatever is there: conflicts are not looked for here.
  void apply(const std::vector<Difference>& changes, States& to) const {
    for (const Difference& d : changes) {
      const sql::Table& table = schema_.at(d.table);
      TableRows& rows = writable(to, d.table);
      std::uint64_t number = d.number;
      if (d.old != nullptr) {
        const auto there = std::find_if(
            rows.entries.begin(), rows.entries.end(),
            [&](const auto& entry) { return entry.number == d.number; });
        if (there != rows.entries.end()) rows.remove(table, *there);
      } else {
        if (!is_apart_) number = rows.next;
        rows.next = std::max(rows.next, number + 1);
      }
      if (d.now != nullptr) rows.add(table, {number, d.now});
    }
  }

  [[nodiscard]] bool breaks_unique(
      const std::vector<Difference>& changes) const {
    for (const Difference& d : changes) {
      if (d.now == nullptr) continue;
      const sql::Table& table = schema_.at(d.table);
      for (const sql::UniqueKey& key : table.unique) {
        const auto same = latest_[d.table.index]->like(table, key.columns,
                                                       *d.now, key.columns);
        const auto count =
            std::count_if(same.begin(), same.end(), [&](const auto& entry) {
              return sql::same_values(key.columns, *entry.row, key.columns,
                                      *d.now);
            });
        if (count > 1) return true;
      }
    }
    return false;
  }

  std::string statements(const Txn& txn, const States& before, States& mine) {
    std::map<std::string, States> savepoints;
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      const Prepared& prepared = *txn.statements[k];
      const sql::LogStatement& observed = txn.log->statements[k];
      if (txn.is_opaque[k] ||
          (observed.error && is_always_possible(*observed.error)))
        continue;
      if (prepared.kind == ReadKind::Savepoint)
        savepoints[prepared.name] = mine;
      if (prepared.kind == ReadKind::RollbackTo &&
          savepoints.count(prepared.name) != 0)
        mine = savepoints[prepared.name];
      if (!prepared.is_sql()) continue;
      // A key that a concurrent one has taken is refused all the same;
      // PostgreSQL holds all keys against what is committed.
      const bool is_by_row =
          level_.rule == Rule::PostgresRepeatableRead && !prepared.is_select();
      if (!is_by_row && answers(prepared, observed, mine, nullptr)) continue;
      if (is_by_row || observed.error) {
        States now = latest_;
        apply(differences(before, mine), now);
        if (answers(prepared, observed, mine, &now)) continue;
      }
      return "does not give the answer of its statement " +
             std::to_string(k + 1);
    }
    return {};
  }

  bool answers(const Prepared& prepared, const sql::LogStatement& observed,
               States& tables, States* constraints) {
    ++statements_;
    std::vector<Value> slots(1);
    slots.insert(slots.end(), observed.parameters.begin(),
                 observed.parameters.end());
    slots.resize(std::max(slots.size(), prepared.parameters + 1));
    // A change that is taken back is none: the very rows are what tells.
    const States before = tables;
    Rerun database(schema_, tables, constraints, sequences_,
                   *prepared.statement, observed);
    sql::Writer(*prepared.routines, database, slots, budget_)
        .run(prepared.is_select() ? *prepared.full : *prepared.statement, 0);
    sql::StatementEnd& end = database.end();
    Answer answer;
    if (end.is_done()) {
      database.keep();
      answer.rows = std::move(end.result.rows);
      answer.count = end.result.count;
      if (prepared.is_select()) {
        sql::Evaluator evaluator(*prepared.routines, database, slots, budget_);
        auto window = evaluator.window(prepared.query());
        if (const auto* known = std::get_if<sql::Window>(&window))
          answer.window = *known;
        else if (auto* error = std::get_if<sql::SqlError>(&window))
          answer.error = *error;
      }
    } else {
      database.keep();
      answer.error = end.error;
    }
    const bool is_explained = explains(prepared, answer, observed);
    if (answer.error || !is_explained) tables = before;
    return is_explained;
  }

  const LoadedLog& log_;
  const sql::Schema& schema_;
  const AuditLevel& level_;
  const std::vector<Placed>& order_;
  const Budget& budget_;
  std::vector<const Txn*> txns_;  // by place in the order
  States latest_;
  std::map<std::uint32_t, States> states_;  // that somebody still sees
  std::map<std::uint32_t, std::uint64_t> uses_;
  bool is_apart_ = false;      // rows it inserts have numbers of their own
  std::uint32_t changed_ = 0;  // how many changed something so far
  std::vector<std::int64_t> sequences_;
  std::map<std::pair<std::uint32_t, Row>, std::uint32_t, NameLess> written_;
  std::map<std::uint32_t, std::uint32_t> last_of_session_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> ends_;
  std::uint64_t statements_ = 0;
};

}  // namespace

Result<Certificate> certify(const LogInput& input, const AuditOptions& options,
                            const AuditResult& result, const Budget& budget) {
  const Rule rule = result.level.rule;
  if (rule != Rule::Serializable && rule != Rule::Snapshot &&
      rule != Rule::Prefix && rule != Rule::PostgresRepeatableRead)
    return Certificate{Certificate::Kind::NotDone,
                       "which states its statements saw is not part of the "
                       "evidence"};
  if (auto again = input.again(); !again) return again.error();
  auto initial = run_setup(input, budget);
  if (!initial) return initial.error();
  auto log = LoadedLog::load(input, options, std::move(*initial));
  if (!log) return log.error();
  for (const Txn& txn : (*log)->whole().txns) {
    if (txn.rule && *txn.rule != rule)
      return Certificate{Certificate::Kind::NotDone,
                         "transactions have levels of their own"};
    for (const PreparedPtr& prepared : txn.statements)
      if (prepared->is_call())
        return Certificate{Certificate::Kind::NotDone,
                           "calls are not run again"};
  }
  const sql::Routines routines(*input.setup);
  const auto setup = sql::MemoryDatabase::after_setup(routines, budget);
  const auto* database = std::get_if<sql::MemoryDatabase>(&setup);
  if (database == nullptr)
    return Certificate{Certificate::Kind::NotDone, "the setup did not run"};
  return Recheck(**log, result, budget).run(*database);
}

}  // namespace txscope::audit
