#include "analyze/analysis.h"

#include <algorithm>

namespace txscope::analyze {

std::string Analysis::why_nothing() const {
  if (types.empty()) return "no transaction was found in it";
  const auto none = [this](const auto& is_so) {
    return std::none_of(cells.begin(), cells.end(), is_so);
  };
  if (none([](const Cell& c) { return c.verdict != CellVerdict::Undecided; }))
    return "none of its transactions could be run";
  if (none([](const Cell& c) { return c.can_meet; }))
    return "no two transactions have a table in common that one of them writes";
  return "";
}

std::string Analysis::name_of(const Group& group) const {
  std::string text;
  for (const std::size_t type : group)
    text += (text.empty() ? "" : " x ") + types[type].name;
  return text;
}

std::string_view name(CellVerdict verdict) {
  switch (verdict) {
    case CellVerdict::Safe: return "safe";
    case CellVerdict::Tried: return "tried";
    case CellVerdict::Race: return "race";
    case CellVerdict::Undecided: return "undecided";
  }
  return "undecided";
}

std::string_view name(FindingKind kind) {
  switch (kind) {
    case FindingKind::Race: return "race";
    case FindingKind::Deadlock: return "deadlock";
    case FindingKind::Error: return "error";
  }
  return "race";
}

}  // namespace txscope::analyze
