#include "analyze/comparison.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analyze/cause.h"

namespace txscope::analyze {
namespace {

using NamedPair = std::pair<std::string, std::string>;

NamedPair named(const Analysis& analysis, std::size_t a, std::size_t b) {
  std::string first = analysis.types[a].name;
  std::string second = analysis.types[b].name;
  if (second < first) std::swap(first, second);
  return {first, second};
}

std::set<NamedPair> pairs_of(const Analysis& analysis,
                             const RaceFinding& finding) {
  std::set<NamedPair> pairs;
  for (const auto& [a, b] : finding.pairs) pairs.insert(named(analysis, a, b));
  return pairs;
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
      cells_[named(now, cell.a, cell.b)] = &cell;
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
    return share(pairs_of(before_, old), pairs_of(now_, present)) &&
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
    for (const NamedPair& pair : pairs_of(before_, old)) {
      const auto cell = cells_.find(pair);
      if (cell == cells_.end()) {
        fate.fate = Fate::Unknown;
        fate.why = pair.first + " x " + pair.second + " is not there any more";
        return;
      }
      if (cell->second->verdict == CellVerdict::Undecided) {
        fate.fate = Fate::Unknown;
        fate.why = pair.first + " x " + pair.second + " is undecided";
        return;
      }
      // Deadlocks and errors are tried also where a race is ruled out.
      if (cell->second->verdict != CellVerdict::Safe ||
          old.kind != FindingKind::Race)
        fate.fate = Fate::Tried;
    }
  }

  void add_costs(Comparison& out) const {
    for (const Cell& old : before_.cells) {
      const NamedPair pair = named(before_, old.a, old.b);
      const auto found = cells_.find(pair);
      if (found == cells_.end()) continue;
      const Cell& cell = *found->second;
      const std::string both = pair.first + " x " + pair.second + ": ";
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
  std::map<NamedPair, const Cell*> cells_;  // of now
  std::vector<bool> is_old_;                // present findings that were there
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
