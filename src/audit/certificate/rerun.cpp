#include "audit/certificate/rerun.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "audit/attempt/commit_checks.h"
#include "audit/attempt/shown_ids.h"
#include "audit/attempt/shown_rows.h"
#include "audit/attempt/statement.h"
#include "audit/rows/key_condition.h"
#include "exec/sql/routine/process.h"
#include "exec/sql/writer/writer.h"

namespace txscope::audit {
namespace {

using sql::Row;
using sql::RowHandle;
using sql::TableRows;
using sql::Value;
using RowInState = std::shared_ptr<const Row>;
using Asked = sql::Request::Kind;

const TableRows::Entry* find_row(const States& tables, RowHandle at) {
  for (const auto& entry : tables[at.table.index]->entries)
    if (entry.number == at.row) return &entry;
  return nullptr;
}

TableRows& copied(States& states, TableId table) {
  auto& rows = states[table.index];
  auto copy = std::make_shared<TableRows>(*rows);
  TableRows& result = *copy;
  rows = std::move(copy);
  return result;
}

/// What it drew, as RETURNING shows it or as the evidence says.
std::vector<std::int64_t> numbers_of(const sql::Schema& schema,
                                     const sql::DbStatement& statement,
                                     const sql::LogStatement& observed) {
  auto numbers = shown_ids(schema, statement, observed);
  numbers.insert(numbers.end(), observed.generated.begin(),
                 observed.generated.end());
  return numbers;
}

/// A statement on one state.  Numbers are as RETURNING shows them, else those
/// of the sequence.
class OnState final : public sql::MemoryStatement {
 public:
  OnState(const sql::Schema& schema, States& tables, States* keys,
          bool rechecks, std::vector<std::int64_t>& sequences,
          std::vector<std::int64_t> shown, std::vector<RowHandle>& rechecked)
      : MemoryStatement(schema, tables, sequences),
        schema_(schema),
        tables_(tables),
        latest_(keys),
        rechecks_(rechecks),
        shown_(std::move(shown)),
        rechecked_(rechecked) {
    if (keys != nullptr) keys_.emplace(schema, *keys, sequences);
  }

  [[nodiscard]] const sql::WriteRules& rules() const override {
    return log_rules(is_mysql_);
  }
  /// From now on it does as MySQL does.
  void speak_mysql(bool is_mysql) { is_mysql_ = is_mysql; }
  std::int64_t next(std::uint32_t sequence) override {
    if (at_ < shown_.size()) return shown_[at_++];
    return MemoryStatement::next(sequence);
  }
  /// How many of them it has used.
  [[nodiscard]] std::size_t used() const { return at_; }
  [[nodiscard]] bool locks(const sql::Query& query) const override {
    return (rechecks_ || query.skips_locked) &&
           query.lock != sql::LockStrength::None && !query.is_grouped &&
           !query.is_distinct;
  }
  bool lock(RowHandle at, sql::LockStrength, IfLocked,
            Locked& locked) override {
    if (!rechecks_) return true;
    const TableRows::Entry* seen = find_row(tables_, at);
    const TableRows::Entry* now = find_row(*latest_, at);
    if (seen == nullptr || (now != nullptr && now->row == seen->row))
      return true;
    rechecked_.push_back(at);
    locked.is_gone = now == nullptr;
    locked.is_changed = now != nullptr;
    if (now != nullptr) locked.row = *now->row;
    return true;
  }
  bool find_duplicate(TableId table, std::size_t key, const Row& row,
                      RowHandle self, Purpose purpose,
                      std::optional<Match>& found) override {
    return keys_ ? keys_->find_duplicate(table, key, row, self, purpose, found)
                 : MemoryStatement::find_duplicate(table, key, row, self,
                                                   purpose, found);
  }
  bool lock_conflicting(RowHandle at, sql::LockStrength strength,
                        Row& there) override {
    return keys_ ? keys_->lock_conflicting(at, strength, there)
                 : MemoryStatement::lock_conflicting(at, strength, there);
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
                     std::vector<RowHandle>& children) override {
    return keys_ ? keys_->find_children(child, key, parent, children)
                 : MemoryStatement::find_children(child, key, parent, children);
  }
  bool lock_child(RowHandle at, const sql::ForeignKey& key, const Row& parent,
                  sql::LockStrength strength,
                  std::optional<Row>& row) override {
    return keys_ ? keys_->lock_child(at, key, parent, strength, row)
                 : MemoryStatement::lock_child(at, key, parent, strength, row);
  }
  [[nodiscard]] std::optional<Row> latest(RowHandle at) override {
    return keys_ ? keys_->latest(at) : MemoryStatement::latest(at);
  }
  // What it writes, keys that are looked up later must find.
  bool put(TableId table, const Row& row, RowHandle& at) override {
    if (!MemoryStatement::put(table, row, at)) return false;
    follow(at);
    return true;
  }
  void take_back(RowHandle at) override {
    if (const TableRows::Entry* there = find_row(tables_, at)) {
      const Row row = *there->row;
      (void)erase(at, row);
    }
  }
  bool replace(RowHandle at, const Row& old, const Row& row) override {
    bring(at);
    if (!MemoryStatement::replace(at, old, row)) return false;
    follow(at);
    return true;
  }
  bool erase(RowHandle at, const Row& old) override {
    bring(at);
    if (!MemoryStatement::erase(at, old)) return false;
    follow(at);
    return true;
  }

