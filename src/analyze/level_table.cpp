#include "analyze/level_table.h"

#include <map>
#include <utility>

#include "robust/proof/allocate.h"

namespace txscope::analyze {
namespace {

using Known = LevelTable::Known;

Known known(const Left& left, bool is_wrong) {
  if (is_wrong) return Known::Wrong;
  return left.is_known ? Known::Kept : Known::Unknown;
}

bool is_wrong(const RaceFinding& finding, const Left& left) {
  return finding.kind == FindingKind::Deadlock ? left.has_deadlock
                                               : left.is_race;
}

/// Of the findings that break a rule, the worst.
void add_rule(const std::string& rule, const Left& left, Known& worst) {
  const Known one = known(left, left.broken.contains(rule));
  if (one == Known::Wrong || worst == Known::Kept) worst = one;
}

constexpr std::string_view kTheory = "snapshot-isolation";

/// Proofs speak of theory where PostgreSQL has a level of another name.
Isolation isolation_of(std::string_view level) {
  if (level == kTheory) return Isolation::RepeatableRead;
  return level == "serializable" ? Isolation::Serializable
                                 : Isolation::ReadCommitted;
}
std::string in_postgres_words(std::string text) {
  const std::string_view name =
      profile_of(Product::PostgreSql, Isolation::RepeatableRead).name;
  const std::string_view word = name.substr(name.find(':') + 1);
  for (std::size_t at = 0; (at = text.find(kTheory, at)) != std::string::npos;)
    text.replace(at, kTheory.size(), word);
  return text;
}

}  // namespace

LevelTable level_table(const Analysis& found,
                       const std::vector<const Profile*>& levels,
                       const LeftAt& left_at) {
  LevelTable table;
  std::map<std::string, LevelTable::Row> rules;
  std::vector<LevelTable::Row> others;
  for (const Profile* level : levels) table.levels.emplace_back(level->name);
  for (std::size_t f = 0; f < found.findings.size(); ++f) {
    const RaceFinding& finding = found.findings[f];
    if (finding.kind == FindingKind::Error) continue;
    LevelTable::Row row{finding.id, false, {}};
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const Left left = l == 0 ? Left() : left_at(f, *levels[l]);
      row.at.push_back(known(left, l == 0 || is_wrong(finding, left)));
      for (const std::string& rule : finding.rules) {
        LevelTable::Row& kept = rules[rule];
        kept.what = rule;
        kept.is_rule = true;
        kept.at.resize(levels.size(), Known::Kept);
        add_rule(rule, left, kept.at[l]);
        if (l == 0) kept.at[l] = Known::Wrong;
      }
    }
    others.push_back(std::move(row));
  }
  for (auto& [name, row] : rules) table.rows.push_back(std::move(row));
  table.rows.insert(table.rows.end(), others.begin(), others.end());
  return table;
}

std::vector<LevelTable::Need> level_needs(
    const std::vector<std::string>& names,
    const std::vector<robust::OpenTriple>& committed,
    const std::vector<robust::OpenTriple>& snapshot) {
  std::vector<LevelTable::Need> needs;
  for (const robust::Allocation& one :
       robust::allocate(names, committed, snapshot))
    needs.push_back(
        {one.transaction,
         std::string(
             profile_of(Product::PostgreSql, isolation_of(one.level)).name),
         in_postgres_words(one.reason)});
  return needs;
}

}  // namespace txscope::analyze
