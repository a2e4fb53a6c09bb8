// PostgreSQL's READ COMMITTED: every statement, also those of routines and of
// triggers, takes a snapshot when it begins.

#include <algorithm>
#include <utility>

#include "audit/attempt/attempt.h"

namespace txscope::audit {

std::pair<std::size_t, std::size_t> Attempts::visible_to(
    std::size_t k, std::size_t first) const {
  if (k >= windows_.size()) return {first, points_.size()};
  const auto index = [this](Position at) {
    return static_cast<std::size_t>(
        std::lower_bound(points_.begin(), points_.end(), at) - points_.begin());
  };
  const std::size_t begin =
      std::max(first, std::min(index(windows_[k].oldest), points_.size() - 1));
  const Position newest = windows_[k].newest;
  const std::size_t end = newest == kNow ? points_.size() : index(newest + 1);
  return {begin, std::max(end, begin + 1)};
}

bool Attempts::growing_prefix(std::size_t k, std::size_t first) {
  const Prepared& prepared = *txn_->statements[k];
  const bool is_plain = prepared.is_select() && !prepared.locks();
  const std::size_t mark = own_.mark();
  std::vector<std::pair<Effects, std::size_t>> seen;
  const auto [begin, end] = visible_to(k, first);
  std::size_t i = begin;
  const auto skip_same = [&] {
    const Position change = next_change(points_[i]);
    while (i < points_.size() && points_[i] < change) ++i;
  };
  const auto go_on = [&](const Answer& answer) {
    std::size_t next = i;
    while (points_[next] < answer.waited_for && next + 1 < points_.size())
      ++next;
    std::pair<Effects, std::size_t> way(effects(), next);
    if (std::find(seen.begin(), seen.end(), way) != seen.end()) return false;
    seen.push_back(std::move(way));
    const Visited visited = visited_;
    seen_.states[k] = points_[i];
    if (from_statement(k + 1, next)) return true;
    visited_ = visited;
    return false;
  };
  for (; i < end; skip_same()) {
    if (budget_.spent()) return false;
    visited_.clear();
    bool is_answered = false;
    const auto at_moment = [&](Position then) {
      Sight sight{points_[i], nullptr, then, true};
      sight.visited = &visited_;
      const bool chose =
          std::exchange(seen_.chose, seen_.chose || then != before());
      const bool is_done = each_answer(k, sight, [&](const Answer& answer) {
        is_answered = true;
        return go_on(answer);
      });
      if (!is_done) seen_.chose = chose;
      return is_done;
    };
    if (at_moment(before())) return true;
    if (!is_plain && each_moment(k, points_[i], at_moment)) return true;
    own_.roll_back(mark);
    // The earliest state that answers leaves most to what follows.
    if (is_answered && is_plain) return false;
  }
  if (!prepared.runs_routines()) return false;
  // The statements of one that is taken back are tried at the end only.
  gave_up_ |= txn_->is_undone(k);
  return inside_routine(k, begin, end);
}

/// The statements of a routine, and of triggers, on states of their own.
bool Attempts::inside_routine(std::size_t k, std::size_t first,
                              std::size_t end) {
  const std::size_t mark = own_.mark();
  const bool chose = seen_.chose;
  std::vector<std::pair<Effects, std::size_t>> seen;
  Choices choices;
  while (choices.next()) {
    if (!may_go_on(choices)) return false;
    StatementPoints points(tables_, points_.first(end), first, choices);
    Sight sight{before(), nullptr, before(), true};
    sight.points = &points;
    sight.choices = &choices;
    Answer answer;
    const bool is_answered = answers(k, sight, &answer);
    if (notes_looks_)
      for (std::size_t i = 0; i < points.size(); ++i)
        looked_at_.insert(points.visited(i).begin(), points.visited(i).end());
    // One alone has been tried on every state.
    if (points.size() <= 1 && choices.is_first()) return false;
    if (!is_answered) continue;
    points.wait_for(answer.waited_for);
    std::pair<Effects, std::size_t> way(effects(), points.low());
    if (std::find(seen.begin(), seen.end(), way) == seen.end()) {
      seen.push_back(std::move(way));
      seen_.states[k] = points_[points.low()];
      seen_.chose = true;
      if (from_statement(k + 1, points.low())) return true;
      seen_.chose = chose;
    }
    own_.roll_back(mark);
  }
  return false;
}

}  // namespace txscope::audit
