#include "engine/server/versioned_statement.h"

#include <algorithm>

#include "exec/sql/value/compare.h"

namespace txscope::engine {

bool VersionedStatement::write_statement(std::span<const sql::Value> slots) {
  if (outer_ != nullptr) {
    inherit(*outer_);
  } else {
    modes = request_.modes;
    settings = request_.settings;
  }
  return sql::Writer(around_.routines, *this, slots, around_.budget)
      .run(*request_.statement, request_.max_rows);
}

bool VersionedStatement::fail(std::string code, std::string message) {
  sql::SqlError error;
  error.sqlstate = std::move(code);
  error.message = std::move(message);
  return end_.fail(std::move(error));
}

std::optional<sql::Row> VersionedStatement::latest(sql::RowHandle at) {
  const StoredRow* row = tip(record(at.table, at.row));
  return row == nullptr ? std::nullopt : std::optional(row->row);
}

bool VersionedStatement::nest(const sql::Request& request) {
  SessionState& me = session();
  const std::size_t depth = request.depth;
  switch (request.kind) {
    case sql::Request::Kind::Savepoint:
      me.savepoints.push_back(me.writes);
      return true;
    case sql::Request::Kind::Release:
      while (me.savepoints.size() > depth)
        merge_into_parent(state_, me_, me.savepoints.size());
      return true;
    default: break;
  }
  undo_to(state_, me_, request.reopens ? depth - 1 : depth,
          !keeps_undone_locks());
  if (request.reopens) me.savepoints.push_back(me.writes);
  return true;
}

Record& VersionedStatement::change(TableId table, std::size_t index) {
  session().touched |= touch_bit(table.index);
  return state_.change(table).records.change(index);
}

const StoredRow* VersionedStatement::visible(const Record& record,
                                             Stamp snapshot) const {
  const StoredRow* own = nullptr;
  if (record.pending.owner == me_ && record.pending.shows(rank_, own))
    return own;
  return record.at(snapshot);
}

void VersionedStatement::write(TableId table, std::size_t index,
                               const StoredRow* row) {
  Record& record = change(table, index);
  if (row != nullptr) record.anchor = row;
  Pending& pending = record.pending;
  const std::uint8_t depth = nested_in();
  if (pending.owner != me_) {
    pending = Pending();
    pending.owner = me_;
  } else if (pending.rank != rank_ || pending.depth != depth) {
    pending.below.push_back(
        {pending.row, pending.rank, pending.depth, pending.moves_key,
         static_cast<std::uint16_t>(pending.given_up.size()), pending.spot});
  }
  pending.rank = rank_;
  pending.depth = depth;
  pending.row = row;
  pending.entered = 0;
  if (row != nullptr) pending.spot = next_spot(table);
  ++session().writes;
}

// A statement that runs again puts its rows where it has put them.
Spot VersionedStatement::next_spot(TableId table) {
  if (!state_.table(table).has_spots) return 0;
  std::vector<Spot>& known = session().spots;
  const std::size_t number = outermost().used_spots_++;
  if (number == known.size()) known.push_back(++state_.change(table).last_spot);
  return known[number];
}

std::size_t VersionedStatement::insert(TableId table, const StoredRow* row) {
  session().touched |= touch_bit(table.index);
  Records& records = state_.change(table).records;
  records.add();
  write(table, records.size() - 1, row);
  grant(table, records.size() - 1, LockMode::Update);
  return records.size() - 1;
}

namespace {

/// Remembers the keys that `old` has and `row` has not.
void give_up(const sql::Table& table, const StoredRow* old,
             const StoredRow* row, std::vector<const StoredRow*>& given_up) {
  if (old == nullptr) return;
  const bool is_left =
      row == nullptr || !table.partial.empty() ||
      std::any_of(table.unique.begin(), table.unique.end(),
                  [&](const sql::UniqueKey& key) {
                    return differ(key.columns, old->row, row->row);
                  });
  if (is_left &&
      std::find(given_up.begin(), given_up.end(), old) == given_up.end())
    given_up.push_back(old);
}

/// What is left of a row's layers when the statement of its rank is over.
void settle(const sql::Table& table, Pending& pending) {
  --pending.rank;
  const auto is_covered = [&](const Pending::Layer& layer) {
    return layer.rank == pending.rank && layer.depth == pending.depth;
  };
  while (!pending.below.empty() && is_covered(pending.below.back())) {
    give_up(table, pending.below.back().row, pending.row, pending.given_up);
    pending.below.pop_back();
  }
}

}  // namespace

void VersionedStatement::undo_fresh() { undo_statement(state_, me_, rank_); }

void VersionedStatement::settle_fresh() {
  for (std::size_t t = 0; t < state_.tables.size(); ++t) {
    if ((session().touched & touch_bit(t)) == 0) continue;
    const auto is_fresh = [&](const Record& r) {
      return r.pending.owner == me_ && r.pending.rank == rank_;
    };
    if (!state_.tables[t]->records.is_any_touched(is_fresh)) continue;
    state_.change(TableId(t)).records.change_touched([&](Record& record) {
      if (is_fresh(record)) settle(schema(TableId(t)), record.pending);
    });
  }
}

void VersionedStatement::grant(TableId table, std::size_t index,
                               LockMode mode) {
  for (const Lock& lock : record(table, index).locks)
    if (lock.owner == me_ && lock.mode >= mode) return;
  auto& locks = change(table, index).locks;
  for (Lock& lock : locks) {
    if (lock.owner != me_ || lock.depth != nested_in()) continue;
    lock.mode = mode;
    return;
  }
  locks.push_back({me_, mode, nested_in()});
}

SessionSet VersionedStatement::holders(const Record& record,
                                       LockMode mode) const {
  SessionSet set = 0;
  for (const Lock& lock : record.locks) {
    if (lock.owner != me_ && conflicts(lock.mode, mode))
      set |= only(lock.owner);
  }
  return set;
}

std::vector<VersionedStatement::Shown> VersionedStatement::in_heap_order(
    TableId table, std::vector<Shown> rows, Stamp snapshot) const {
  std::vector<std::pair<Spot, Shown>> placed;
  for (const Shown& shown : rows) {
    const Record& there = record(table, shown.index);
    const StoredRow* own = nullptr;
    Spot spot = 0;
    if (there.pending.owner != me_ || !there.pending.shows(rank_, own, &spot))
      spot = there.version_at(snapshot)->spot;
    placed.emplace_back(spot, shown);
  }
  std::sort(placed.begin(), placed.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = placed[i].second;
  return rows;
}

void VersionedStatement::sort_by_key(TableId table,
                                     std::vector<Shown>& rows) const {
  const sql::Table& schema = this->schema(table);
  const auto less = [&](const Shown& a, const Shown& b) {
    if (!schema.has_primary_key) return a.row->row < b.row->row;
    for (const std::uint32_t c : schema.unique.front().columns) {
      const int order = sql::compare(a.row->row[c], b.row->row[c]);
      if (order != 0) return order < 0;
    }
    return false;
  };
  if (!std::is_sorted(rows.begin(), rows.end(), less))
    std::stable_sort(rows.begin(), rows.end(), less);
}

std::int64_t VersionedStatement::next(std::uint32_t sequence) {
  if (outer_ != nullptr) return outermost().next(sequence);
  std::vector<std::int64_t>& drawn = session().drawn;
  const auto& given = session().given;
  const std::size_t before = session().calls.back().drawn.size();
  if (given && used_numbers_ == drawn.size() &&
      before + used_numbers_ < given->size()) {
    drawn.push_back((*given)[before + used_numbers_]);
  } else if (used_numbers_ == drawn.size()) {
    std::int64_t& number = state_.sequences[sequence];
    const sql::Sequence& schema = around_.schema().sequences[sequence];
    if (around_.has_own_numbers(sequence)) {
      std::vector<std::uint32_t>& taken = session().taken;
      taken.resize(state_.sequences.size());
      const auto turn = static_cast<std::int64_t>(
          taken[sequence]++ * state_.sessions.size() + me_);
      drawn.push_back(around_.marks != nullptr
                          ? SessionMarks::kFar + turn
                          : number + turn * schema.increment);
    } else {
      drawn.push_back(number);
      number += schema.increment;
    }
  }
  const std::int64_t number = drawn[used_numbers_++];
  if (around_.remembers_numbers &&
      !around_.schema().sequences[sequence].name.empty())
    session().numbers.note(sequence, number);
  return number;
}

VersionedStatement::Remembered VersionedStatement::last_number(
    std::optional<std::uint32_t> sequence) {
  if (outer_ != nullptr) return outermost().last_number(sequence);
  // A statement that runs again has not yet asked for what it got before.
  if (!around_.remembers_numbers || used_numbers_ < session().drawn.size())
    return {};
  return {true, session().numbers.last(sequence)};
}

bool matches(const sql::Access& access, const sql::Row& row) {
  return std::all_of(
      access.equal.begin(), access.equal.end(), [&](const auto& pair) {
        return sql::canonical(row[pair.first]) == sql::canonical(pair.second);
      });
}

bool covers(const sql::Access& access, std::span<const std::uint32_t> columns) {
  return std::all_of(columns.begin(), columns.end(), [&](std::uint32_t c) {
    return std::any_of(access.equal.begin(), access.equal.end(),
                       [&](const auto& pair) { return pair.first == c; });
  });
}

}  // namespace txscope::engine
