#include "audit/attempt/statement.h"

#include <algorithm>

#include "audit/attempt/shown_ids.h"
#include "audit/rows/row_access.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/index_entry.h"
#include "exec/sql/writer/writer.h"
#include "model/product/error_class.h"

namespace txscope::audit {
namespace {

using sql::Row;
using sql::RowHandle;
using sql::Value;

/// What a statement sees that begins now.
Sight begun(const Sight& sight, std::optional<std::size_t>& number) {
  if (sight.reuses_snapshot) return sight;
  if (sight.chooser != nullptr) sight.chooser->begin_statement();
  if (sight.points == nullptr) return sight;
  number = sight.points->begin();
  Sight mine = sight;
  mine.at = sight.points->at(*number);
  mine.visited = &sight.points->visited(*number);
  return mine;
}

}  // namespace

AuditStatement::AuditStatement(const sql::LogStatement& observed,
                               const Tables& tables, OwnWrites& own,
                               const Sight& sight, GeneratedIds& ids)
    : observed_(observed),
      tables_(tables),
      own_(own),
      sight_(begun(sight, number_)),
      ids_(ids),
      mark_(own.mark()),
      view_(tables, own, sight_.at, sight_.chooser, sight_.visited),
      latest_(tables, own, sight_.constraints, nullptr, sight_.visited) {}

AuditStatement::~AuditStatement() {
  if (number_) sight_.points->end(*number_, waited_for_);
}

AuditStatement::AuditStatement(const Prepared& prepared,
                               const sql::LogStatement& observed,
                               const Tables& tables, OwnWrites& own,
                               const Sight& sight, GeneratedIds& ids)
    : AuditStatement(observed, tables, own, sight, ids) {
  is_mysql_ = prepared.is_mysql;
  shown_ids_ = shown_ids(tables.schema(), *prepared.statement, observed);
  if (!prepared.is_select()) return;
  query_ = &*std::get<sql::Select>(prepared.full->what);
  asked_ = &prepared.query();
}

const sql::WriteRules& log_rules(bool is_mysql) {
  static const sql::WriteRules rules = [] {
    sql::WriteRules made = sql::postgresql_rules();
    made.is_clustered = true;
    return made;
  }();
  static const sql::WriteRules mysql_rules = [] {
    sql::WriteRules made = rules;
    made.has_arbiters = false;
    made.checks_foreign_keys_by_row = true;
    made.makes_rows_first = true;
    made.counts_duplicates_twice = true;
    return made;
  }();
  return is_mysql ? mysql_rules : rules;
}

bool AuditStatement::run_nested(const sql::Routines& routines,
                                const sql::Request& request,
                                std::span<const Value> slots,
                                const Budget& budget,
                                sql::StatementResult& result,
                                std::optional<sql::SqlError>& error) {
  Sight sight = sight_;
  sight.reuses_snapshot = request.reuses_snapshot;
  if (sight_.points != nullptr) sight_.points->wait_for(waited_for_);
  AuditStatement inner(observed_, tables_, own_, sight, ids_);
  inner.inherit(*this);
  inner.nesting_ = nesting_ + 1;
  const std::size_t mark = own_.mark();
  const bool is_done = sql::Writer(routines, inner, slots, budget)
                           .run(*request.statement, request.max_rows);
  waited_for_ = std::max(waited_for_, inner.waited_for());
  is_unsure_ |= inner.is_unsure();
  // Those that it passed it had not changed: this is no way.
  if (is_done && !inner.has_changed_passed()) return end_.wait(0);
  if (is_done) {
    result = std::move(inner.end().result);
    return true;
  }
  own_.roll_back(mark);
  if (inner.end().kind != sql::StatementEnd::Kind::Failed) {
    end_ = inner.end();
    return false;
  }
  error = inner.end().error;
  return true;
}

bool AuditStatement::nest(const sql::Request& request) {
  if (request.kind == sql::Request::Kind::RollBackTo)
    own_.roll_back(saved_[request.depth - (request.reopens ? 1 : 0)]);
  saved_.resize(request.depth, own_.mark());
  return true;
}

bool AuditStatement::scan(const sql::Access& access, const OnRow& on_row) {
  std::vector<KeyBound> bounds;
  if (query_ != nullptr && access.relation != nullptr)
    bounds = key_bounds(tables_.schema(), *query_, *access.relation, observed_);
  // Of the query itself, not of one inside it.
  if (asked_ != nullptr && !sight_.tells)
    for (std::size_t r = 0; r < query_->relations.size(); ++r) {
      if (access.relation != &query_->relations[r]) continue;
      if (auto bound = extreme_bound(tables_.schema(), *asked_, r, observed_))
        bounds.push_back(*bound);
    }
  if (own_.mark() == mark_) return view_.scan(access, bounds, on_row);
  return View(tables_, own_before(), sight_.at, sight_.chooser, sight_.visited)
      .scan(access, bounds, on_row);
}

/// What the transaction had written when the statement began.
const OwnWrites& AuditStatement::own_before() {
  if (!before_) {
    before_ = own_;
    before_->roll_back(mark_);
  }
  return *before_;
}

std::int64_t AuditStatement::next(std::uint32_t sequence) {
  if (next_shown_ < shown_ids_.size()) return shown_ids_[next_shown_++];
  const std::size_t nth = (*sight_.drawn)++;
  if (nth < observed_.generated.size()) return observed_.generated[nth];
  return ids_.next(sequence, observed_, nth);
}

bool AuditStatement::locks(const sql::Query& query) const {
  // The rows behind LIMIT were not locked.
  const bool keeps = sight_.keeps_snapshot && !query.limit && !query.offset &&
                     (&query != query_ || (!asked_->limit && !asked_->offset));
  return (sight_.rechecks || keeps || query.skips_locked) &&
         query.lock != sql::LockStrength::None && !query.is_grouped &&
         !query.is_distinct;
}

bool AuditStatement::skips(RowHandle at, IfLocked if_locked) const {
  return if_locked == IfLocked::Skip && sight_.choices != nullptr &&
         at.row < kOwnRow && own_.find(at.table, at.row) == nullptr &&
         sight_.choices->choose(2) == 1;
}

bool AuditStatement::lock_key(RowHandle at, Locked& locked) {
  const auto number = static_cast<RowNumber>(at.row);
  std::vector<const Tables::Version*> since;
  for (const Tables::Version& v : tables_.versions(at.table, number))
    if (v.at > sight_.at && v.at <= sight_.constraints) since.push_back(&v);
  const std::size_t back = sight_.choices->choose(since.size() + 1);
  if (back == since.size()) return true;  // as it was found
  const Tables::Version& now = *since[since.size() - 1 - back];
  waited_for_ = std::max(waited_for_, now.at);
  locked.is_gone = now.row == nullptr;
  locked.is_changed = now.row != nullptr;
  if (now.row != nullptr) locked.row = *now.row;
  return true;
}

bool AuditStatement::may_be_moved(TableId table, RowNumber row) const {
  Position gone = kSetup;
  for (const Tables::Version& v : tables_.versions(table, row))
    if (v.row == nullptr && v.at <= sight_.constraints) gone = v.at;
  bool is_found = false;
  sql::Access all;
  all.table = table;
  tables_.each(all, {}, [&](RowNumber other) {
    const auto& versions = tables_.versions(table, other);
    is_found |= !versions.empty() && versions.front().at == gone;
  });
  return is_found;
}

bool AuditStatement::lock(RowHandle at, sql::LockStrength strength,
                          IfLocked if_locked, Locked& locked) {
  if (skips(at, if_locked)) {
    locked.is_gone = true;
    return true;
  }
  if (sight_.keeps_snapshot) return keep(at, strength);
  if (!sight_.rechecks || at.row >= kOwnRow ||
      own_.find(at.table, at.row) != nullptr)
    return true;
  const auto number = static_cast<RowNumber>(at.row);
  if (!tables_.is_row_written(at.table, number, sight_.at,
                              sight_.constraints + 1))
    return true;
  if (strength == sql::LockStrength::KeyShare && sight_.choices != nullptr)
    return lock_key(at, locked);
  depend_on(at);
  const RowPtr row = latest_.row(at.table, at.row);
  is_unsure_ |= row == nullptr && may_be_moved(at.table, number);
  locked.is_gone = row == nullptr;
  locked.is_changed = row != nullptr;
  if (row != nullptr) locked.row = *row;
  return true;
}

bool AuditStatement::conflict_with_writer() {
  sql::SqlError error;
  error.sqlstate = sqlstate::kSerialization;
  error.message = "could not serialize access due to concurrent update";
  return end_.fail(std::move(error));
}

bool AuditStatement::keep(RowHandle at, sql::LockStrength strength) {
  if (at.row >= kOwnRow || own_.find(at.table, at.row) != nullptr) return true;
  // FOR KEY SHARE keeps nobody from changing other columns.
  const bool is_changed =
      strength == sql::LockStrength::KeyShare
          ? latest_.row(at.table, at.row) == nullptr
          : tables_.is_row_written(at.table, static_cast<RowNumber>(at.row),
                                   sight_.at, sight_.constraints + 1);
  return !is_changed || conflict_with_writer();
}

void AuditStatement::depend_on(RowHandle at) {
  if (!sight_.rechecks || at.row >= kOwnRow ||
      own_.find(at.table, at.row) != nullptr)
    return;
  const auto& versions =
      tables_.versions(at.table, static_cast<RowNumber>(at.row));
  const auto last = std::find_if(
      versions.rbegin(), versions.rend(),
      [&](const auto& version) { return version.at <= sight_.constraints; });
  if (last != versions.rend()) waited_for_ = std::max(waited_for_, last->at);
}

std::optional<Row> AuditStatement::latest(RowHandle at) {
  const RowPtr row = latest_.row(at.table, at.row);
  return row == nullptr ? std::nullopt : std::optional(*row);
}

bool AuditStatement::put(TableId table, const Row& row, RowHandle& at) {
  at = {table, own_.insert(table, std::make_shared<const Row>(row))};
  return true;
}

void AuditStatement::take_back(RowHandle at) {
  own_.set(at.table, at.row, nullptr, nullptr);
}

bool AuditStatement::replace(RowHandle at, const Row& old, const Row& row) {
  own_.set(at.table, at.row, std::make_shared<const Row>(old),
           std::make_shared<const Row>(row));
  return true;
}

bool AuditStatement::erase(RowHandle at, const Row& old) {
  own_.set(at.table, at.row, std::make_shared<const Row>(old), nullptr);
  return true;
}

}  // namespace txscope::audit
