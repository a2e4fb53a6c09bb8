#include "audit/certificate/certificate.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "audit/attempt/load.h"
#include "audit/certificate/rerun.h"
#include "audit/tables/picked_rows.h"
#include "audit/tables/statement_states.h"
#include "exec/sql/memory/database.h"
#include "exec/sql/value/row_keys.h"

namespace txscope::audit {
namespace {

using sql::LogStatus;
using sql::Row;
using sql::TableRows;
using sql::Value;
using ReadKind = sql::ReadStatement::Kind;

/// A row by one of its keys, or by its number.
struct Name {
  std::uint32_t table = 0;
  bool is_key = false;
  Row values;
};

struct NameLess {
  bool operator()(const Name& a, const Name& b) const {
    if (a.table != b.table) return a.table < b.table;
    if (a.is_key != b.is_key) return b.is_key;
    return KeyLess{}(a.values, b.values);
  }
};

Name number_of(const Difference& d) {
  return {d.table.index,
          false,
          {Value::integer(static_cast<std::int64_t>(d.number))}};
}

/// Whether rows keep their numbers whatever others insert.
bool needs_numbers(Rule rule) {
  return rule == Rule::PostgresRepeatableRead || is_by_statement(rule);
}

class Recheck {
 public:
  Recheck(const LoadedLog& log, const AuditResult& result, const Budget& budget)
      : log_(log),
        schema_(log.initial().schema()),
        level_(result.level),
        order_(result.found.order),
        budget_(budget),
        rerun_(schema_, sequences_, budget) {
    std::unordered_map<std::string, const Txn*> by_id;
    for (const Txn& txn : log.whole().txns) by_id[txn.log->id] = &txn;
    for (const Placed& placed : order_) {
      const auto found = by_id.find(result.ids[placed.txn]);
      txns_.push_back(found == by_id.end() ? nullptr : found->second);
      if (txns_.back() != nullptr && needs_numbers(rule_of(*txns_.back())))
        keeps_numbers_ = true;
    }
  }

  Certificate run(const sql::MemoryDatabase& setup) {
    for (const Placed& placed : order_)
      if (placed.chose)
        return {Certificate::Kind::NotDone,
                "the order does not tell which states the statements of "
                "routines saw, or which rows SKIP LOCKED passed over"};
    for (const Placed& placed : order_)
      for (const Placed::Picked& row : placed.picked)
        if (!schema_.at(row.table).has_primary_key)
          return {Certificate::Kind::NotDone,
                  "a statement saw rows of several states that have no key"};
    if (auto why = wrong_order(); !why.empty()) return fails(why);
    for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
      auto rows = std::make_shared<TableRows>();
      for (const Row& row : setup.rows(TableId(t)))
        rows->add(schema_.tables[t],
                  {rows->next++, std::make_shared<const Row>(row)});
      latest_.push_back(std::move(rows));
    }
    sequences_.assign(setup.sequences().begin(), setup.sequences().end());
    for (const Placed& placed : order_) {
      if (!placed.is_committed) continue;
      if (placed.seen.empty()) ++uses_[placed.snapshot];
      for (const std::uint32_t s : placed.seen)
        if (s != Placed::kMixed) ++uses_[s];
      for (const Placed::Picked& row : placed.picked) ++uses_[row.state];
    }
    setup_ = latest_;
    states_[0] = latest_;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (budget_.spent_now())
        return {Certificate::Kind::NotDone, "the budget ended"};
      if (!order_[i].is_committed) continue;
      const std::string why = place(i);
      if (why.empty()) continue;
      // A statement that the budget cut short has no answer.
      if (budget_.spent_now())
        return {Certificate::Kind::NotDone, "the budget ended"};
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
    std::int64_t last_commit = latest_start;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (txns_[i] == nullptr) return "the order names something unknown";
      const sql::LogTransaction& t = *txns_[i]->log;
      if (!order_[i].is_committed) {
        if (t.status != LogStatus::Unknown)
          return "transaction " + t.id + " is left out";
        continue;
      }
      // What it shows may be older than all that its session did.
      if (txns_[i]->is_on_standby) continue;
      std::uint64_t& line = last_line[txns_[i]->session];
      if (line >= t.line) return "transaction " + t.id + " leaves its session";
      line = t.line;
      if (level_.has_order()) {
        const auto at = committed_at(t);
        if (at && *at < last_commit)
          return "transaction " + t.id + " comes after a later commit";
        last_commit = at.value_or(last_commit);
      }
      if (!level_.is_strict) continue;
      if (t.end && *t.end < latest_start)
        return "transaction " + t.id + " comes after one that began later";
      if (t.start) latest_start = std::max(latest_start, *t.start);
    }
    return {};
  }

