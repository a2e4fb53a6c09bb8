#include "model/sql/walk.h"
#include "repair/kinds/changes.h"
#include "repair/routine_text.h"

namespace txscope::repair {

std::vector<Change> longer_transactions(const Problem& problem) {
  std::vector<Change> all;
  for (const sql::Routine* routine : routines_of(problem)) {
    const RoutineText body(problem, *routine);
    sql::for_each_pl(routine->body, [&](const sql::PlStatement& one) {
      const auto* end = std::get_if<sql::PlEnd>(&one.what);
      const std::size_t first = body.at(one.at.offset);
      if (end == nullptr || !end->is_commit || first == body.words().size() ||
          !body.words()[first].is("commit"))
        return;
      const auto behind = body.end_of(first);
      if (!behind) return;
      Change change;
      change.what = "do not COMMIT at " + line_of(problem, one.at);
      change.edits = {body.without(one.at.offset, *behind)};
      all.push_back(std::move(change));
    });
  }
  return all;
}

}  // namespace txscope::repair
