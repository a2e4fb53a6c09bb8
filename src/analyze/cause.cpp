#include "analyze/cause.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace txscope::analyze {
namespace {

/// Where a run goes wrong: statements that miss what was committed, or wait.
std::vector<const Step*> culprits(FindingKind kind,
                                  const Counterexample& example) {
  std::vector<const Step*> found;
  for (const Step& step : example.steps) {
    const bool is_stale =
        !step.misses.empty() ||
        std::any_of(step.reads.begin(), step.reads.end(),
                    [](const RowUse& use) { return use.is_stale; });
    const bool counts = kind == FindingKind::Deadlock
                            ? step.kind == Step::Kind::Wait
                            : is_stale;
    if (counts) found.push_back(&step);
  }
  if (!found.empty()) return found;
  // Nobody saw anything old: what was read before somebody else wrote it.
  for (const Step& step : example.steps)
    if (step.kind == Step::Kind::Statement && !step.reads.empty() &&
        step.writes.empty())
      found.push_back(&step);
  if (!found.empty()) return found;
  for (const Step& step : example.steps)
    if (step.kind == Step::Kind::Statement) found.push_back(&step);
  return found;
}

/// "accounts(1)" is of the table accounts.
std::string table_of(const std::string& key) {
  return key.substr(0, key.find('('));
}

std::string who(const Workload& workload, const Counterexample& example) {
  std::vector<std::string> names;
  for (const CallRef call : example.calls)
    names.push_back(workload.at(call).label);
  if (names.size() == 2 && names[0] == names[1])
    return "two calls of " + names[0];
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text + " at the same time";
}

std::set<std::string> tables_of(const std::vector<const Step*>& steps) {
  std::set<std::string> tables;
  for (const Step* step : steps) {
    for (const RowUse& use : step->reads) tables.insert(table_of(use.key));
    for (const RowUse& use : step->writes) tables.insert(table_of(use.key));
  }
  return tables;
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// FNV-1a of texts: the same everywhere and for ever.
std::string hash_of(std::string_view kind, const std::set<std::string>& texts) {
  std::uint64_t hash = 14695981039346656037u;
  const auto mix = [&hash](std::string_view text) {
    for (const char c : text) {
      hash ^= static_cast<unsigned char>(c);
      hash *= 1099511628211u;
    }
  };
  mix(kind);
  for (const std::string& text : texts) mix(text);
  char digits[17];
  std::snprintf(digits, sizeof digits, "%08x",
                static_cast<unsigned>(hash ^ (hash >> 32)));
  return digits;
}

}  // namespace

std::string cause_of(FindingKind kind, const Counterexample& example) {
  std::uint32_t first = 0xffffffff;
  for (const Step* step : culprits(kind, example))
    first = std::min(first, step->at.offset);
  return std::string(name(kind)) + ":" + std::to_string(first);
}

std::set<std::string> tables_at_fault(FindingKind kind,
                                      const Counterexample& example) {
  return tables_of(culprits(kind, example));
}

std::string sentence_of(const Workload& workload, FindingKind kind,
                        const Counterexample& example) {
  const std::string tables = listed(tables_at_fault(kind, example));
  const std::string on = tables.empty() ? "rows" : tables;
  const std::string people = who(workload, example);
  if (kind == FindingKind::Deadlock)
    return people + " can wait for each other in a circle, on " + on;
  const std::string& words = example.anomaly.words;
  if (words == "lost update")
    return people + " can read " + on +
           " before either has written: one update is lost";
  if (words == "write skew")
    return people + " can each decide by rows of " + on +
           " that the other is changing: write skew";
  std::string text = people + " can do what no serial order does";
  if (!words.empty()) text += ": " + words + " on " + on;
  return text;
}

std::string serially(const Counterexample& example) {
  for (const SerialRun& run : example.serial)
    if (!run.difference.empty()) return run.difference;
  return "";
}

std::string stable_id(const Workload& workload, FindingKind kind,
                      const Counterexample& example) {
  std::set<std::string> texts;
  for (const Step* step : culprits(kind, example))
    texts.insert(one_line(workload.text(step->at)));
  std::string words = example.anomaly.words.empty() ? std::string(name(kind))
                                                    : example.anomaly.words;
  if (kind == FindingKind::Deadlock) words = name(kind);
  std::replace(words.begin(), words.end(), ' ', '-');
  return words + "-" + hash_of(name(kind), texts);
}

std::string stable_error_id(const Workload& workload, const std::string& code,
                            Span at) {
  return "error-" + code + "-" + hash_of(code, {one_line(workload.text(at))});
}

}  // namespace txscope::analyze