  [[nodiscard]] Rule rule_of(const Txn& txn) const {
    return txn.rule.value_or(level_.rule);
  }

  std::string place(std::size_t i) {
    const Txn& txn = *txns_[i];
    Differences changes;
    std::uint32_t seen = 0;  // the last state, if it changes nothing
    auto why = is_by_statement(rule_of(txn)) ? by_statement(i, changes, seen)
                                             : on_snapshot(i, changes, seen);
    if (!why.empty()) return why;
    if (txn.log->status == LogStatus::Aborted) return {};
    if (!changes.empty()) {
      apply(schema_, changes, is_apart_, latest_);
      if (breaks_unique(changes)) return "leaves a unique key there twice";
      if (!rerun_.keeps_deferred(txn, changes, latest_))
        return "leaves a foreign key broken";
      if (uses_[changed_] == 0) states_.erase(changed_);
      ++changed_;
      states_[changed_] = latest_;
      for (const Difference& d : changes) {
        written_[number_of(d)] = changed_;
        if (d.now == nullptr) deleted_.emplace(d.table.index, d.number);
        for (Name& name : keys_of(d)) written_[std::move(name)] = changed_;
      }
      if (txn.log->end) ends_.emplace_back(*txn.log->end, changed_);
      if (const auto at = committed_at(*txn.log))
        commits_.emplace_back(*at, changed_);
    }
    std::uint32_t& last = last_of_session_[txn.session];
    last = std::max(last, changes.empty() ? seen : changed_);
    return {};
  }

  std::string on_snapshot(std::size_t i, Differences& changes,
                          std::uint32_t& s) {
    const Txn& txn = *txns_[i];
    s = order_[i].snapshot;
    if (rule_of(txn) == Rule::Serializable && s != changed_)
      return "is not run on the state before it";
    const auto found = states_.find(s);
    if (s > changed_ || found == states_.end()) return "sees no state so far";
    if (s < last_of_session_[txn.session] && !txn.is_on_standby)
      return "sees a state from before its session's last";
    if (auto why = stale(txn, s); !why.empty()) return why;
    const States before = found->second;
    States mine = before;
    const auto& all = txn.log->statements;
    // Keys of one that was refused something are held against the last state.
    is_apart_ =
        keeps_numbers_ ||
        std::any_of(all.begin(), all.end(), [](const sql::LogStatement& one) {
          return one.error && !is_always_possible(*one.error);
        });
    if (is_apart_) number_apart(mine, latest_);
    if (auto why = statements(txn, before, mine); !why.empty()) return why;
    leave(s);
    if (txn.log->status == LogStatus::Aborted) return {};
    changes = differences(before, mine);
    return conflict(rule_of(txn), changes, s);
  }

