#include "explore/sql/search_statement.h"

#include <algorithm>
#include <cassert>

#include "exec/sql/value/compare.h"
#include "exec/sql/writer/writer.h"

namespace txscope::explore {
namespace {

sql::Row pick(const sql::Row& row, const std::vector<std::uint32_t>& columns) {
  sql::Row out;
  for (const std::uint32_t c : columns) out.push_back(canonical(row[c]));
  return out;
}

}  // namespace

const sql::WriteRules& SearchStatement::rules() const {
  static const sql::WriteRules rules = [] {
    sql::WriteRules made = sql::postgresql_rules();
    made.is_clustered = true;
    return made;
  }();
  return rules;
}

sql::Evaluated<StatementEffect> SearchStatement::run(
    const sql::DbStatement& statement, std::span<const sql::Value> slots,
    std::uint64_t max_rows, Drawn& drawn) {
  drawn_ = &drawn;
  if (sql::Writer(routines_, *this, slots, budget_).run(statement, max_rows))
    return effect();
  if (end_.kind == sql::StatementEnd::Kind::Failed || end_.error.is_ours)
    return std::move(end_.error);
  return sql::Interrupted{};
}

// Its reads are the statement's: a key is read once by both.
bool SearchStatement::run_nested(const sql::Routines& routines,
                                 const sql::Request& request,
                                 std::span<const sql::Value> slots,
                                 const Budget& budget,
                                 sql::StatementResult& result,
                                 std::optional<sql::SqlError>& error) {
  RowReads reads = reads_;
  for (const auto& [place, row] : latest_) {
    const auto open = universe_.open_key(place.first, place.second);
    if (!open) {  // it cannot be shown before the universe has it
      universe_.want(place.first, place.second);
      continue;
    }
    reads.know(*open, row ? universe_.version(*row) : Universe::kAbsent);
  }
  if (universe_.is_outgrown()) return end_.need_answer();
  SearchStatement inner(routines, universe_, reads, instance_, budget);
  inner.nesting_ = nesting_ + 1;
  inner.inherit(*this);
  inner.drawn_ = drawn_;
  if (sql::Writer(routines, inner, slots, budget)
          .run(*request.statement, request.max_rows)) {
    for (Change& c : inner.changes_) {
      latest_[c.at] = c.after;
      if (!universe_.find(c.at.first, c.at.second))
        (void)handle_of(c.at.first, c.at.second);
      changes_.push_back(std::move(c));
    }
    result = std::move(inner.end_.result);
    return true;
  }
  if (inner.end_.kind == sql::StatementEnd::Kind::Failed) {
    error = inner.end_.error;
    return true;
  }
  reads_.want(reads.wanted());
  end_ = std::move(inner.end_);
  return false;
}

bool SearchStatement::nest(const sql::Request& request) {
  if (request.kind == sql::Request::Kind::RollBackTo) {
    changes_.resize(saved_[request.depth - (request.reopens ? 1 : 0)]);
    latest_.clear();
    for (const Change& c : changes_) latest_[c.at] = c.after;
    std::erase_if(new_keys_,
                  [&](const Place& place) { return !latest_.contains(place); });
  }
  saved_.resize(request.depth, changes_.size());
  return true;
}

StatementEffect SearchStatement::effect() {
  StatementEffect effect;
  effect.result = std::move(end_.result);
  for (const Change& c : changes_) {
    universe_.claims().add(c.at.first, c.before ? &*c.before : nullptr,
                           c.after ? &*c.after : nullptr, effect.claims);
  }
  // One write per key: the last row that the statement leaves there.
  std::map<Place, bool> is_written;
  for (const Change& c : changes_) {
    if (!is_written.try_emplace(c.at, true).second) continue;
    const std::optional<sql::Row>& row = latest_.at(c.at);
    effect.writes.push_back(
        {c.at.first, c.at.second,
         row ? universe_.version(*row) : Universe::kAbsent});
  }
  return effect;
}

bool SearchStatement::scan(const sql::Access& access, const OnRow& on_row) {
  return reads_.scan(access, on_row) || end_.need_answer();
}

std::int64_t SearchStatement::next(std::uint32_t sequence) {
  return universe_.number(sequence, instance_, drawn_->numbers[sequence]++);
}

sql::RemembersNumbers::Remembered SearchStatement::last_number(
    std::optional<std::uint32_t> sequence) {
  const auto count = static_cast<std::uint32_t>(drawn_->numbers.size());
  // Of several nobody knows here which was the last.
  for (std::uint32_t i = 0; !sequence && i < count; ++i) {
    if (drawn_->numbers[i] == 0 || schema_.sequences[i].name.empty()) continue;
    if (std::any_of(drawn_->numbers.begin() + i + 1, drawn_->numbers.end(),
                    [](std::uint32_t n) { return n > 0; }))
      return {};
    sequence = i;
  }
  if (!sequence || drawn_->numbers[*sequence] == 0) return {};
  return {true, universe_.number(*sequence, instance_,
                                 drawn_->numbers[*sequence] - 1)};
}

// --- keys and handles

sql::RowHandle SearchStatement::handle_of(TableId table, const sql::Row& key) {
  if (const auto at = universe_.find(table, key)) return {table, *at};
  const Place place(table, key);
  const auto known = std::find(new_keys_.begin(), new_keys_.end(), place);
  const auto index = static_cast<std::uint64_t>(known - new_keys_.begin());
  if (known == new_keys_.end()) new_keys_.push_back(place);
  return {table, kNewKey | index};
}

const sql::Row& SearchStatement::key_at(sql::RowHandle at) const {
  if ((at.row & kNewKey) != 0) return new_keys_[at.row & ~kNewKey].second;
  return universe_.keys(at.table)[at.row].key;
}

bool SearchStatement::current(sql::RowHandle at, std::optional<sql::Row>& row) {
  const auto own = latest_.find({at.table, key_at(at)});
  if (own != latest_.end()) {
    row = own->second;
    return true;
  }
  assert((at.row & kNewKey) == 0 && "who has a new key has written there");
  const auto version = reads_.read(universe_.keys(at.table)[at.row]);
  if (!version) return end_.need_answer();
  row.reset();
  if (*version != Universe::kAbsent) row = universe_.row(*version);
  return true;
}

std::optional<sql::Row> SearchStatement::latest(sql::RowHandle at) {
  std::optional<sql::Row> row;
  (void)current(at, row);
  return row;
}

bool SearchStatement::find_equal(TableId table,
                                 const std::vector<std::uint32_t>& columns,
                                 const sql::Row& values, const sql::Row* self,
                                 bool finds_all,
                                 std::vector<sql::RowHandle>& found) {
  const auto keys = universe_.keys(table);
  const auto whole = universe_.whole_key(table, columns, values);
  std::size_t begin = 0;
  std::size_t end = keys.size();
  if (whole) {
    const auto at = universe_.find(table, *whole);
    begin = at.value_or(0);
    end = at ? begin + 1 : 0;
  }
  for (std::size_t i = begin; i < end; ++i) {
    const Universe::Entry& entry = keys[i];
    if (self != nullptr && entry.key == *self) continue;
    if (!whole && differs(table, columns, values, entry.key)) continue;
    std::optional<sql::Row> row;
    if (!current({table, i}, row)) return false;
    if (!row || pick(*row, columns) != values) continue;
    found.push_back({table, i});
    if (!finds_all) return true;
  }
  // Rows of this statement whose keys the universe does not have yet.
  for (std::size_t i = 0; i < new_keys_.size(); ++i) {
    const Place& place = new_keys_[i];
    if (place.first != table) continue;
    if (self != nullptr && place.second == *self) continue;
    const auto& row = latest_.at(place);
    if (row && pick(*row, columns) == values)
      found.push_back({table, kNewKey | i});
  }
  return true;
}

/// Whether a row with this key cannot have these values.
bool SearchStatement::differs(TableId table,
                              const std::vector<std::uint32_t>& columns,
                              const sql::Row& values,
                              const sql::Row& key) const {
  const sql::Table& schema = schema_.at(table);
  if (!schema.has_primary_key) return false;
  const auto& primary = schema.unique.front().columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t k = 0; k < primary.size(); ++k) {
      if (primary[k] == columns[i] && key[k] != values[i]) return true;
    }
  }
  return false;
}