 private:
  /// A row that only the other state has.
  void bring(RowHandle at) {
    if (latest_ == nullptr || find_row(tables_, at) != nullptr) return;
    if (const TableRows::Entry* there = find_row(*latest_, at)) {
      const TableRows::Entry entry = *there;
      copied(tables_, at.table).add(schema_.at(at.table), entry);
    }
  }
  /// The other state has the row as this one now has it.
  void follow(RowHandle at) {
    if (latest_ == nullptr) return;
    const TableRows::Entry* now = find_row(tables_, at);
    TableRows& rows = copied(*latest_, at.table);
    const sql::Table& table = schema_.at(at.table);
    if (const TableRows::Entry* there = find_row(*latest_, at)) {
      const TableRows::Entry entry = *there;
      rows.remove(table, entry);
    }
    if (now != nullptr) rows.add(table, *now);
  }

  const sql::Schema& schema_;
  States& tables_;
  States* latest_;
  std::optional<MemoryStatement> keys_;
  bool rechecks_;
  bool is_mysql_ = false;
  std::vector<std::int64_t> shown_;
  std::size_t at_ = 0;
  std::vector<RowHandle>& rechecked_;
};

}  // namespace

Differences differences(const States& before, const States& after) {
  Differences all;
  for (std::size_t t = 0; t < before.size(); ++t) {
    if (before[t] == after[t]) continue;
    std::unordered_map<std::uint64_t, RowInState> old;
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

void apply(const sql::Schema& schema, const Differences& changes,
           bool keeps_numbers, States& to) {
  for (const Difference& d : changes) {
    const sql::Table& table = schema.at(d.table);
    TableRows& rows = copied(to, d.table);
    std::uint64_t number = d.number;
    if (d.old != nullptr || keeps_numbers) {
      if (const TableRows::Entry* there = find_row(to, {d.table, d.number})) {
        const TableRows::Entry entry = *there;
        rows.remove(table, entry);
      }
    } else {
      number = rows.next;
    }
    rows.next = std::max(rows.next, number + 1);
    if (d.now != nullptr) rows.add(table, {number, d.now});
  }
}

bool Rerun::answers(const Prepared& prepared, const sql::LogStatement& observed,
                    States& tables, const Against& against) {
  // A change that is taken back is none: the very rows are what tells.
  const States before = tables;
  rechecked_.clear();
  const Answer answer = prepared.is_call()
                            ? call(prepared, observed, tables, against)
                            : run(prepared, observed, tables, against);
  const bool is_explained = explains(prepared, answer, observed);
  if (answer.error || !is_explained) {
    tables = before;
    rechecked_.clear();
  }
  return is_explained;
}

bool Rerun::keeps_deferred(const Txn& txn, const Differences& all,
                           const States& after) {
  std::vector<sql::DeferredChange> changes;
  const auto value_of = [](const RowInState& row) {
    return row == nullptr ? std::nullopt : std::optional(*row);
  };
  for (const Difference& d : all)
    if (sql::is_linked(schema_, d.table, sql::WhichKeys::Deferrable))
      changes.push_back({d.table, value_of(d.old), value_of(d.now)});
  if (changes.empty()) return true;
  States tables = after;
  OnState database(schema_, tables, nullptr, false, sequences_, {}, rechecked_);
  return holds_at_commit(txn, changes, database, budget_);
}

Answer Rerun::run(const Prepared& prepared, const sql::LogStatement& observed,
                  States& tables, const Against& against) {
  if (!prepared.shows_query())
    return run(prepared, *prepared.statement, observed, tables, against);
  Answer answer = run(prepared, *prepared.full, observed, tables, against);
  // Rows that were others than those that were sorted come as they were found.
  const bool is_as_found = prepared.locks() && !rechecked_.empty() &&
                           !prepared.skips_locked() &&
                           !prepared.query().order_by.empty();
  if (!is_as_found || answer.error) {
    // Which of the rows that others changed LIMIT left unlocked is open.
    if (prepared.locks() &&
        !locks_all(schema_, prepared, observed, answer.rows.size()))
      rechecked_.clear();
    return answer;
  }
  rechecked_.clear();
  answer = run(prepared, *prepared.statement, observed, tables, against);
  answer.window = {};
  number_rows(prepared.query(), answer.rows);
  return answer;
}

Answer Rerun::run(const Prepared& prepared, const sql::DbStatement& statement,
                  const sql::LogStatement& observed, States& tables,
                  const Against& against) {
  std::vector<Value> slots(1);
  slots.insert(slots.end(), observed.parameters.begin(),
               observed.parameters.end());
  slots.resize(std::max(slots.size(), prepared.parameters + 1));
  States keys = against.keys != nullptr ? *against.keys : States();
  OnState database(schema_, tables, against.keys != nullptr ? &keys : nullptr,
                   against.rechecks, sequences_,
                   numbers_of(schema_, statement, observed), rechecked_);
  database.speak_mysql(prepared.is_mysql);
  sql::Writer(*prepared.routines, database, slots, budget_).run(statement, 0);
  sql::StatementEnd& end = database.end();
  database.keep();
  Answer answer;
  if (!end.is_done()) {
    answer.error = end.error;
    return answer;
  }
  answer.rows = std::move(end.result.rows);
  answer.count = end.result.count;
  if (!prepared.shows_query()) return answer;
  sql::Evaluator evaluator(*prepared.routines, database, slots, budget_);
  auto window = evaluator.window(prepared.query());
  if (const auto* known = std::get_if<sql::Window>(&window))
    answer.window = *known;
  else if (auto* error = std::get_if<sql::SqlError>(&window))
    answer.error = *error;
  return answer;
}

Answer Rerun::call(const Prepared& prepared, const sql::LogStatement& observed,
                   States& tables, const Against& against) {
  Answer answer;
  const auto fails = [&answer](const std::string& why) {
    answer.error.emplace();
    answer.error->message = why;
    answer.error->is_ours = true;
    return answer;
  };
  std::vector<Value> arguments;
  for (const sql::Expr& e : prepared.arguments) {
    const auto value = constant(e, observed);
    if (!value) return fails("an argument that is no constant");
    arguments.push_back(*value);
  }
  States keys = against.keys != nullptr ? *against.keys : States();
  std::vector<std::pair<States, States>> marks;  // by sub-transaction
  std::size_t drawn = 0;  // of what it is said to have drawn
  sql::Process process(*prepared.routines, prepared.routine, arguments);
  while (true) {
    const sql::Request request = process.run(budget_);
    if (request.is_nesting()) {
      if (request.kind == Asked::RollBackTo)
        std::tie(tables, keys) =
            marks[request.depth - (request.reopens ? 1 : 0)];
      marks.resize(request.depth, std::pair(tables, keys));
      process.proceed();
      continue;
    }
    switch (request.kind) {
      case Asked::Statement: {
        const std::pair before(tables, keys);
        OnState database(
            schema_, tables, against.keys != nullptr ? &keys : nullptr,
            against.rechecks, sequences_,
            {observed.generated.begin() + static_cast<std::ptrdiff_t>(drawn),
             observed.generated.end()},
            rechecked_);
        sql::Writer(*prepared.routines, database, process.slots(), budget_)
            .run(*request.statement, request.max_rows);
        database.keep();
        drawn += database.used();
        if (database.end().is_done()) {
          process.answer(database.end().result);
          continue;
        }
        std::tie(tables, keys) = before;
        process.fail(database.end().error);
        continue;
      }
      case Asked::Returned:
        if (prepared.is_function()) answer.rows.push_back({process.result()});
        answer.count = answer.rows.size();
        return answer;
      case Asked::Failed: answer.error = process.error(); return answer;
      case Asked::Spent: return fails("the budget ended");
      case Asked::Cut: return fails("a loop that takes too many rounds");
      default: return fails("COMMIT inside of a call");
    }
  }
}

}  // namespace txscope::audit
