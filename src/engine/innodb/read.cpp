#include <algorithm>

#include "engine/innodb/statement.h"
#include "model/product/error_class.h"

namespace txscope::engine {
namespace {

using Where = std::optional<sql::Expr>;

const sql::Query* query_in(const sql::Query& query,
                           const sql::Relation* relation);

// The subquery with that one relation; the nesting is what the front end
// allows.
const sql::Query* query_in(const sql::Expr& expr,
                           const sql::Relation* relation) {
  for (const sql::Expr& arg : expr.args)
    if (const sql::Query* found = query_in(arg, relation)) return found;
  return expr.query ? query_in(*expr.query, relation) : nullptr;
}

const sql::Query* query_in(const sql::Query& query,
                           const sql::Relation* relation) {
  if (query.relations.size() == 1 && relation == query.relations.data())
    return &query;
  if (query.where) {
    if (const sql::Query* found = query_in(*query.where, relation))
      return found;
  }
  for (const sql::Target& target : query.targets)
    if (const sql::Query* found = query_in(target.expr, relation)) return found;
  return nullptr;
}

const sql::Query* query_of(const sql::DbStatement& statement,
                           const sql::Relation* relation) {
  if (const auto* query = std::get_if<sql::Select>(&statement.what))
    return query_in(**query, relation);
  if (const auto* insert = std::get_if<sql::Insert>(&statement.what))
    return insert->source ? query_in(*insert->source, relation) : nullptr;
  const auto* update = std::get_if<sql::Update>(&statement.what);
  const auto* remove = std::get_if<sql::Delete>(&statement.what);
  if (update == nullptr && remove == nullptr) return nullptr;  // MERGE
  const Where& where = update != nullptr ? update->where : remove->where;
  if (where) {
    if (const sql::Query* found = query_in(*where, relation)) return found;
  }
  for (std::size_t i = 0; update != nullptr && i < update->set.size(); ++i) {
    if (!update->set[i].value) continue;
    if (const sql::Query* found = query_in(*update->set[i].value, relation))
      return found;
  }
  return nullptr;
}

const Where* where_of(const sql::DbStatement& statement,
                      const sql::Relation* relation) {
  const auto* update = std::get_if<sql::Update>(&statement.what);
  const auto* remove = std::get_if<sql::Delete>(&statement.what);
  if (update != nullptr && relation == &update->target) return &update->where;
  if (remove != nullptr && relation == &remove->target) return &remove->where;
  const sql::Query* query = query_of(statement, relation);
  return query != nullptr ? &query->where : nullptr;
}

// A row found by another index is locked there and in the clustered one,
// unless it is only read and the index has all there is to read.
bool needs_row(const sql::Table& table, const IndexShape& index,
               bool is_shared) {
  return !index.is_clustered && !(is_shared && has_all_columns(table, index));
}

bool is_of(const sql::Query& query, const sql::Access& access) {
  for (std::size_t i = 0; i < query.relations.size(); ++i) {
    if (&query.relations[i] != access.relation) continue;
    return query.lock == sql::LockStrength::None ||
           query.is_locked.size() <= i || query.is_locked[i];
  }
  return false;
}

KeyOrder order_of(const sql::Query& query, const sql::Schema& schema) {
  if (query.relations.size() != 1 || query.is_grouped || query.is_distinct ||
      !query.windows.empty() || query.relations[0].table == kNone<TableId>) {
    return KeyOrder::None;
  }
  return key_order(query.order_by, query.where,
                   schema.at(query.relations[0].table));
}

}  // namespace

bool InnodbStatement::is_target(const sql::Access& access) const {
  const sql::DbStatement& statement = *request_.statement;
  if (const auto* update = std::get_if<sql::Update>(&statement.what))
    return access.relation == &update->target;
  if (const auto* remove = std::get_if<sql::Delete>(&statement.what))
    return access.relation == &remove->target;
  if (const auto* query = std::get_if<sql::Select>(&statement.what))
    return is_of(**query, access);
  return false;
}

// How reads inside statements read, by kind of statement and level.
InnodbStatement::Reading InnodbStatement::reading_of(
    const sql::Access& access) const {
  const sql::DbStatement& statement = *request_.statement;
  if (const auto* query = std::get_if<sql::Select>(&statement.what)) {
    const Reading plain = isolation_ == Isolation::Serializable
                              ? Reading::Shared
                              : Reading::Plain;
    switch (is_of(**query, access) ? (*query)->lock : sql::LockStrength::None) {
      case sql::LockStrength::None:
        return invoker_ == nullptr ? plain : first().reading_beside(access);
      case sql::LockStrength::KeyShare:
      case sql::LockStrength::Share: return Reading::Shared;
      case sql::LockStrength::NoKeyUpdate:
      case sql::LockStrength::Update: return Reading::Exclusive;
    }
  }
  return is_target(access) ? Reading::Exclusive
                           : first().reading_beside(access);
}

// The server decides for all tables of a statement and its triggers, before it
// runs, by what kind of statement it is.
InnodbStatement::Reading InnodbStatement::reading_beside(
    const sql::Access& access) const {
  const sql::DbStatement& statement = *request_.statement;
  if (locks_gaps()) return Reading::Shared;
  if (const auto* update = std::get_if<sql::Update>(&statement.what)) {
    return access.table == update->target.table ? Reading::Shared
                                                : Reading::Plain;
  }
  if (const auto* insert = std::get_if<sql::Insert>(&statement.what))
    return insert->source != nullptr ? Reading::Plain : Reading::Shared;
  return Reading::Shared;
}

bool InnodbStatement::scan(const sql::Access& access, const OnRow& on_row) {
  const Reading reading = reading_of(access);
  if (reading == Reading::Plain) return scan_snapshot(access, on_row);
  return scan_locking(access, reading, on_row);
}

bool InnodbStatement::scan_snapshot(const sql::Access& access,
                                    const OnRow& on_row) {
  SessionState& me = session();
  Stamp snapshot = state_.clock;
  if (locks_gaps()) {
    if (me.snapshot == kNoSnapshot) me.snapshot = state_.clock;
    snapshot = me.snapshot;
  } else {
    const bool keeps = request_.reuses_snapshot || me.has_waited;
    if (me.statement_snapshot == kNoSnapshot || !keeps)
      me.statement_snapshot = state_.clock;
    snapshot = me.statement_snapshot;
  }
  // What is not committed may be gone when the statement runs again.
  const bool remembers =
      isolation_ == Isolation::ReadUncommitted && !is_select();
  if (remembers && first().scans_ < me.dirty_reads.size()) {
    const auto read = me.dirty_reads[first().scans_++];
    for (std::size_t i = 0; i < read.size(); ++i)
      on_row({access.table, i}, read[i]->row);
    return !is_halted();
  }
  std::vector<Shown> rows;
  state_.table(access.table)
      .records.for_each_that_may(
          access.equal, [&](std::size_t i, const Record& record) {
            const bool is_dirty = isolation_ == Isolation::ReadUncommitted &&
                                  record.pending.exists() &&
                                  record.pending.owner != me_;
            const StoredRow* row =
                is_dirty ? record.pending.row : visible(record, snapshot);
            if (row != nullptr && matches(access, row->row))
              rows.push_back({i, row});
          });
  sort_by_key(access.table, rows);
  if (remembers) {
    ++first().scans_;
    auto& read = me.dirty_reads.emplace_back();
    for (const Shown& shown : rows) read.push_back(shown.row);
  }
  for (const Shown& shown : rows)
    on_row({access.table, shown.index}, shown.row->row);
  return !is_halted();
}

bool InnodbStatement::scan_locking(const sql::Access& access, Reading reading,
                                   const OnRow& on_row) {
  const sql::Table& table = schema(access.table);
  const bool is_shared = reading == Reading::Shared;
  const std::vector<ColumnRange> ranges = ranges_of(access);
  const std::optional<Path> end = path_to_extreme(access, ranges);
  // What has to be sorted is read from the clustered index.
  const sql::Query* query = query_of(*request_.statement, access.relation);
  const bool is_ordered = query != nullptr && !query->order_by.empty();
  const Path path =
      end ? *end
          : choose_path(table, state_.table(access.table), access, ranges,
                        !is_ordered && (is_shared || is_select()));
  const IndexShape index = indexes_of(table)[path.index];
  std::vector<Shown> rows;
  for (const Path::Place& place : path.places) {
    if (!place.has_entry && !locks_gaps()) continue;
    Examined examined;
    examined.table = access.table;
    examined.has_record = place.has_entry;
    examined.record = place.entry.key.empty() ? kNoRecord : place.entry.record;
    examined.is_target = is_target(access);
    examined.is_point = path.is_point;
    examined.is_beyond = place.is_beyond;
    examined.is_early = end.has_value();
    examined.want = {path.index, intern(place.entry.key),
                     is_shared ? LockMode::Share : LockMode::Update,
                     Kind::Entry};
    if (locks_gaps() && place.locks_gap)
      examined.want.kind = place.has_entry ? Kind::NextKey : Kind::Gap;
    if (!place.has_entry) {
      examined_.push_back(examined);
      continue;
    }
    const Record& row = record(access.table, examined.record);
    // Below repeatable-read what was deleted for good is not locked.
    if (!locks_gaps() && place.entry.is_deleted && !row.pending.exists())
      continue;
    if (row.pending.owner != me_ || !row.pending.shows(rank_, examined.shown))
      examined.shown = row.committed();
    // Not by an entry that the row has left.
    if (examined.shown != nullptr &&
        (place.entry.is_deleted || row.pending.exists()) &&
        compare_entries(entry_of(index, examined.shown->row, row.place->row),
                        place.entry.key) != 0) {
      examined.shown = nullptr;
    }
    examined.needs_row =
        !place.entry.is_deleted && needs_row(table, index, is_shared);
    examined.is_outside =
        examined.shown == nullptr || !matches(access, examined.shown->row) ||
        !std::all_of(ranges.begin(), ranges.end(), [&](const ColumnRange& r) {
          return r.contains(examined.shown->row[r.column]);
        });
    examined_.push_back(examined);
    const bool is_twice = std::any_of(
        rows.begin(), rows.end(),
        [&](const Shown& shown) { return shown.index == examined.record; });
    if (examined.shown != nullptr && !is_twice &&
        matches(access, examined.shown->row)) {
      rows.push_back({examined.record, examined.shown});
    }
  }
  sort_by_key(access.table, rows);
  for (const Shown& shown : rows)
    on_row({access.table, shown.index}, shown.row->row);
  return !is_halted();
}

// min() and max() of the first column of an index are known before the
// statement runs: the server reads that one entry when it plans it.
std::optional<Path> InnodbStatement::path_to_extreme(
    const sql::Access& access, const std::vector<ColumnRange>& ranges) {
  const sql::Query* query = query_of(*request_.statement, access.relation);
  if (query == nullptr || is_target(access) || !query->group_by.empty() ||
      query->aggregates.size() != 1 || query->targets.size() != 1) {
    return std::nullopt;
  }
  const sql::Aggregate& aggregate = query->aggregates.front();
  const bool is_max = aggregate.kind == sql::AggregateKind::Max;
  if ((!is_max && aggregate.kind != sql::AggregateKind::Min) ||
      aggregate.argument->op != sql::Op::Column ||
      aggregate.argument->level != 0) {
    return std::nullopt;
  }
  const std::uint32_t column = aggregate.argument->index;
  // A condition on anything else needs the rows.
  if (query->where &&
      (ranges.size() != 1 || ranges[0].column != column ||
       !ranges[0].points.empty() || query->where->op == sql::Op::And)) {
    return std::nullopt;
  }
  ColumnRange range;
  range.column = column;
  if (query->where) range = ranges[0];
  const sql::Table& table = schema(access.table);
  const std::vector<IndexShape> indexes = indexes_of(table);
  for (std::uint8_t i = 0; i < indexes.size(); ++i) {
    if (indexes[i].columns.empty() || indexes[i].columns.front() != column)
      continue;
    // Where no gaps are locked one who has waited goes on from there.
    const bool goes_on =
        session().has_waited && !locks_gaps() &&
        session().awaited_entry != nullptr &&
        session().awaited_index == (access.table.index << 8 | i);
    return path_to_end(table, state_.table(access.table), i, range, is_max,
                       goes_on ? session().awaited_entry->row : sql::Row(),
                       [&](std::size_t index) {
                         return tip(record(access.table, index)) != nullptr;
                       });
  }
  return std::nullopt;
}

std::vector<ColumnRange> InnodbStatement::ranges_of(const sql::Access& access) {
  std::vector<ColumnRange> ranges;
  const std::optional<sql::Expr>* where =
      where_of(*request_.statement, access.relation);
  if (where == nullptr || !*where) return ranges;
  if ((*where)->op != sql::Op::And) {
    add_range(**where, ranges);
    return ranges;
  }
  for (const sql::Expr& conjunct : (*where)->args) add_range(conjunct, ranges);
  return ranges;
}

// `column < value` and its like, where the value is known.
void InnodbStatement::add_range(const sql::Expr& conjunct,
                                std::vector<ColumnRange>& ranges) {
  using sql::Op;
  if (conjunct.op == Op::And) {  // BETWEEN
    for (const sql::Expr& part : conjunct.args)
      if (part.op != Op::And) add_range(part, ranges);
    return;
  }
  const auto is_column = [](const sql::Expr& e) {
    return e.op == Op::Column && e.level == 0 && e.relation == 0;
  };
  const auto known = [&](const sql::Expr& e) -> std::optional<sql::Value> {
    if (e.op == Op::Constant) return e.value;
    if (e.op == Op::Variable) return slots_[e.index];
    return std::nullopt;
  };
  const bool is_in = conjunct.op == Op::InList;
  if (!is_in && (conjunct.op < Op::Less || conjunct.op > Op::GreaterEqual))
    return;
  const bool is_turned = !is_in && is_column(conjunct.args[1]);
  const sql::Expr& column = conjunct.args[is_turned ? 1 : 0];
  if (!is_column(column)) return;
  auto range = std::find_if(
      ranges.begin(), ranges.end(),
      [&](const ColumnRange& r) { return r.column == column.index; });
  if (range == ranges.end()) {
    range = ranges.insert(ranges.end(), ColumnRange());
    range->column = column.index;
  }
  if (is_in) {
    for (std::size_t i = 1; i < conjunct.args.size(); ++i) {
      const auto value = known(conjunct.args[i]);
      if (value && !value->is_null()) range->points.push_back(*value);
    }
    return;
  }
  const auto value = known(conjunct.args[is_turned ? 0 : 1]);
  const bool is_less =
      (conjunct.op == Op::Less || conjunct.op == Op::LessEqual) != is_turned;
  const bool is_included =
      conjunct.op == Op::LessEqual || conjunct.op == Op::GreaterEqual;
  if (!value || value->is_null()) return;
  (is_less ? range->high : range->low) = *value;
  (is_less ? range->has_high : range->has_low) = is_included;
}

bool InnodbStatement::locks(const sql::Query& query) const {
  const bool is_limited =
      query.limit && order_of(query, around_.schema()) != KeyOrder::None;
  return query.lock != sql::LockStrength::None ||
         (isolation_ == Isolation::Serializable && is_limited);
}

KeyOrder InnodbStatement::turn(KeyOrder order, bool is_ordered,
                               std::vector<Examined>& examined) const {
  if (is_ordered &&
      std::any_of(examined.begin(), examined.end(), [&](const Examined& e) {
        return e.want.index != clustered_index(schema(e.table));
      })) {
    return KeyOrder::None;
  }
  if (order != KeyOrder::Descending) return order;
  std::reverse(examined.begin(), examined.end());
  // A scan downwards begins with the gap before what is beyond.
  for (Examined& e : examined) {
    if (!e.is_beyond) continue;
    e.has_record = false;
    e.needs_row = false;
    e.want.kind = Kind::Gap;
    e.shown = nullptr;
  }
  if (!locks_gaps())
    std::erase_if(examined, [](const Examined& e) { return e.is_beyond; });
  return order;
}

bool InnodbStatement::lock_examined(const sql::Query& query,
                                    const std::vector<sql::JoinedRow>* found,
                                    const sql::Window& window) {
  std::vector<Examined> examined = std::exchange(examined_, {});
  const KeyOrder order = turn(order_of(query, around_.schema()),
                              !query.order_by.empty(), examined);
  const auto is_match = [&](const Examined& e) {
    return found != nullptr &&
           std::any_of(found->begin(), found->end(), [&](const auto& joined) {
             return std::any_of(joined.handles.begin(), joined.handles.end(),
                                [&](const sql::RowHandle& handle) {
                                  return handle.table == e.table &&
                                         handle.row == e.record;
                                });
           });
  };
  std::uint64_t needed = ~std::uint64_t{0};
  if (order != KeyOrder::None && window.limit)
    needed = window.offset + *window.limit;
  const std::size_t resumed = passed(examined);
  for (std::size_t i = 0; i < examined.size() && needed > 0; ++i) {
    const Examined& e = examined[i];
    if (is_passed(e, i, resumed)) continue;
    const bool matches = e.shown != nullptr && is_match(e);
    if (query.is_nowait && e.has_record && is_blocked(e))
      return fail(error_of(Product::MariaDb, ErrorClass::LockTimeout));
    if (!acquire(e, matches || keeps(e))) return false;
    if (matches) --needed;
  }
  return true;
}

}  // namespace txscope::engine
