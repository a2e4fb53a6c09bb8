#include "analysis/number_classes.h"

#include <algorithm>

namespace txscope::analysis {

NumberClasses::Class NumberClasses::root(Class c) const {
  while (parent_[c] != c) {
    parent_[c] = parent_[parent_[c]];
    c = parent_[c];
  }
  return c;
}

void NumberClasses::join(Class a, Class b) {
  a = root(a);
  b = root(b);
  if (a == b) return;
  parent_[b] = a;
  Facts& into = facts_[a];
  Facts& from = facts_[b];
  into.is_spoilt |= from.is_spoilt;
  into.is_used |= from.is_used;
  if (from.greatest)
    into.greatest =
        std::max(into.greatest.value_or(*from.greatest), *from.greatest);
  for (const std::uint32_t sequence : from.sequences) add_sequence(a, sequence);
  from = Facts();
}

void NumberClasses::add_constant(Class c, std::int64_t number) {
  Facts& facts = facts_[root(c)];
  facts.greatest = std::max(facts.greatest.value_or(number), number);
}

void NumberClasses::add_sequence(Class c, std::uint32_t sequence) {
  auto& sequences = facts_[root(c)].sequences;
  if (std::find(sequences.begin(), sequences.end(), sequence) ==
      sequences.end()) {
    sequences.push_back(sequence);
  }
}

void NumberClasses::finish() {
  for (bool is_growing = true; is_growing;) {
    is_growing = false;
    for (const auto& [made, from] : made_) {
      const Facts& facts = facts_[root(made)];
      Facts& source = facts_[root(from)];
      if ((!facts.is_used && !facts.is_spoilt) || source.is_spoilt) continue;
      source.is_spoilt = true;
      is_growing = true;
    }
  }
}

bool NumberClasses::is_blank(Class c) const {
  const Facts& facts = facts_[root(c)];
  return !facts.is_used && !facts.is_spoilt &&
         std::none_of(made_.begin(), made_.end(), [&](const auto& made) {
           return root(made.second) == root(c);
         });
}

bool NumberClasses::is_shown(std::uint32_t sequence) const {
  return std::any_of(made_.begin(), made_.end(), [&](const auto& made) {
    const auto& sequences = facts_[root(made.second)].sequences;
    return std::find(sequences.begin(), sequences.end(), sequence) !=
           sequences.end();
  });
}

bool NumberClasses::identifies(std::uint32_t sequence,
                               std::int64_t next) const {
  bool is_found = false;
  for (Class c = 0; c < parent_.size(); ++c) {
    if (parent_[c] != c) continue;
    const Facts& facts = facts_[c];
    const auto& sequences = facts.sequences;
    if (std::find(sequences.begin(), sequences.end(), sequence) ==
        sequences.end()) {
      continue;
    }
    is_found = true;
    if (facts.is_spoilt || sequences.size() != 1) return false;
    if (facts.greatest && *facts.greatest >= next) return false;
  }
  return is_found;
}

}  // namespace txscope::analysis
