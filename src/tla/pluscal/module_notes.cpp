#include "tla/pluscal/module_notes.h"

#include <set>

#include "tla/pluscal/splice.h"
#include "tla/syntax/token.h"

namespace txscope::tla {
PlusCalLabels::PlusCalLabels(const Module& module) {
  if (module.pluscal.text.empty()) return;
  has_algorithm_ = true;
  scan(module);
  compare(module);
}

std::optional<Spot> PlusCalLabels::find(const std::string& label) const {
  const auto found = labels_.find(label);
  if (found == labels_.end()) return std::nullopt;
  return found->second;
}

/// Labels have their names of the translation.  An algorithm that cannot be
/// read has none; where it would be needed that is an error of its own.
void PlusCalLabels::scan(const Module& module) {
  const auto begin = pluscal::algorithm_begin(module);
  if (!begin) return;
  try {
    for (const auto& [label, spot] : pluscal::labels_of(*module.source, *begin))
      labels_.emplace(label, spot);
  } catch (const Fault&) {
    labels_.clear();
  }
}

/// Every label is an action of the translation, and every action that sets pc
/// is a label.
void PlusCalLabels::compare(const Module& module) {
  const PlusCal& pluscal = module.pluscal;
  if (pluscal.is_translated) return;
  if (pluscal.translation_begin == 0) {
    complaint_ = "the PlusCal algorithm of " + module.name +
                 " has no translation, and as the module defines Init, Next or "
                 "Spec itself, these are what runs";
    return;
  }
  std::set<std::string> defined;
  for (const Unit& unit : module.units)
    if (unit.op != nullptr && unit.op->spot.line > pluscal.translation_begin &&
        (pluscal.translation_end == 0 ||
         unit.op->spot.line < pluscal.translation_end))
      defined.insert(unit.op->name);
  if (defined.empty()) {
    complaint_ = "the PlusCal algorithm of " + module.name +
                 " has an empty translation, and as the module defines Init, "
                 "Next or Spec itself, these are what runs";
    return;
  }
  complaint_ = pluscal::staleness(module);
  if (!complaint_.empty()) return;
  for (const auto& [label, spot] : labels_) {
    if (defined.contains(label)) continue;
    complaint_ = "the translation of the PlusCal algorithm of " + module.name +
                 " is stale: it has no label " + label +
                 "; translate it anew (--translate)";
    return;
  }
}

}  // namespace txscope::tla
