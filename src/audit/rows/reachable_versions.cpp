#include "audit/rows/reachable_versions.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "audit/search/shrink.h"
#include "model/sql/walk.h"

namespace txscope::audit {
namespace {

using sql::LogStatus;

/// How often a statement is tried on versions of its rows.
constexpr std::uint64_t kMostChoices = 50'000;
/// Versions of a row, and ways of a transaction.
constexpr std::size_t kMostVersions = 200;

/// Whether it is a statement whose effects are its own rows' alone.
bool is_plain(const sql::DbStatement& statement) {
  if (!statement.parts.empty() ||
      std::holds_alternative<sql::Merge>(statement.what))
    return false;
  const auto* insert = std::get_if<sql::Insert>(&statement.what);
  return insert == nullptr || !insert->on_conflict;
}

/// Whether all statements of all routines are, and no error that a key would
/// have raised is caught.
bool are_plain(const sql::Application& application) {
  bool are = true;
  for (const sql::Routine& routine : application.routines) {
    sql::for_each_pl(routine.body, [&](const sql::PlStatement& s) {
      are &= !std::holds_alternative<sql::PlTry>(s.what);
    });
    sql::for_each_statement(
        routine.body, [&](const sql::DbStatement& s) { are &= is_plain(s); });
  }
  return are;
}

bool is_plain(const Prepared& prepared) {
  if (!prepared.runs()) return true;
  if (!prepared.is_call() && !is_plain(*prepared.statement)) return false;
  return !prepared.runs_routines() ||
         are_plain(prepared.routines->application());
}

/// The one table that a statement names; none: there are several.
std::optional<std::uint32_t> table_of(const Prepared& prepared) {
  if (!prepared.scans_once || !prepared.is_sql()) return std::nullopt;
  if (!prepared.is_select()) return prepared.statement->target()->table.index;
  const auto& relations = prepared.query().relations;
  if (relations.size() != 1 || relations[0].query != nullptr)
    return std::nullopt;
  return relations[0].table.index;
}

}  // namespace

bool ReachableVersions::applies(const LoadedLog& log, Rule rule) {
  if (log.skipped() != 0) return false;
  for (const sql::Table& table : log.initial().schema().tables) {
    for (const sql::ForeignKey& key : table.foreign)
      if (key.on_delete != sql::OnDelete::NoAction ||
          key.on_update != sql::OnDelete::NoAction)
        return false;
  }
  const auto& txns = log.whole().txns;
  return std::all_of(txns.begin(), txns.end(), [rule](const Txn& txn) {
    return std::all_of(txn.statements.begin(), txn.statements.end(),
                       [rule](const PreparedPtr& p) {
                         // PostgreSQL takes rows to be written in their latest
                         // version, and shows the same rows elsewhere in the
                         // statement as they were.
                         const bool is_twice =
                             rule == Rule::PostgresReadCommitted && p->runs() &&
                             !p->scans_once && (!p->is_select() || p->locks());
                         return is_plain(*p) && !is_twice;
                       });
  });
}

ReachableVersions::ReachableVersions(const LoadedLog& log, const WholeLog& part,
                                     const Tables& initial,
                                     std::uint64_t most_runs,
                                     const Budget& budget)
    : part_(part),
      most_runs_(most_runs),
      budget_(budget),
      ids_(log.new_ids()),
      tables_(initial),
      progress_(part.txns.size()),
      grown_at_(initial.schema().tables.size(), changes_) {
  const auto count = static_cast<std::uint32_t>(part.txns.size());
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return hint(*part.txns[a].log) < hint(*part.txns[b].log);
                   });
  std::vector<std::optional<std::uint32_t>> before(count);  // in its session
  std::vector<std::optional<std::uint32_t>> last(part.sessions);
  for (std::uint32_t t = 0; t < count; ++t) {
    const Txn& txn = part.txns[t];
    before[t] = last[txn.session];
    // One of unknown outcome may be passed by.
    if (txn.log->status != LogStatus::Unknown) last[txn.session] = t;
    std::set<std::uint32_t> tables;
    for (const PreparedPtr& p : txn.statements) {
      if (!p->runs()) continue;
      if (const auto table = table_of(*p))
        tables.insert(*table);
      else
        for (std::uint32_t i = 0; i < grown_at_.size(); ++i) tables.insert(i);
    }
    progress_[t].tables.assign(tables.begin(), tables.end());
  }
  bool goes_on = true;
  while (goes_on) {
    goes_on = false;
    for (const std::uint32_t t : order) {
      if (before[t] && !progress_[*before[t]].is_explained) continue;
      if (!is_due(t)) continue;
      const bool was_explained = progress_[t].is_explained;
      const std::uint64_t changes = changes_;
      if (!run(t)) return;
      goes_on = goes_on || changes != changes_ ||
                progress_[t].is_explained != was_explained;
    }
  }
  // The first in time whose session has come to it.
  for (const std::uint32_t t : order) {
    if (progress_[t].is_explained ||
        part.txns[t].log->status == LogStatus::Unknown ||
        (before[t] && !progress_[*before[t]].is_explained))
      continue;
    Attempts attempts(tables_, Rule::ReadCommitted, ids_, budget_);
    attempts.assume();
    attempts.mix(0);
    attempts.tell_all();
    const Position points[] = {last_};
    attempts.each(part.txns[t], points, [](Commit&) { return false; });
    bad_ = {t, attempts.mismatch().value_or(Mismatch())};
    return;
  }
}

