#include "race/repair/repair.h"

#include <algorithm>
#include <set>

#include "race/reduce/mariadb_words.h"
#include "race/repair/with_lock.h"

namespace txscope::race {
namespace {

constexpr std::size_t kMostRepairs = 6;
constexpr std::size_t kLeastSchedules = 300;

bool is_raced(const Outcome& one) {
  return one.kind == Outcome::Class::Anomaly || !one.broken_rules.empty();
}

/// Whether the event's connection has a transaction open behind it.
bool is_in_transaction(const Event& event) {
  return std::any_of(event.after.begin(), event.after.end(),
                     [&](const LaneStatus& lane) {
                       return lane.request == event.choice.request &&
                              lane.lane == event.choice.lane &&
                              lane.transaction == 'T' && !lane.has_ended;
                     });
}

bool writes_table(const Statement& statement, const std::string& table,
                  const Catalog& catalog) {
  const StatementTouches touches = table.empty()
                                       ? touches_of(statement, catalog)
                                       : named_touches(statement, catalog);
  if (!touches.footprint) return false;
  const auto& all = touches.footprint->touches();
  return std::any_of(all.begin(), all.end(), [&](const Footprint::Touch& one) {
    return one.object == table && one.access == Footprint::Access::Locks;
  });
}

/// Reads the findings' schedules for what could have been written otherwise.
class Finder {
 public:
  Finder(const Plan& plan, const Findings& found)
      : plan_(plan), found_(found), catalog_(found.catalog) {}

  std::vector<Repair> run() {
    for (const Outcome& one : found_.outcomes)
      if (is_raced(one)) read(one.example.events);
    add_locks();
    for (const auto& [table, columns] : unique_) add_unique(table, columns);
    for (const Outcome& one : found_.outcomes)
      if (is_raced(one)) look_below_zero(one.state);
    if (has_transaction_) {
      Repair repair;
      repair.kind = Repair::Kind::Isolation;
      repair.what = "transactions at SERIALIZABLE";
      repair.isolation = "serializable";
      repairs_.push_back(std::move(repair));
    }
    if (repairs_.size() > kMostRepairs) repairs_.resize(kMostRepairs);
    return std::move(repairs_);
  }

 private:
  void read(const std::vector<Event>& events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      const bool is_open = is_in_transaction(events[i]);
      has_transaction_ = has_transaction_ || is_open;
      for (const Statement& statement : events[i].statements)
        if (const auto select = plain_select(statement, catalog_))
          read_select(statement, *select, is_open, events, i);
    }
  }

  void read_select(const Statement& statement, const PlainSelect& select,
                   bool is_open, const std::vector<Event>& events,
                   std::size_t at) {
    for (std::size_t i = at + 1; i < events.size(); ++i) {
      if (events[i].choice.request != events[at].choice.request) continue;
      for (const Statement& later : events[i].statements) {
        if (is_open && writes_table(later, select.table, catalog_))
          locks_.emplace(statement.sql, select.locked);
        if (!select.equal.empty())
          if (const auto columns =
                  inserted_columns(later, select.table, catalog_))
            note_unique(select, *columns);
      }
    }
  }

  void note_unique(const PlainSelect& select,
                   const std::vector<std::string>& columns) {
    const bool fills_all = std::all_of(
        select.equal.begin(), select.equal.end(), [&](const std::string& one) {
          return std::find(columns.begin(), columns.end(), one) !=
                 columns.end();
        });
    const auto table = catalog_.tables.find(select.table);
    const bool is_key = select.equal.size() == 1 &&
                        table != catalog_.tables.end() &&
                        table->second.unique.count(select.equal[0]) == 1;
    if (fills_all && !is_key)
      unique_.insert(
          {select.table, {select.equal.begin(), select.equal.end()}});
  }

  void add_locks() {
    if (locks_.empty()) return;
    const auto add = [&](const Rewrites& rewrites) {
      Repair repair;
      repair.rewrites = rewrites;
      for (const auto& [from, to] : rewrites)
        repair.what += (repair.what.empty() ? "" : "; ") + to;
      repairs_.push_back(std::move(repair));
    };
    add(locks_);
    if (locks_.size() > 1)
      for (const auto& one : locks_) add({one});
  }

