#include "audit/attempt/statement_points.h"

#include <algorithm>

namespace txscope::audit {

std::size_t StatementPoints::begin() {
  if (!open_.empty()) {
    One& outer = statements_[open_.back()];
    outer.has_inner = true;
    low_ = std::max(low_, outer.point);
  }
  One one;
  one.choice = choices_.made();
  one.first = low_;
  one.point = points_.size() - 1 - choices_.choose(points_.size() - low_);
  const std::size_t number = statements_.size();
  statements_.push_back(std::move(one));
  open_.push_back(number);
  return number;
}

Position StatementPoints::first_like(const One& one) const {
  const Position at = points_[one.point];
  if (!one.is_settled) return last_change(tables_, one.visited, at);
  Position first = kSetup;
  for (const auto& [table, row] : one.visited) {
    const auto& versions = tables_.versions(table, row);
    if (tables_.visible(table, row, at) == nullptr)
      return last_change(tables_, one.visited, at);
    Position born = at;
    for (auto v = versions.rbegin(); v != versions.rend(); ++v) {
      if (v->at > at) continue;
      if (v->row == nullptr) break;
      born = v->at;
    }
    first = std::max(first, born);
  }
  return first;
}

void StatementPoints::end(std::size_t statement, Position waited_for) {
  const One& one = statements_[statement];
  std::size_t seen = one.point;
  if (!one.has_inner) {
    const Position change = first_like(one);
    while (seen > one.first && points_[seen - 1] >= change) --seen;
    choices_.go_on_with(one.choice, points_.size() - seen);
  }
  low_ = std::max(low_, seen);
  wait_for(waited_for);
  std::erase(open_, statement);
}

void StatementPoints::wait_for(Position at) {
  while (points_[low_] < at && low_ + 1 < points_.size()) ++low_;
}

}  // namespace txscope::audit
