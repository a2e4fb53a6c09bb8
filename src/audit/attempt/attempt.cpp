#include "audit/attempt/attempt.h"

#include <algorithm>
#include <utility>

namespace txscope::audit {

using sql::LogStatus;
using StatementKind = sql::ReadStatement::Kind;

bool Txn::may_write() const {
  if (log->status == LogStatus::Aborted) return false;
  for (std::size_t k = 0; k < statements.size(); ++k)
    if (statements[k]->runs() && statements[k]->writes &&
        !log->statements[k].error && !is_opaque[k])
      return true;
  return false;
}

std::uint64_t Txn::not_judged() const {
  std::uint64_t count = 0;
  for (std::size_t k = 0; k < is_opaque.size(); ++k) {
    const bool is_unread =
        statements[k]->hides_answer && log->statements[k].rows;
    count += (is_opaque[k] && !is_idle[k]) || is_unread ? 1 : 0;
  }
  return count;
}

bool Attempts::each(const Txn& txn, std::span<const Position> points,
                    const std::function<bool(Commit&)>& on_commit) {
  txn_ = &txn;
  rule_ = txn.rule.value_or(common_rule_);
  points_ = points;
  on_commit_ = &on_commit;
  own_.clear();
  savepoints_.clear();
  read_view_.reset();
  tried_.clear();
  mismatch_.reset();
  told_.clear();
  writers_.clear();
  seen_.states.assign(is_by_statement(rule_) ? txn.statements.size() : 0,
                      kSetup);
  seen_.rows.clear();
  seen_.chose = false;
  if (txn.is_on_standby) return on_standby();
  switch (rule_) {
    case Rule::Serializable: return commits_on(before());
    case Rule::Snapshot:
    case Rule::Prefix:
    case Rule::PostgresRepeatableRead: return on_snapshots();
    default: return from_statement(0, 0);
  }
}

bool Attempts::on_earliest(const Txn& txn, std::span<const Position> points,
                           const std::function<bool(Commit&)>& on_commit) {
  std::size_t i = 0;
  while (i < points.size() && !budget_.spent()) {
    if (each(txn, points.subspan(i, 1), on_commit)) return true;
    const Position change = next_change(points[i]);
    while (i < points.size() && points[i] < change) ++i;
  }
  return false;
}

bool Attempts::skips(std::size_t k) const {
  const sql::LogStatement& observed = txn_->log->statements[k];
  if (txn_->is_opaque[k]) return true;
  if (observed.error && (assumes_ || is_always_possible(*observed.error)))
    return true;
  const Prepared& prepared = *txn_->statements[k];
  if (!prepared.runs()) return prepared.kind == StatementKind::Nothing;
  // A SELECT of which nothing was observed tells nothing.
  return prepared.is_select() && !observed.rows && !observed.count &&
         !observed.error;
}

void Attempts::control(std::size_t k) {
  const Prepared& prepared = *txn_->statements[k];
  if (prepared.kind == StatementKind::Savepoint) {
    savepoints_[prepared.name] = own_.mark();
  } else if (prepared.kind == StatementKind::RollbackTo) {
    const auto found = savepoints_.find(prepared.name);
    if (found != savepoints_.end()) own_.roll_back(found->second);
  }
}

void Attempts::note(std::size_t k, Position at, std::string expected,
                    std::string why) {
  constexpr std::size_t kMostTold = 4;
  const bool is_new =
      std::none_of(told_.begin(), told_.end(), [&](const Mismatch& other) {
        return other.statement == k && other.expected == expected &&
               other.why == why;
      });
  if (tells_all_ && is_new && told_.size() < kMostTold)
    told_.push_back({k, expected, why, at});
  if (mismatch_ && mismatch_->statement >= k) return;
  mismatch_ = Mismatch{k, std::move(expected), std::move(why), at};
}

bool Attempts::answers(std::size_t k, Sight sight, Answer* answer) {
  const Prepared& prepared = *txn_->statements[k];
  const sql::LogStatement& observed = txn_->log->statements[k];
  ++executed_;
  const std::size_t mark = own_.mark();
  Visited visited;
  if (notes_looks_ && sight.visited == nullptr) sight.visited = &visited;
  auto ran = execute(prepared, observed, tables_, own_, sight, ids_, budget_);
  if (notes_looks_)
    looked_at_.insert(sight.visited->begin(), sight.visited->end());
  auto* given = std::get_if<Answer>(&ran);
  if (given == nullptr) {
    // The statements of a call before the one that did not end, too.
    own_.roll_back(mark);
    return false;
  }
  if ((given->error && given->error->is_ours) || given->is_unsure)
    gave_up_ = true;
  if (!explains(prepared, *given, observed)) {
    own_.roll_back(mark);
    if (!tells_all_ && mismatch_ && mismatch_->statement >= k) return false;
    // What a SELECT would have shown takes a run of its own: this one may have
    // looked no further than what was seen.
    const bool needs_run = sight.chooser == nullptr && prepared.is_select();
    if (needs_run && !tells_all_) {
      note(k, sight.at, "", "");
      return false;
    }
    if (needs_run) {
      Sight telling = sight;
      telling.tells = true;
      ran = execute(prepared, observed, tables_, own_, telling, ids_, budget_);
      given = std::get_if<Answer>(&ran);
    }
    if (given != nullptr) note(k, sight.at, describe(prepared, *given), "");
    return false;
  }
  if (answer != nullptr) *answer = std::move(*given);
  return true;
}

bool Attempts::may_go_on(const Choices& choices) {
  // A pass tries few; where it finds nothing, others look further.
  constexpr std::uint64_t kFew = 200;
  if (budget_.spent()) return false;
  if (choices.runs() <= std::max(most_runs_, kFew)) return true;
  gave_up_ = true;
  return false;
}

bool Attempts::each_answer(
    std::size_t k, Sight sight,
    const std::function<bool(const Answer&)>& on_answer) {
  const std::size_t mark = own_.mark();
  const bool chose = seen_.chose;
  Choices choices;
  sight.choices = &choices;
  while (choices.next()) {
    if (!may_go_on(choices)) return false;
    Answer answer;
    if (!answers(k, sight, &answer)) continue;
    seen_.chose = chose || !choices.is_first();
    if (on_answer(answer)) return true;
    seen_.chose = chose;
    own_.roll_back(mark);
  }
  return false;
}

bool Attempts::commits_on(Position at) {
  visited_.clear();
  Choices choices;
  while (choices.next()) {
    if (!may_go_on(choices)) return false;
    seen_.chose = !choices.is_first();
    if (on_one_state(at, choices) && commit(at)) return true;
  }
  return false;
}

bool Attempts::on_one_state(Position at, Choices& choices) {
  own_.clear();
  savepoints_.clear();
  was_refused_ = false;
  for (std::size_t k = 0; k < txn_->statements.size(); ++k) {
    if (skips(k)) continue;
    if (!txn_->statements[k]->runs()) {
      control(k);
      continue;
    }
    // PostgreSQL holds keys against what is committed, not what was seen.
    const bool is_by_row = rule_ == Rule::PostgresRepeatableRead;
    Sight sight{at, nullptr, is_by_row ? before() : at};
    sight.keeps_snapshot = is_by_row;
    sight.visited = &visited_;
    sight.choices = &choices;
    if (answers(k, sight)) continue;
    if (is_by_row && answers_then(k, sight)) {
      seen_.chose = true;
      continue;
    }
    // A key that a concurrent transaction has taken is refused all the same.
    const auto& error = txn_->log->statements[k].error;
    sight.constraints = before();
    if (error && at != before() && answers(k, sight)) {
      was_refused_ = true;
      continue;
    }
    return false;
  }
  return true;
}

bool Attempts::answers_then(std::size_t k, Sight sight) {
  const bool sees_any = rule_ == Rule::ReadCommitted;
  return each_moment(k, sees_any ? kSetup : sight.at, [&](Position then) {
    sight.constraints = then;
    return answers(k, sight);
  });
}

// What savepoints take back was held against keys, and took rows, at some time
// before the others were done.
bool Attempts::each_moment(std::size_t k, Position oldest,
                           const std::function<bool(Position)>& on_moment) {
  if (!txn_->is_undone(k)) return false;
  std::size_t end = points_.size();
  const auto skip_same = [&](Position at) {
    const Position change = last_change(tables_, visited_, at);
    while (end > 0 && points_[end - 1] >= change) --end;
  };
  for (skip_same(before()); end > 0 && points_[end - 1] >= oldest;
       skip_same(points_[end - 1])) {
    if (budget_.spent()) return false;
    if (on_moment(points_[end - 1])) return true;
  }
  return false;
}

Position Attempts::next_change(Position at) const {
  Position next = kNow;
  for (const auto& [table, row] : visited_) {
    const auto& versions = tables_.versions(table, row);
    // What may be seen is near the end.
    for (auto v = versions.rbegin(); v != versions.rend() && v->at > at; ++v)
      next = std::min(next, v->at);
  }
  return next;
}

bool Attempts::on_snapshots() {
  std::size_t end = points_.size();
  while (end > 0 && points_[end - 1] > newest_) --end;
  while (end > 0) {
    if (budget_.spent()) return false;
    const Position at = points_[end - 1];
    if (commits_on(at)) return true;
    // States that differ in nothing that it looked at need no try of their own:
    // an older one only has more conflicts.
    const Position change = last_change(tables_, visited_, at);
    while (end > 0 && points_[end - 1] >= change) --end;
  }
  return false;
}

// It shows what the primary has committed, in the order of the WAL.  That is
// nearly the order in which the primary shows it; where it is not, nothing but
// a mixture of versions explains what was seen, and much more that is wrong.
bool Attempts::on_standby() {
  if (txn_->may_write()) {
    note(txn_->statements.size(), kSetup, "", "a standby takes no writes");
    return false;
  }
  if (on_snapshots()) return true;
  const auto* on_commit = on_commit_;
  const std::function<bool(Commit&)> is_enough = [](Commit&) { return true; };
  on_commit_ = &is_enough;
  rule_ = Rule::ReadCommitted;
  own_.clear();
  seen_.states.assign(txn_->statements.size(), kSetup);
  const bool is_mixture = from_statement(0, 0);
  gave_up_ |= is_mixture;
  rule_ = Rule::Prefix;
  on_commit_ = on_commit;
  return false;
}

bool Attempts::repeats(const Txn& txn, std::span<const Position> points,
                       const Effects& effects) {
  bool is_same = false;
  each(txn, points, [&](Commit& commit) {
    is_same = commit.effects == effects;
    repeated_ = commit;
    return true;
  });
  return is_same;
}

bool Attempts::from_statement(std::size_t k, std::size_t first) {
  while (k < txn_->statements.size() &&
         (skips(k) || !txn_->statements[k]->runs())) {
    if (!skips(k)) control(k);
    ++k;
  }
  if (k == txn_->statements.size()) {
    blame_.set_all();
    return commit(rule_ == Rule::ReadCommitted ? before() : points_[first]);
  }
  const auto savepoints = savepoints_;
  // Each statement of its routine could see something else: not tried there.
  if (txn_->statements[k]->runs_routines() && is_of_mariadb(rule_))
    gave_up_ = true;
  bool is_done = false;
  if (rule_ == Rule::ReadCommitted)
    is_done = any_versions(k);
  else if (rule_ == Rule::PostgresReadCommitted)
    is_done = growing_prefix(k, first);
  else
    is_done = mariadb(k, first);
  if (!is_done) savepoints_ = savepoints;
  return is_done;
}

bool Attempts::is_kept_since(Position at) const {
  const Position end = before() + 1;
  return std::none_of(
      own_.all().begin(), own_.all().end(), [&](const auto& write) {
        if (write.handle < kOwnRow)
          return tables_.is_row_written(
              write.table, static_cast<RowNumber>(write.handle), at, end);
        // A key is free only after who had it is gone.
        return write.now != nullptr &&
               tables_.schema().at(write.table).has_primary_key &&
               tables_.is_key_written(write.table,
                                      tables_.key_of(write.table, *write.now),
                                      at, end);
      });
}

bool Attempts::mariadb(std::size_t k, std::size_t first) {
  const Prepared& prepared = *txn_->statements[k];
  const bool is_plain = prepared.is_select() && !prepared.locks();
  const bool has_view = rule_ != Rule::MariadbReadCommitted;
  const std::size_t mark = own_.mark();
  if (is_plain && has_view && read_view_) {
    if (!answers(k, {*read_view_, nullptr, before(), false})) return false;
    seen_.states[k] = *read_view_;
    if (from_statement(k + 1, first)) return true;
    own_.roll_back(mark);
    return false;
  }
  const bool makes_view = is_plain && has_view;
  std::vector<Effects> seen;
  std::size_t i = first;
  const auto skip_same = [&](bool is_answered) {
    // What a view shows of other rows is for later statements to tell.
    const Position change =
        is_answered && makes_view ? points_[i] + 1 : next_change(points_[i]);
    while (i < points_.size() && points_[i] < change) ++i;
  };
  for (bool is_answered = false; i < points_.size(); skip_same(is_answered)) {
    if (budget_.spent()) return false;
    visited_.clear();
    is_answered = false;
    const auto go_on = [&](const Answer&) {
      is_answered = true;
      const Visited visited = visited_;
      const std::optional<Position> view = read_view_;
      if (makes_view) read_view_ = points_[i];
      seen_.states[k] = points_[i];
      // Locks keep what it wrote as it is until the end.
      const bool is_kept = is_plain || is_kept_since(points_[i]);
      // With the same effects the earliest leaves most to what follows.
      Effects now = effects();
      const bool is_new =
          makes_view || std::find(seen.begin(), seen.end(), now) == seen.end();
      if (is_kept && is_new) {
        seen.push_back(std::move(now));
        if (from_statement(k + 1, i)) return true;
      }
      read_view_ = view;
      visited_ = visited;
      return false;
    };
    if (each_answer(k, {points_[i], nullptr, before(), false, &visited_},
                    go_on))
      return true;
    own_.roll_back(mark);
    if (is_answered && is_plain && !has_view) return false;
  }
  return false;
}

}  // namespace txscope::audit
