#include "analyze/comparison.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/cause.h"

namespace txscope::analyze {
namespace {

/// By name, in the order of names.
using NamedGroup = std::vector<std::string>;

NamedGroup named(const Analysis& analysis, const Group& group) {
  NamedGroup names;
  for (const std::size_t type : group)
    names.push_back(analysis.types[type].name);
  std::sort(names.begin(), names.end());
  return names;
}

std::set<NamedGroup> groups_of(const Analysis& analysis,
                               const RaceFinding& finding) {
  std::set<NamedGroup> groups;
  for (const Group& group : finding.groups)
    groups.insert(named(analysis, group));
  return groups;
}

std::string words_of(const NamedGroup& group) {
  std::string text;
  for (const std::string& one : group)
    text += (text.empty() ? "" : " x ") + one;
  return text;
}

template <class T>
bool share(const std::set<T>& a, const std::set<T>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const T& one) { return b.count(one) > 0; });
}

class Comparer {
 public:
  Comparer(const Analysis& before, const Analysis& now)
      : before_(before), now_(now), is_old_(now.findings.size(), false) {
    for (const Cell& cell : now.cells)
      cells_[named(now, {cell.a, cell.b})] = &cell;
    for (const Triple& triple : now.triples)
      triples_[named(now, triple.group)] = triple.verdict;
  }

  Comparison run() {
    Comparison out;
    out.before = before_.file;
    out.earlier = before_.findings;
    for (std::size_t i = 0; i < before_.findings.size(); ++i)
      out.fates.push_back(fate_of(i));
    for (std::size_t i = 0; i < now_.findings.size(); ++i)
      if (!is_old_[i]) out.fresh.push_back(i);
    add_costs(out);
    return out;
  }

 private:
  [[nodiscard]] bool is_same(const RaceFinding& old,
                             const RaceFinding& present) const {
    if (old.kind != present.kind) return false;
    if (old.id == present.id) return true;
    return share(groups_of(before_, old), groups_of(now_, present)) &&
           share(tables_at_fault(old.kind, old.example),
                 tables_at_fault(present.kind, present.example));
  }

  FindingFate fate_of(std::size_t index) {
    const RaceFinding& old = before_.findings[index];
    FindingFate fate;
    fate.before = index;
    for (std::size_t i = 0; i < now_.findings.size(); ++i) {
      if (!is_same(old, now_.findings[i])) continue;
      is_old_[i] = true;
      if (!fate.now) fate.now = i;
    }
    if (fate.now) {
      fate.fate = keeps_rules(old, now_.findings[*fate.now]) ? Fate::Kept
                                                             : Fate::Remains;
      return fate;
    }
    judge_pairs(old, fate);
    return fate;
  }

  /// It broke rules, and breaks none of them now.
  [[nodiscard]] static bool keeps_rules(const RaceFinding& old,
                                        const RaceFinding& present) {
    return !old.rules.empty() &&
           std::none_of(old.rules.begin(), old.rules.end(),
                        [&](const std::string& rule) {
                          return std::find(present.rules.begin(),
                                           present.rules.end(),
                                           rule) != present.rules.end();
                        });
  }

  /// It is gone as surely as its pairs are safe.
  void judge_pairs(const RaceFinding& old, FindingFate& fate) const {
    fate.fate = Fate::Proved;
    for (const NamedGroup& group : groups_of(before_, old)) {
      const auto verdict = verdict_of(group);
      if (!verdict) {
        fate.fate = Fate::Unknown;
        fate.why = words_of(group) + " is not there any more";
        return;
      }
      if (*verdict == CellVerdict::Undecided) {
        fate.fate = Fate::Unknown;
        fate.why = words_of(group) + " is undecided";
        return;
      }
      // Deadlocks and errors are tried also where a race is ruled out.
      if (*verdict != CellVerdict::Safe || old.kind != FindingKind::Race)
        fate.fate = Fate::Tried;
    }
  }

  /// Of three that were not looked at, what is known of their pairs: the worst.
  /// None: one is not there any more.
  [[nodiscard]] std::optional<CellVerdict> verdict_of(
      const NamedGroup& group) const {
    if (const auto triple = triples_.find(group); triple != triples_.end())
      return triple->second;
    CellVerdict worst = CellVerdict::Safe;
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = i + 1; j < group.size(); ++j) {
        const auto cell = cells_.find({group[i], group[j]});
        if (cell == cells_.end()) return std::nullopt;
        worst = std::max(worst, cell->second->verdict);
      }
    return worst;
  }

  void add_costs(Comparison& out) const {
    for (const Cell& old : before_.cells) {
      const NamedGroup pair = named(before_, {old.a, old.b});
      const auto found = cells_.find(pair);
      if (found == cells_.end()) continue;
      const Cell& cell = *found->second;
      const std::string both = words_of(pair) + ": ";
      if (cell.has_deadlock && !old.has_deadlock)
        out.costs.push_back(both + "deadlocks");
      for (const std::string& code : cell.errors)
        if (std::find(old.errors.begin(), old.errors.end(), code) ==
            old.errors.end())
          out.costs.push_back(both + code);
    }
  }

  const Analysis& before_;
  const Analysis& now_;
  // Of now.
  std::map<NamedGroup, const Cell*> cells_;
  std::map<NamedGroup, CellVerdict> triples_;
  std::vector<bool> is_old_;  // present findings that were there
};

}  // namespace

std::string_view name(Fate fate) {
  switch (fate) {
    case Fate::Proved: return "repaired for all inputs";
    case Fate::Tried: return "repaired for what was tried";
    case Fate::Remains: return "remains";
    case Fate::Kept: return "keeps its rules, unlike any serial order";
    case Fate::Unknown: break;
  }
  return "unknown";
}

Comparison compare(const Analysis& before, const Analysis& now) {
  Comparison out = Comparer(before, now).run();
  out.nothing_before = before.why_nothing();
  out.pairs_before = before.cells.size();
  out.undecided_before = static_cast<std::size_t>(std::count_if(
      before.cells.begin(), before.cells.end(),
      [](const Cell& cell) { return cell.verdict == CellVerdict::Undecided; }));
  return out;
}

}  // namespace txscope::analyze
