#include "engine/explain/row_log.h"

#include <algorithm>

#include "exec/sql/value/compare.h"

namespace txscope::engine {

RowLog::RowLog(const sql::Schema& schema, const State& state,
               std::set<Key> wanted)
    : schema_(schema),
      state_(state),
      wanted_(std::move(wanted)),
      pending_(state.sessions.size()),
      running_(state.sessions.size()) {
  if (wanted_.empty()) return;
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    state.tables[t]->records.for_each([&](std::size_t, const Record& record) {
      const StoredRow* row = record.committed();
      if (row == nullptr) return;
      Key key = key_of(TableId(t), row->row);
      if (wanted_.contains(key))
        versions_[std::move(key)].push_back({row->row, std::nullopt, 0});
    });
  }
}

RowLog::Key RowLog::key_of(TableId table, const sql::Row& row) const {
  const sql::Table& shape = schema_.at(table);
  if (!shape.has_primary_key) return {table, row};
  sql::Row key;
  for (const std::uint32_t c : shape.unique.front().columns)
    key.push_back(sql::canonical(row[c]));
  return {table, std::move(key)};
}

std::string RowLog::name(const Key& key) const {
  return schema_.at(key.first).name + row_text(key.second);
}

bool RowLog::excludes(const sql::Access& access, const Key& key) const {
  if (access.table != key.first) return true;
  const sql::Table& shape = schema_.at(key.first);
  const auto column_at = [&](std::uint32_t column) -> const sql::Value* {
    if (!shape.has_primary_key) return &key.second[column];
    const auto& columns = shape.unique.front().columns;
    const auto found = std::find(columns.begin(), columns.end(), column);
    if (found == columns.end()) return nullptr;
    return &key.second[static_cast<std::size_t>(found - columns.begin())];
  };
  for (const auto& [column, value] : access.equal) {
    const sql::Value* own = column_at(column);
    if (own != nullptr && (own->is_null() || sql::compare(*own, value) != 0))
      return true;
  }
  return shape.has_primary_key && access.may_match &&
         !access.may_match(key.second);
}

void RowLog::begin(SessionNo session, CallRef call,
                   const sql::DbStatement* statement) {
  session_ = session;
  call_ = running_[session] = call;
  statement_ = statement;
  reads_.clear();
  misses_.clear();
}

// A row that is locked is read as it is, whatever the snapshot shows.
bool RowLog::reads_latest() const {
  return statement_ != nullptr && statement_->locks_rows();
}

RowUse RowLog::version_read(const Key& key, const std::optional<sql::Row>& row,
                            bool is_shown) {
  RowUse use;
  use.key = name(key);
  use.row = row;
  const auto own = pending_[session_].find(key);
  if (own != pending_[session_].end()) {
    use.row = own->second;
    use.writer = call_;
    use.is_own = true;
    return use;
  }
  const SessionState& session = state_.sessions[session_];
  Stamp snapshot = state_.clock;
  if (session.statement_snapshot != kNoSnapshot)
    snapshot = session.statement_snapshot;
  if (session.snapshot != kNoSnapshot) snapshot = session.snapshot;
  const bool is_latest = is_shown && reads_latest();
  const auto known = versions_.find(key);
  const Version* found = nullptr;
  if (known != versions_.end()) {
    for (const Version& version : known->second) {
      const bool is_it = is_latest || (is_shown ? version.row == row
                                                : version.stamp <= snapshot);
      if (is_it) found = &version;
    }
    for (const Version& version : known->second) {
      const bool is_later = found == nullptr || version.stamp > found->stamp;
      if (is_later && version.writer && *version.writer != call_)
        misses_.insert(*version.writer);
    }
  }
  if (found != nullptr) {
    use.row = found->row;
    use.writer = found->writer;
    return use;
  }
  if (!is_shown) return use;  // absent from the beginning
  // Nobody has committed it: somebody is about to.
  for (SessionNo s = 0; s < state_.sessions.size(); ++s) {
    const auto pending = pending_[s].find(key);
    if (pending != pending_[s].end() && pending->second == row)
      use.writer = running_[s];
  }
  return use;
}

void RowLog::scanned(const sql::Access& access,
                     std::span<const sql::Row> shown) {
  std::map<Key, const sql::Row*> seen;
  for (const sql::Row& row : shown) seen[key_of(access.table, row)] = &row;
  for (const Key& key : wanted_) {
    if (excludes(access, key)) continue;
    const auto found = seen.find(key);
    const bool is_shown = found != seen.end();
    reads_.insert_or_assign(
        key, version_read(
                 key, is_shown ? std::optional(*found->second) : std::nullopt,
                 is_shown));
  }
}

RowLog::Rows RowLog::pending_of(SessionNo session) const {
  Rows rows;
  for (std::size_t t = 0; t < state_.tables.size(); ++t) {
    const TableId table(t);
    const Records& all = state_.tables[t]->records;
    all.for_each_touched([&](std::size_t, const Record& record) {
      if (record.pending.owner != session) return;
      const StoredRow* row = record.pending.row;
      const StoredRow* old = record.committed();
      if (old != nullptr) rows[key_of(table, old->row)] = std::nullopt;
      if (row != nullptr) rows[key_of(table, row->row)] = row->row;
    });
  }
  return rows;
}

void RowLog::tell(txscope::Step& step) {
  Rows now = pending_of(session_);
  Rows& before = pending_[session_];
  for (const auto& [key, row] : before)
    now.try_emplace(key, std::nullopt);  // its own row, deleted again
  for (const auto& [key, row] : now) {
    const auto known = before.find(key);
    if (known != before.end() && known->second == row) continue;
    RowUse use;
    use.key = name(key);
    use.row = row;
    use.writer = call_;
    use.is_own = true;
    step.writes.push_back(std::move(use));
    written_.insert(key);
  }
  before = std::move(now);
  for (auto& [key, use] : reads_) step.reads.push_back(std::move(use));
  step.misses.assign(misses_.begin(), misses_.end());
}

void RowLog::committed() {
  for (auto& [key, row] : pending_[session_])
    versions_[key].push_back({std::move(row), call_, state_.clock});
  pending_[session_].clear();
}

void RowLog::rolled_back() { pending_[session_].clear(); }

RowUse RowLog::final_row(TableId table, const sql::Row& row) const {
  const Key key = key_of(table, row);
  RowUse use;
  use.key = name(key);
  use.row = row;
  const auto known = versions_.find(key);
  if (known != versions_.end()) use.writer = known->second.back().writer;
  return use;
}

}  // namespace txscope::engine
