#include "repair/kinds/read_then_write.h"

#include <algorithm>
#include <set>

#include "analysis/one_row.h"
#include "model/sql/walk.h"
#include "repair/kinds/slot_use.h"

namespace txscope::repair {
namespace {

using sql::PlBlock;
using sql::PlExecute;
using sql::PlIf;
using sql::PlStatement;

std::optional<Read> read_in(const Problem& problem, const PlStatement& one) {
  Read read;
  read.at = &one;
  read.execute = std::get_if<PlExecute>(&one.what);
  if (read.execute == nullptr || read.execute->into.empty() ||
      read.execute->is_expression || !read.execute->statement.is_select())
    return std::nullopt;
  read.words = StatementText(problem, read.execute->statement).words;
  const auto queries = queries_in(problem, read.words);
  if (queries.size() != 1 || queries[0].begin != 0) return std::nullopt;
  read.query = queries[0];
  const auto& select = *std::get<sql::Select>(read.execute->statement.what);
  if (read.query.table == nullptr || !read.query.alias.empty() ||
      read.query.tail != read.query.end || read.query.is_grouped ||
      !analysis::names_one_row(*read.query.table, select.where))
    return std::nullopt;
  read.targets = split_at(read.words, 1, read.query.from, ",");
  if (read.targets.size() != read.execute->into.size()) return std::nullopt;
  return read;
}

bool is_update_of(const Problem& problem, const PlStatement& one,
                  const sql::Table& table) {
  const auto* execute = std::get_if<PlExecute>(&one.what);
  const auto* update = execute == nullptr
                           ? nullptr
                           : std::get_if<sql::Update>(&execute->statement.what);
  return update != nullptr && execute->into.empty() &&
         &problem.application->schema.at(update->target.table) == &table;
}

bool leaves(const PlBlock& block) {
  return !block.empty() &&
         (std::holds_alternative<sql::PlRaise>(block.back().what) ||
          std::holds_alternative<sql::PlReturn>(block.back().what));
}

bool has_end(const PlStatement& one) {
  bool found = false;
  const auto look = [&](const PlStatement& s) {
    found = found || std::holds_alternative<sql::PlReturn>(s.what) ||
            std::holds_alternative<sql::PlExit>(s.what) ||
            std::holds_alternative<sql::PlEnd>(s.what);
  };
  look(one);
  sql::for_each_part(
      one, [](const sql::Expr&) {}, [](const sql::DbStatement&) {},
      [&](const PlBlock& inside) { sql::for_each_pl(inside, look); });
  return found;
}

/// Finds the patterns of a routine.
class PatternFinder {
 public:
  explicit PatternFinder(const Problem& problem) : problem_(problem) {}

  std::vector<ReadThenWrite> run(const sql::Routine& routine) {
    look_at(routine.body);
    return std::move(all_);
  }

 private:
  // Depth: the nesting of blocks, which the front end limits.
  void look_at(const PlBlock& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (auto read = read_in(problem_, block[i])) follow(block, i, *read);
      sql::for_each_part(
          block[i], [](const sql::Expr&) {}, [](const sql::DbStatement&) {},
          [&](const PlBlock& inside) { look_at(inside); });
    }
  }

  /// From the read to the UPDATE of its row, if nothing leaves between them.
  void follow(const PlBlock& block, std::size_t i, const Read& read) {
    ReadThenWrite pattern;
    pattern.read = read;
    for (std::size_t j = i + 1; j < block.size(); ++j) {
      if (is_update_of(problem_, block[j], *read.query.table)) {
        pattern.update = &block[j];
        all_.push_back(std::move(pattern));
        return;
      }
      const auto* branch = std::get_if<PlIf>(&block[j].what);
      if (branch != nullptr && find_inside(block[j], *branch, pattern)) {
        all_.push_back(std::move(pattern));
        return;
      }
      if (branch != nullptr && tests(*branch, read)) {
        if (pattern.guard || branch->arms.size() != 1 ||
            !branch->otherwise.empty() || !leaves(branch->arms[0].body))
          return;
        pattern.guard = Guard{&block[j], false};
      } else if (has_end(block[j])) {
        return;
      }
      pattern.between.push_back(&block[j]);
    }
  }
  bool find_inside(const PlStatement& at, const PlIf& branch,
                   ReadThenWrite& pattern) const {
    if (pattern.guard || branch.arms.size() != 1) return false;
    for (const PlStatement& one : branch.arms[0].body) {
      if (is_update_of(problem_, one, *pattern.read.query.table)) {
        pattern.update = &one;
        pattern.guard = Guard{&at, true};
        pattern.between.push_back(&at);
        return true;
      }
      if (has_end(one)) return false;
    }
    return false;
  }
  static bool tests(const PlIf& branch, const Read& read) {
    std::set<std::uint32_t> slots;
    for (const PlIf::Arm& arm : branch.arms)
      add_variables(arm.condition, slots);
    if (slots.contains(sql::kFoundSlot)) return true;
    return std::any_of(
        read.execute->into.begin(), read.execute->into.end(),
        [&](std::uint32_t slot) { return slots.contains(slot); });
  }

  const Problem& problem_;
  std::vector<ReadThenWrite> all_;
};

}  // namespace

std::vector<ReadThenWrite> reads_then_writes(const Problem& problem,
                                             const sql::Routine& routine) {
  return PatternFinder(problem).run(routine);
}

}  // namespace txscope::repair
