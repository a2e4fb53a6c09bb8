#include "robust/proof/allocate.h"

#include <algorithm>

namespace txscope::robust {
namespace {

enum class Height : std::uint8_t { ReadCommitted, Snapshot, Serializable };

std::string_view height_name(Height height) {
  switch (height) {
    case Height::ReadCommitted: return "read-committed";
    case Height::Snapshot: return "snapshot-isolation";
    case Height::Serializable: return "serializable";
  }
  return "";
}

/// A triple that the levels let happen, or none.
const OpenTriple* find_bad(const std::vector<Height>& heights,
                           const std::vector<OpenTriple>& committed,
                           const std::vector<OpenTriple>& snapshot) {
  for (const OpenTriple& t : committed) {
    if (heights[t.pivot] == Height::ReadCommitted) return &t;
  }
  for (const OpenTriple& t : snapshot) {
    if (heights[t.pivot] == Height::ReadCommitted) continue;  // above
    const bool all_serializable = heights[t.pivot] == Height::Serializable &&
                                  heights[t.second] == Height::Serializable &&
                                  heights[t.last] == Height::Serializable;
    if (!all_serializable) return &t;
  }
  return nullptr;
}

}  // namespace

std::vector<Allocation> allocate(Prover& prover) {
  const auto committed = prover.open_triples(PivotLevel::ReadCommitted);
  return allocate(prover.names(), committed,
                  prover.open_triples(PivotLevel::Snapshot));
}

std::vector<Allocation> allocate(const std::vector<std::string>& names,
                                 const std::vector<OpenTriple>& committed,
                                 const std::vector<OpenTriple>& snapshot) {
  std::vector<Height> heights(names.size(), Height::Serializable);
  std::vector<std::string> reasons(names.size());
  for (std::size_t t = 0; t < names.size(); ++t) {
    for (const Height lower : {Height::Snapshot, Height::ReadCommitted}) {
      const Height before = heights[t];
      heights[t] = lower;
      if (const OpenTriple* bad = find_bad(heights, committed, snapshot)) {
        heights[t] = before;
        reasons[t] =
            "not " + std::string(height_name(lower)) + ": " + bad->words;
        break;
      }
    }
  }
  std::vector<Allocation> out;
  for (std::size_t t = 0; t < names.size(); ++t) {
    out.push_back({names[t], std::string(height_name(heights[t])), reasons[t]});
  }
  return out;
}

}  // namespace txscope::robust
