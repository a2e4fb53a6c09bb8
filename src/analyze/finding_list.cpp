#include "analyze/finding_list.h"

#include <algorithm>
#include <optional>

#include "analyze/cause.h"
#include "model/product/error_class.h"

namespace txscope::analyze {
namespace {

template <class T>
void add_once(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

int weight(const RaceFinding& finding) {
  switch (finding.kind) {
    case FindingKind::Race:
      if (!finding.rules.empty()) return 0;
      return finding.suggested.empty() ? 2 : 1;
    case FindingKind::Deadlock: return 3;
    case FindingKind::Error: return 4;
  }
  return 5;
}

}  // namespace

bool fails_to_serialize(const std::string& code) {
  const ErrorRow* row = find_error(code);
  return row != nullptr && row->is == ErrorClass::Serialization;
}

FindingList::Taken FindingList::take(
    const Answer& answer, const Group& group, const Scene& scene,
    const std::vector<CallRunner::Part>& parts) {
  Taken taken;
  std::optional<std::size_t> race;
  // What breaks a rule is mostly known by its cause then.
  for (const Counterexample& example : answer.counterexamples) {
    if (!example.builtin) continue;
    if (example.builtin == Builtin::NoDeadlock) {
      // Three wait in a circle wherever two of them do.
      if (group.size() > 2 &&
          causes_.contains(cause_of(FindingKind::Deadlock, example)))
        continue;
      taken.has_deadlock = true;
      add(FindingKind::Deadlock, example, group, scene, parts);
    } else {
      race = add(FindingKind::Race, example, group, scene, parts);
    }
  }
  taken.is_race = race.has_value();
  for (const Counterexample& example : answer.counterexamples) {
    if (example.builtin) continue;
    if (suggested_.contains(example.name)) {
      // No serial order has that state, so there is a race that has it.
      if (race && example.is_avoided_serially)
        add_once(found_.findings[*race].suggested, example.name);
    } else if (!example.is_avoided_serially) {
      note_serial(example.name);
    } else {
      taken.is_race = true;
      const std::size_t number =
          add(FindingKind::Race, example, group, scene, parts);
      add_once(found_.findings[number].rules, example.name);
    }
  }
  return taken;
}

std::size_t FindingList::add(FindingKind kind, const Counterexample& example,
                             const Group& group, const Scene& scene,
                             const std::vector<CallRunner::Part>& parts) {
  const auto [known, is_new] =
      causes_.try_emplace(cause_of(kind, example), found_.findings.size());
  if (is_new) {
    RaceFinding finding;
    finding.kind = kind;
    finding.workload = sql::workload_of(scene.runner->application());
    finding.before = scene.before_words;
    finding.example = example;
    finding.sentence = sentence_of(finding.workload, kind, example);
    finding.serially = serially(example);
    finding.id = stable_id(finding.workload, kind, example);
    runs_.emplace(found_.findings.size(),
                  Run{scene.runner, scene.before, parts});
    found_.findings.push_back(std::move(finding));
  }
  add_once(found_.findings[known->second].groups, group);
  return known->second;
}

void FindingList::note_serial(const std::string& rule) {
  if (serially_broken_.insert(rule).second)
    found_.notes.push_back("the rule " + rule +
                           " breaks in some serial order, too, of calls "
                           "that were tried: that is no race");
}

void FindingList::add_error(const std::string& code,
                            const CallRunner::Failure& failure,
                            const Group& group, const Scene& scene) {
  const auto [known, is_new] = causes_.try_emplace(
      "error:" + code + ":" + std::to_string(failure.at.offset),
      found_.findings.size());
  if (is_new) {
    RaceFinding finding;
    finding.kind = FindingKind::Error;
    finding.code = code;
    finding.workload = sql::workload_of(scene.runner->application());
    finding.id = stable_error_id(finding.workload, code, failure.at);
    const auto name = [&](std::size_t part) {
      return found_.types[group[part]].name;
    };
    finding.sentence =
        failure.at.line == 0
            ? name(0) + " and " + name(1) + " at the same time can fail"
            : name(failure.part) + " can fail at line " +
                  std::to_string(failure.at.line);
    finding.sentence +=
        " with " + code + ", which no serial order does" +
        (fails_to_serialize(code) ? ": the transaction has to be run again"
                                  : "");
    found_.findings.push_back(std::move(finding));
  }
  add_once(found_.findings[known->second].groups, group);
}

void FindingList::sort() {
  std::stable_sort(found_.findings.begin(), found_.findings.end(),
                   [](const RaceFinding& x, const RaceFinding& y) {
                     if (weight(x) != weight(y)) return weight(x) < weight(y);
                     return x.groups.size() > y.groups.size();
                   });
}

}  // namespace txscope::analyze