bool ReachableVersions::is_due(std::uint32_t t) const {
  const Progress& progress = progress_[t];
  if (progress.run_at == 0) return true;
  if (progress.is_explained && !part_.txns[t].may_write()) return false;
  const auto is_new = [&](std::uint64_t change) {
    return change > progress.run_at;
  };
  return std::any_of(progress.tables.begin(), progress.tables.end(),
                     [&](std::uint32_t i) { return is_new(grown_at_[i]); }) ||
         std::any_of(
             progress.rows.begin(), progress.rows.end(), [&](const auto& row) {
               const auto found = changed_at_.find(row);
               return found != changed_at_.end() && is_new(found->second);
             });
}

bool ReachableVersions::run(std::uint32_t t) {
  Progress& progress = progress_[t];
  progress.run_at = changes_;
  const Position points[] = {last_};
  Attempts attempts(tables_, Rule::ReadCommitted, ids_, budget_);
  attempts.assume();
  attempts.mix(kMostChoices);
  if (!progress.made.empty()) attempts.hide(progress.made);
  Txn txn = part_.txns[t];
  txn.rule.reset();
  std::vector<Effects> ways;
  attempts.each(txn, points, [&](Commit& commit) {
    progress.is_explained = true;
    ways.push_back(std::move(commit.effects));
    // Of one that leaves nothing behind there is only one way.
    return ways.size() > kMostVersions;
  });
  runs_ += attempts.executed();
  progress.rows.insert(attempts.looked_at().begin(),
                       attempts.looked_at().end());
  if (budget_.spent_now() || attempts.gave_up() || ids_.has_guessed() ||
      ids_.has_any() || runs_ > most_runs_ || ways.size() > kMostVersions)
    is_too_much_ = true;
  for (const Effects& effects : ways) add(t, effects);
  return !is_too_much_;
}

bool ReachableVersions::is_known(std::uint32_t t, const Effect& effect) const {
  std::size_t others = 0;
  for (const auto& v : tables_.versions(effect.table, effect.row)) {
    const bool is_same =
        v.row == effect.now ||
        (v.row != nullptr && effect.now != nullptr && *v.row == *effect.now);
    if (!is_same) continue;
    if (v.at == kSetup || progress_[t].made.count(v.at) != 0) return true;
    ++others;
  }
  // Of two makers nobody is both.
  return others > 1;
}

void ReachableVersions::add(std::uint32_t t, const Effects& effects) {
  std::map<std::pair<std::uint32_t, sql::Row>, std::int64_t> copies;
  for (const Effect& effect : effects) {
    Effects one = {effect};
    std::pair<std::uint32_t, sql::Row> place;
    if (effect.is_new) {
      // One life per key; without a key one per row with these values.
      place = {effect.table.index, tables_.key_of(effect.table, *effect.now)};
      if (place.second.empty()) {
        place.second = *effect.now;
        place.second.push_back(sql::Value::integer(++copies[place]));
      }
      const auto known = progress_[t].inserted.find(place);
      if (known != progress_[t].inserted.end()) {
        one[0].is_new = false;
        one[0].row = known->second;
      }
    }
    if (!one[0].is_new && is_known(t, one[0])) continue;
    last_ += kGap;
    const bool is_new = one[0].is_new;
    tables_.put(one, last_);
    progress_[t].made.insert(last_);
    ++changes_;
    changed_at_[{effect.table, one[0].row}] = changes_;
    if (is_new) {
      progress_[t].inserted.emplace(std::move(place), one[0].row);
      grown_at_[effect.table.index] = changes_;
    }
    if (tables_.versions(effect.table, one[0].row).size() > kMostVersions)
      is_too_much_ = true;
  }
}

std::optional<Found> find_unreachable(
    const LoadedLog& log, const WholeLog& part, const Tables& initial,
    std::uint64_t most_runs, std::uint64_t& runs, const Budget& budget) {
  const auto refutes = [&](const WholeLog& rest, const Budget& time,
                           std::optional<FirstBad>& bad) {
    const ReachableVersions versions(log, rest, initial, most_runs, time);
    runs += versions.runs();
    if (!versions.bad()) return false;
    const auto& [t, mismatch] = *versions.bad();
    bad = first_bad(rest.txns[t], mismatch);
    bad->why = "no versions of the rows that it saw give this answer";
    return true;
  };
  Found found;
  if (!refutes(part, budget, found.first_bad)) return std::nullopt;
  found.answer = Outcome::Violated;
  found.tried.resize(part.txns.size());
  std::iota(found.tried.begin(), found.tried.end(), 0);
  shrink(part, found, refutes, budget);
  return found;
}

}  // namespace txscope::audit
