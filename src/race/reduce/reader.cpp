#include "race/reduce/reader.h"

#include <algorithm>

#include "race/reduce/touches.h"

namespace txscope::race {
namespace {

using Access = Footprint::Access;

/// What the end of a transaction that holds this does.
Footprint ended(const Footprint& held, bool commits) {
  if (held.is_everything()) return Footprint::of_everything();
  Footprint result;
  for (const Footprint::Touch& touch : held.touches()) {
    const bool publishes = commits && touch.access == Access::Locks;
    result.add({touch.object, touch.row,
                publishes ? Access::Publishes : Access::Unlocks});
  }
  return result;
}

/// What stays locked after a statement.
Footprint kept(const Footprint& touched) {
  if (touched.is_everything()) return Footprint::of_everything();
  Footprint result;
  for (const Footprint::Touch& touch : touched.touches())
    if (touch.access == Access::Locks || touch.access == Access::Shares)
      result.add(touch);
  return result;
}

Isolation isolation_of(const Catalog& catalog, const LaneStatus* status) {
  Isolation result = Isolation::Committed;
  if (catalog.isolation == "serializable") result = Isolation::Serializable;
  if (catalog.isolation == "repeatable read") result = Isolation::Snapshot;
  return status == nullptr ? result : std::max(result, status->isolation);
}

const LaneStatus* status_of(const Event& event) {
  for (const LaneStatus& status : event.after)
    if (status.request == event.choice.request &&
        status.lane == event.choice.lane)
      return &status;
  return nullptr;
}

bool has_failed(const Event& event, std::size_t request) {
  return std::any_of(event.errors.begin(), event.errors.end(),
                     [&](const auto& error) { return error.first == request; });
}

}  // namespace

Step FootprintReader::read(const Event& event) {
  Step step;
  step.choice = event.choice;
  step.members = {event.choice.request};
  const bool is_victim = event.choice.kind == Choice::Kind::Victim;
  Open& own = lanes_[{event.choice.request, event.choice.lane}];
  if (catalog_ == nullptr || is_victim)
    step.footprint = Footprint::of_everything();
  else
    read_statements(event, isolation_of(*catalog_, status_of(event)), own,
                    step.footprint);
  if (!is_victim) own.pending = step.footprint;
  for (const LaneStatus& status : event.after) {
    Open& lane = lanes_[{status.request, status.lane}];
    const bool is_own = &lane == &own;
    const bool was_waiting = lane.is_waiting;
    lane.is_waiting = status.is_waiting;
    if (status.is_waiting) {
      if (!is_own && was_waiting && lane.pending.depends_on(step.footprint))
        step.footprint.add(lane.pending);
      continue;
    }
    if (was_waiting && !is_own) {
      step.footprint.add(lane.pending);
      step.members.insert(status.request);
    }
    if (was_waiting || is_own || status.is_gone)
      settle(event, status, lane, step.footprint);
  }
  return step;
}

void FootprintReader::read_statements(const Event& event, Isolation isolation,
                                      Open& lane, Footprint& footprint) const {
  if (isolation == Isolation::Serializable)
    footprint.add(Footprint::of_everything());
  for (const Statement& statement : event.statements) {
    const StatementTouches touches = touches_of(statement, *catalog_);
    lane.keeps_lock = lane.keeps_lock || touches.keeps_lock;
    switch (touches.control) {
      case Control::Begin:
      case Control::Part: continue;
      case Control::Commit:
        footprint.add(ended(lane.held, true));
        if (catalog_->has_deferred && !lane.held.touches().empty())
          footprint.add(Footprint::of_everything());
        continue;
      case Control::Rollback: footprint.add(ended(lane.held, false)); continue;
      case Control::None: break;
    }
    const Footprint touched =
        touches.footprint.value_or(Footprint::of_everything());
    footprint.add(touched);
    lane.held.add(kept(touched));
    if (isolation == Isolation::Snapshot && !lane.has_snapshot)
      footprint.add({"", "", Access::Reads});
    lane.has_snapshot = true;
  }
  if (lane.keeps_lock) footprint.add({"advisory locks", "", Access::Locks});
}

void FootprintReader::settle(const Event& event, const LaneStatus& status,
                             Open& lane, Footprint& footprint) {
  const bool commits = status.transaction == 'I' || status.has_ended;
  const bool has_ended = commits || status.is_gone;
  const bool failed = has_failed(event, status.request);
  if (failed || status.is_gone) footprint.add(ended(lane.held, false));
  if (commits) footprint.add(ended(lane.held, true));
  if (!has_ended) return;
  lane.held = Footprint();
  lane.has_snapshot = false;
}

}  // namespace txscope::race
