#include "analyze/triples.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace txscope::analyze {
namespace {

using Cells = std::map<std::pair<std::size_t, std::size_t>, const Cell*>;

/// All of them were run, and none went wrong.
bool has_good_pairs(const Cells& cells, const Group& group) {
  for (std::size_t i = 0; i < group.size(); ++i)
    for (std::size_t j = i + 1; j < group.size(); ++j) {
      const CellVerdict verdict = cells.at({group[i], group[j]})->verdict;
      if (verdict == CellVerdict::Race || verdict == CellVerdict::Undecided)
        return false;
    }
  return true;
}

/// Three types of which any two can meet.
std::vector<Group> meeting_triples(const Analysis& found, const Cells& cells) {
  std::vector<Group> all;
  const std::size_t count = found.types.size();
  const auto meet = [&](std::size_t a, std::size_t b) {
    return cells.at({a, b})->can_meet;
  };
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b) {
      if (!meet(a, b)) continue;
      for (std::size_t c = b + 1; c < count; ++c)
        if (meet(a, c) && meet(b, c)) all.push_back({a, b, c});
    }
  return all;
}

std::size_t different(const Group& group) {
  return std::set<std::size_t>(group.begin(), group.end()).size();
}

}  // namespace

std::vector<Group> triples_to_try(const Analysis& found,
                                  const TypeProof& proof) {
  Cells cells;
  for (const Cell& cell : found.cells) cells[{cell.a, cell.b}] = &cell;
  std::set<Group> known;
  if (proof.open) {
    known = *proof.open;
  } else {
    for (Group& group : meeting_triples(found, cells))
      known.insert(std::move(group));
  }
  std::vector<Group> all;
  for (const Group& group : known)
    if (has_good_pairs(cells, group)) all.push_back(group);
  std::stable_sort(all.begin(), all.end(), [](const Group& x, const Group& y) {
    return different(x) > different(y);
  });
  return all;
}

}  // namespace txscope::analyze
