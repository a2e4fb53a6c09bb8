#include "race/reduce/tree.h"

#include <algorithm>

namespace txscope::race {

struct ScheduleTree::Node {
  Node* parent = nullptr;
  Choice choice;  ///< that led here
  std::size_t switches = 0;
  bool is_known = false;
  std::vector<Choice> enabled;
  Sleep sleep;
  std::set<Choice> asked;
  std::vector<Sleeper> made;  ///< choices whose runs are in
  std::map<Choice, std::unique_ptr<Node>> children;

  [[nodiscard]] std::size_t switches_with(const Choice& next) const {
    const bool is_other = parent != nullptr && choice.request != next.request;
    return switches + (is_other ? 1 : 0);
  }
};

namespace {

using HappensBefore = std::vector<std::vector<bool>>;

/// order[i][j]: i happens before j, i < j.
HappensBefore happens_before(const std::vector<Step>& steps) {
  HappensBefore before(steps.size(), std::vector<bool>(steps.size(), false));
  for (std::size_t j = 0; j < steps.size(); ++j)
    for (std::size_t i = j; i-- > 0;) {
      if (before[i][j]) continue;
      const bool is_direct =
          steps[i].members.count(steps[j].choice.request) == 1 ||
          steps[i].footprint.depends_on(steps[j].footprint);
      if (!is_direct) continue;
      before[i][j] = true;
      for (std::size_t k = 0; k < i; ++k)
        if (before[k][i]) before[k][j] = true;
    }
  return before;
}

bool is_race(const std::vector<Step>& steps, const HappensBefore& before,
             std::size_t i, std::size_t j) {
  if (!before[i][j] || steps[i].members.count(steps[j].choice.request) == 1)
    return false;
  for (std::size_t k = i + 1; k < j; ++k)
    if (before[i][k] && before[k][j]) return false;
  return true;
}

bool has_victims(const std::vector<Choice>& enabled) {
  return std::any_of(enabled.begin(), enabled.end(), [](const Choice& one) {
    return one.kind == Choice::Kind::Victim;
  });
}

/// Whether a request has several steps to choose from: connections that it uses
/// at the same time.
bool has_rivals(const std::vector<Choice>& enabled) {
  std::set<std::size_t> requests;
  for (const Choice& one : enabled)
    if (!requests.insert(one.request).second) return true;
  return false;
}

}  // namespace

Sleep still_asleep(const Sleep& sleep, const Step& step) {
  Sleep result;
  for (const Sleeper& one : sleep)
    if (step.members.count(one.choice.request) == 0 &&
        !one.footprint.depends_on(step.footprint))
      result.push_back(one);
  return result;
}

bool is_asleep(const Sleep& sleep, const Choice& choice) {
  return std::any_of(sleep.begin(), sleep.end(),
                     [&](const Sleeper& one) { return one.choice == choice; });
}

ScheduleTree::ScheduleTree(bool reduces)
    : reduces_(reduces), root_(std::make_unique<Node>()) {}
ScheduleTree::~ScheduleTree() = default;

std::optional<ScheduleTree::Task> ScheduleTree::next() {
  if (!has_begun_) {
    has_begun_ = true;
    return Task{};
  }
  while (!queue_.empty()) {
    const Entry entry = queue_.top();
    queue_.pop();
    Task task;
    task.node = entry.node;
    task.sleep = entry.node->sleep;
    if (is_asleep(task.sleep, entry.choice)) continue;
    if (reduces_)
      task.sleep.insert(task.sleep.end(), entry.node->made.begin(),
                        entry.node->made.end());
    task.prefix = {entry.choice};
    for (const Node* at = entry.node; at->parent != nullptr; at = at->parent)
      task.prefix.push_back(at->choice);
    std::reverse(task.prefix.begin(), task.prefix.end());
    return task;
  }
  return std::nullopt;
}

void ScheduleTree::take_in(const Task& task, const Taken& taken) {
  std::vector<Node*> path = {root_.get()};
  Sleep sleep = task.sleep;
  const std::size_t known = task.prefix.empty() ? 0 : task.prefix.size() - 1;
  for (std::size_t i = 0; i < taken.enabled.size(); ++i) {
    Node& node = *path.back();
    if (!node.is_known) {
      node.is_known = true;
      node.enabled = taken.enabled[i];
      if (i > known) node.sleep = sleep;
    }
    if (i == taken.steps.size()) break;
    const Step& step = taken.steps[i];
    if (i >= known) {
      node.asked.insert(step.choice);
      node.made.push_back({step.choice, step.footprint});
      sleep = still_asleep(sleep, step);
    }
    auto& child = node.children[step.choice];
    if (child == nullptr) {
      child = std::make_unique<Node>();
      child->parent = &node;
      child->choice = step.choice;
      child->switches = node.switches_with(step.choice);
    }
    path.push_back(child.get());
  }
  for (std::size_t i = 0; i < path.size() && i < taken.enabled.size(); ++i) {
    Node& node = *path[i];
    if (reduces_ && !has_victims(node.enabled) && !has_rivals(node.enabled))
      continue;
    for (const Choice& choice : node.enabled) ask(node, choice);
  }
  if (reduces_) ask_for_races(path, taken);
}

void ScheduleTree::ask(Node& node, const Choice& choice) {
  if (!node.asked.insert(choice).second) return;
  queue_.push({node.switches_with(choice), asked_++, &node, choice});
}

void ScheduleTree::ask_for_races(const std::vector<Node*>& path,
                                 const Taken& taken) {
  const HappensBefore before = happens_before(taken.steps);
  for (std::size_t j = 1; j < taken.steps.size(); ++j)
    for (std::size_t i = 0; i < j; ++i)
      if (is_race(taken.steps, before, i, j))
        reverse(*path[i], taken, i, j, before);
}

// The events after `first` that do not need it, up to `second`, can happen
// without it; whichever of them can be first must be tried here.
void ScheduleTree::reverse(Node& node, const Taken& taken, std::size_t first,
                           std::size_t second, const HappensBefore& before) {
  std::vector<std::size_t> needed;
  for (std::size_t k = first + 1; k <= second; ++k)
    if (k == second || !before[first][k]) needed.push_back(k);
  std::vector<Choice> initials;
  for (const std::size_t k : needed) {
    const bool is_initial = std::none_of(
        needed.begin(), needed.end(),
        [&](std::size_t other) { return other < k && before[other][k]; });
    const Choice& choice = taken.steps[k].choice;
    if (!is_initial) continue;
    if (node.asked.count(choice) == 1 || is_asleep(node.sleep, choice)) return;
    initials.push_back(choice);
  }
  for (const Choice& choice : initials)
    if (std::find(node.enabled.begin(), node.enabled.end(), choice) !=
        node.enabled.end()) {
      ask(node, choice);
      return;
    }
  for (const Choice& choice : node.enabled) ask(node, choice);
}

}  // namespace txscope::race
