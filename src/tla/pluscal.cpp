#include "tla/pluscal.h"

#include <cctype>
#include <set>

#include "tla/token.h"

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

/// A label is a name before a colon that is not part of := or ::; names after
/// a quantifier (\A x \in S : P) are told apart by the `\in` before them.
void PlusCalLabels::scan(const Module& module) {
  const std::string_view text = module.pluscal.text;
  Spot spot = module.pluscal.algorithm;
  bool after_in = false;
  int brackets = 0;
  spot.column += 2;
  for (std::size_t i = 2; i < text.size();) {  // after (*
    const char c = text[i];
    const auto advance = [&](std::size_t count) {
      for (; count > 0 && i < text.size(); --count, ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte == '\n') {
          ++spot.line;
          spot.column = 1;
        } else if ((byte & 0xc0u) != 0x80u) {
          ++spot.column;
        }
      }
    };
    if (text.compare(i, 2, "\\*") == 0) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      advance(end - i);
    } else if (c == '"') {
      const std::size_t end = std::min(text.find('"', i + 1), text.size());
      advance(end - i + 1);
    } else if (is_word(c)) {
      std::size_t end = i;
      while (end < text.size() && is_word(text[end])) ++end;
      const std::string word(text.substr(i, end - i));
      const Spot at = spot;
      advance(end - i);
      std::size_t next = i;
      while (next < text.size() && text[next] == ' ') ++next;
      const bool is_colon = next + 1 < text.size() && text[next] == ':' &&
                            text[next + 1] != '=' && text[next + 1] != ':' &&
                            text[next + 1] != '>';
      if (is_colon && !after_in && brackets == 0) labels_.emplace(word, at);
      if (is_colon) after_in = false;
    } else {
      if (text.compare(i, 3, "\\in") == 0 || text.compare(i, 2, "\\A") == 0 ||
          text.compare(i, 2, "\\E") == 0)
        after_in = true;
      if (c == ';' || c == '\n') after_in = false;
      if (c == '[' || c == '{' || c == '(') ++brackets;
      if ((c == ']' || c == '}' || c == ')') && brackets > 0) --brackets;
      advance(1);
    }
  }
}

/// Every label is an action of the translation, and every action that sets pc
/// is a label.
void PlusCalLabels::compare(const Module& module) {
  const PlusCal& pluscal = module.pluscal;
  if (pluscal.translation_begin == 0) {
    complaint_ =
        "the PlusCal algorithm of " + module.name +
        " has no translation; translate it, the TLA+ text is what runs";
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
                 " has an empty translation; translate it";
    return;
  }
  for (const auto& [label, spot] : labels_) {
    if (defined.contains(label)) continue;
    complaint_ = "the translation of the PlusCal algorithm of " + module.name +
                 " is stale: it has no label " + label + "; translate it anew";
    return;
  }
}

}  // namespace txscope::tla