bool SearchStatement::find_duplicate(TableId table, std::size_t key,
                                     const sql::Row& row, sql::RowHandle self,
                                     Purpose, std::optional<Match>& found) {
  const sql::UniqueKey& shape = schema_.at(table).key_at(key);
  const sql::KeyConflict is_in_the_way(served(), shape, row);
  // Expressions say nothing of where to look.
  const std::vector<std::uint32_t> columns =
      shape.parts.empty() ? shape.columns : std::vector<std::uint32_t>{};
  const sql::Row* own = self.table == kNone<TableId> ? nullptr : &key_at(self);
  std::vector<sql::RowHandle> there;
  const bool finds_all = shape.is_partial();
  if (!find_equal(table, columns, pick(row, columns), own, finds_all, there))
    return false;
  for (const sql::RowHandle at : there) {
    std::optional<sql::Row> now;
    if (!current(at, now)) return false;
    if (!now || !is_in_the_way(*now)) continue;
    found = Match{at, std::move(*now)};
    return true;
  }
  return true;
}

bool SearchStatement::lock_conflicting(sql::RowHandle at, sql::LockStrength,
                                       sql::Row& there) {
  std::optional<sql::Row> row;
  if (!current(at, row)) return false;
  there = std::move(*row);
  return true;
}

bool SearchStatement::find_parent(const sql::ForeignKey& key,
                                  const sql::Row& child, bool& is_found) {
  std::vector<sql::RowHandle> parents;
  if (!find_equal(key.parent, key.parent_columns, pick(child, key.columns),
                  nullptr, false, parents)) {
    return false;
  }
  is_found = !parents.empty();
  return true;
}

