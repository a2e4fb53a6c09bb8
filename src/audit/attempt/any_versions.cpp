// Read committed as theory has it: each statement sees of every row any version
// so far.
//
// Statements are tried one after the other, each in all ways.  Where one fails
// in all of them, those before it that wrote nothing it looked at cannot help
// it, and no other way is tried for them (conflict-directed backjumping): the
// ten updates of an order do not multiply.

#include <algorithm>
#include <utility>

#include "audit/attempt/attempt.h"
#include "audit/attempt/shown_rows.h"
#include "audit/rows/known_rows.h"

namespace txscope::audit {
namespace {

/// Whether rows are found, or held against others, by this column.
bool is_looked_up(const sql::Schema& schema, TableId id, std::uint32_t column) {
  const auto is_in = [column](const std::vector<std::uint32_t>& columns) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  const sql::Table& table = schema.at(id);
  for (std::size_t k = 0; k < table.key_count(); ++k)
    if (table.key_at(k).is_partial() || is_in(table.key_at(k).columns))
      return true;
  for (const sql::ForeignKey& key : table.foreign)
    if (is_in(key.columns)) return true;
  for (const sql::Table& other : schema.tables)
    for (const sql::ForeignKey& key : other.foreign)
      if (key.parent == id && is_in(key.parent_columns)) return true;
  return false;
}

bool shares_a_row(const Visited& a, const Visited& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& row) {
    return std::find(b.begin(), b.end(), row) != b.end();
  });
}

}  // namespace

bool Attempts::writes_what_it_visits(std::size_t k) const {
  const Prepared& prepared = *txn_->statements[k];
  if (!prepared.is_sql() || !prepared.scans_once ||
      txn_->log->statements[k].count != std::uint64_t{1})
    return false;
  const auto* update = std::get_if<sql::Update>(&prepared.statement->what);
  if (update == nullptr || update->choice.exists() ||
      !prepared.statement->parts.empty())
    return false;
  return std::none_of(
      update->set.begin(), update->set.end(), [&](const sql::SetColumn& set) {
        return is_looked_up(tables_.schema(), update->target.table, set.column);
      });
}

Blame Attempts::writers_of(const Visited& looked) const {
  Blame blame;
  for (const WriterSoFar& writer : writers_)
    if (!writer.is_one_row || shares_a_row(writer.visited, looked))
      blame.add(writer.statement);
  return blame;
}

/// Tries the statements behind one that has been answered.
bool Attempts::goes_on_after(std::size_t k, const Visited& visited) {
  const bool is_writer = !txn_->statements[k]->is_select();
  if (is_writer) {
    const bool is_one_row =
        !visited.empty() &&
        std::all_of(visited.begin(), visited.end(),
                    [&](const auto& row) { return row == visited.front(); }) &&
        writes_what_it_visits(k);
    writers_.push_back({k, is_one_row, visited});
  }
  const bool is_done = from_statement(k + 1, 0);
  if (is_writer) writers_.pop_back();
  return is_done;
}

bool Attempts::any_versions(std::size_t k) {
  Blame blame;
  Visited looked;
  Tried tried = any_states(k, blame, looked);
  if (tried == Tried::All && most_runs_ != 0)
    tried = mixed_versions(k, blame, looked);
  if (tried != Tried::All) return tried == Tried::Done;
  blame.add(writers_of(looked));
  blame.remove(k);
  blame_ = std::move(blame);
  return false;
}

/// Real databases show states; these are few, and usually enough.
Attempts::Tried Attempts::any_states(std::size_t k, Blame& blame,
                                     Visited& looked) {
  const bool is_select = txn_->statements[k]->is_select();
  const std::size_t mark = own_.mark();
  std::vector<Effects> seen;
  std::size_t end = hidden_ == nullptr ? points_.size() : 0;
  while (end > 0) {
    if (budget_.spent()) return Tried::InVain;
    visited_.clear();
    const Position at = points_[end - 1];
    const Sight sight{at, nullptr, before(), false, &visited_, false, assumes_};
    bool is_answered = answers(k, sight);
    const bool is_earlier =
        !is_answered && !is_select && answers_then(k, sight);
    is_answered |= is_earlier;
    const Visited visited = visited_;
    looked.insert(looked.end(), visited.begin(), visited.end());
    if (is_answered) {
      Effects now = effects();
      if (std::find(seen.begin(), seen.end(), now) == seen.end()) {
        seen.push_back(std::move(now));
        seen_.states[k] = at;
        const bool chose =
            std::exchange(seen_.chose, seen_.chose || is_earlier);
        if (goes_on_after(k, visited)) return Tried::Done;
        seen_.chose = chose;
        // What a SELECT saw changes nothing.
        if (is_select || !blame_.has(k)) {
          own_.roll_back(mark);
          return Tried::InVain;
        }
        blame.add(blame_);
      }
      own_.roll_back(mark);
    }
    const Position change = last_change(tables_, visited, at);
    while (end > 0 && points_[end - 1] >= change) --end;
  }
  return Tried::All;
}

