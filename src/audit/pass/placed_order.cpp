#include "audit/pass/placed_order.h"

#include <algorithm>
#include <limits>

namespace txscope::audit {

std::int64_t last_answer(const sql::LogTransaction& t) {
  std::int64_t last =
      t.start.value_or(std::numeric_limits<std::int64_t>::min());
  for (const sql::LogStatement& s : t.statements)
    last = std::max(last, s.end.value_or(last));
  return last;
}

std::optional<std::int64_t> first_asked(const sql::LogTransaction& t) {
  if (t.start && !t.statements.empty() && t.statements.front().start)
    return std::max(*t.start, *t.statements.front().start);
  return t.start;
}

PlacedOrder::Step PlacedOrder::pop() {
  Step last = std::move(steps_.back());
  steps_.pop_back();
  return last;
}

std::vector<Placed> PlacedOrder::taken() {
  std::vector<Placed> order;
  order.reserve(steps_.size());
  for (Step& step : steps_) order.push_back(std::move(step.placed));
  return order;
}

Position PlacedOrder::ended_before(std::int64_t time, Position low) const {
  for (auto step = steps_.rbegin(); step != steps_.rend() && step->at > low;
       ++step) {
    const auto& end = log_of(*step).end;
    if (step->placed.is_committed && end && *end < time) return step->at;
  }
  return low;
}

Position PlacedOrder::answered_until(std::int64_t time, Position low) const {
  Position newest = kNow;
  for (auto step = steps_.rbegin(); step != steps_.rend() && step->at > low;
       ++step) {
    const auto before = step + 1;
    const Position old = before == steps_.rend() ? kSetup : before->at;
    if (step->at != old && last_answer(log_of(*step)) > time)
      newest = step->at - 1;
  }
  return newest;
}

std::vector<Attempts::Window> PlacedOrder::windows_of(
    const sql::LogTransaction& t, Position low) const {
  std::vector<Attempts::Window> windows;
  windows.reserve(t.statements.size());
  for (const sql::LogStatement& s : t.statements) {
    Attempts::Window window;
    if (s.start) window.oldest = ended_before(*s.start, low);
    if (s.end) window.newest = answered_until(*s.end, low);
    windows.push_back(window);
  }
  return windows;
}

}  // namespace txscope::audit