bool SearchStatement::is_replaced(const sql::ForeignKey& key,
                                  const sql::Row& gone, bool& is_found) {
  std::vector<sql::RowHandle> parents;
  if (!find_equal(key.parent, key.parent_columns,
                  pick(gone, key.parent_columns), nullptr, false, parents)) {
    return false;
  }
  is_found = !parents.empty();
  return true;
}

bool SearchStatement::find_children(TableId child, const sql::ForeignKey& key,
                                    const sql::Row& parent,
                                    std::vector<sql::RowHandle>& children) {
  return find_equal(child, key.columns, pick(parent, key.parent_columns),
                    nullptr, true, children);
}

bool SearchStatement::lock_child(sql::RowHandle at, const sql::ForeignKey& key,
                                 const sql::Row& parent, sql::LockStrength,
                                 std::optional<sql::Row>& row) {
  if (!current(at, row)) return false;
  if (row && !same_values(key.columns, *row, key.parent_columns, parent))
    row.reset();
  return true;
}

// --- rows

void SearchStatement::change(sql::RowHandle at, std::optional<sql::Row> before,
                             std::optional<sql::Row> after) {
  const Place place(at.table, key_at(at));
  latest_[place] = after;
  changes_.push_back({place, std::move(before), std::move(after)});
}

bool SearchStatement::put(TableId table, const sql::Row& row,
                          sql::RowHandle& at) {
  const sql::Row key =
      schema_.at(table).has_primary_key
          ? universe_.key_of(table, row)
          : universe_.hidden_key(table, instance_,
                                 drawn_->hidden[table.index]++);
  at = handle_of(table, key);
  change(at, std::nullopt, row);
  return true;
}

bool SearchStatement::replace(sql::RowHandle at, const sql::Row& old,
                              const sql::Row& row) {
  change(at, old, row);
  return true;
}

bool SearchStatement::erase(sql::RowHandle at, const sql::Row& old) {
  change(at, old, std::nullopt);
  return true;
}

}  // namespace txscope::explore