  /// Each statement on a state of its own with what the transaction wrote over
  /// it; keys are held against the last state.
  std::string by_statement(std::size_t i, Differences& own,
                           std::uint32_t& low) {
    const Txn& txn = *txns_[i];
    const Placed& placed = order_[i];
    if (placed.seen.size() != txn.statements.size())
      return "does not say what its statements saw";
    const Rule rule = rule_of(txn);
    StatementStates sees(rule, last_of_session_[txn.session], changed_);
    is_apart_ = true;
    std::map<std::string, Differences> savepoints;
    States now = latest_;
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      const Prepared& prepared = *txn.statements[k];
      const std::uint32_t s = placed.seen[k];
      if (prepared.kind == ReadKind::Savepoint) savepoints[prepared.name] = own;
      if (prepared.kind == ReadKind::RollbackTo &&
          savepoints.count(prepared.name) != 0) {
        own = savepoints[prepared.name];
        now = latest_;
        apply(schema_, own, true, now);
      }
      if (is_skipped(txn, k)) {
        leave(s);
        continue;
      }
      States before;
      if (s == Placed::kMixed && rule == Rule::ReadCommitted) {
        if (auto why = picked(placed, k, before); !why.empty()) return why;
      } else {
        const auto found = states_.find(s);
        if (s > changed_ || found == states_.end())
          return "sees no state so far";
        const bool is_plain = prepared.is_select() && !prepared.locks();
        if (auto why = sees.see(s, is_plain); !why.empty()) return why;
        if (rule != Rule::ReadCommitted)
          if (auto why = stale(txn, s); !why.empty()) return why;
        before = found->second;
      }
      number_apart(before, now);
      apply(schema_, own, true, before);
      States mine = before;
      ++statements_;
      if (!rerun_.answers(prepared, txn.log->statements[k], mine,
                          {&now, rule == Rule::PostgresReadCommitted}))
        return wrong_answer(k);
      leave(s);
      for (const sql::RowHandle at : rerun_.rechecked()) {
        const auto writer =
            written_.find(number_of({at.table, at.row, nullptr, nullptr}));
        if (writer != written_.end()) sees.wait_for(writer->second);
      }
      const Differences changes = differences(before, mine);
      // A key is free only after who had it is gone.
      if (rule == Rule::PostgresReadCommitted)
        for (const Difference& d : changes)
          for (const Name& name :
               d.old == nullptr ? keys_of(d) : std::vector<Name>())
            if (const auto last = written_.find(name); last != written_.end())
              sees.wait_for(last->second);
      add_to(own, changes);
      // Locks keep what it wrote as it is until the end.
      if (is_of_mariadb(rule) && !prepared.is_select() && is_changed(own, s))
        return "writes what was written since its statement " +
               std::to_string(k + 1) + " ran";
      apply(schema_, changes, true, now);
    }
    low = sees.low();
    if (rule == Rule::MariadbSnapshot && sees.read_view() &&
        txn.log->status != LogStatus::Aborted &&
        is_changed(own, *sees.read_view()))
      return "writes what was written since its read view";
    return {};
  }

  /// Whether others wrote these rows after a state.
  [[nodiscard]] bool is_changed(const Differences& own, std::uint32_t s) const {
    return std::any_of(own.begin(), own.end(), [&](const Difference& d) {
      const auto writer = written_.find(number_of(d));
      return d.old != nullptr && writer != written_.end() && writer->second > s;
    });
  }

  /// The tables of a statement that saw rows of several states.
  std::string picked(const Placed& placed, std::size_t k, States& tables) {
    std::vector<Placed::Picked> rows;
    for (const Placed::Picked& row : placed.picked)
      if (row.statement == k) rows.push_back(row);
    std::string why;
    tables = PickedRows(schema_, setup_, states_, latest_, deleted_)
                 .tables(rows, why);
    for (const Placed::Picked& row : rows) leave(row.state);
    return why;
  }

  /// What was inserted and deleted again is no change.
  static void add_to(Differences& own, const Differences& more) {
    for (const Difference& d : more) {
      const auto there =
          std::find_if(own.begin(), own.end(), [&d](const Difference& one) {
            return one.table == d.table && one.number == d.number;
          });
      if (there == own.end())
        own.push_back(d);
      else if (there->old == nullptr && d.now == nullptr)
        own.erase(there);
      else
        there->now = d.now;
    }
  }

  /// Nobody else may see this state.
  void leave(std::uint32_t s) {
    if (s == Placed::kMixed) return;
    if (--uses_[s] == 0 && s != changed_) states_.erase(s);
  }

  /// A statement that is not run, or that tells nothing.
  static bool is_skipped(const Txn& txn, std::size_t k) {
    const sql::LogStatement& s = txn.log->statements[k];
    const Prepared& prepared = *txn.statements[k];
    if (txn.is_opaque[k] || !prepared.runs()) return true;
    if (s.error && is_always_possible(*s.error)) return true;
    return prepared.is_select() && !s.rows && !s.count && !s.error;
  }

  static std::string wrong_answer(std::size_t k) {
    return "does not give the answer of its statement " + std::to_string(k + 1);
  }

  /// Strict snapshots contain all that ended before.
  [[nodiscard]] std::string stale(const Txn& txn, std::uint32_t s) const {
    if (!txn.log->start || txn.is_on_standby) return {};
    for (auto c = commits_.rbegin(); level_.has_order() && c != commits_.rend();
         ++c) {
      const bool is_seen = c->second <= s;
      if (c->first < *txn.log->start && !is_seen)
        return "does not see what was committed when it began";
      if (c->first > *txn.log->start && is_seen &&
          has_one_snapshot(rule_of(txn)))
        return "sees what was committed after it began";
      if (is_seen && c->first < *txn.log->start) break;
    }
    if (!level_.is_strict) return {};
    // Later ones in the order are few that ended before it began.
    for (auto e = ends_.rbegin(); e != ends_.rend() && e->second > s; ++e)
      if (e->first < *txn.log->start)
        return "does not see one that ended before it began";
    return {};
  }

  /// Rows that are inserted must not have numbers that the other state has.
  static void number_apart(States& mine, const States& other) {
    for (std::size_t t = 0; t < mine.size(); ++t) {
      if (mine[t] == other[t]) continue;
      auto copy = std::make_shared<TableRows>(*mine[t]);
      copy->next = std::max(copy->next, other[t]->next);
      mine[t] = std::move(copy);
    }
  }

  /// A row by its primary key, before and after.
  [[nodiscard]] std::vector<Name> keys_of(const Difference& d) const {
    const sql::Table& table = schema_.at(d.table);
    std::vector<Name> names;
    if (!table.has_primary_key) return names;
    for (const auto& row : {d.old, d.now}) {
      if (row == nullptr) continue;
      Name name{d.table.index, true, {}};
      for (const std::uint32_t c : table.unique[0].columns)
        name.values.push_back((*row)[c]);
      names.push_back(std::move(name));
    }
    return names;
  }

  [[nodiscard]] std::string conflict(Rule rule, const Differences& changes,
                                     std::uint32_t s) const {
    if (rule == Rule::Prefix || s == changed_) return {};
    for (const Difference& d : changes) {
      const bool is_by_row = rule == Rule::PostgresRepeatableRead;
      if (d.old == nullptr && is_by_row) continue;
      auto names = is_by_row ? std::vector<Name>() : keys_of(d);
      if (names.empty()) names.push_back(number_of(d));
      for (const Name& name : names) {
        const auto found = written_.find(name);
        if (found != written_.end() && found->second > s)
          return "writes what was written since its snapshot";
      }
    }
    return {};
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
      if (prepared.kind == ReadKind::Savepoint)
        savepoints[prepared.name] = mine;
      if (prepared.kind == ReadKind::RollbackTo &&
          savepoints.count(prepared.name) != 0)
        mine = savepoints[prepared.name];
      if (is_skipped(txn, k)) continue;
      // A key that a concurrent one has taken is refused all the same;
      // PostgreSQL holds all keys against what is committed.
      const bool is_by_row =
          rule_of(txn) == Rule::PostgresRepeatableRead && !prepared.is_select();
      ++statements_;
      if (!is_by_row && rerun_.answers(prepared, observed, mine, {})) continue;
      if (is_by_row || observed.error) {
        States now = latest_;
        apply(schema_, differences(before, mine), is_apart_, now);
        if (rerun_.answers(prepared, observed, mine, {&now, false})) continue;
      }
      return wrong_answer(k);
    }
    return {};
  }

  const LoadedLog& log_;
  const sql::Schema& schema_;
  const AuditLevel& level_;
  const std::vector<Placed>& order_;
  const Budget& budget_;
  std::vector<const Txn*> txns_;  // by place in the order
  States setup_;
  States latest_;
  PickedRows::Rows deleted_;                // by some transaction
  std::map<std::uint32_t, States> states_;  // that somebody still sees
  std::map<std::uint32_t, std::uint64_t> uses_;
  bool keeps_numbers_ = false;  // some level tells rows apart by number
  bool is_apart_ = false;       // rows it inserts have numbers of their own
  std::uint32_t changed_ = 0;   // how many changed something so far
  std::vector<std::int64_t> sequences_;
  std::map<Name, std::uint32_t, NameLess> written_;
  std::map<std::uint32_t, std::uint32_t> last_of_session_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> ends_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> commits_;
  std::uint64_t statements_ = 0;
  Rerun rerun_;
};

}  // namespace

Result<Certificate> certify(const LogInput& input, const AuditOptions& options,
                            const AuditResult& result, const Budget& budget) {
  if (auto again = input.again(); !again) return again.error();
  auto initial = run_setup(input, budget);
  if (!initial) return initial.error();
  auto log = LoadedLog::load(input, options, std::move(*initial));
  if (!log) return log.error();
  (*log)->give(result.found.given);
  const sql::Routines routines(*input.setup);
  const auto setup = sql::MemoryDatabase::after_setup(routines, budget);
  const auto* database = std::get_if<sql::MemoryDatabase>(&setup);
  if (database == nullptr)
    return Certificate{Certificate::Kind::NotDone, "the setup did not run"};
  return Recheck(**log, result, budget).run(*database);
}

}  // namespace txscope::audit
