#include "audit/audit_statement.h"

#include <algorithm>

#include "audit/row_access.h"
#include "audit/shown_ids.h"
#include "exec/sql/writer.h"

namespace txscope::audit {
namespace {

using sql::Row;
using sql::RowHandle;
using sql::Value;

Row values_of(const std::vector<std::uint32_t>& columns, const Row& row) {
  Row values;
  values.reserve(columns.size());
  for (const std::uint32_t column : columns) values.push_back(row[column]);
  return values;
}

constexpr std::uint64_t kNobody = ~std::uint64_t{0};

}  // namespace

AuditStatement::AuditStatement(const sql::LogStatement& observed,
                               const Tables& tables, OwnWrites& own,
                               const Sight& sight, GeneratedIds& ids)
    : observed_(observed),
      tables_(tables),
      own_(own),
      sight_(sight),
      ids_(ids),
      mark_(own.mark()),
      view_(tables, own, sight.at, sight.chooser, sight.visited),
      latest_(tables, own, sight.constraints, nullptr, sight.visited) {}

AuditStatement::AuditStatement(const Prepared& prepared,
                               const sql::LogStatement& observed,
                               const Tables& tables, OwnWrites& own,
                               const Sight& sight, GeneratedIds& ids)
    : AuditStatement(observed, tables, own, sight, ids) {
  shown_ids_ = shown_ids(tables.schema(), *prepared.statement, observed);
  if (!prepared.is_select()) return;
  const sql::DbStatement& runs =
      locks(prepared.query()) ? *prepared.statement : *prepared.full;
  query_ = &*std::get<sql::Select>(runs.what);
  asked_ = &prepared.query();
}

const sql::WriteRules& log_rules() {
  static const sql::WriteRules rules = [] {
    sql::WriteRules made = sql::postgresql_rules();
    made.is_clustered = true;
    return made;
  }();
  return rules;
}

bool AuditStatement::run_nested(const sql::Routines& routines,
                                const sql::Request& request,
                                std::span<const Value> slots,
                                const Budget& budget,
                                sql::StatementResult& result,
                                std::optional<sql::SqlError>& error) {
  AuditStatement inner(observed_, tables_, own_, sight_, ids_);
  inner.inherit(*this);
  inner.nesting_ = nesting_ + 1;
  const std::size_t mark = own_.mark();
  const bool is_done = sql::Writer(routines, inner, slots, budget)
                           .run(*request.statement, request.max_rows);
  waited_for_ = std::max(waited_for_, inner.waited_for());
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
  if (!before_) {
    before_ = own_;
    before_->roll_back(mark_);
  }
  return View(tables_, *before_, sight_.at, sight_.chooser, sight_.visited)
      .scan(access, bounds, on_row);
}

std::int64_t AuditStatement::next(std::uint32_t sequence) {
  if (next_shown_ < shown_ids_.size()) return shown_ids_[next_shown_++];
  return ids_.next(sequence);
}

bool AuditStatement::locks(const sql::Query& query) const {
  return sight_.rechecks && query.lock != sql::LockStrength::None &&
         !query.is_grouped && !query.is_distinct;
}

bool AuditStatement::lock(RowHandle at, sql::LockStrength, IfLocked,
                          Locked& locked) {
  if (!sight_.rechecks || at.row >= kOwnRow ||
      own_.find(at.table, at.row) != nullptr)
    return true;
  const auto number = static_cast<RowNumber>(at.row);
  if (!tables_.is_row_written(at.table, number, sight_.at,
                              sight_.constraints + 1))
    return true;
  const auto& versions = tables_.versions(at.table, number);
  const auto last = std::find_if(
      versions.rbegin(), versions.rend(),
      [&](const auto& version) { return version.at <= sight_.constraints; });
  if (last != versions.rend()) waited_for_ = std::max(waited_for_, last->at);
  const RowPtr row = latest_.row(at.table, at.row);
  locked.is_gone = row == nullptr;
  locked.is_changed = row != nullptr;
  if (row != nullptr) locked.row = *row;
  return true;
}

bool AuditStatement::find_duplicate(TableId table, std::size_t key,
                                    const Row& row, RowHandle self, Purpose,
                                    std::optional<Match>& found) {
  if (sight_.is_unbound) return true;
  const auto& columns = tables_.schema().at(table).unique[key].columns;
  const bool is_any = self.table == kNone<TableId>;
  latest_.each_equal(table, columns, values_of(columns, row),
                     is_any ? kNobody : self.row,
                     [&](std::uint64_t handle, const RowPtr& there) {
                       found = Match{{table, handle}, *there};
                       return false;
                     });
  return true;
}

bool AuditStatement::lock_conflicting(RowHandle at, sql::LockStrength,
                                      Row& there) {
  there = *latest_.row(at.table, at.row);
  return true;
}

bool AuditStatement::find_parent(const sql::ForeignKey& key, const Row& child,
                                 bool& is_found) {
  is_found =
      sight_.is_unbound || latest_.has(key.parent, key.parent_columns,
                                       values_of(key.columns, child), kNobody);
  return true;
}

bool AuditStatement::is_replaced(const sql::ForeignKey& key, const Row& gone,
                                 bool& is_found) {
  is_found = sight_.is_unbound ||
             latest_.has(key.parent, key.parent_columns,
                         values_of(key.parent_columns, gone), kNobody);
  return true;
}

bool AuditStatement::find_children(TableId child, const sql::ForeignKey& key,
                                   const Row& parent,
                                   std::vector<RowHandle>& children) {
  if (sight_.is_unbound) return true;
  latest_.each_equal(child, key.columns, values_of(key.parent_columns, parent),
                     kNobody, [&](std::uint64_t handle, const RowPtr&) {
                       children.push_back({child, handle});
                       return true;
                     });
  return true;
}

bool AuditStatement::lock_child(RowHandle at, const sql::ForeignKey& key,
                                const Row& parent, sql::LockStrength,
                                std::optional<Row>& row) {
  const RowPtr there = latest_.row(at.table, at.row);
  if (there != nullptr &&
      sql::same_values(key.columns, *there, key.parent_columns, parent))
    row = *there;
  return true;
}

std::optional<Row> AuditStatement::latest(RowHandle at) {
  const RowPtr row = latest_.row(at.table, at.row);
  return row == nullptr ? std::nullopt : std::optional(*row);
}

bool AuditStatement::put(TableId table, const Row& row, RowHandle& at) {
  at = {table, own_.insert(table, std::make_shared<const Row>(row))};
  return true;
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