/// The answer itself may tell which versions it shows.
void Attempts::guide(std::size_t k, Odometer& odometer) const {
  const Prepared& prepared = *txn_->statements[k];
  if (hidden_ != nullptr) odometer.hide(*hidden_);
  odometer.since(mixed_since_);
  // Of rows that are not shown those that are not there hide nothing.
  if (!prepared.is_select() || !prepared.scans_once || prepared.query().offset)
    return;
  const sql::LogStatement& observed = txn_->log->statements[k];
  const bool tells_rows = observed.rows &&
                          prepared.query().relations[0].query == nullptr &&
                          shows_keys(tables_.schema(), prepared.query());
  if (tells_rows)
    odometer.expect(row_accesses(tables_.schema(), prepared, observed,
                                 KnownTables(tables_.schema().tables.size())));
}

/// Rows of several states together.
Attempts::Tried Attempts::mixed_versions(std::size_t k, Blame& blame,
                                         Visited& looked) {
  const Prepared& prepared = *txn_->statements[k];
  const bool is_select = prepared.is_select();
  const std::size_t mark = own_.mark();
  Odometer odometer(tables_, before(), prepared.scans_once);
  guide(k, odometer);
  std::vector<Effects> seen;
  while (odometer.next()) {
    if (budget_.spent()) return Tried::InVain;
    if (odometer.runs() > most_runs_) {
      if (assumes_ && is_select)
        return from_statement(k + 1, 0) ? Tried::Done : Tried::InVain;
      gave_up_ = true;
      return Tried::All;
    }
    Visited visited;
    Sight sight{before(), &odometer, before(), false,
                &visited, false,     assumes_};
    sight.choices = &odometer.choices();
    const bool is_answered = answers(k, sight);
    looked.insert(looked.end(), visited.begin(), visited.end());
    if (!is_answered) continue;
    Effects now = effects();
    if (std::find(seen.begin(), seen.end(), now) == seen.end()) {
      seen.push_back(std::move(now));
      const std::size_t picked = seen_.rows.size();
      const bool chose = seen_.chose;
      seen_.states[k] = kNow;
      if (prepared.runs_routines() || odometer.choices().is_other())
        seen_.chose = true;
      else
        note_picked(k, odometer);
      if (goes_on_after(k, visited)) return Tried::Done;
      seen_.rows.resize(picked);
      seen_.chose = chose;
      if (is_select || !blame_.has(k)) {
        own_.roll_back(mark);
        return Tried::InVain;
      }
      blame.add(blame_);
    }
    own_.roll_back(mark);
  }
  return Tried::All;
}

/// Which versions a statement saw, as states where they are.
void Attempts::note_picked(std::size_t k, const Odometer& odometer) {
  for (const auto& [place, choice] : odometer.picks()) {
    PickedRow picked;
    picked.statement = static_cast<std::uint32_t>(k);
    picked.table = TableId(place.first);
    picked.is_absent = choice.row == nullptr && !choice.unwanted;
    picked.at = choice.unwanted.value_or(kSetup);
    const auto& versions = tables_.versions(picked.table, place.second);
    for (auto v = versions.rbegin(); v != versions.rend(); ++v) {
      if (v->at > before() || v->row == nullptr) continue;
      if (picked.key.empty())
        picked.key = tables_.key_of(picked.table, *v->row);
      if (choice.row != nullptr && v->row != choice.row) continue;
      if (choice.row != nullptr) picked.at = v->at;
      break;
    }
    seen_.rows.push_back(std::move(picked));
  }
}

}  // namespace txscope::audit
