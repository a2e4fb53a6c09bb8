#include <algorithm>
#include <set>

#include "robust/proof/prover.h"

namespace txscope::robust {
namespace {

constexpr std::size_t kMostSets = 200;  // of types, on the way to safe ones

}  // namespace

std::vector<sql::RoutineId> transaction_types(
    const sql::Application& application) {
  std::set<std::uint32_t> called;
  for (const auto& session : application.sessions) {
    for (const auto& call : session.calls) called.insert(call.routine.index);
  }
  std::vector<sql::RoutineId> out;
  for (std::size_t r = 0; r < application.routines.size(); ++r) {
    const sql::Routine& routine = application.routines[r];
    if ((!routine.is_function && !routine.is_block) ||
        called.contains(static_cast<std::uint32_t>(r))) {
      out.emplace_back(r);
    }
  }
  return out;
}

std::vector<std::pair<std::size_t, std::size_t>> safe_pairs(
    std::size_t types, const std::vector<OpenTriple>& open) {
  std::set<std::pair<std::size_t, std::size_t>> bad;
  for (const OpenTriple& t : open) {
    const auto ends = std::minmax({t.pivot, t.second, t.last});
    const auto is_one = [&](std::size_t x) {
      return x == ends.first || x == ends.second;
    };
    if (is_one(t.pivot) && is_one(t.second) && is_one(t.last)) bad.insert(ends);
  }
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t a = 0; a < types; ++a) {
    for (std::size_t b = a; b < types; ++b) {
      if (!bad.contains({a, b}) && !bad.contains({a, a}) &&
          !bad.contains({b, b})) {
        out.emplace_back(a, b);
      }
    }
  }
  return out;
}

std::vector<std::vector<std::size_t>> safe_sets(
    std::size_t types, const std::vector<OpenTriple>& open) {
  // Every open triple must lose one of its types: minimal sets to leave out.
  std::set<std::set<std::size_t>> out = {{}};
  for (const OpenTriple& triple : open) {
    std::set<std::set<std::size_t>> next;
    for (const auto& left_out : out) {
      if (left_out.contains(triple.pivot) || left_out.contains(triple.second) ||
          left_out.contains(triple.last)) {
        next.insert(left_out);
        continue;
      }
      for (const std::size_t t : {triple.pivot, triple.second, triple.last}) {
        auto more = left_out;
        more.insert(t);
        next.insert(std::move(more));
      }
    }
    std::set<std::set<std::size_t>> minimal;
    for (const auto& a : next) {
      const bool has_smaller =
          std::any_of(next.begin(), next.end(), [&](const auto& b) {
            return b != a &&
                   std::includes(a.begin(), a.end(), b.begin(), b.end());
          });
      if (!has_smaller) minimal.insert(a);
    }
    out = std::move(minimal);
    if (out.size() > kMostSets) return {};
  }
  std::vector<std::vector<std::size_t>> sets;
  for (const auto& left_out : out) {
    std::vector<std::size_t> kept;
    for (std::size_t t = 0; t < types; ++t) {
      if (!left_out.contains(t)) kept.push_back(t);
    }
    sets.push_back(std::move(kept));
  }
  std::sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  return sets;
}

}  // namespace txscope::robust