  void add_constraint(std::string sql) {
    Repair repair;
    repair.kind = Repair::Kind::Constraint;
    repair.what = sql;
    repair.sql = std::move(sql);
    repairs_.push_back(std::move(repair));
  }

  void add_unique(const std::string& table,
                  const std::set<std::string>& columns) {
    std::string list;
    for (const std::string& one : columns)
      list += (list.empty() ? "" : ", ") + one;
    add_constraint(plan_.product == Product::MariaDb
                       ? "ALTER TABLE " + table + " ADD UNIQUE (" + list + ")"
                       : "CREATE UNIQUE INDEX ON " + table + " (" + list + ")");
  }

  static bool has_negative(const State& state, const std::string& table,
                           const std::string& column) {
    if (!state.contains(table)) return false;
    return std::any_of(state[table].begin(), state[table].end(),
                       [&](const State& row) {
                         return row.contains(column) &&
                                row[column].is_number() && row[column] < 0;
                       });
  }

  void look_below_zero(const State& state) {
    for (const auto& [table, rows] : state.items()) {
      if (rows.empty()) continue;
      for (const auto& [column, value] : rows[0].items()) {
        const bool was_before =
            has_negative(found_.initial, table, column) ||
            std::any_of(
                found_.serial.begin(), found_.serial.end(),
                [&, &table = table, &column = column](const Outcome& o) {
                  return has_negative(o.state, table, column);
                });
        if (was_before || !has_negative(state, table, column)) continue;
        if (below_.insert(table + "." + column).second)
          add_constraint("ALTER TABLE " + table + " ADD CHECK (" + column +
                         " >= 0)");
      }
    }
  }

  const Plan& plan_;
  const Findings& found_;
  const Catalog& catalog_;
  Rewrites locks_;
  std::set<std::pair<std::string, std::set<std::string>>> unique_;
  std::set<std::string> below_;
  bool has_transaction_ = false;
  std::vector<Repair> repairs_;
};

std::string what_remains(const Findings& found) {
  const std::vector<std::string> rules = found.broken_rules();
  if (!rules.empty()) return "rule '" + rules.front() + "' still breaks";
  if (found.has_anomaly()) return "an outcome is left that no serial order has";
  if (!found.hung.empty()) return "a request hangs";
  return "";
}

}  // namespace

const char* name_of(Repair::Kind kind) {
  switch (kind) {
    case Repair::Kind::Lock: return "lock";
    case Repair::Kind::Constraint: return "constraint";
    case Repair::Kind::Isolation: break;
  }
  return "isolation";
}

std::vector<Repair> possible_repairs(const Plan& plan, const Findings& found) {
  return Finder(plan, found).run();
}

Result<std::vector<TriedRepair>> try_repairs(const Plan& plan, Copies& copies,
                                             const Findings& found,
                                             const SearchOptions& options,
                                             const Budget& budget) {
  std::vector<TriedRepair> result;
  if (copies.is_in_place()) return result;
  for (Repair& repair : possible_repairs(plan, found)) {
    if (budget.spent_now()) break;
    Plan changed = plan;
    changed.rewrites = repair.rewrites;
    changed.isolation = repair.isolation;
    // What was found not to be repeatable is known.
    changed.recognises = false;
    changed.ignored = found.ignored;
    changed.followed = found.followed;
    SearchOptions how = options;
    how.stops_at_race = true;
    how.max_schedules = std::max(kLeastSchedules, 4 * found.schedules);
    TriedRepair tried;
    const auto ready = copies.change(repair.sql, repair.isolation);
    if (!ready) {
      tried.remains = "the copy cannot have it: " + ready.error().what;
    } else {
      const auto left = search(changed, copies, how, budget);
      if (left) {
        tried.schedules = left->schedules;
        tried.remains = what_remains(*left);
        tried.is_complete = left->is_complete;
        tried.holds = tried.remains.empty() && left->is_complete;
        tried.uncaught = left->uncaught;
        if (tried.remains.empty() && !tried.holds)
          tried.remains = left->why_incomplete;
      } else {
        tried.remains = left.error().what;
      }
    }
    tried.repair = std::move(repair);
    result.push_back(std::move(tried));
  }
  if (auto ok = copies.change(""); !ok) return ok.error();
  return result;
}

}  // namespace txscope::race
